// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/model_files.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/readers.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/storage/schema.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;
namespace fs = std::filesystem;

/// svm.h5, lstm.h5, network.h5, or what there are several of, in the order of their names: the networks bootstrap_*.h5 or the parts
/// network-*.h5.
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
  // Numbers have two digits at least, and more where there are more.
  std::sort(networks.begin(), networks.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  if (networks.empty() && fs::exists(fs::path(folder) / "lstm_00.h5", ignored)) {
    throw_input_error(text(folder, " has character models of several trainings"), "",
                      "Name one of them, or the result file: that means the best.");
  }
  if (networks.empty()) {
    throw_input_error(text(folder, ": no model in this folder"),
                      "svm.h5 is missing, and so are lstm.h5, network.h5 and bootstrap_00.h5",
                      "Name a folder NAME.models.");
  }
  return networks;
}

/// The file of a model that a result file names, if it is the one that was written with it.
std::string checked(const std::string& result, const std::string& name, const std::string& checksum) {
  if (name.find('/') != std::string::npos) {  // the file may come from a stranger
    throw_input_error(text(result, " names a model that is not its own"), name, "Name the model file itself.");
  }
  const std::string file = (fs::path(storage::models_folder(result)) / name).string();
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    throw_input_error(text(file, " is missing"), text(result, " says that its model is there"),
                      "Keep the folder of models beside its result file.");
  }
  if (text(std::hex, crc64(data::read_file(file))) != checksum) {
    throw_input_error(text(file, " is not the model that ", result, " was written with"), "its checksum is another",
                      "Name the model file itself to use it all the same.");
  }
  return file;
}

void require_any(bool any, const storage::Container& content, const std::string& result, const std::string& why) {
  if (any) return;
  const bool finished = content.attribute("status") == "finished";
  throw_input_error(text(result, " has no model"), why,
                    finished
                        ? "See krossfold report for what became of its units."
                        : text("Run the same krossfold ", content.attribute("kind"), " command again to finish it."));
}

std::vector<std::string> networks_of(const storage::Container& content, const std::string& result) {
  const auto strings = [&](const storage::Field& of) -> const std::vector<std::string>& {
    const bool there =
        content.has(of.path) && std::holds_alternative<std::vector<std::string>>(content.at(of.path).values);
    if (!there) throw_input_error(text(result, " is not a usable result file"), text(of.path, " is missing"));
    return content.values<std::string>(of.path);
  };
  const auto &name = strings(field::final_model), &checksum = strings(field::final_model_checksum);
  std::vector<std::string> files;
  for (std::size_t b = 0; b < name.size(); ++b) {
    if (!name[b].empty()) files.push_back(checked(result, name[b], b < checksum.size() ? checksum[b] : ""));
  }
  require_any(!files.empty(), content, result, "no final fit is done");
  return files;
}

}  // namespace

std::vector<std::string> find_models(const std::string& model) {
  std::error_code ignored;
  if (fs::is_directory(model, ignored)) return models_in(model);
  const storage::Container content = storage::read_container(model);
  const std::string kind = content.attribute("kind");
  if (kind == "bag") return networks_of(content, model);
  if (kind != "svm" && kind != "train" && kind != "names") return {model};
  std::istringstream names(content.attribute("model")), checksums(content.attribute("model_checksum"));
  std::vector<std::string> files;  // a network that was trained with its weights split has several
  for (std::string name, checksum; names >> name; files.push_back(checked(model, name, checksum)))
    checksums >> checksum;
  require_any(!files.empty(), content, model,
              kind == "svm" ? "the study is not finished, or ran with --no-refit"
                            : "the training is not finished, or it diverged");
  return files;
}

}  // namespace krossfold::study
