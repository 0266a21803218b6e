// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/training/mpi_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/arrays.hpp"

namespace krossfold::training {

namespace {

const std::vector<std::string> names = {"single", "ddp", "data-parallel", "model-parallel"};

/// Adds the seconds from its construction to its destruction to a total.
class Stopwatch {
public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

private:
  double& seconds_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

Strategy parse_strategy(const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::string near = nearest_word(name, names);
    throw_input_error(
        text("unknown --strategy '", name, "'"), "",
        near.empty() ? "Use single, ddp, data-parallel or model-parallel." : text("Did you mean ", near, "?"));
  }
  return static_cast<Strategy>(found - names.begin());
}

std::string name_of(Strategy strategy) { return names[static_cast<std::size_t>(strategy)]; }

template <class Exec>
MpiExchange<Exec>::MpiExchange(const parallel::Communicator& comm, Strategy strategy, int shards,
                               std::int64_t min_piece)
    : nn::Exchange<Exec>(shards), comm_(comm), strategy_(strategy), min_piece_(min_piece) {
  if (shards < 1 || shards % comm.size() != 0) {
    throw_run_error(text(shards, " shards on ", comm.size(), " ranks"), "every rank takes the same number",
                    "Use a multiple of the ranks.");
  }
  this->own = shards / comm.size();
  this->first_shard = comm.rank() * this->own;
  this->updates = strategy != Strategy::data_parallel || comm.is_root();
}

template <class Exec>
void MpiExchange<Exec>::share_weights(const Exec& exec, const Vector<float, Exec>& weight) {
  if (strategy_ != Strategy::data_parallel || comm_.size() == 1) return;
  const Stopwatch stopwatch(this->seconds);
  fence(exec, "krossfold::training::weight");
  parallel::broadcast<Exec>(comm_, weight);
}

template <class Exec>
void MpiExchange<Exec>::sum_shards(const Exec& exec, const Vector<float, Exec>& sum,
                                   const Matrix<const float, Exec>& own) {
  if (comm_.size() == 1) return nn::sum_rows<Exec>(exec, sum, own);
  fence(exec, "krossfold::training::gradient");  // the exchange is timed without the computation of its input
  const Stopwatch stopwatch(this->seconds);
  sums_of(static_cast<std::int64_t>(own.extent(1)))(exec, sum, own);
}

template <class Exec>
parallel::OrderedSum<Exec> MpiExchange<Exec>::new_sum(std::int64_t length) const {
  const auto on = strategy_ == Strategy::data_parallel ? parallel::SumOn::root : parallel::SumOn::all;
  return {comm_, this->shards, length, on};
}

template <class Exec>
parallel::OrderedSum<Exec>& MpiExchange<Exec>::sums_of(std::int64_t length) {
  const auto found = sum_.find(length);
  return found != sum_.end() ? found->second : sum_.emplace(length, new_sum(length)).first->second;
}

template <class Exec>
void MpiExchange<Exec>::expect_gradient(std::span<const std::int64_t> begin) {
  piece_.clear();
  if (comm_.size() == 1) return;
  std::int64_t end = begin.back();
  for (std::size_t l = begin.size() - 1; l-- > 0;) {
    if (l > 0 && end - begin[l] < min_piece_) continue;
    piece_.push_back({begin[l], end - begin[l], new_sum(end - begin[l])});
    end = begin[l];
  }
}

template <class Exec>
void MpiExchange<Exec>::sum_from(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& own,
                                 std::int64_t first) {
  if (comm_.size() == 1) return nn::Exchange<Exec>::sum_from(exec, sum, own, first);
  if (begun_ == piece_.size() || piece_[begun_].first < first) return;
  fence(exec, "krossfold::training::gradient");  // the exchange is timed without the computation of its input
  const Stopwatch stopwatch(this->seconds);
  for (; begun_ < piece_.size() && piece_[begun_].first >= first; ++begun_) {
    piece_[begun_].sum.begin(exec, own, piece_[begun_].first);
  }
}

template <class Exec>
void MpiExchange<Exec>::end_sum(const Exec& exec, const Vector<float, Exec>& sum) {
  if (comm_.size() == 1) return;
  const Stopwatch stopwatch(this->seconds);
  const auto part = [&](const Piece& piece) {
    return sum.extent(0) == 0 ? sum : Vector<float, Exec>(sum.data() + piece.first, piece.length);
  };
  for (Piece& piece : piece_) piece.sum.add(exec, part(piece));
  for (Piece& piece : piece_) piece.sum.end(part(piece));
  begun_ = 0;
}

template <class Exec>
void MpiExchange<Exec>::gather_shards(const Exec& exec, const Vector<float, Exec>& all,
                                      std::span<const std::int64_t> begin) {
  if (comm_.size() == 1) return;
  fence(exec, "krossfold::training::shards");
  const Stopwatch stopwatch(this->seconds);
  std::vector<std::int64_t> begin_of_rank;
  for (int r = 0; r <= comm_.size(); ++r) begin_of_rank.push_back(begin[r * this->own]);
  parallel::all_gather<Exec>(comm_, all, begin_of_rank);
}

template <class Exec>
void MpiExchange<Exec>::share_numbers(std::span<double> numbers) {
  if (comm_.size() == 1) return;
  const Stopwatch stopwatch(this->seconds);
  parallel::all_sum(comm_, numbers);
}

#define KROSSFOLD_INSTANTIATE(Exec) template class MpiExchange<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::training
