// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/precise_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "krossfold/core/simd.hpp"
#include "krossfold/kernels/row_products.hpp"
#include "precise_rows.hpp"
#include "precise_values.hpp"

namespace krossfold::svm {

namespace {

constexpr int block = 512;

int blocks_of(int n) { return (n + block - 1) / block; }

/// d2 = the rows first, first + 1, ... of the squared distances of x from y. Both are sparse.
template <class Exec>
void sparse_rows(const Exec& exec, const Matrix<double, Exec>& d2, const Points<Exec>& x, int first,
                 const Points<Exec>& y, const Poll& poll) {
  kernels::sparse_distance<Exec, double>(exec, d2, x.sparse, {first, {}}, y.sparse, poll);
}

/// Row `rank` of the factor, for the pivot; updates `rest`, and sums it up by blocks. The row holds the distances already if the
/// points are sparse.
template <class Exec>
void add_row(const Exec& exec, const DensePoints<Exec>& points, const ValuesOf<Exec>& values, int rank, int pivot,
             double pivot_rest, const Matrix<double, Exec>& factor, const Vector<double, Exec>& rest,
             const Flags<double>& trace, const Flags<double>& largest, const Flags<int>& at) {
  const int n = static_cast<int>(rest.extent(0));
  const double scale = rank < 0 ? 0.0 : 1.0 / std::sqrt(pivot_rest);
  const bool filled = is_sparse(points.form);
  Kokkos::parallel_for(
      "krossfold::svm::factor_row", Kokkos::TeamPolicy<Exec>(exec, blocks_of(n), Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int b = member.league_rank(), first = b * block, count = first + block < n ? block : n - first;
        double* residual = rest.data() + first;
        if (rank < 0) {
          team_simd_for(member, count, [=](int k) { residual[k] = values.diagonal(first + k); });
        } else {
          double* row = &factor(rank, first);
          if (!filled) {
            Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count),
                                 [=](int k) { row[k] = distance_of(points, first + k, points, pivot); });
          }
          member.team_barrier();
          values.row(member, row, pivot, first, count);
          member.team_barrier();
          for (int r = 0; r < rank; ++r) {
            const double* other = &factor(r, first);
            const double by = factor(r, pivot);
            team_simd_for(member, count, [=](int k) { row[k] -= by * other[k]; });
          }
          team_simd_for(member, count, [=](int k) {
            row[k] *= scale;
            const double left = residual[k] - row[k] * row[k];
            residual[k] = left > 0 && first + k != pivot ? left : 0.0;
          });
        }
        member.team_barrier();
        const Largest most = team_simd_largest(member, count, [=](int k) { return residual[k]; });
        Kokkos::single(Kokkos::PerTeam(member), [&]() {
          double sum = 0;
          KROSSFOLD_SIMD(reduction(+ : sum))
          for (int k = 0; k < count; ++k) sum += residual[k];
          trace(b) = sum;
          largest(b) = most.value;
          at(b) = first + most.index;
        });
      });
  fence(exec, "krossfold::svm::factor_row");
}

std::vector<int> numbers_from(int first, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace

template <class Exec>
PreciseKernel<Exec>::PreciseKernel(const Exec& exec, int samples, double features, std::function<Points<Exec>()> points,
                                   int places)
    : exec_(exec),
      samples_(samples),
      make_points_(std::move(points)),
      features_(features),
      places_(places > 0 ? places : row_places(samples)) {
  form_.function.gamma = 0;
}

template <class Exec>
int PreciseKernel<Exec>::max_rank(int samples) {
  // A step of the interior-point method takes n r^2 operations with a factor and n^3 / 3 with K whole.
  return std::min(samples / 2, largest_factor_rank);
}

template <class Exec>
bool PreciseKernel<Exec>::may_be_whole(int samples) {
  return samples <= 4096;
}

template <class Exec>
int PreciseKernel<Exec>::row_places(int samples) {
  constexpr int numbers = 1 << 24, least = 512, most_samples = 65536;
  if (may_be_whole(samples)) return samples;
  return samples <= most_samples ? std::min(samples, std::max(numbers / samples, least)) : 0;
}

template <class Exec>
std::uint64_t PreciseKernel<Exec>::memory(int samples) {
  const auto n = static_cast<std::uint64_t>(samples);
  return 8 * n * (static_cast<std::uint64_t>(max_rank(samples)) + static_cast<std::uint64_t>(row_places(samples)));
}

template <class Exec>
double PreciseKernel<Exec>::row_cost() const {
  return samples_ * (20 + 1.5 * features_);
}

template <class Exec>
double PreciseKernel<Exec>::whole_cost() const {
  return static_cast<double>(samples_) * samples_ * (100 + 3 * features_);
}

template <class Exec>
void PreciseKernel<Exec>::set_gamma(double gamma) {
  KernelForm<Exec> form;
  form.function.gamma = gamma;
  set_kernel(form);
}

template <class Exec>
void PreciseKernel<Exec>::set_kernel(const KernelForm<Exec>& form) {
  if (form.function == form_.function) return;
  form_ = form;
  resolved_ = 0;
  far_.clear();
  if (!form.is_rbf()) {
    const auto lift = on_host(form.lift);
    double most = 0;
    for (int i = 0; i < samples_; ++i) {
      most = std::max(most, 1 + 2 * lift(i));
      if (form.function.kind == KernelKind::linear && 2 * lift(i) > 1e16) far_.push_back(i);
    }
    resolved_ = 1e-15 * most;
  }
  pivot_ = 0;
  rank_ = 0;
  residual_.clear();
  whole_there_ = false;
  forget();
}

/// Fetches the samples.
template <class Exec>
void PreciseKernel<Exec>::start() {
  if (!make_points_) return;
  points_ = make_points_();
  make_points_ = nullptr;
  const int blocks = blocks_of(samples_);
  rest_ = Vector<double, Exec>(uninitialized("krossfold::svm::factor_rest"), samples_);
  trace_ = Flags<double>("krossfold::svm::factor_trace", blocks);
  largest_ = Flags<double>("krossfold::svm::factor_largest", blocks);
  at_ = Flags<int>("krossfold::svm::factor_at", blocks);
  if (const int few = few_features(points_); few > 0) across_ = by_feature<Exec>(exec_, points_, few, samples_);
}

/// Begins the factor, or adds a row.
template <class Exec>
void PreciseKernel<Exec>::grow(const Poll& poll) {
  call(poll);
  start();
  const int n = samples_, rank = residual_.empty() ? -1 : rank_;
  double pivot_rest = 1;
  if (rank >= 0) {
    pivot_rest = largest_(pivot_ / block);
    if (rank == static_cast<int>(factor_.extent(0))) {
      const int capacity = std::min(max_rank(n), std::max(32, 2 * rank));
      const Matrix<double, Exec> larger(uninitialized("krossfold::svm::factor"), capacity, n);
      if (rank > 0) {
        Kokkos::deep_copy(exec_, Kokkos::subview(larger, Kokkos::make_pair(0, rank), Kokkos::ALL), factor_);
      }
      factor_ = larger;
    }
    if (points_.is_sparse()) {
      const Matrix<double, Exec> row = Kokkos::subview(factor_, Kokkos::make_pair(rank, rank + 1), Kokkos::ALL);
      sparse_rows<Exec>(exec_, row, points_, pivot_, points_, {});
    }
  }
  add_row<Exec>(exec_, points_, ValuesOf<Exec>(form_, points_.unit), rank, pivot_, pivot_rest, factor_, rest_, trace_,
                largest_, at_);
  if (rank >= 0) ++rank_;
  double trace = 0;
  int best = 0;
  for (int b = 0; b < blocks_of(n); ++b) {
    trace += trace_(b);
    if (largest_(b) > largest_(best)) best = b;
  }
  pivot_ = at_(best);
  residual_.push_back(trace / n);
}

template <class Exec>
int PreciseKernel<Exec>::rank_for(double tolerance, int limit, const Poll& poll) {
  limit = std::min(limit, max_rank(samples()));
  tolerance = std::max(tolerance, resolved_);
  for (int rank = 0; rank <= limit; ++rank) {
    if (rank == static_cast<int>(residual_.size())) grow(poll);
    if (residual_[static_cast<std::size_t>(rank)] <= tolerance) return std::max(rank, 1);
  }
  return 0;
}

template <class Exec>
int PreciseKernel<Exec>::affordable_rows(double cost) const {
  // One row at a time reads all samples: from memory where they do not fit a cache (0.9 ns a number, measured with 80 MB).
  constexpr double cache = 1 << 22, cached = 4, streamed = 20;
  const double number = samples_ * features_ < cache ? cached : streamed;
  const double rows = 5 * cost / (samples_ * (20 + number * features_));
  return static_cast<int>(std::min(rows, static_cast<double>(samples_)));
}

/// rows(places[k]) = row samples[k] of K; see fill_rows() for beta.
template <class Exec>
void PreciseKernel<Exec>::fill(const Matrix<double, Exec>& rows, std::span<const int> samples,
                               std::span<const int> places, const Vector<const double, Exec>& beta, const Poll& poll) {
  start();
  RowSource<Exec> source{ValuesOf<Exec>(form_, points_.unit), points_.dense(), distance_, across_, {}};
  const bool sparse = points_.is_sparse();
  const std::size_t at_once = sparse ? std::min(block, block_rows()) : block;
  for (std::size_t first = 0; first < samples.size(); first += at_once) {
    call(poll);
    const std::size_t count = std::min(at_once, samples.size() - first);
    const auto sample = list_on<Exec>("krossfold::svm::row_list", samples.subspan(first, count)),
               place = list_on<Exec>("krossfold::svm::row_list", places.subspan(first, count));
    if (sparse) {
      const Matrix<double, Exec> distance(uninitialized("krossfold::svm::sparse_rows"), count, samples_);
      kernels::sparse_distance<Exec, double>(exec_, distance, points_.sparse, {0, sample}, points_.sparse, {});
      source.block = distance;
    }
    fill_rows<Exec>(exec_, rows, sample, place, source, beta);
  }
}

/// Rows of a block that takes 32 MB.
template <class Exec>
int PreciseKernel<Exec>::block_rows() const {
  return std::max(1, std::min(64, (1 << 22) / samples_));
}

template <class Exec>
Matrix<const double, Exec> PreciseKernel<Exec>::whole(const Poll& poll) {
  if (whole_there_) return whole_;
  start();
  if (whole_.extent(0) == 0) {
    whole_ = Matrix<double, Exec>(uninitialized("krossfold::svm::precise_kernel"), samples_, samples_);
  }
  const std::vector<int> all = numbers_from(0, samples_);
  fill(whole_, all, all, {}, poll);
  whole_there_ = true;
  return whole_;
}

template <class Exec>
void PreciseKernel<Exec>::forget() {
  if (kept_.extent(0) == 0) return;
  place_of_.clear();
  Kokkos::deep_copy(exec_, table_, PreciseRow{});
}

template <class Exec>
void PreciseKernel<Exec>::fetch(std::span<const int> samples, std::span<const int> keep, const Poll& poll) {
  start();
  const bool begin = table_.extent(0) == 0;
  if (begin) table_ = Vector<PreciseRow, Exec>("krossfold::svm::precise_table", samples_);
  if (places_ == samples_ && may_be_whole(samples_)) {
    const Matrix<const double, Exec> all = whole(poll);
    if (begin) {
      const auto list = list_on<Exec>("krossfold::svm::row_list", numbers_from(0, samples_));
      enter_rows<Exec>(exec_, table_, all, list, list, {});
    }
    return;
  }
  if (kept_.extent(0) == 0) {
    kept_ = Matrix<double, Exec>(uninitialized("krossfold::svm::precise_rows"), places_, samples_);
    place_of_ = RowPlaces(samples_, places_);
  }
  std::vector<int> wanted(keep.begin(), keep.end());
  wanted.insert(wanted.end(), samples.begin(), samples.end());
  const RowPlaces::Change change = place_of_.take(wanted);
  if (change.sample.empty()) return;
  try {
    fill(kept_, change.sample, change.place, {}, poll);
  } catch (...) {
    forget();
    throw;
  }
  enter_rows<Exec>(exec_, table_, kept_, list_on<Exec>("krossfold::svm::row_list", change.sample),
                   list_on<Exec>("krossfold::svm::row_list", change.place),
                   list_on<Exec>("krossfold::svm::row_list", change.gone));
}

template <class Exec>
void PreciseKernel<Exec>::multiply(const Vector<const double, Exec>& beta, const Vector<double, Exec>& product,
                                   const Poll& poll) {
  if (may_be_whole(samples_)) return kernels::add_rows<Exec>(exec_, whole(poll), samples_, beta, product);
  start();
  const auto all = on_host(beta);
  std::vector<int> support;
  for (int i = 0; i < samples_; ++i) {
    if (all(i) != 0) support.push_back(i);
  }
  const int most = block_rows();
  const Matrix<double, Exec> rows(uninitialized("krossfold::svm::precise_block"), most, samples_);
  const std::vector<int> places = numbers_from(0, most);
  Kokkos::deep_copy(exec_, product, 0.0);
  for (std::size_t first = 0; first < support.size(); first += static_cast<std::size_t>(most)) {
    const std::size_t count = std::min(static_cast<std::size_t>(most), support.size() - first);
    fill(rows, std::span(support).subspan(first, count), std::span(places).first(count), {}, poll);
    const Vector<double> negative("krossfold::svm::support", count);
    for (std::size_t k = 0; k < count; ++k) negative(k) = -all(support[first + k]);
    subtract_rows<Exec>(exec_, rows, static_cast<int>(count), on_device<Exec>(negative), product);
  }
}

template <class Exec>
void PreciseKernel<Exec>::multiply_at(const Vector<const int, Exec>& list, const Vector<const double, Exec>& beta,
                                      const Vector<double, Exec>& product, const Poll& poll) {
  const auto sample = on_host(list);
  const std::size_t total = list.extent(0);
  const std::span<const int> samples(sample.data(), total);
  const int most = static_cast<int>(std::min(total, static_cast<std::size_t>(block_rows())));
  const Matrix<double, Exec> rows(uninitialized("krossfold::svm::precise_block"), most, samples_);
  const std::vector<int> places = numbers_from(0, most);
  for (std::size_t first = 0; first < total; first += static_cast<std::size_t>(most)) {
    const std::size_t count = std::min(static_cast<std::size_t>(most), total - first);
    fill(rows, samples.subspan(first, count), std::span(places).first(count), beta, poll);
    const Vector<double, Exec> part = Kokkos::subview(product, Kokkos::make_pair(first, first + count));
    multiply_rows<Exec>(exec_, rows, beta, part);
  }
}

template <class Exec>
void set_precise_gradient(const Exec& exec, const DualProblems<Exec>& duals, int p, PreciseKernel<Exec>& kernel,
                          const Poll& poll) {
  const int n = duals.samples();
  const auto gradient = duals.gradient;
  const auto sign = duals.sign;
  kernel.multiply(Kokkos::subview(duals.beta, p, Kokkos::ALL), Kokkos::subview(gradient, p, Kokkos::ALL), poll);
  Kokkos::parallel_for(
      "krossfold::svm::precise_gradient", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i) { gradient(p, i) = sign(p, i) - gradient(p, i); });
  fence(exec, "krossfold::svm::precise_gradient");
}

template <class Exec>
void precise_minus_one(const Exec& exec, const Matrix<double, Exec>& k, const Points<Exec>& x_points,
                       const Points<Exec>& y_points, double gamma, const Poll& poll) {
  const int rows = x_points.size(), columns = y_points.size();
  const DensePoints<Exec>&x = x_points.dense(), &y = y_points.dense();  // copied into the kernel
  const bool filled = x_points.is_sparse();
  if (filled) sparse_rows<Exec>(exec, k, x_points, 0, y_points, poll);
  for (int begin = 0; begin < rows; begin += block) {
    call(poll);
    Kokkos::parallel_for(
        "krossfold::svm::precise_minus_one",
        Kokkos::TeamPolicy<Exec>(exec, std::min(block, rows - begin), Kokkos::AUTO),
        KOKKOS_LAMBDA(const Team<Exec>& member) {
          const int i = begin + member.league_rank();
          Kokkos::parallel_for(Kokkos::TeamThreadRange(member, columns), [&](int j) {
            k(i, j) = std::expm1(-gamma * (filled ? k(i, j) : distance_of(x, i, y, j)));
          });
        });
    fence(exec, "krossfold::svm::precise_minus_one");
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                           \
  template class PreciseKernel<Exec>;                                                                         \
  template void precise_minus_one<Exec>(const Exec&, const Matrix<double, Exec>&, const Points<Exec>&,        \
                                        const Points<Exec>&, double, const Poll&);                            \
  template void set_precise_gradient<Exec>(const Exec&, const DualProblems<Exec>&, int, PreciseKernel<Exec>&, \
                                           const Poll&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
