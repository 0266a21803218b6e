// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "krossfold/nn/exchange.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/ordered_sum.hpp"

namespace krossfold::training {

/// How the ranks of a training share its work.
enum class Strategy {
  single,  ///< one rank
  ddp,  ///< every rank has the weights and updates them with the sum of all gradients (PyTorch's DistributedDataParallel)
  data_parallel,   ///< the root updates the weights and broadcasts them before each step (torch.nn.DataParallel)
  model_parallel,  ///< every rank has a part of the weights and computes all samples
};

/// Converts from and to "single", "ddp", "data-parallel" and "model-parallel". Throws an input error for other names.
Strategy parse_strategy(const std::string& name);
std::string name_of(Strategy strategy);

/// The exchange of a training whose `shards` are divided equally among the ranks of a communicator.
template <class Exec>
class MpiExchange : public nn::Exchange<Exec> {
public:
  /// Collective. Throws a run error if the ranks do not divide the shards. The communicator must outlive it. Pieces of a
  /// gradient are sent separately if they have at least `min_piece` numbers.
  MpiExchange(const parallel::Communicator& comm, Strategy strategy, int shards,
              std::int64_t min_piece = std::int64_t{1} << 16);

  void share_weights(const Exec& exec, const Vector<float, Exec>& weight) override;
  void expect_sums(std::int64_t length) override {
    if (comm_.size() > 1) sums_of(length);
  }
  void sum_shards(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& own) override;
  void expect_gradient(std::span<const std::int64_t> begin) override;
  void sum_from(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& own,
                std::int64_t first) override;
  void end_sum(const Exec& exec, const Vector<float, Exec>& sum) override;
  void gather_shards(const Exec& exec, const Vector<float, Exec>& all, std::span<const std::int64_t> begin) override;
  void share_numbers(std::span<double> numbers) override;

private:
  /// Consecutive numbers of a gradient that are sent together.
  struct Piece {
    std::int64_t first, length;
    parallel::OrderedSum<Exec> sum;
  };

  parallel::OrderedSum<Exec>& sums_of(std::int64_t length);
  parallel::OrderedSum<Exec> new_sum(std::int64_t length) const;

  const parallel::Communicator& comm_;
  Strategy strategy_;
  std::map<std::int64_t, parallel::OrderedSum<Exec>> sum_;  ///< by the length of the arrays
  std::int64_t min_piece_;
  std::vector<Piece> piece_;  ///< from the end of the gradient to its beginning
  std::size_t begun_ = 0;     ///< number of pieces whose sum has begun
};

}  // namespace krossfold::training
