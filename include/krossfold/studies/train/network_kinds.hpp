// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, as option_table.hpp is.

#include <string>
#include <vector>

namespace krossfold::training {
struct TrainTask;
}

namespace krossfold::studies {

struct TrainLayout;

/// A kind of network that `krossfold train` trains: everything in which it differs from the others.
struct NetworkKind {
  std::string name;         ///< "cnn"
  std::string description;  ///< "a convolution and dense layers"
  bool learns_names;        ///< true if its data are names, false for labelled samples
  bool splits_weights;      ///< true if the strategy model-parallel can split it over ranks
  std::string model;        ///< first part of the names of its model files
  std::vector<std::string> options;
  std::string data;  ///< this and the following members are defaults of options
  double rate, dropout;
  std::string validation = "none";
  std::vector<int> hidden;
  int (*epochs)(int samples, int batch);
  /// Sets the architecture and the scale of a layout whose parameters and workers are set. Throws an input error that names the
  /// option.
  void (*lay_out)(TrainLayout& layout, const training::TrainTask& task);

  bool takes(const std::string& option) const;
  /// What the user can do if the memory does not suffice.
  const char* advice_on_memory() const;
};

const std::vector<NetworkKind>& network_kinds();

/// The kind of this name. Throws an input error that suggests the nearest name if there is none.
const NetworkKind& network_kind(const std::string& name);

}  // namespace krossfold::studies
