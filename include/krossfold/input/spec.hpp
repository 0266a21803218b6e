// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/input/task_params.hpp"

namespace krossfold::input {

/// Loads the training and test parts of a SPEC:
///   digits                 the embedded digits
///   mnist[:DIR]            four IDX files (plain or .gz) in find_data_folder("mnist", DIR)
///   idx:IMAGES,LABELS      IDX files
///   csv:FILE  libsvm:FILE  see readers.hpp
/// If `test` is empty and the data set has no test part of its own (only mnist has), split_off_test_part() splits it. Given as
/// `test`, mnist means its test part, any other SPEC all of its samples. The classes are those of the training part before
/// the limit, which is applied last, by limit_samples() (of mnist always the first), and so does not renumber them. `seed` is that of
/// the random choices.
/// Throws an input error for an unknown SPEC (suggesting the nearest kind), an unreadable file, a test label that is
/// not a class of the training part, a limit beyond the training part, or fewer than two classes left in it.
data::Task load_task(const TaskParams& params, std::uint64_t seed = 0);

/// The folder of a named data set: `folder` if it is not empty, else the first of `$KROSSFOLD_DATA/NAME` and
/// `${XDG_CACHE_HOME:-~/.cache}/krossfold/NAME` that exists.
/// Throws an input error that lists the folders tried and explains how to get the data.
std::string find_data_folder(const std::string& name, const std::string& folder = "");

/// Loads the INPUT of `krossfold predict`: a SPEC, not split (mnist means its test part), or a path whose name gives
/// the format: *.csv[.gz]; *.libsvm, *.svm, *.txt[.gz]; *idx3-ubyte[.gz] (with labels if a file named as in MNIST lies
/// beside it). idx:IMAGES loads images only.
/// Labels are optional. Throws an input error if the number of features differs or a label is not in `classes`.
data::Dataset load_input(const std::string& input, int features, const std::vector<std::string>& classes);

/// The PNG files that the INPUT of `krossfold predict` denotes: a *.png file, the non-hidden *.png files of a folder in
/// byte order, or either with the prefix "png:". Empty if INPUT denotes anything else, which load_input handles.
/// Throws an input error for a folder without PNG files.
std::vector<std::string> picture_files(const std::string& input);

}  // namespace krossfold::input
