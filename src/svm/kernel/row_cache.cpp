// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/row_cache.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/kernels/squared_distance.hpp"

namespace krossfold::svm {

namespace {

constexpr const char* list_label = "krossfold::svm::row_list";

/// out(k) = row `row(k)` of a matrix.
template <class Exec>
Vector<const KernelRow, Exec> rows_of(const Exec& exec, const Matrix<const float, Exec>& matrix,
                                      const Vector<const int, Exec>& row) {
  const Vector<KernelRow, Exec> out(uninitialized("krossfold::svm::row_pointers"), row.extent(0));
  Kokkos::parallel_for(
      "krossfold::svm::row_pointers", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(row.extent(0))),
      KOKKOS_LAMBDA(int k) { out(k).value = &matrix(row(k), 0); });
  return out;
}

// Free functions, because nvcc allows no device lambda in a private member function.

template <class Exec>
void forget_rows(const Exec& exec, const Vector<KernelRow, Exec>& table, const Vector<const int, Exec>& samples) {
  Kokkos::parallel_for(
      "krossfold::svm::forget_rows", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(samples.extent(0))),
      KOKKOS_LAMBDA(int k) { table(samples(k)).value = nullptr; });
}

template <class Exec>
struct WantedRows {
  Vector<const KernelRow, Exec> distance;
  Vector<const int, Exec> sample, place;
};

/// Fills row place(k) from distance(k), as fill_kernel does, and enters it in the table.
template <class Exec>
void compute_rows(const Exec& exec, const Matrix<float, Exec>& rows, const Vector<KernelRow, Exec>& table,
                  const WantedRows<Exec>& wanted, const KernelForm<Exec>& form, double distance_unit) {
  const int n = static_cast<int>(table.extent(0));
  const RowFiller<Exec> filler(form, distance_unit);
  const auto distance = wanted.distance;
  const auto sample = wanted.sample, place = wanted.place;
  Kokkos::parallel_for(
      "krossfold::svm::cached_rows", Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(sample.extent(0)), Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int k = member.league_rank();
        float* out = &rows(place(k), 0);
        filler.fill(member, n, out, distance(k).value, sample(k));
        Kokkos::single(Kokkos::PerTeam(member), [&]() { table(sample(k)).value = out; });
      });
  fence(exec, "krossfold::svm::cached_rows");
}

}  // namespace

template <class Exec>
Vector<const KernelRow, Exec> WholeDistances<Exec>::rows(const Exec& exec, std::span<const int>,
                                                         const Vector<const int, Exec>& list, const Poll&) {
  return rows_of<Exec>(exec, distance_, list);
}

template <class Exec>
PointDistances<Exec>::PointDistances(const Points<Exec>& points) : points_(points) {
  this->max_rows = std::min(kernels::distance_tile, points.size());
  if (points.form == PointForm::kernel_values) return;  // the rows are there
  block_ = padded_matrix<float, Exec>("krossfold::svm::distance_block", this->max_rows, points.size());
  if (points.form == PointForm::scaled_double) {
    tile_ = padded_matrix<float, Exec>("krossfold::svm::distance_tile", this->max_rows, points.size());
  }
}

template <class Exec>
Vector<const KernelRow, Exec> PointDistances<Exec>::rows(const Exec& exec, std::span<const int> samples,
                                                         const Vector<const int, Exec>& list, const Poll& poll) {
  if (points_.form == PointForm::kernel_values) return rows_of<Exec>(exec, points_.in_float, list);
  const int count = static_cast<int>(samples.size()), n = points_.size();
  std::vector<int> order(samples.size());
  std::iota(order.begin(), order.end(), 0);
  if (points_.form != PointForm::scaled_double) {  // exact, or of fixed order, however they are computed
    const Matrix<float, Exec> out = Kokkos::subview(block_, Kokkos::make_pair(0, count), Kokkos::ALL);
    squared_distance_rows<Exec>(exec, out, points_, list, poll);
    return rows_of<Exec>(exec, block_, list_on<Exec>(list_label, order));
  }
  // Rounded: a requested row needs the tiles of the whole matrix that contain it, for bitwise identical values.
  for (int first = 0; first < n; first += kernels::distance_tile) {
    const int last = std::min(first + kernels::distance_tile, n);
    bool formed = false;
    for (int k = 0; k < count; ++k) {
      if (samples[k] < first || samples[k] >= last) continue;
      if (!formed) {
        const Matrix<float, Exec> band = Kokkos::subview(tile_, Kokkos::make_pair(0, last - first), Kokkos::ALL);
        kernels::squared_distance_band<Exec, double>(exec, band, points_.in_double, first, poll);
        formed = true;
      }
      Kokkos::deep_copy(exec, Kokkos::subview(block_, k, Kokkos::ALL),
                        Kokkos::subview(tile_, samples[k] - first, Kokkos::ALL));
    }
  }
  return rows_of<Exec>(exec, block_, list_on<Exec>(list_label, order));
}

template <class Exec>
RowCache<Exec>::RowCache(const Exec& exec, std::unique_ptr<DistanceRows<Exec>> distances, int samples, int places)
    : exec_(exec), distances_(std::move(distances)) {
  table_ = Vector<KernelRow, Exec>("krossfold::svm::row_table", samples);
  this->row = table_;
  allocate(places);
  set_gamma(1);
}

template <class Exec>
void RowCache<Exec>::allocate(int places) {
  if (places < 4) throw_run_error("a cache of kernel rows needs at least 4 places", text(places, " were requested"));
  const int samples = static_cast<int>(table_.extent(0));
  rows_ = {};  // before there are others
  rows_ = padded_matrix<float, Exec>("krossfold::svm::cached_rows", places, samples);
  this->max_rows = std::min(places / 2, distances_->max_rows);
  places_ = RowPlaces(samples, places);
}

template <class Exec>
void RowCache<Exec>::shrink(int places) {
  if (places >= places_.places()) return;
  clear();
  allocate(places);
}

template <class Exec>
void RowCache<Exec>::set_gamma(double gamma) {
  KernelForm<Exec> form;
  form.function.gamma = gamma;
  set_kernel(form, 1);
}

template <class Exec>
void RowCache<Exec>::set_kernel(const KernelForm<Exec>& form, double distance_unit) {
  form_ = form;
  distance_unit_ = distance_unit;
  this->unit = form.unit;
  this->half = form.half;
  clear();
}

template <class Exec>
void RowCache<Exec>::clear() {
  places_.clear();
  Kokkos::deep_copy(exec_, table_, KernelRow{});
}

template <class Exec>
void RowCache<Exec>::fetch(std::span<const int> samples) {
  const RowPlaces::Change change = places_.take(samples);
  if (change.sample.empty()) return;
  try {
    compute(change);
  } catch (...) {
    clear();  // the assigned places hold no values yet
    throw;
  }
}

template <class Exec>
void RowCache<Exec>::compute(const RowPlaces::Change& change) {
  const auto list = list_on<Exec>(list_label, change.sample);
  forget_rows<Exec>(exec_, table_, list_on<Exec>(list_label, change.gone));
  const auto distance = distances_->rows(exec_, change.sample, list, this->poll);
  compute_rows<Exec>(exec_, rows_, table_, {distance, list, list_on<Exec>(list_label, change.place)}, form_,
                     distance_unit_);
  computed_ += static_cast<std::int64_t>(change.sample.size());
}

#define KROSSFOLD_INSTANTIATE(Exec)    \
  template class WholeDistances<Exec>; \
  template class PointDistances<Exec>; \
  template class RowCache<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
