// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/adam.hpp"

#include <cmath>
#include <type_traits>

#include "krossfold/core/simd.hpp"

namespace krossfold::kernels {
namespace {

/// What depends on the number of the step.
struct Factors {
  float rate, root;

  Factors(std::int64_t step, const AdamParams& params)
      : rate(static_cast<float>(params.rate / (1 - std::pow(params.beta1, static_cast<double>(step))))),
        root(static_cast<float>(1 / std::sqrt(1 - std::pow(params.beta2, static_cast<double>(step))))) {}
  KOKKOS_INLINE_FUNCTION float operator()(int k) const { return k == 0 ? rate : root; }
};

/// `factors` has factors(0) and factors(1), as adam_factors().
template <class Exec, class FactorsOfStep>
void descend(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& mean,
             const Vector<float, Exec>& square, const Vector<const float, Exec>& gradient, const FactorsOfStep& factors,
             const AdamParams& params) {
  const auto size = static_cast<std::int64_t>(weight.extent(0));
  const std::int64_t block = std::is_same_v<Exec, Host> ? 4096 : 1;
  const auto new1 = static_cast<float>(1 - params.beta1), old2 = static_cast<float>(params.beta2),
             new2 = static_cast<float>(1 - params.beta2), epsilon = static_cast<float>(params.epsilon);
  Kokkos::parallel_for(
      "krossfold::kernels::adam",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, (size + block - 1) / block),
      KOKKOS_LAMBDA(std::int64_t b) {
        const std::int64_t first = b * block, last = first + block < size ? first + block : size;
        const float rate = factors(0), root = factors(1);
        float *w = weight.data(), *m = mean.data(), *v = square.data();
        const float* g = gradient.data();
        KROSSFOLD_SIMD()
        for (std::int64_t k = first; k < last; ++k) {
          m[k] += new1 * (g[k] - m[k]);
          v[k] = old2 * v[k] + new2 * g[k] * g[k];
          w[k] -= rate * m[k] / (sqrtf(v[k]) * root + epsilon);
        }
      });
}

}  // namespace

template <class Exec>
void adam(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& mean,
          const Vector<float, Exec>& square, const Vector<const float, Exec>& gradient, std::int64_t step,
          const AdamParams& params) {
  descend(exec, weight, mean, square, gradient, Factors(step, params), params);
}

template <class Exec>
void adam_factors(const Exec& exec, const Vector<float, Exec>& factors, std::int64_t step, const AdamParams& params) {
  const Factors of_step(step, params);
  Kokkos::parallel_for(
      "krossfold::kernels::adam_factors", Kokkos::RangePolicy<Exec>(exec, 0, 2),
      KOKKOS_LAMBDA(int k) { factors(k) = of_step(k); });
}

template <class Exec>
void adam(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& mean,
          const Vector<float, Exec>& square, const Vector<const float, Exec>& gradient,
          const Vector<const float, Exec>& factors, const AdamParams& params) {
  descend(exec, weight, mean, square, gradient, factors, params);
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                           \
  template void adam<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<float, Exec>&,               \
                           const Vector<float, Exec>&, const Vector<const float, Exec>&, std::int64_t,        \
                           const AdamParams&);                                                                \
  template void adam_factors<Exec>(const Exec&, const Vector<float, Exec>&, std::int64_t, const AdamParams&); \
  template void adam<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<float, Exec>&,               \
                           const Vector<float, Exec>&, const Vector<const float, Exec>&,                      \
                           const Vector<const float, Exec>&, const AdamParams&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
