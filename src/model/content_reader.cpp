// SPDX-License-Identifier: BSD-3-Clause
#include "content_reader.hpp"

#include <limits>
#include <utility>

namespace krossfold::model {

namespace {

constexpr int largest = std::numeric_limits<int>::max();
constexpr const char* first_index_key = "first_index";  // not in models of other data than LIBSVM's

std::string path_of(const std::string& name, char dot) {
  std::string path = "/parameter/" + name;
  std::replace(path.begin(), path.end(), '.', dot);
  return path;
}

}  // namespace

ContentReader::ContentReader(const storage::Container& content, const std::string& kind, std::string name,
                             std::string model, std::string advice)
    : content_(content), name_(std::move(name)), model_(std::move(model)), advice_(std::move(advice)) {
  const std::string found = content.attribute("kind");
  require(!found.empty(), "it does not say what it holds");
  if (found != kind) {
    throw_input_error(text(name_, " is not a usable ", model_), text("it holds: ", found),
                      "give a file that has such a model");
  }
}

double ContentReader::number(const char* attribute) const {
  const auto found = content_.attributes.find(attribute);
  require(found != content_.attributes.end(), text("attribute ", attribute, " is missing"));
  if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&found->second);
  require(real != nullptr && std::isfinite(*real), text("attribute ", attribute, " is not a finite number"));
  return *real;
}

int ContentReader::whole(const char* attribute, int most) const {
  const double value = number(attribute);
  require(value >= 0 && value <= most && value == std::floor(value), text("attribute ", attribute, " is out of range"));
  return static_cast<int>(value);
}

data::ImageShape ContentReader::image() const {
  const auto side = [&](const char* attribute) { return whole(attribute, largest); };  // the features of a table, too
  const data::ImageShape image{side("image_width"), side("image_height"), side("image_channels")};
  require(1.0 * image.width * image.height * image.channels <= largest,
          text("images of ", image.width, "x", image.height, "x", image.channels, " are too large"));
  return image;
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

std::shared_ptr<const data::TableEncoding> ContentReader::encoding(std::size_t features) const {
  if (!content_.has("/column/number")) return nullptr;
  auto encoding = std::make_shared<data::TableEncoding>();
  encoding->columns = whole("table_columns", largest);
  const double label_column = number("label_column");
  require(label_column >= -1 && label_column <= encoding->columns, "the label column is out of range");
  encoding->label_column = static_cast<int>(label_column);
  encoding->label = word("label");
  const auto &column = values<std::int32_t>("/column/number"), &categories = values<std::int32_t>("/column/categories");
  encoding->named = content_.has("/column/name");
  const auto name = encoding->named ? values<std::string>("/column/name") : std::vector<std::string>(column.size());
  const auto category =
      content_.has("/column/category") ? values<std::string>("/column/category") : std::vector<std::string>();
  require(
      content_.has("/column/fill") && std::holds_alternative<std::vector<double>>(content_.at("/column/fill").values),
      "the dataset /column/fill is missing or of another type");
  const auto& fill = content_.values<double>("/column/fill");  // NaN where nothing takes the place of a missing value
  require(categories.size() == column.size() && name.size() == column.size() && fill.size() == column.size(),
          "the descriptions of the columns are of different lengths");
  auto next = category.begin();
  for (std::size_t k = 0; k < column.size(); ++k) {
    require(column[k] >= 1 && column[k] <= encoding->columns && !std::isinf(fill[k]), "a column is out of range");
    require(column[k] != encoding->label_column, "the label is a feature, too");
    require(categories[k] <= category.end() - next, "categories are missing");
    data::FeatureColumn& one = encoding->column.emplace_back();
    one.name = name[k];
    one.column = column[k];
    one.text = categories[k] >= 0;
    one.fill = fill[k];
    if (!one.text) continue;
    one.category.assign(next, next + categories[k]);
    next += categories[k];
    require(std::is_sorted(one.category.begin(), one.category.end()), "the categories are not in order");
  }
  require(encoding->features() == static_cast<int>(features), "the columns do not give the features");
  return encoding;
}

std::vector<nn::Parameter> ContentReader::parameters(std::vector<nn::Parameter> tensors, char dot) const {
  for (nn::Parameter& tensor : tensors) {
    const std::string path = path_of(tensor.name, dot);
    tensor.value = values<float>(path);
    const std::vector<std::int64_t> found(shape(path).begin(), shape(path).end());
    require(found == tensor.shape, text(tensor.name, " is of another shape"));
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

int ContentReader::first_index() const {
  if (!content_.attributes.contains(first_index_key)) return -1;
  const int index = whole(first_index_key);
  require(index == 0 || index == 1, "its first index is neither 0 nor 1");
  return index;
}

void add_first_index(storage::Container& content, int first_index) {
  if (first_index >= 0) content.attributes[first_index_key] = std::int64_t{first_index};
}

void add_encoding(storage::Container& content, const std::shared_ptr<const data::TableEncoding>& encoding) {
  if (!encoding) return;
  std::vector<std::int32_t> number, categories;
  std::vector<double> fill;
  std::vector<std::string> name, category;
  for (const data::FeatureColumn& one : encoding->column) {
    number.push_back(one.column);
    name.push_back(one.name);
    fill.push_back(one.fill);
    categories.push_back(one.text ? static_cast<std::int32_t>(one.category.size()) : -1);
    category.insert(category.end(), one.category.begin(), one.category.end());
  }
  content.attributes["table_columns"] = std::int64_t{encoding->columns};
  content.attributes["label_column"] = std::int64_t{encoding->label_column};
  content.attributes["label"] = encoding->label;
  const std::uint64_t n = number.size();
  content.arrays.push_back({"/column/number", {n}, number, {}, "1", "column of the table, from 1"});
  content.arrays.push_back({"/column/fill", {n}, fill, {}, "1", "takes the place of a missing value; NaN: none does"});
  content.arrays.push_back(
      {"/column/categories", {n}, categories, {}, "1", "number of categories of text; -1: the column holds numbers"});
  if (encoding->named) content.arrays.push_back({"/column/name", {n}, name, {}, "1", "name of the column"});
  if (!category.empty()) {
    content.arrays.push_back({"/column/category",
                              {category.size()},
                              category,
                              {},
                              "1",
                              "categories of the columns of text, one after another"});
  }
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
