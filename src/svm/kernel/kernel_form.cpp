// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/kernel_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/svm/points.hpp"

namespace krossfold::svm {

namespace {

template <class Exec>
Vector<const double, Exec> vector_on(const std::vector<double>& values) {
  const Vector<double> host(uninitialized("krossfold::svm::kernel_form"), values.size());
  std::copy(values.begin(), values.end(), host.data());
  return on_device<Exec>(host);
}

double scaled(const data::Dataset& samples, const data::Scale& scale, int i, int j) {
  return (static_cast<double>(samples.raw(i, j)) - scale.offset_of(j)) / scale.divisor_of(j);
}

/// Scaled features of one sample.
void scale_row(std::vector<double>& to, const data::Dataset& samples, const data::Scale& scale, int i) {
  for (int j = 0; j < samples.features(); ++j) to[static_cast<std::size_t>(j)] = scaled(samples, scale, i, j);
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// The middle one of the values in their order; 0 if there is none.
double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void add_features(SampleNorms& norms, const data::Dataset& samples, const data::Scale& scale, bool centre) {
  const int n = samples.size();
  std::vector<double> x(samples.features()), z = x, middle(x.size(), 0.0), column(static_cast<std::size_t>(n));
  for (int j = 0; centre && j < samples.features(); ++j) {
    for (int i = 0; i < n; ++i) column[static_cast<std::size_t>(i)] = scaled(samples, scale, i, j);
    middle[static_cast<std::size_t>(j)] = median(column);
  }
  for (int i = 0; i < n; ++i) {
    scale_row(x, samples, scale, i);
    norms.norm.push_back(dot(x, x));
    if (!centre) continue;
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - middle[j]) * (x[j] - middle[j]);
    norms.centred.push_back(sum);
  }
  for (std::size_t k = 0; k < norms.other.size(); ++k) {
    scale_row(x, samples, scale, static_cast<int>(k) % n);
    scale_row(z, samples, scale, norms.other[k]);
    norms.product.push_back(dot(x, z));
  }
}

}  // namespace

SampleNorms sample_norms(const data::Dataset& samples, const data::Scale& scale, KernelKind kind) {
  SampleNorms norms;
  if (kind == KernelKind::rbf) return norms;
  require_dense(samples, kind);
  const int n = samples.size();
  for (const int by : {std::max(1, n / 2), std::max(1, n / 3)}) {
    for (int i = 0; i < n; ++i) norms.other.push_back((i + by) % n);
  }
  if (kind != KernelKind::precomputed) {
    add_features(norms, samples, scale, kind == KernelKind::linear);
    return norms;
  }
  const std::vector<int> column = samples.file_rows();
  for (int i = 0; i < n; ++i) norms.norm.push_back(samples.raw(i, column[i]));
  for (std::size_t k = 0; k < norms.other.size(); ++k) {
    norms.product.push_back(samples.raw(static_cast<int>(k) % n, column[norms.other[k]]));
  }
  return norms;
}

template <class Exec>
KernelEntry KernelForm<Exec>::entry(double distance_unit) const {
  KernelEntry entry;
  entry.kind = function.kind;
  entry.degree = function.degree;
  entry.half_gamma = 0.5 * function.gamma * distance_unit;
  entry.per_unit = (function.kind == KernelKind::linear ? -0.5 * distance_unit : 1.0) / unit;
  return entry;
}

template <class Exec>
KernelForm<Exec> make_kernel_form(const KernelFunction& kernel, const SampleNorms& norms) {
  KernelForm<Exec> form;
  form.function = kernel;
  const std::size_t n = norms.norm.size();
  if (form.is_rbf() || n == 0) return form;
  const bool powers = kernel.kind == KernelKind::polynomial;
  const auto value = [&](double product) {
    return powers ? KernelEntry::power(kernel.gamma * product + kernel.coef0, kernel.degree) : product;
  };
  std::vector<double> side(n, 0.0), half(n), lift(n), apart(norms.other.size());
  double spread = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (powers) side[i] = kernel.gamma * norms.norm[i] + kernel.coef0;
    half[i] =
        0.5 * (powers ? KernelEntry::power(side[i], kernel.degree) : norms.norm[i]);  // the diagonal becomes exactly 0
    size += 2 * std::abs(half[i]) / static_cast<double>(n);
  }
  for (std::size_t k = 0; k < norms.other.size(); ++k) {
    apart[k] = std::max(half[k % n] + half[static_cast<std::size_t>(norms.other[k])] - value(norms.product[k]), 0.0);
    spread += apart[k] / static_cast<double>(norms.other.size());
  }
  // Squared distances, at most four times the largest norm, are in float.
  const std::vector<double>& norm = kernel.kind == KernelKind::linear ? norms.centred : norms.norm;
  const double largest =
      norm.empty() || kernel.kind == KernelKind::precomputed ? 0 : *std::max_element(norm.begin(), norm.end());
  require(std::isfinite(size) && std::isfinite(spread) && 4 * largest < std::numeric_limits<float>::max(),
          text("the values of the ", kernel_word(kernel.kind), " kernel overflow"),
          powers ? text("gamma is ", shortest(kernel.gamma), ", the degree ", kernel.degree) : "they are too large",
          powers ? "Scale the features, or use a smaller degree or gamma." : "Scale the features.");
  // Where all samples coincide there is nothing to scale; where a few lie far out, their distances are not those of the others, which would
  // lose their digits in a unit so large.
  const double middle = median(apart), far = 1e4;
  const double typical = spread > 1e-12 * size ? (middle > 0 && spread > far * middle ? middle : spread) : size;
  if (typical > 0) form.unit = std::exp2(std::round(std::log2(typical)));
  for (std::size_t i = 0; i < n; ++i) {
    half[i] /= form.unit;
    lift[i] = kernel.kind == KernelKind::linear ? 0.5 * norms.centred[i] / form.unit : half[i];
  }
  form.side = vector_on<Exec>(side);
  form.half = vector_on<Exec>(half);
  form.lift = vector_on<Exec>(lift);
  return form;
}

template <class Exec>
void fill_kernel(const Exec& exec, const Matrix<float, Exec>& kernel, const Matrix<const float, Exec>& source,
                 const KernelForm<Exec>& form, double distance_unit, const Poll& poll) {
  constexpr int rows_between_polls = 512;
  const int n = static_cast<int>(kernel.extent(0));
  const RowFiller<Exec> filler(form, distance_unit);
  for (int first = 0; first < n; first += rows_between_polls) {
    call(poll);
    Kokkos::parallel_for(
        "krossfold::svm::fill_kernel",
        Kokkos::TeamPolicy<Exec>(exec, std::min(rows_between_polls, n - first), Kokkos::AUTO),
        KOKKOS_LAMBDA(const Team<Exec>& member) {
          const int i = first + member.league_rank();
          filler.fill(member, n, &kernel(i, 0), &source(i, 0), i);
        });
  }
  fence(exec, "krossfold::svm::fill_kernel");
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                          \
  template struct KernelForm<Exec>;                                                                          \
  template KernelForm<Exec> make_kernel_form<Exec>(const KernelFunction&, const SampleNorms&);               \
  template void fill_kernel<Exec>(const Exec&, const Matrix<float, Exec>&, const Matrix<const float, Exec>&, \
                                  const KernelForm<Exec>&, double, const Poll&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
