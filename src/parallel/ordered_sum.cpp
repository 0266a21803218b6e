// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/ordered_sum.hpp"

#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace krossfold::parallel {

bool gpu_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  if (MPIX_Query_cuda_support() == 1) return true;
#endif
  const char* mpich = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
  return mpich != nullptr && std::string(mpich) == "1";
}

namespace {

/// sum(k) = x(0, k) + x(1, k) + ... for `count` numbers of `rows` rows.
template <class Space>
void sum_in_order(const Vector<float, Space>& sum, std::int64_t at, const Vector<const float, Space>& x, int rows,
                  std::int64_t count) {
  Kokkos::parallel_for(
      "krossfold::parallel::ordered_sum",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(Space(), 0, count), KOKKOS_LAMBDA(std::int64_t k) {
        float total = x(k);
        for (int r = 1; r < rows; ++r) total += x(r * count + k);
        sum(at + k) = total;
      });
  fence(Space(), "krossfold::parallel::ordered_sum");
}

/// The sum in memory that MPI can read: that of Space.
template <class Space>
class SumIn {
public:
  SumIn(const Communicator& comm, int shards, std::int64_t length, SumOn on)
      : comm_(comm), on_(on), shards_(shards), own_(shards / comm.size()), length_(length) {
    const int ranks = comm.size();
    for (int r = 0; r <= ranks; ++r) begin_.push_back(length * r / ranks);
    const std::int64_t part = begin_[comm.rank() + 1] - begin_[comm.rank()];
    const std::int64_t received = on == SumOn::all ? part * shards : comm.is_root() ? length * shards : 0;
    // What the rank with the most of them receives: all ranks refuse the same.
    const std::int64_t most = on == SumOn::all ? (length / ranks + 1) * shards : length * shards;
    if (std::int64_t{own_} * length > std::numeric_limits<int>::max() || most > std::numeric_limits<int>::max()) {
      throw_run_error(text("gradients of ", length, " numbers for ", shards, " shards are too long to exchange"),
                      "MPI counts with 32 bits", "Use fewer shards on a rank.");
    }
    if (own_ > 1 && on == SumOn::all) packed_ = Vector<float, Space>("krossfold::parallel::packed", own_ * length);
    received_ = Vector<float, Space>("krossfold::parallel::received", received);
  }

  void operator()(const Vector<float, Space>& sum, const Matrix<const float, Space>& own) {
    if (on_ == SumOn::root) {
      const int count = static_cast<int>(own_ * length_);
      check(MPI_Gather(own.data(), count, MPI_FLOAT, received_.data(), count, MPI_FLOAT, 0, comm_.handle()),
            "MPI_Gather");
      if (comm_.is_root()) sum_in_order<Space>(sum, 0, received_, shards_, length_);
      return;
    }
    const int ranks = comm_.size(), me = comm_.rank();
    const std::int64_t part = begin_[me + 1] - begin_[me];
    std::vector<int> sent(ranks), sent_at(ranks), got(ranks, static_cast<int>(own_ * part)), got_at(ranks),
        parts(ranks), parts_at(ranks);
    for (int r = 0; r < ranks; ++r) {
      const std::int64_t size = begin_[r + 1] - begin_[r];
      sent[r] = static_cast<int>(own_ * size);
      sent_at[r] = static_cast<int>(own_ * begin_[r]);
      got_at[r] = static_cast<int>(r * own_ * part);
      parts[r] = static_cast<int>(size);
      parts_at[r] = static_cast<int>(begin_[r]);
    }
    check(MPI_Alltoallv(packed(own), sent.data(), sent_at.data(), MPI_FLOAT, received_.data(), got.data(),
                        got_at.data(), MPI_FLOAT, comm_.handle()),
          "MPI_Alltoallv");
    sum_in_order<Space>(sum, begin_[me], received_, shards_, part);
    check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sum.data(), parts.data(), parts_at.data(), MPI_FLOAT,
                         comm_.handle()),
          "MPI_Allgatherv");
  }

private:
  /// For each rank the numbers of its part, shard after shard.
  const float* packed(const Matrix<const float, Space>& own) {
    if (own_ == 1) return own.data();
    for (std::size_t r = 0; r + 1 < begin_.size(); ++r) {
      const std::int64_t size = begin_[r + 1] - begin_[r];
      for (int k = 0; k < own_; ++k) {
        const std::int64_t at = own_ * begin_[r] + k * size;
        Kokkos::deep_copy(Kokkos::subview(packed_, Kokkos::make_pair(at, at + size)),
                          Kokkos::subview(own, k, Kokkos::make_pair(begin_[r], begin_[r] + size)));
      }
    }
    fence(Space(), "krossfold::parallel::packed");
    return packed_.data();
  }

  const Communicator& comm_;
  SumOn on_;
  int shards_, own_;
  std::int64_t length_;
  std::vector<std::int64_t> begin_;  ///< (rank): of its part
  Vector<float, Space> packed_, received_;
};

}  // namespace

template <class Exec>
struct OrderedSum<Exec>::State {
  bool has_sum = true;  ///< on this rank
  std::unique_ptr<SumIn<Exec>> here;
  std::unique_ptr<SumIn<Host>> staged;
};

template <class Exec>
OrderedSum<Exec>::OrderedSum(const Communicator& comm, int shards, std::int64_t length, SumOn on)
    : state_(std::make_unique<State>()) {
  if (shards < comm.size() || shards % comm.size() != 0) {
    throw_run_error(text(shards, " shards on ", comm.size(), " ranks"), "every rank takes as many as the others",
                    "Use a multiple of the ranks.");
  }
  state_->has_sum = on == SumOn::all || comm.is_root();
  if (std::is_same_v<Exec, Host> || gpu_aware()) {
    state_->here = std::make_unique<SumIn<Exec>>(comm, shards, length, on);
  } else {
    state_->staged = std::make_unique<SumIn<Host>>(comm, shards, length, on);
  }
}

template <class Exec>
OrderedSum<Exec>::~OrderedSum() = default;

template <class Exec>
void OrderedSum<Exec>::operator()(const Exec& exec, const Vector<float, Exec>& sum,
                                  const Matrix<const float, Exec>& own) {
  fence(exec, "krossfold::parallel::gradient");
  if (state_->here) return (*state_->here)(sum, own);
  if constexpr (!std::is_same_v<Exec, Host>) {
    const auto own_on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), own);
    const auto sum_on_host = Kokkos::create_mirror_view(sum);
    (*state_->staged)(sum_on_host, own_on_host);
    if (state_->has_sum) Kokkos::deep_copy(sum, sum_on_host);
  }
}

#define KROSSFOLD_INSTANTIATE(Exec) template class OrderedSum<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::parallel
