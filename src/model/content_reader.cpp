// SPDX-License-Identifier: BSD-3-Clause
#include "content_reader.hpp"

#include <utility>

namespace krossfold::model {

namespace {

std::string path_of(const std::string& name, char dot) {
  std::string path = "/parameter/" + name;
  std::replace(path.begin(), path.end(), '.', dot);
  return path;
}

}  // namespace

ContentReader::ContentReader(const storage::Container& content, const std::string& kind, std::string name,
                             std::string model)
    : content_(content), name_(std::move(name)), model_(std::move(model)) {
  const std::string found = content.attribute("kind");
  require(found == kind, found.empty() ? "it does not say what it holds" : text("it holds: ", found));
}

double ContentReader::number(const char* attribute) const {
  const auto found = content_.attributes.find(attribute);
  require(found != content_.attributes.end(), text("attribute ", attribute, " is missing"));
  if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&found->second);
  require(real != nullptr && std::isfinite(*real), text("attribute ", attribute, " is not a finite number"));
  return *real;
}

int ContentReader::whole(const char* attribute) const {
  const double value = number(attribute);
  require(value >= 0 && value <= 1e6 && value == std::floor(value), text("attribute ", attribute, " is out of range"));
  return static_cast<int>(value);
}

data::ImageShape ContentReader::image() const {
  return {whole("image_width"), whole("image_height"), whole("image_channels")};
}

data::Scale ContentReader::scale(std::size_t features) const {
  const data::Scale scale{values<double>("/scale/offset"), values<double>("/scale/divisor")};
  for (const auto& part : {scale.offset, scale.divisor}) {
    require(part.size() == 1 || part.size() == features, "the scale does not fit the features");
  }
  require(std::count(scale.divisor.begin(), scale.divisor.end(), 0.0) == 0, "a divisor is 0");
  return scale;
}

std::vector<std::string> ContentReader::class_name(std::size_t least) const {
  const auto& name = values<std::string>("/class_name");
  require(name.size() >= least && name.size() <= 30000, "it has no classes");
  return name;
}

std::vector<nn::Parameter> ContentReader::parameters(std::vector<nn::Parameter> tensors, char dot) const {
  for (nn::Parameter& tensor : tensors) {
    const std::string path = path_of(tensor.name, dot);
    tensor.value = values<float>(path);
    const std::vector<std::int64_t> found(shape(path).begin(), shape(path).end());
    require(found == tensor.shape, text(path, " is of another shape"));
  }
  return tensors;
}

void add_samples(storage::Container& content, const data::ImageShape& image, const data::Scale& scale,
                 const std::vector<std::string>& class_name) {
  content.attributes["image_width"] = std::int64_t{image.width};
  content.attributes["image_height"] = std::int64_t{image.height};
  content.attributes["image_channels"] = std::int64_t{image.channels};
  const std::string formula = "feature = (raw - offset) / divisor";
  content.arrays.push_back({"/scale/offset", {scale.offset.size()}, scale.offset, {}, "1", formula});
  content.arrays.push_back({"/scale/divisor", {scale.divisor.size()}, scale.divisor, {}, "1", formula});
  content.arrays.push_back({"/class_name", {class_name.size()}, class_name, {}, "1", "names of the classes"});
}

void add_parameters(storage::Container& content, std::vector<nn::Parameter> parameters, char dot) {
  for (nn::Parameter& one : parameters) {
    content.arrays.push_back({path_of(one.name, dot),
                              {one.shape.begin(), one.shape.end()},
                              std::move(one.value),
                              {},
                              "1",
                              one.name + " as PyTorch orders it"});
  }
}

}  // namespace krossfold::model
