// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/error_rate.hpp"

#include "check_shapes.hpp"
#include "krossfold/kernels/largest.hpp"

namespace krossfold::ensemble {

template <class Exec>
std::vector<double> error_rates(const Exec& exec, const Matrix<const int, Exec>& choice,
                                const Vector<const int, Exec>& label) {
  check_shapes(choice.extent(1) == label.extent(0) && label.extent(0) > 0, "error_rates");
  const Vector<int, Exec> wrong(uninitialized("krossfold::ensemble::wrong"), choice.extent(0));
  kernels::count_wrong<Exec>(exec, wrong, choice, label);
  fence(exec, "krossfold::ensemble::error_rates");
  const auto count = on_host(wrong);
  std::vector<double> rate;
  for (std::size_t s = 0; s < count.extent(0); ++s) rate.push_back(count(s) / static_cast<double>(label.extent(0)));
  return rate;
}

template <class Exec>
double error_rate(const Exec& exec, const Vector<const int, Exec>& choice, const Vector<const int, Exec>& label) {
  const Matrix<const int, Exec> row(choice.data(), 1, choice.extent(0));
  return error_rates<Exec>(exec, row, label).front();
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                           \
  template std::vector<double> error_rates<Exec>(const Exec&, const Matrix<const int, Exec>&, \
                                                 const Vector<const int, Exec>&);             \
  template double error_rate<Exec>(const Exec&, const Vector<const int, Exec>&, const Vector<const int, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::ensemble
