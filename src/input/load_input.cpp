// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "image_word.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/input/picture.hpp"
#include "krossfold/input/read_idx.hpp"
#include "krossfold/input/spec.hpp"
#include "read_samples.hpp"
#include "source.hpp"

namespace krossfold::input {
namespace {

/// The labels file that lies beside an IDX file of images, named as in MNIST; "" if there is none.
std::string labels_beside(const std::string& images) {
  const std::filesystem::path path(images);
  std::string name = path.filename().string();
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"images", "labels"}, {"idx3", "idx1"}}) {
    const auto at = name.find(from);
    if (at == std::string::npos) return "";
    name.replace(at, from.size(), to);
  }
  const std::string other = name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name + ".gz";
  for (const std::string& candidate : {name, other}) {
    const std::string labels = path.parent_path().empty() ? candidate : (path.parent_path() / candidate).string();
    if (exists(labels)) return labels;
  }
  return "";
}

std::vector<std::string> pictures_in(const std::string& folder, std::vector<std::string>* warning) {
  std::vector<std::string> files, others;
  std::error_code fault;
  bool folders = false;
  for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::error_code ignored;
    const std::filesystem::path& path = entry->path();
    const bool hidden = path.filename().string().starts_with('.');
    const bool is_folder = entry->is_directory(ignored);
    folders = folders || (!hidden && is_folder);
    if (hidden || is_folder) continue;
    (is_picture(*entry) ? files : others).push_back(path.string());
  }
  if (fault) throw_input_error(text("cannot read the folder ", folder), fault.message());
  if (files.empty()) {
    throw_input_error(text("there are no pictures in the folder ", folder),
                      "no name in it ends with .png, .jpg or .jpeg",
                      folders ? text("say images:", folder, ", which takes a folder for each class") : "");
  }
  std::sort(files.begin(), files.end());
  if (warning != nullptr && !others.empty()) {
    const std::string& first = *std::min_element(others.begin(), others.end());
    warning->push_back(text(others.size(), others.size() == 1 ? " file of " : " files of ", folder,
                            " whose names do not end with .png, .jpg or .jpeg are left out (", first,
                            others.size() == 1 ? ")" : " is one)"));
  }
  return files;
}

}  // namespace

namespace {

data::Dataset load(const std::string& input, const InputParams& params, std::vector<std::string>& warning) {
  Source source = input_source(input);
  if (source.is_table()) {
    const data::TableEncoding plain = data::plain_encoding(params.features);
    const data::TableEncoding& encoding = params.encoding ? *params.encoding : plain;
    tables::TableParams columns = params.table;
    columns.labelled = false;
    tables::TableParams form = columns;  // arrays of more dimensions are held against the images that the model knows
    if (form.image.empty()) form.image = image_word(params.image);
    const tables::Table table = read_source(source, form, &encoding);
    warning.insert(warning.end(), table.warning.begin(), table.warning.end());
    return tables::encode(table, encoding, columns, params.class_name, &warning);
  }
  check_no_columns(source.kind, params.table);
  if (source.kind == "idx" && !input.starts_with("idx:")) source.first = labels_beside(source.file);
  Notes notes;
  const data::Dataset samples = read_samples(source,
                                             {.known_classes = params.class_name,
                                              .features = params.features,
                                              .image = params.image,
                                              .labelled = false,
                                              .first_index = params.first_index,
                                              .imported = params.imported,
                                              .sparse = params.sparse},
                                             params.table.image, &notes);
  warning.insert(warning.end(), notes.warning.begin(), notes.warning.end());
  return samples;
}

}  // namespace

data::Dataset load_input(const std::string& input, const InputParams& params, std::vector<std::string>& warning) {
  data::Dataset samples = naming_memory(text("cannot read ", input), [&] { return load(input, params, warning); });
  data::check_image(samples.image, params.image, samples.name);
  const auto odd = std::count(samples.label.data(), samples.label.data() + samples.label.extent(0), -1);
  if (odd == 0) return samples;
  warning.push_back(text(odd, " of ", samples.size(), " samples of ", samples.name, odd == 1 ? " has" : " have",
                         " no label, or one that is not of the model's ", data::named_classes(params.class_name),
                         ": predicted, but not counted as right or wrong"));
  if (odd == samples.size()) samples.label = {};
  return samples;
}

InputNames names_in(const std::string& input) {
  const auto source = parse_source(input);
  if (!source) return {{input.starts_with("png:") ? input.substr(4) : input}};
  InputNames names;
  if (!source->file.empty()) names.file.push_back(source->file);
  if (source->kind == "npz" || source->kind == "hdf5") {
    names.arrays = source->second.empty() ? source->first : text(source->first, ',', source->second);
  } else if (!source->first.empty()) {
    names.file.push_back(source->first);
  }
  return names;
}

std::vector<std::string> picture_files(const std::string& input, std::vector<std::string>* warning) {
  if (parse_source(input)) return {};
  const bool named = input.starts_with("png:");
  const std::string path = named ? input.substr(4) : input;
  if (named && path.empty()) throw_input_error("'png:' names no file", "", "write png:FILE or png:FOLDER");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return pictures_in(path, warning);
  if (named || is_picture_name(path)) return {path};
  return {};
}

}  // namespace krossfold::input
