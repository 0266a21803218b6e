// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/load_model.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/model/locate.hpp"
#include "krossfold/model/svm_file.hpp"
#include "krossfold/model/svm_parts_file.hpp"

namespace krossfold::model {

namespace {

/// The threshold of a result file of bagging; none for other files and folders.
std::optional<OodThreshold> threshold_of(const std::string& model) {
  std::error_code ignored;
  if (std::filesystem::is_directory(model, ignored)) return std::nullopt;
  const storage::Container result = storage::read_container(model);
  const char* const path = "/ood/threshold";  // (score); the entropy is the first score
  if (!result.has(path)) return std::nullopt;
  const auto* found = std::get_if<std::vector<double>>(&result.at(path).values);
  if (found == nullptr || found->empty()) return std::nullopt;
  const std::vector<double>& threshold = *found;
  const auto tests = result.attributes.find("n_test");
  const auto* count = tests == result.attributes.end() ? nullptr : std::get_if<std::int64_t>(&tests->second);
  return OodThreshold{threshold[0], text("95 % of the ", count == nullptr ? "" : text(*count, " "), "test samples of ",
                                         model, " have no more")};
}

/// An encoding as bytes, in which also fills that are NaN are equal; none for no table.
std::vector<std::byte> bytes_of(const std::shared_ptr<const data::TableEncoding>& encoding) {
  ByteWriter writer;
  if (encoding) encoding->write(writer);
  return writer.take();
}

Networks load_networks(const std::vector<std::string>& files, const std::string& model) {
  std::vector<NetworkModel> network;
  std::vector<std::string> first;  // first file of each network
  for (std::size_t f = 0; f < files.size();) {
    first.push_back(files[f]);
    std::vector<NetworkModel> parts;  // the parts of a network are adjacent
    const std::vector<std::string> rest(files.begin() + static_cast<std::ptrdiff_t>(f), files.end());
    do {
      parts.push_back(network_from_container(storage::read_container(files[f]), files[f]));
      ++f;
    } while (parts.size() < static_cast<std::size_t>(parts.front().parts) && f < files.size());
    network.push_back(join_parts(std::move(parts), rest));
  }
  check_together(network, first);
  return {std::move(network), std::move(first), threshold_of(model)};
}

}  // namespace

void check_together(const std::vector<NetworkModel>& network, const std::vector<std::string>& file) {
  const NetworkModel& first = network.front();
  for (std::size_t m = 1; m < network.size(); ++m) {
    const NetworkModel& other = network[m];
    const auto check = [&](bool same, const char* what) {
      require(same, text(file[m], " and ", file[0], " do not predict together"),
              text("they were trained on different ", what), "Name one of them.");
    };
    check(other.class_name == first.class_name && other.architecture.image == first.architecture.image,
          "classes or sizes of images");
    check(other.image.black == first.image.black && other.image.white == first.image.white, "ranges of pixels");
    check(bytes_of(other.encoding) == bytes_of(first.encoding), "columns of tables, or categories or fills of them");
    check((other.first_index == 0) == (first.first_index == 0), "numbers of the first feature");
  }
}

LoadedModel load_model(const std::string& model) {
  std::vector<std::string> files = find_models(model);
  const storage::Container first = storage::read_container(files.front());
  const std::string kind = first.attribute("kind");
  if (!first.attribute("status").empty()) {  // of a folder, as find_models() follows a result that is named itself
    throw_input_error(text(files.front(), " is the result of a study, not a model"), "",
                      "Name that file itself, or its folder NAME.ID.models.");
  }
  const auto loaded = [&]() -> Model {
    if (kind == "lstm-model") return lstm_from_container(first, files.front());
    if (kind == "network-model") return load_networks(files, model);
    if (kind == svm_parts_kind) return parts_from_container(first, files.front());
    return machine_from_container(first, files.front());
  };
  Model content = loaded();
  return {std::move(content), std::move(files)};
}

}  // namespace krossfold::model
