// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "data_file.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/data_source.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "read_samples.hpp"
#include "source.hpp"
#include "whole_source.hpp"

namespace krossfold::input {
namespace {

constexpr std::string_view ours = "KROSS", of_hdf5 = "\x89HDF";  ///< how such files begin

/// The first bytes of a file, as many as `ours` has or the file; none if it cannot be read.
std::string start_of(const std::string& file) {
  std::string start(ours.size(), '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  return start;
}

/// True for a file of Krossfold that does not hold data, or that is damaged.
bool is_result(const std::string& file) {
  if (start_of(file) != ours) return false;
  try {
    return kind_of_data_file(file) == DataFileKind::other;
  } catch (const Error&) {
    return true;
  }
}

/// True for a file that an earlier conversion can have written: HDF5's signature, or that behind a user block.
bool is_hdf5_or_empty(const std::string& file) {
  std::error_code error;
  if (std::filesystem::file_size(file, error) == 0 && !error) return true;
  const std::string start = start_of(file);
  return start.starts_with(of_hdf5) || start == ours;
}

/// target: what the name `file` leads to.
void check_target(const Source& source, const std::string& file, const std::string& target, bool overwrite) {
  storage::check_output_name(file);
  storage::check_writable(file);
  if (!exists(target)) return;
  for (const std::string& original : {source.file, source.first}) {
    std::error_code ignored;
    require(!std::filesystem::equivalent(target, original, ignored), text(file, " is a file of the original"), "",
            "choose another name");
  }
  require(overwrite, text(file, " exists"), "", "choose another name, or replace it with --overwrite");
  const bool says_so = file.ends_with(".h5") || file.ends_with(".hdf5");
  require(says_so || is_hdf5_or_empty(target), text(file, " is not replaced"),
          "it is no HDF5 file, as this command writes them", "choose another name, or remove it first");
  require(!is_result(target), text(file, " is not replaced"),
          "it is a result, a model or a journal of Krossfold, and no data that it converted",
          "choose another name, or remove it first");
}

}  // namespace

ConvertedData convert_data(const TaskParams& params, const std::string& file, bool overwrite) {
  const Source source = known_source(params.train);
  const std::string target = storage::behind_links(file);
  check_target(source, file, target, overwrite);
  storage::Container content;
  ConvertedData made;
  if (source.is_table()) {
    tables::TableParams columns = params.table;
    columns.kept = true;  // no sample is left out that a study of the original would refuse
    const tables::Table table = read_whole_table(source, columns);
    made.samples = table.size();
    made.warning = table.warning;
    content = content_of(table, params.train);
  } else {
    Notes notes;
    const data::Dataset whole = read_whole_samples(source, params.table, &notes);
    made.samples = whole.size();
    made.warning = notes.warning;
    if (in_two_parts(source)) {
      const data::Dataset test =
          read_samples(source, {.known_classes = whole.class_name, .features = whole.features()}, params.table.image);
      made.samples += test.size();
      content = content_of(whole, &test, limit_keeps_first(source), params.train);
    } else {
      content = content_of(whole, nullptr, limit_keeps_first(source), params.train);
    }
  }
  storage::write_container(target, content);
  return made;
}

}  // namespace krossfold::input
