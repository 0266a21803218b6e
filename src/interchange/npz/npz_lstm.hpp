// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/model/lstm_file.hpp"
#include "npz_reader.hpp"

namespace krossfold::interchange {

/// A character model of a file of npz_of(), or of one with `alphabet`, `window` and the parameters of PyTorch's LSTM and dense layer.
model::LstmModel read_npz_lstm(const NpzReader& file);

}  // namespace krossfold::interchange
