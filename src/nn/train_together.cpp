// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "krossfold/nn/sharded_lstm.hpp"
#include "krossfold/nn/sharded_network.hpp"
#include "krossfold/nn/training.hpp"

namespace krossfold::nn {

template <class Model>
void train_together(std::span<Training<Model>* const> trainings, const Poll& poll,
                    const std::function<void()>& advanced) {
  std::vector<Training<Model>*> at_work(trainings.begin(), trainings.end());
  const auto ended = [](const Training<Model>* training) { return training->finished(); };
  for (std::erase_if(at_work, ended); !at_work.empty(); std::erase_if(at_work, ended)) {
    try {
      for (Training<Model>* training : at_work) training->start_steps(poll);
    } catch (const Stopped&) {
      // Read the started steps, so that the state can be saved.
      for (Training<Model>* training : at_work) training->read_losses();
      throw;
    }
    for (Training<Model>* training : at_work) training->read_losses();
    if (advanced) advanced();
  }
}

#define KROSSFOLD_INSTANTIATE_FOR(...)                                                            \
  template void train_together<__VA_ARGS__>(std::span<Training<__VA_ARGS__>* const>, const Poll&, \
                                            const std::function<void()>&);
#define KROSSFOLD_INSTANTIATE(Exec)            \
  KROSSFOLD_INSTANTIATE_FOR(Network<Exec>)     \
  KROSSFOLD_INSTANTIATE_FOR(ShardedLstm<Exec>) \
  KROSSFOLD_INSTANTIATE_FOR(ShardedNetwork<Exec>)
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
