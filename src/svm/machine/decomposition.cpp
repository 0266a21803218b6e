// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/decomposition.hpp"

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/kernels/largest.hpp"

namespace krossfold::svm {

Multiclass parse_multiclass(const std::string& name) {
  if (name == "ovr") return Multiclass::one_vs_rest;
  if (name == "ovo") return Multiclass::one_vs_one;
  throw_input_error(text("unknown --multiclass '", name, "'"),
                    "it is ovr (one against the rest) or ovo (one against one)", "The default is ovr.");
}

Multiclass decomposition_of(Multiclass wanted, int classes) { return classes == 2 ? Multiclass::one_vs_one : wanted; }

int binary_problems(Multiclass kind, int classes) {
  return kind == Multiclass::one_vs_rest ? classes : classes * (classes - 1) / 2;
}

std::vector<std::pair<int, int>> class_pairs(int classes) {
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < classes; ++a) {
    for (int b = a + 1; b < classes; ++b) pairs.emplace_back(a, b);
  }
  return pairs;
}

template <class Exec>
Matrix<const std::int8_t, Exec> make_signs(const Exec& exec, Multiclass kind, int classes,
                                           const Vector<const int, Exec>& label, const Vector<const int, Exec>& held) {
  const int n = static_cast<int>(label.extent(0)), problems = binary_problems(kind, classes);
  const Vector<int> first("krossfold::svm::first_class", problems), second("krossfold::svm::second_class", problems);
  const auto pairs = class_pairs(classes);
  for (int p = 0; p < problems; ++p) {
    first(p) = kind == Multiclass::one_vs_rest ? p : pairs[p].first;
    second(p) = kind == Multiclass::one_vs_rest ? -1 : pairs[p].second;
  }
  const auto a = on_device<Exec>(first), b = on_device<Exec>(second);
  const Matrix<std::int8_t, Exec> sign(uninitialized("krossfold::svm::sign"), problems, n);
  Kokkos::parallel_for(
      "krossfold::svm::make_signs", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        for (int p = 0; p < problems; ++p) {
          const int y = label(i) == a(p) ? 1 : b(p) < 0 || label(i) == b(p) ? -1 : 0;
          sign(p, i) = static_cast<std::int8_t>(held(i) != 0 ? 0 : y);
        }
      });
  fence(exec, "krossfold::svm::make_signs");
  return sign;
}

template <class Exec>
void choose_classes(const Exec& exec, const Matrix<int, Exec>& choice, const Matrix<const double, Exec>& value,
                    Multiclass kind, int classes) {
  if (kind == Multiclass::one_vs_rest) {
    kernels::largest_class<Exec>(exec, choice, value, classes);
    return;
  }
  const int n = static_cast<int>(choice.extent(1)), problems = binary_problems(kind, classes);
  Kokkos::parallel_for(
      "krossfold::svm::vote",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                 static_cast<std::int64_t>(choice.extent(0)) * n),
      KOKKOS_LAMBDA(std::int64_t k) {
        const int s = static_cast<int>(k / n), i = static_cast<int>(k % n);
        int best = 0, most = -1;
        for (int candidate = 0; candidate < classes; ++candidate) {
          // Only the pairs of the candidate vote for it: (a, candidate), which lie ever closer together, and (candidate, b).
          int votes = 0, p = s * problems + candidate - 1;
          for (int a = 0; a < candidate; ++a) {
            votes += value(p, i) > 0 ? 0 : 1;
            p += classes - a - 2;
          }
          for (int b = candidate + 1; b < classes; ++b) votes += value(++p, i) > 0 ? 1 : 0;
          if (votes > most) {
            most = votes;
            best = candidate;
          }
        }
        choice(s, i) = best;
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                            \
  template Matrix<const std::int8_t, Exec> make_signs<Exec>(                                                   \
      const Exec&, Multiclass, int, const Vector<const int, Exec>&, const Vector<const int, Exec>&);           \
  template void choose_classes<Exec>(const Exec&, const Matrix<int, Exec>&, const Matrix<const double, Exec>&, \
                                     Multiclass, int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
