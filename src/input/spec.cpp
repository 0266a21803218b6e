// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/spec.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/test_part.hpp"
#include "krossfold/input/read_idx.hpp"
#include "krossfold/tables/embedded_digits.hpp"
#include "krossfold/tables/readers.hpp"

namespace krossfold::input {
namespace {

const std::vector<std::string> kinds = {"digits", "mnist", "idx", "csv", "libsvm"};

/// The parts of a SPEC: "idx:a,b" is {idx, a, b}.
struct Source {
  std::string kind, first, second;
};

bool exists(const std::string& path) {
  std::error_code fault;
  return std::filesystem::exists(path, fault);
}

bool ends_with_one_of(const std::string& word, const std::vector<std::string>& ends) {
  return std::any_of(ends.begin(), ends.end(), [&](const std::string& end) { return word.ends_with(end); });
}

/// The kind of file that a name implies, or "".
std::string kind_of_name(std::string name) {
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (name.ends_with(".csv")) return "csv";
  if (ends_with_one_of(name, {".libsvm", ".svm", ".txt"})) return "libsvm";
  if (name.ends_with("idx3-ubyte")) return "idx";
  return "";
}

/// Splits `spec` into its parts; returns nothing if it does not start with a known kind.
std::optional<Source> parse_spec(const std::string& spec) {
  const auto colon = spec.find(':');
  Source source{spec.substr(0, colon), colon == std::string::npos ? "" : spec.substr(colon + 1), ""};
  if (std::find(kinds.begin(), kinds.end(), source.kind) == kinds.end()) return std::nullopt;
  if (source.kind == "idx") {
    const auto comma = source.first.find(',');
    if (comma != std::string::npos) {
      source.second = source.first.substr(comma + 1);
      source.first.resize(comma);
    }
  }
  const bool takes_file = source.kind == "idx" || source.kind == "csv" || source.kind == "libsvm";
  if (takes_file && source.first.empty()) {
    throw_input_error(text("'", spec, "' names no file"), "",
                      text("write ", source.kind, source.kind == "idx" ? ":IMAGES,LABELS" : ":FILE"));
  }
  if (source.kind == "digits" && colon != std::string::npos) {
    throw_input_error(text("'", spec, "' names a file"), "the digits are built in", "write digits, or csv:FILE");
  }
  return source;
}

[[noreturn]] void throw_unknown(const std::string& spec) {
  const std::string kind = kind_of_name(spec), near = nearest_word(spec.substr(0, spec.find(':')), kinds);
  std::string suggestion = "Use digits, mnist[:DIR], idx:IMAGES,LABELS, csv:FILE or libsvm:FILE.";
  if (!near.empty()) {
    suggestion = text("Did you mean ", near, "?");
  } else if (!kind.empty()) {
    suggestion = text("Did you mean ", kind, ":", spec, kind == "idx" ? ",LABELS?" : "?");
  }
  throw_input_error(text("unknown data '", spec, "'"), "", suggestion);
}

/// The file `name`, plain or compressed, in `folder`.
std::string plain_or_gz(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  if (exists(path)) return path;
  if (exists(path + ".gz")) return path + ".gz";
  throw_input_error(text("there is no ", name, "[.gz] in ", folder), "it is one of the four files of MNIST",
                    "get them with tools/fetch-mnist");
}

/// Part "train" or "t10k" of MNIST.
data::Dataset read_mnist(const std::string& folder, const std::string& part, const tables::ReadParams& params) {
  const std::string images = plain_or_gz(folder, part + "-images-idx3-ubyte");
  const std::string labels = plain_or_gz(folder, part + "-labels-idx1-ubyte");
  data::Dataset dataset = read_idx(images, labels, params);
  dataset.name = "mnist";
  return dataset;
}

/// Reads a whole data set; MNIST, which comes in two parts, gives its test part.
data::Dataset read_whole(const Source& source, const tables::ReadParams& params) {
  if (source.kind == "mnist") return read_mnist(find_data_folder("mnist", source.first), "t10k", params);
  if (source.kind == "idx") return read_idx(source.first, source.second, params);
  if (source.kind == "csv") return tables::read_csv(source.first, params);
  if (source.kind == "libsvm") return tables::read_libsvm(source.first, params);
  return tables::parse_csv(tables::embedded_digits_csv(), "digits",
                           {.known_classes = params.known_classes, .features = params.features, .labelled = true});
}

Source known_source(const std::string& spec) {
  const auto source = parse_spec(spec);
  if (!source) throw_unknown(spec);
  return *source;
}

std::vector<int> class_counts(const data::Dataset& dataset) {
  std::vector<int> count(dataset.class_name.size(), 0);
  for (int i = 0; i < dataset.size(); ++i) ++count[dataset.label(i)];
  return count;
}

/// MNIST is in random order, and what is published of it names its first samples.
bool keeps_first(const TaskParams& params) {
  const Source source = known_source(params.train);
  return source.kind == "mnist" || data::parse_test_part(params.test_part) == data::TestPart::last;
}

data::Task load_parts(const TaskParams& params, std::uint64_t seed) {
  const Source source = known_source(params.train);
  // Only a limit that keeps the first samples makes it needless to read the others.
  const int limit = keeps_first(params) ? params.limit : 0;
  data::Task task;
  if (source.kind == "mnist") {
    task.train = read_mnist(find_data_folder("mnist", source.first), "train", {.limit = limit});
  } else if (params.test.empty()) {
    return data::split_off_test_part(read_whole(source, {}), data::parse_test_part(params.test_part), seed);
  } else {
    task.train = read_whole(source, {.limit = limit});
  }
  const Source test = params.test.empty() ? source : known_source(params.test);
  task.test = read_whole(test, {.known_classes = task.train.class_name,
                                .features = task.train.features(),
                                .first_index = task.train.first_index});
  return task;
}

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

bool is_png(const std::filesystem::path& path) {
  std::string end = path.extension().string();
  for (char& letter : end) letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  return end == ".png";
}

std::vector<std::string> pngs_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code fault;
  for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::error_code ignored;
    const std::filesystem::path& path = entry->path();
    const bool hidden = path.filename().string().starts_with('.');
    if (is_png(path) && !hidden && !entry->is_directory(ignored)) files.push_back(path.string());
  }
  if (fault) throw_input_error(text("cannot read the folder ", folder), fault.message());
  if (files.empty()) {
    throw_input_error(text("there are no pictures in the folder ", folder), "no name in it ends with .png", "");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

data::Task load_task(const TaskParams& params, std::uint64_t seed) {
  data::Task task = load_parts(params, seed);
  const data::TestPart order = keeps_first(params) ? data::TestPart::last : data::TestPart::random;
  task.train = data::limit_samples(task.train, params.limit, order, seed);
  const std::vector<int> count = class_counts(task.train);
  if (std::count_if(count.begin(), count.end(), [](int n) { return n != 0; }) < 2) {
    throw_input_error(
        text("the training part of ", task.train.name, " has fewer than two classes"),
        text("all ", task.train.size(), " samples are of class '", task.train.class_name[task.train.label(0)], "'"),
        params.limit != 0 ? "Raise limit." : "give data with at least two classes");
  }
  return task;
}

data::Dataset load_input(const std::string& input, int features, const std::vector<std::string>& classes) {
  const tables::ReadParams params{.known_classes = classes, .features = features, .labelled = false};
  if (const auto source = parse_spec(input)) return read_whole(*source, params);
  const std::string kind = kind_of_name(input);
  if (kind == "idx") return read_idx(input, labels_beside(input), params);
  if (!kind.empty()) return read_whole({kind, input, ""}, params);
  if (exists(input)) {
    throw_input_error(text("the name of ", input, " does not tell its format"), "",
                      text("write csv:", input, ", libsvm:", input, ", idx:", input, " or png:", input));
  }
  throw_unknown(input);
}

std::vector<std::string> picture_files(const std::string& input) {
  if (parse_spec(input)) return {};
  const bool named = input.starts_with("png:");
  const std::string path = named ? input.substr(4) : input;
  if (named && path.empty()) throw_input_error("'png:' names no file", "", "write png:FILE or png:FOLDER");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return pngs_in(path);
  if (named || is_png(path)) return {path};
  return {};
}

}  // namespace krossfold::input
