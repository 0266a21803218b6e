// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/row_places.hpp"

#include <algorithm>

namespace krossfold::svm {

RowPlaces::RowPlaces(int samples, int places)
    : place_of_(samples), sample_at_(places), next_(places + 1), prev_(places + 1) {
  clear();
}

void RowPlaces::clear() {
  std::fill(place_of_.begin(), place_of_.end(), -1);
  std::fill(sample_at_.begin(), sample_at_.end(), -1);
  const int ring = static_cast<int>(next_.size());
  for (int k = 0; k < ring; ++k) {
    next_[k] = (k + 1) % ring;
    prev_[k] = (k + ring - 1) % ring;
  }
}

/// Makes a place the most recently used one.
void RowPlaces::touch(int place) {
  const int head = places();
  next_[prev_[place]] = next_[place];
  prev_[next_[place]] = prev_[place];
  next_[place] = next_[head];
  prev_[place] = head;
  prev_[next_[place]] = place;
  next_[head] = place;
}

RowPlaces::Change RowPlaces::take(std::span<const int> samples) {
  for (const int i : samples) {
    if (has(i)) touch(place_of_[i]);  // protects these from giving way
  }
  Change change;
  for (const int i : samples) {
    if (has(i)) continue;
    const int place = prev_[places()];
    if (sample_at_[place] >= 0) {
      place_of_[sample_at_[place]] = -1;
      change.gone.push_back(sample_at_[place]);
    }
    sample_at_[place] = i;
    place_of_[i] = place;
    touch(place);
    change.sample.push_back(i);
    change.place.push_back(place);
  }
  return change;
}

}  // namespace krossfold::svm
