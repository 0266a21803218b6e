// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/ordered_sum.hpp"

#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/arrays.hpp"

namespace krossfold::parallel {

namespace {

/// sum(at + k) = x(0, k) + x(1, k) + ... for x of `rows` rows and `count` columns.
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

/// The sum in memory that MPI can access, that of Space. All messages between two ranks have the same tag, so that they
/// match in the order in which both ranks call begin() and add().
template <class Space>
class SumIn {
public:
  SumIn(const Communicator& comm, int shards, std::int64_t length, SumOn on)
      : comm_(comm), on_(on), shards_(shards), own_(shards / comm.size()) {
    const int ranks = comm.size();
    for (int r = 0; r <= ranks; ++r) begin_.push_back(on == SumOn::all ? length * r / ranks : r > 0 ? length : 0);
    // Checks the longest message of any rank, so that all ranks throw or none does.
    const std::int64_t longest = on == SumOn::all ? length / ranks + 1 : length;
    if (own_ * longest > std::numeric_limits<int>::max()) {
      throw_run_error(text("gradients of ", length, " numbers for ", shards, " shards are too long to exchange"),
                      "MPI counts have 32 bits", "Use fewer shards per rank.");
    }
    if (own_ > 1) packed_ = Vector<float, Space>("krossfold::parallel::packed", own_ * length);
    received_ = Vector<float, Space>("krossfold::parallel::received", shards * part(comm.rank()));
  }

  void begin(const Matrix<const float, Space>& own, std::int64_t first) {
    const int me = comm_.rank();
    for (int r = 0; r < comm_.size(); ++r) pack(own, first, r);
    fence(Space(), "krossfold::parallel::packed");
    for (int r = 0; r < comm_.size(); ++r) {
      if (r != me) receive(received_.data() + own_ * part(me) * r, own_ * part(me), r);
    }
    for (int r = 0; r < comm_.size(); ++r) {
      const float* const numbers =
          own_ == 1 ? own.data() + first + begin_[r] : static_cast<const float*>(packed_.data()) + own_ * begin_[r];
      if (r != me) send(numbers, own_ * part(r), r);
    }
  }

  void add(const Vector<float, Space>& sum) {
    wait();
    const int me = comm_.rank();
    sum_in_order<Space>(sum, begin_[me], received_, shards_, part(me));
    if (on_ == SumOn::root) return;
    for (int r = 0; r < comm_.size(); ++r) {
      if (r != me) receive(sum.data() + begin_[r], part(r), r);
    }
    for (int r = 0; r < comm_.size(); ++r) {
      if (r != me) send(sum.data() + begin_[me], part(me), r);
    }
  }

  void wait() {
    check(MPI_Waitall(static_cast<int>(request_.size()), request_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    request_.clear();
  }

private:
  /// The number of elements that a rank sums.
  std::int64_t part(int rank) const { return begin_[rank + 1] - begin_[rank]; }

  /// Packs the elements that `rank` sums, shard after shard: into packed_, or received_ if it is this rank.
  void pack(const Matrix<const float, Space>& own, std::int64_t first, int rank) {
    const bool me = rank == comm_.rank();
    const std::int64_t size = part(rank), from = first + begin_[rank];
    if (size == 0 || (own_ == 1 && !me)) return;
    for (int k = 0; k < own_; ++k) {
      const std::int64_t at = k * size + own_ * (me ? size * rank : begin_[rank]);
      Kokkos::deep_copy(Space(), Kokkos::subview(me ? received_ : packed_, Kokkos::make_pair(at, at + size)),
                        Kokkos::subview(own, k, Kokkos::make_pair(from, from + size)));
    }
  }

  void receive(float* numbers, std::int64_t count, int rank) {
    if (count == 0) return;
    request_.emplace_back();
    check(MPI_Irecv(numbers, static_cast<int>(count), MPI_FLOAT, rank, 0, comm_.handle(), &request_.back()),
          "MPI_Irecv");
  }

  void send(const float* numbers, std::int64_t count, int rank) {
    if (count == 0) return;
    request_.emplace_back();
    check(MPI_Isend(numbers, static_cast<int>(count), MPI_FLOAT, rank, 0, comm_.handle(), &request_.back()),
          "MPI_Isend");
  }

  const Communicator& comm_;
  SumOn on_;
  int shards_, own_;
  std::vector<std::int64_t> begin_;  ///< (rank): start of its part
  Vector<float, Space> packed_, received_;
  std::vector<MPI_Request> request_;
};

}  // namespace

template <class Exec>
struct OrderedSum<Exec>::State {
  bool has_sum = true;  ///< this rank receives the sum
  std::unique_ptr<SumIn<Exec>> here;
  std::unique_ptr<SumIn<Host>> staged;
  Matrix<float, Host> own;  ///< staging copies in host memory
  Vector<float, Host> sum;
};

template <class Exec>
OrderedSum<Exec>::OrderedSum(const Communicator& comm, int shards, std::int64_t length, SumOn on)
    : state_(std::make_unique<State>()) {
  if (shards < comm.size() || shards % comm.size() != 0) {
    throw_run_error(text(shards, " shards on ", comm.size(), " ranks"), "every rank must have equally many",
                    "Use a multiple of the number of ranks.");
  }
  state_->has_sum = on == SumOn::all || comm.is_root();
  if (mpi_accepts<Exec>()) {
    state_->here = std::make_unique<SumIn<Exec>>(comm, shards, length, on);
  } else {
    state_->staged = std::make_unique<SumIn<Host>>(comm, shards, length, on);
    state_->own = Matrix<float, Host>("krossfold::parallel::own_on_host", shards / comm.size(), length);
    state_->sum = Vector<float, Host>("krossfold::parallel::sum_on_host", state_->has_sum ? length : 0);
  }
}

template <class Exec>
OrderedSum<Exec>::~OrderedSum() = default;

template <class Exec>
OrderedSum<Exec>::OrderedSum(OrderedSum&&) noexcept = default;

template <class Exec>
void OrderedSum<Exec>::begin(const Exec& exec, const Matrix<const float, Exec>& own, std::int64_t first) {
  fence(exec, "krossfold::parallel::gradient");
  if (state_->here) return state_->here->begin(own, first);
  const auto length = static_cast<std::int64_t>(state_->own.extent(1));
  for (std::size_t k = 0; k < own.extent(0); ++k) {  // rows are contiguous, the matrix may not be
    Kokkos::deep_copy(Kokkos::subview(state_->own, k, Kokkos::ALL),
                      Kokkos::subview(own, k, Kokkos::make_pair(first, first + length)));
  }
  state_->staged->begin(state_->own, 0);
}

template <class Exec>
void OrderedSum<Exec>::add(const Exec& exec, const Vector<float, Exec>& sum) {
  fence(exec, "krossfold::parallel::gradient_sum");
  if (state_->here) return state_->here->add(sum);
  state_->staged->add(state_->sum);
}

template <class Exec>
void OrderedSum<Exec>::end(const Vector<float, Exec>& sum) {
  if (state_->here) return state_->here->wait();
  state_->staged->wait();
  if (state_->has_sum) Kokkos::deep_copy(sum, state_->sum);
}

#define KROSSFOLD_INSTANTIATE(Exec) template class OrderedSum<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::parallel
