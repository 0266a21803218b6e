// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/votes.hpp"

#include "check_shapes.hpp"

namespace krossfold::ensemble {

namespace {

/// The class c of the largest value(c), ties going to the lowest.
template <class Value>
KOKKOS_INLINE_FUNCTION int largest(int classes, const Value& value) {
  int best = 0;
  for (int c = 1; c < classes; ++c) {
    if (value(c) > value(best)) best = c;
  }
  return best;
}

}  // namespace

template <class Exec>
void predicted_classes(const Exec& exec, const Matrix<int, Exec>& choice, const Members<Exec>& members) {
  const auto probability = members.probability;
  const auto model = members.model;
  const int models = members.models(), classes = members.classes();
  check_shapes(static_cast<int>(choice.extent(0)) == models && choice.extent(1) == probability.extent(1),
               "predicted_classes");
  Kokkos::parallel_for(
      "krossfold::ensemble::predicted_classes", Kokkos::RangePolicy<Exec>(exec, 0, members.samples()),
      KOKKOS_LAMBDA(int i) {
        for (int k = 0; k < models; ++k) {
          choice(k, i) = largest(classes, [&](int c) { return probability(model(k), i, c); });
        }
      });
}

template <class Exec>
void most_probable_class(const Exec& exec, const Vector<int, Exec>& choice, const Matrix<const double, Exec>& p) {
  const int classes = static_cast<int>(p.extent(1));
  check_shapes(choice.extent(0) == p.extent(0), "most_probable_class");
  Kokkos::parallel_for(
      "krossfold::ensemble::most_probable_class", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(p.extent(0))),
      KOKKOS_LAMBDA(int i) { choice(i) = largest(classes, [&](int c) { return p(i, c); }); });
}

template <class Exec>
void count_votes(const Exec& exec, const Matrix<int, Exec>& votes, const Members<Exec>& members) {
  const auto probability = members.probability;
  const auto model = members.model;
  const int models = members.models(), classes = members.classes();
  check_shapes(votes.extent(0) == probability.extent(1) && votes.extent(1) == probability.extent(2), "count_votes");
  Kokkos::parallel_for(
      "krossfold::ensemble::count_votes", Kokkos::RangePolicy<Exec>(exec, 0, members.samples()), KOKKOS_LAMBDA(int i) {
        for (int c = 0; c < classes; ++c) votes(i, c) = 0;
        for (int k = 0; k < models; ++k) {
          ++votes(i, largest(classes, [&](int c) { return probability(model(k), i, c); }));
        }
      });
}

template <class Exec>
void majority_vote(const Exec& exec, const Vector<int, Exec>& choice, const Matrix<const int, Exec>& votes,
                   const Matrix<const double, Exec>& mean) {
  const int classes = static_cast<int>(votes.extent(1));
  check_shapes(
      choice.extent(0) == votes.extent(0) && mean.extent(0) == votes.extent(0) && mean.extent(1) == votes.extent(1),
      "majority_vote");
  Kokkos::parallel_for(
      "krossfold::ensemble::majority_vote", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(votes.extent(0))),
      KOKKOS_LAMBDA(int i) {
        int best = 0;
        for (int c = 1; c < classes; ++c) {
          const bool more = votes(i, c) > votes(i, best);
          if (more || (votes(i, c) == votes(i, best) && mean(i, c) > mean(i, best))) best = c;
        }
        choice(i) = best;
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                  \
  template void predicted_classes<Exec>(const Exec&, const Matrix<int, Exec>&, const Members<Exec>&);                \
  template void most_probable_class<Exec>(const Exec&, const Vector<int, Exec>&, const Matrix<const double, Exec>&); \
  template void count_votes<Exec>(const Exec&, const Matrix<int, Exec>&, const Members<Exec>&);                      \
  template void majority_vote<Exec>(const Exec&, const Vector<int, Exec>&, const Matrix<const int, Exec>&,           \
                                    const Matrix<const double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::ensemble
