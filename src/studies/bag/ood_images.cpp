// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/ood_images.hpp"

#include <algorithm>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/shifted_images.hpp"

namespace krossfold::studies {

OodImages gather_ood(const data::Task& task, std::uint64_t seed, const data::Dataset& given) {
  using data::ImageShift;
  constexpr int most = 1000;
  OodImages ood;
  std::vector<data::Dataset> sets;
  if (task.test.size() > 0) {
    const data::Dataset some = data::rows(task.test, 0, std::min(most, task.test.size()));
    const data::PixelRange range = data::pixel_range(task.train);
    for (const auto shift : {ImageShift::noise, ImageShift::inverted, ImageShift::shuffled, ImageShift::photograph}) {
      sets.push_back(data::shifted_images(shift, some, range, seed));
      ood.name.push_back(data::name_of(shift));
    }
  }
  if (given.size() > 0) {
    require(task.test.size() > 0, text("--ood ", given.name, " without a test part"),
            "how well its samples are detected is measured against test samples",
            "Leave --ood out, or hold out a test part: --test, --test-part.");
    if (given.features() != task.train.features()) {
      throw_input_error(text("--ood ", given.name, " has ", given.features(), " features"),
                        text("the training images have ", task.train.features()), "Give images of the same size.");
    }
    sets.push_back(given);
    ood.name.push_back(given.name);
  }
  int total = 0;
  for (const data::Dataset& set : sets) {
    ood.count.push_back(set.size());
    total += set.size();
  }
  if (total == 0) return ood;
  const Matrix<float> raw(uninitialized("krossfold::studies::ood"), total, task.train.features());
  int first = 0;
  for (const data::Dataset& set : sets) {
    const auto rows = Kokkos::make_pair(first, first + set.size());
    Kokkos::deep_copy(Kokkos::subview(raw, rows, Kokkos::ALL), set.raw);
    first += set.size();
  }
  ood.images.name = "out of distribution";
  ood.images.raw = raw;
  ood.images.image = task.train.image;
  return ood;
}

}  // namespace krossfold::studies
