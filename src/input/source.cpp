// SPDX-License-Identifier: BSD-3-Clause
#include "source.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "data_file.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/test_part.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/tables/numpy_files.hpp"
#include "read_hdf5.hpp"

namespace krossfold::input {
namespace {

const std::vector<SpecForm> forms = {
    {"digits", "", "1,797 handwritten digits of 8x8 pixels, built in"},
    {"mnist", "[:DIR]", "70,000 handwritten digits of 28x28 pixels: four files, which tools/fetch-mnist downloads"},
    {"idx", ":IMAGES,LABELS", "images and labels in IDX files, plain or .gz"},
    {"csv", ":FILE", "a table of text with commas, semicolons, tabs or blanks, plain or .gz"},
    {"libsvm", ":FILE", "LIBSVM's text format, plain or .gz"},
    {"npy", ":X.npy[,Y.npy]", "arrays of NumPy: samples, and labels unless they are the last column"},
    {"npz", ":FILE:X[,Y]", "the same from the arrays of an .npz file"},
    {"hdf5", ":FILE[:X[,Y]]", "the same from HDF5 and netCDF-4 files, by default /x and /y; converted data"},
    {"images", ":FOLDER", "pictures, PNG or JPEG, in a folder for each class"}};

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const SpecForm& form : forms) names.push_back(form.kind);
  return names;
}

bool ends_with_one_of(const std::string& word, const std::vector<std::string>& ends) {
  return std::any_of(ends.begin(), ends.end(), [&](const std::string& end) { return word.ends_with(end); });
}

/// The kind of file that a name implies, or "".
std::string kind_of_name(std::string name) {
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (ends_with_one_of(name, {".csv", ".tsv"})) return "csv";
  if (ends_with_one_of(name, {".libsvm", ".svm", ".txt"})) return "libsvm";
  if (name.ends_with("idx3-ubyte")) return "idx";
  if (name.ends_with(".npy")) return "npy";
  if (ends_with_one_of(name, {".h5", ".hdf5", ".nc"})) return "hdf5";
  return "";
}

/// Cuts `word` at the first or last `letter`; the second part is empty if there is none.
std::pair<std::string, std::string> cut(const std::string& word, std::size_t at) {
  return at == std::string::npos ? std::pair(word, std::string()) : std::pair(word.substr(0, at), word.substr(at + 1));
}

[[noreturn]] void throw_unknown(const std::string& spec) {
  const std::string kind = kind_of_name(spec), near = nearest_word(spec.substr(0, spec.find(':')), kinds());
  std::string suggestion = text("Use ", listed_spec_forms(), ".");
  std::error_code ignored;
  if (std::filesystem::is_directory(spec, ignored)) {
    suggestion = text("Did you mean images:", spec, ", a folder for each class?");
  } else if (!near.empty()) {
    suggestion = text("Did you mean ", near, "?");
  } else if (!kind.empty()) {
    suggestion = text("Did you mean ", kind, ":", spec, kind == "idx" ? ",LABELS?" : "?");
  }
  throw_input_error(text("unknown data '", spec, "'"), "", suggestion);
}

}  // namespace

bool exists(const std::string& path) {
  std::error_code fault;
  return std::filesystem::exists(path, fault);
}

std::optional<Source> parse_source(const std::string& spec) {
  const auto colon = spec.find(':');
  const std::string kind = cut(spec, colon).first, rest = cut(spec, colon).second;
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const SpecForm& one) { return one.kind == kind; });
  if (form == forms.end()) return std::nullopt;
  if (kind == "digits" && colon != std::string::npos) {
    throw_input_error(text("'", spec, "' names a file"), "the digits are built in", "write digits, or csv:FILE");
  }
  Source source{kind, rest, "", "", false, false};
  if (kind == "idx" || kind == "npy") {
    std::tie(source.file, source.first) = cut(rest, rest.find(','));
  } else if (kind == "npz") {
    std::string arrays;
    std::tie(source.file, arrays) = cut(rest, rest.rfind(':'));
    std::tie(source.first, source.second) = cut(arrays, arrays.find(','));
  } else if (kind == "hdf5" && !exists(rest)) {  // the name of a file may contain colons
    std::string arrays;
    std::tie(source.file, arrays) = cut(rest, rest.rfind(':'));
    std::tie(source.first, source.second) = cut(arrays, arrays.find(','));
  }
  if (kind != "digits" && kind != "mnist" && source.file.empty()) {
    throw_input_error(text("'", spec, "' names no ", kind == "images" ? "folder" : "file"), "",
                      text("write ", form->kind, form->rest));
  }
  return source;
}

namespace {

/// Looks into an HDF5 file whose arrays are not named.
Source resolved(Source source) {
  if (source.kind != "hdf5" || !source.first.empty()) return source;
  const DataFileKind kind = kind_of_data_file(source.file);
  source.converted = kind != DataFileKind::other;
  source.converted_table = kind == DataFileKind::table;
  return source;
}

}  // namespace

std::string listed_spec_forms() {
  std::string all;
  for (const SpecForm& form : forms)
    all += (all.empty() ? "" : &form == &forms.back() ? " or " : ", ") + form.kind + form.rest;
  return all;
}

std::vector<SpecForm> spec_forms() {
  std::vector<SpecForm> all = forms;
  all.push_back({"names", "[:FILE[#COLUMN]]",
                 "names for character models: built in, one per line of a file, or a column of a CSV file"});
  return all;
}

void check_spec(const std::string& spec) {
  if (!parse_source(spec)) throw_unknown(spec);
}

Source known_source(const std::string& spec) {
  const auto source = parse_source(spec);
  if (!source) throw_unknown(spec);
  return resolved(*source);
}

Source input_source(const std::string& input) {
  if (const auto source = parse_source(input)) return resolved(*source);
  const std::string kind = kind_of_name(input);
  if (!kind.empty()) return resolved({kind, input, "", "", false, false});
  if (exists(input)) {
    throw_input_error(
        text("the name of ", input, " does not tell its format"), "",
        text("write csv:", input, ", libsvm:", input, ", idx:", input, ", npz:", input, ":X or png:", input));
  }
  throw_unknown(input);
}

tables::Table read_source(const Source& source, const tables::TableParams& params,
                          const data::TableEncoding* encoding) {
  if (source.kind == "npy") return tables::read_npy(source.file, source.first, params, encoding);
  if (source.kind == "npz") return tables::read_npz(source.file, source.first, source.second, params, encoding);
  if (source.converted_table) return read_data_table(source.file, params, encoding);
  if (source.kind == "hdf5") return read_hdf5(source.file, source.first, source.second, params, encoding);
  return tables::read_table(source.file, params, encoding);
}

void check_no_columns(const std::string& kind, const tables::TableParams& params) {
  tables::check_table_params(params);
  const tables::TableParams none;
  std::vector<std::string> given = tables::given_columns(params);
  if (params.missing != none.missing) given.emplace_back("missing");
  if (params.categorical != none.categorical) given.emplace_back("categorical");
  if (!given.empty()) {
    throw_input_error(
        text("--", given[0], " is for tables"), text("the data are ", kind),
        text("Leave --", given[0], " out, or give a table: csv:FILE, npy:X.npy,Y.npy, npz:FILE:X,Y or hdf5:FILE:X,Y."));
  }
  const bool has_shape = kind != "libsvm" && kind != "hdf5";
  require(!has_shape || params.image.empty(), text("--image is not for ", kind),
          kind == "names" ? "" : "its images bring their shape", "Leave it out.");
}

void check_options(const TaskParams& params) {
  data::parse_test_part(params.test_part);
  const auto source = parse_source(params.train);
  if (source && !source->is_table()) return check_no_columns(source->kind, params.table);
  tables::check_table_params(params.table);  // also of an HDF5 file, which may be a table
}

}  // namespace krossfold::input
