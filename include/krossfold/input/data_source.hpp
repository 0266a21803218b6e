// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What `krossfold data` says of a SPEC, whether it can be read, and how it is converted.

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/input/task_params.hpp"
#include "krossfold/tables/table_description.hpp"

namespace krossfold::input {

/// How a study would take data.
struct StudyParts {
  std::string refusal{};               ///< the message of the error if it would refuse them, else ""
  std::int64_t train = 0, test = 0;    ///< samples
  std::vector<std::string> warning{};  ///< those of load_task()
};

/// What is in a data source. Data in two parts (mnist) are described by their training part.
struct DataDescription {
  tables::TableDescription content{};
  int width = 0, height = 0, channels = 0;  ///< of images; 0 if the samples are none
  double lowest = 0, highest = 0;           ///< of all values that are not missing; NaN if there are none
  StudyParts study{};
};

/// Describes params.train whatever is missing in it, and then loads it as load_task() does, to say what a study would take of it
/// or why it would refuse it. Reads the data twice, one after the other. Throws the input errors of data that cannot be
/// described: what cannot be read, lines of unequal length, missing labels.
DataDescription describe_data(const TaskParams& params, std::uint64_t seed = 0);

/// True if a SPEC, also one of names, is of a known kind and its files and folders are there and may be read: an error of reading
/// them is then about what they hold. Opens nothing. Throws the input error of a SPEC that names no file.
bool can_be_read(const std::string& spec);

struct ConvertedData {
  std::int64_t samples = 0;            ///< written
  std::vector<std::string> warning{};  ///< of the reading
};

/// Writes the whole of params.train, as it was read, to an HDF5 file: a study of hdf5:FILE computes the same as one of the original,
/// bit for bit. Its columns are chosen by `params`; missing values and text are kept, and `missing drop` leaves samples out. An
/// existing file is replaced only if `overwrite`.
/// Throws an input error if the file exists, is one of the original's, or cannot be written; and those of reading.
ConvertedData convert_data(const TaskParams& params, const std::string& file, bool overwrite);

}  // namespace krossfold::input
