// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What .npz files of all classifiers share: scale, classes, and how samples are made of tables and pictures.

#include "krossfold/storage/container.hpp"
#include "npz_reader.hpp"
#include "npz_writer.hpp"

namespace krossfold::interchange {

inline constexpr const char *svm_format = "krossfold-svm", *network_format = "krossfold-network",
                            *lstm_format = "krossfold-lstm";

/// Adds `format`, and from the content of a model file mean_, scale_, classes_, image_shape and what else it says of the samples.
void add_fields(NpzWriter& to, const storage::Container& content, const std::string& format);

/// The same fields of an array file, as far as they are there, for the content of a model file: no scale is a scale of 1, and without
/// image_shape samples are rows of `features` numbers.
void read_fields(storage::Container& content, const NpzReader& from, std::uint64_t features);

}  // namespace krossfold::interchange
