// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/sharded_lstm.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "krossfold/core/launch_graph.hpp"
#include "krossfold/kernels/adam.hpp"
#include "krossfold/nn/rows.hpp"
#include "state.hpp"

namespace krossfold::nn {

template <class Exec>
ShardedLstm<Exec>::ShardedLstm(const Exec& exec, const LstmArchitecture& architecture, int part,
                               Exchange<Exec>& exchange)
    : network_(exec, architecture, part),
      exchange_(exchange),
      gradient_("krossfold::nn::gradient", exchange.own, network_.weight().extent(0)) {
  const auto size = network_.weight().extent(0);
  sum_ = exchange.shards == 1 ? Vector<float, Exec>(gradient_.data(), size)
                              : Vector<float, Exec>("krossfold::nn::gradient_sum", size);
  exchange.expect_gradient(network_.layer_begins());
  mean_ = Vector<float, Exec>("krossfold::nn::adam_mean", size);
  square_ = Vector<float, Exec>("krossfold::nn::adam_square", size);
  factors_ = Vector<float, Exec>("krossfold::nn::adam_factors", 2);
}

template <class Exec>
void ShardedLstm<Exec>::begin_step(const StepParams& params) {
  ++steps_;
  if (network_.architecture().dropout > 0) epoch_.set(exec(), params.epoch);
  if (exchange_.updates) kernels::adam_factors<Exec>(exec(), factors_, steps_, {.rate = params.rate});
}

template <class Exec>
bool ShardedLstm<Exec>::repeats(int) const {
  return repeats_launches<Exec> && exchange_.shards == 1;
}

template <class Exec>
void ShardedLstm<Exec>::step(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first,
                             int count, const StepParams& params, const Vector<double, Exec>& loss) {
  if (!params.begun) begin_step(params);
  exchange_.share_weights(exec(), network_.weight());
  const auto size = network_.weight().extent(0);
  for (int k = 0; k < exchange_.own; ++k) {
    const Share share = share_of(count, exchange_.first_shard + k, exchange_.shards);
    const auto sum_from = [this](std::int64_t begin) { exchange_.sum_from(exec(), sum_, gradient_, begin); };
    const bool last = k + 1 == exchange_.own;
    network_.backward(windows, row, first + share.first, share.count, count,
                      {true, params.stream, params.epoch, params.begun ? epoch_.get() : nullptr},
                      Vector<float, Exec>(gradient_.data() + k * size, size),
                      Kokkos::subview(loss, Kokkos::make_pair(share.first, share.first + share.count)),
                      last ? sum_from : std::function<void(std::int64_t)>());
  }
  exchange_.end_sum(exec(), sum_);
  if (exchange_.updates) {
    kernels::adam<Exec>(exec(), network_.weight(), mean_, square_, sum_, factors_, {.rate = params.rate});
  }
}

template <class Exec>
double ShardedLstm<Exec>::mean_loss(const Windows<Exec>& windows, const Poll& poll) {
  const int n = windows.size();
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  exchange_.share_weights(exec(), network_.weight());
  const auto row = list_on<Exec>("krossfold::nn::row", all_rows(n));
  const Vector<double, Exec> loss("krossfold::nn::loss", n);
  // Shard by shard: the rounding of a product may depend on its size.
  for (int k = 0; k < exchange_.own; ++k) {
    const Share share = share_of(n, exchange_.first_shard + k, exchange_.shards);
    const int piece = 4 * network_.batch();
    // Every shard has the same number of pieces, so that all workers poll together.
    const int largest = (n + exchange_.shards - 1) / exchange_.shards;
    for (int done = 0; done < largest; done += piece) {
      call(poll);
      if (done >= share.count) continue;
      const int first = share.first + done, count = std::min(piece, share.count - done);
      network_.losses(windows, row, first, count, Kokkos::subview(loss, Kokkos::make_pair(first, first + count)));
    }
  }
  fence(exec(), "krossfold::nn::mean_loss");
  const auto found = on_host(loss);
  exchange_.share_numbers({found.data(), static_cast<std::size_t>(n)});
  return std::accumulate(found.data(), found.data() + n, 0.0) / n;
}

template <class Exec>
void ShardedLstm<Exec>::write_state(ByteWriter& writer) const {
  writer.put(steps_);
  write_arrays<Exec>(writer, exec(), {network_.weight(), mean_, square_});
}

template <class Exec>
void ShardedLstm<Exec>::read_state(ByteReader& reader) {
  steps_ = reader.get<std::int64_t>();
  constexpr std::int64_t most_steps = std::int64_t{1} << 53;
  if (steps_ < 0 || steps_ > most_steps) throw_run_error("the state of another network", text(steps_, " steps"));
  read_arrays<Exec>(reader, {network_.weight(), mean_, square_});
}

#define KROSSFOLD_INSTANTIATE(Exec) template class ShardedLstm<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
