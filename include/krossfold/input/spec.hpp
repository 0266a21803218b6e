// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/input/spec_form.hpp"
#include "krossfold/input/task_params.hpp"

namespace krossfold::input {

/// Loads the training and test parts of a SPEC:
///   digits                 the embedded digits
///   mnist[:DIR]            four IDX files (plain or .gz) in find_data_folder("mnist", DIR)
///   idx:IMAGES,LABELS      IDX files, see read_idx()
///   libsvm:FILE            see tables::read_libsvm()
///   csv:FILE               a table of text, see tables::read_table()
///   npy:X[,Y]  npz:FILE:X[,Y]  arrays of NumPy, see tables::read_npy()
///   hdf5:FILE[:X[,Y]]      arrays of an HDF5 or netCDF-4 file, by default /x and /y; or a file that convert_data() wrote
///   images:FOLDER          PNG and JPEG files, see read_image_folder()
/// If `test` is empty and the data set has no test part of its own (mnist has one), data::choose_test_part() splits it. Given
/// as `test`, mnist means its test part, any other SPEC all of its samples. How columns of a table become features is fitted
/// on the training part. The classes are those of the training part before the limit, which is applied last, by
/// data::limit_samples() (of mnist always the first), and so does not renumber them. `seed` is that of the random choices.
/// `understood` and `warning` of the task say what was found in a table.
/// Throws an input error for an unknown SPEC (suggesting the nearest kind), an unreadable file, a test label that is
/// not a class of the training part, a limit beyond the training part, fewer than two classes left in it, or parameters of
/// tables for data that are none.
data::Task load_task(const TaskParams& params, std::uint64_t seed = 0);

/// Throws an input error that suggests the nearest kind unless `spec` begins with a kind of SPEC and names what it needs.
void check_spec(const std::string& spec);

/// Throws an input error that names the first parameter of a table that was given although the data, a SPEC of this kind, are
/// no table.
void check_no_columns(const std::string& kind, const tables::TableParams& params);

/// Throws the input errors of load_task() for options that are wrong whatever the files hold: unknown words, and options of tables for
/// kinds of SPEC that are none. Opens no file.
void check_options(const TaskParams& params);

/// The folder of a named data set: `folder` if it is not empty, else the first of `$KROSSFOLD_DATA/NAME` and
/// `${XDG_CACHE_HOME:-~/.cache}/krossfold/NAME` that exists.
/// Throws an input error that lists the folders tried and explains how to get the data.
std::string find_data_folder(const std::string& name, const std::string& folder = "");

/// What a model expects of data to predict, and how the user says that tables are to be read.
struct InputParams {
  int features = 0;
  std::vector<std::string> class_name{};                  ///< labels must be among these; empty for any
  std::shared_ptr<const data::TableEncoding> encoding{};  ///< null if the model was not trained on a table
  int first_index = -1;                                   ///< Dataset::first_index of the training data
  data::ImageShape image{};                               ///< of the training data, if they are images
  tables::TableParams table{};
  bool sparse = false;    ///< the model takes sparse samples too; images are always dense
  bool imported = false;  ///< Predictor::imported
};

/// Loads the INPUT of `krossfold predict`: a SPEC, not split (mnist means its test part), or a path whose name gives
/// the format: *.csv, *.tsv; *.libsvm, *.svm, *.txt; *idx3-ubyte, each also .gz (with labels if a file named as in MNIST lies
/// beside it); *.npy; *.h5, *.hdf5, *.nc. idx:IMAGES loads images only.
/// Columns of tables are found as tables::match_columns() says; without an encoding they are the features in their order and
/// possibly the label last. Labels are optional; a sample whose label is missing or not in `class_name` has the label -1, with
/// a warning. Appends sentences to `warning`.
/// Throws an input error if the columns, the number of features or the size of images differ.
data::Dataset load_input(const std::string& input, const InputParams& params, std::vector<std::string>& warning);

/// What an INPUT of `krossfold predict` names: files or folders, in its order, and arrays in them. Opens no file.
struct InputNames {
  std::vector<std::string> file{};  ///< none if the data are built in or lie in a data folder
  std::string arrays{};             ///< "X", "X,Y" or ""
};
InputNames names_in(const std::string& input);

/// The pictures that the INPUT of `krossfold predict` denotes: a PNG or JPEG file by its name, the non-hidden ones of a folder in
/// byte order, or either with the prefix "png:", which takes a file by any name. Empty if INPUT denotes anything else, which
/// load_input handles. Appends a sentence to `warning` if other files of a folder are left out. Throws an input error for a folder without
/// pictures.
std::vector<std::string> picture_files(const std::string& input, std::vector<std::string>* warning = nullptr);

}  // namespace krossfold::input
