// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/locate.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/storage/journal.hpp"

namespace krossfold::model {

namespace {

namespace fs = std::filesystem;

/// svm.h5, lstm.h5 or network.h5, or else, in the order of their numbers, the networks bootstrap_*.h5 or the parts network-*.h5.
std::vector<std::string> models_in(const std::string& folder) {
  std::error_code ignored;
  for (const char* only : {"svm.h5", "lstm.h5", "network.h5"}) {
    const std::string file = (fs::path(folder) / only).string();
    if (fs::exists(file, ignored)) return {file};
  }
  std::vector<std::string> networks;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if ((name.starts_with("bootstrap_") || name.starts_with("network-")) && name.ends_with(".h5"))
      networks.push_back(entry.path().string());
  }
  // Numbers have at least two digits.
  std::sort(networks.begin(), networks.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  if (networks.empty() && fs::exists(fs::path(folder) / "lstm_00.h5", ignored)) {
    throw_input_error(text(folder, " has character models of several trainings"), "",
                      "Name one of them, or the result file, which stands for the best.");
  }
  if (networks.empty()) {
    throw_input_error(text(folder, ": no model in this folder"),
                      "svm.h5 is missing, and so are lstm.h5, network.h5 and bootstrap_00.h5",
                      "Name a folder NAME.ID.models.");
  }
  return networks;
}

/// The path of a model that a result file names. Throws an input error if it is not the file written with the result.
std::string checked(const std::string& result, const std::string& folder, const std::string& name,
                    const std::string& checksum) {
  if (name.find('/') != std::string::npos) {  // the result file may be untrusted
    throw_input_error(text(result, " names a model that is not its own"), name, "Name the model file itself.");
  }
  const std::string file = (fs::path(folder) / name).string();
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    throw_input_error(text(file, " is missing"), text(result, " says that its model is there"),
                      "Keep the folder of models beside its result file.");
  }
  if (text(std::hex, crc64(data::read_file(file))) != checksum) {
    throw_input_error(text(file, " is not the model that ", result, " was written with"), "its checksum differs",
                      "Name the model file itself to use it all the same.");
  }
  return file;
}

/// The words of a root attribute, or the strings of a dataset, where bagging studies of version 1 name their models.
std::vector<std::string> names_in(const storage::Container& content, const std::string& attribute,
                                  const std::string& dataset) {
  if (content.has(dataset) && content.attribute(attribute).empty()) {
    const auto* names = std::get_if<std::vector<std::string>>(&content.at(dataset).values);
    if (names != nullptr) return *names;
  }
  std::istringstream words(content.attribute(attribute));
  return {std::istream_iterator<std::string>(words), {}};
}

/// The names of its models that the content of a result file gives; "" for one that there is not.
std::vector<std::string> model_names(const storage::Container& content) {
  return names_in(content, "model", "/final/model");
}

}  // namespace

std::vector<std::string> find_models(const std::string& model) {
  std::error_code ignored;
  if (fs::is_directory(model, ignored)) return models_in(model);
  const storage::Container content = storage::read_container(model);
  const std::string status = content.attribute("status");
  if (status.empty()) return {model};  // a model file: only the results of studies have a status
  const auto names = model_names(content), checksums = names_in(content, "model_checksum", "/final/model_checksum");
  const std::string folder = storage::find_models_folder(model, content.attribute("run_id"));
  std::vector<std::string> files;  // several for an ensemble or a network with split weights
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!names[k].empty()) files.push_back(checked(model, folder, names[k], k < checksums.size() ? checksums[k] : ""));
  }
  if (!files.empty()) return files;
  if (status == "running" || status == "stopped") {
    throw_input_error(text(model, " has no model"), "the study is not finished", "Run its command again to finish it.");
  }
  throw_input_error(text(model, " has no model"), "it ran without a refit, or its final fits failed or diverged",
                    "Its report says what became of its units.");
}

std::vector<std::string> missing_models(const std::string& result, const storage::Container& content) {
  const std::string folder = storage::find_models_folder(result, content.attribute("run_id"));
  std::set<std::string> there;  // a network file system lists what it may not find by name yet
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    there.insert(at->path().filename().string());
  }
  std::vector<std::string> missing;
  for (const std::string& name : model_names(content)) {
    if (name.empty() || name.find('/') != std::string::npos) continue;  // none, or a name that is not trusted
    if (!there.contains(name)) missing.push_back((fs::path(folder) / name).string());
  }
  return missing;
}

}  // namespace krossfold::model
