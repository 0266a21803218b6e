// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// A file's content, decompressed if it starts like a gzip file (RFC 1952, also of several members).
/// Throws an input error naming the file when it is missing, unreadable, a folder, or when the compressed data is cut
/// off or damaged.
std::vector<std::byte> read_file(const std::string& path);

/// Decompresses gzip data; `name` is for messages.
std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& name);

/// Options of all readers.
struct ReadParams {
  std::vector<std::string> known_classes{};  ///< if not empty: labels must be among these
  int features = 0;      ///< if not 0: the number of features the file must have (libsvm: also pads to it)
  bool labelled = true;  ///< false also reads files without labels
  int limit = 0;         ///< if not 0: read_idx keeps only the first `limit` samples; class names are those of all
};

/// Images and labels in IDX format (http://yann.lecun.com/exdb/mnist; magic 0x00000803 and 0x00000801, unsigned
/// bytes, big-endian sizes), plain or .gz. `labels` may be "" if !params.labelled.
/// Throws an input error for a wrong magic, sizes that do not match the bytes, or unequal numbers of images and labels.
Dataset read_idx(const std::string& images, const std::string& labels, const ReadParams& params = {});

/// Comma-separated values, plain or .gz: one sample a line, the label last; a first line that holds no number in its
/// feature columns is a header and skipped. Fields may be in double quotes; blank lines are skipped; lines end with \n or
/// \r\n. With !params.labelled and params.features = d, lines of d fields are samples without label and lines of d + 1
/// fields have it last; without params.features all fields are features.
/// Samples count as square images of one channel when their number of features is the square of 4 or more, all values
/// are whole numbers in [0, 255] and one is at least 15 (so that yes/no columns stay what they are); see fit_scale.
/// Throws an input error naming line and column for a field that is no number, a NaN, or lines of unequal length.
Dataset read_csv(const std::string& path, const ReadParams& params = {});

/// The text format of LIBSVM, plain or .gz: "label index:value ...", indices from 1 and ascending; features that are
/// not named are 0. '#' starts a comment. With !params.labelled the labels may be missing, from all lines. Images are
/// recognised as in read_csv.
/// Throws an input error naming the line for a label or value that is no finite number, or an index that is below 1,
/// above ten million (or params.features), or not above the one before; and for samples that do not fit in memory.
Dataset read_libsvm(const std::string& path, const ReadParams& params = {});

/// The 1,797 hand-written digits of 8x8 pixels (0-16) that are built into the library: the test part of "Optical
/// Recognition of Handwritten Digits" (E. Alpaydin, C. Kaynak, UCI Machine Learning Repository, CC BY 4.0).
Dataset embedded_digits();

/// The same as read_csv and read_libsvm, from bytes; `name` is for messages.
Dataset parse_csv(std::span<const std::byte> bytes, const std::string& name, const ReadParams& params = {});
Dataset parse_libsvm(std::span<const std::byte> bytes, const std::string& name, const ReadParams& params = {});

}  // namespace krossfold::data
