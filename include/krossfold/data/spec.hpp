// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// What to load: the values of --data, --test and --limit.
struct TaskParams {
  std::string train = "digits";  ///< SPEC
  std::string test{};            ///< SPEC, or "" for the data set's own test part, else its last fifth
  int limit = 0;                 ///< keep the first `limit` training samples; 0 keeps all
};

/// Loads training and test part of a SPEC:
///   digits                 the embedded digits
///   mnist[:DIR]            four IDX files (.gz or not), in DIR or where find_data_folder("mnist") says
///   idx:IMAGES,LABELS      IDX files
///   csv:FILE  libsvm:FILE  see readers.hpp
/// Without `test`, and where the data set brings no test part (mnist does), the first round(0.8 n) samples train and the
/// rest test. As `test`, mnist means its test part, any other SPEC the whole of it. The classes are those of the training
/// part before the limit, which is applied last: a limit does not renumber them.
/// Throws an input error for an unknown SPEC (with the nearest known kind), a file that cannot be read, a test label that
/// is no class of the training part, a limit beyond the training part, or fewer than two classes in what is left of it.
Task load_task(const TaskParams& params);

/// The folder that holds a named data set: `folder` if not empty, else $KROSSFOLD_DATA/<name>, else
/// ${XDG_CACHE_HOME:-~/.cache}/krossfold/<name>: the first that exists.
/// Throws an input error that lists the folders tried and says how to get the data.
std::string find_data_folder(const std::string& name, const std::string& folder = "");

/// Reads INPUT of `krossfold predict`: a SPEC without split (mnist is its test part), or a path whose kind its name
/// tells: *.csv[.gz]; *.libsvm, *.svm, *.txt[.gz]; *idx3-ubyte[.gz] (with the labels beside it if they are there, in a
/// file named as MNIST names them). idx:IMAGES reads images alone.
/// Labels are optional; those present must be among `classes`. Must have `features` features.
Dataset load_input(const std::string& input, int features, const std::vector<std::string>& classes);

/// The PNG files that INPUT of `krossfold predict` means: a file *.png, those of a folder (*.png but hidden ones, in byte order
/// of their names), or either behind "png:". Empty if INPUT means something else, which load_input reads.
/// Throws an input error for a folder without any.
std::vector<std::string> picture_files(const std::string& input);

}  // namespace krossfold::data
