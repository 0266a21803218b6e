// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading and writing what the files of all kinds of models share.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/nn/parameter.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::model {

/// Checked access to the content of a model file. Anything missing or invalid is an input error that names the file.
class ContentReader {
public:
  /// Throws if the content is not of this kind; `model` describes the kind in messages, which `advice` ends.
  ContentReader(const storage::Container& content, const std::string& kind, std::string name, std::string model,
                std::string advice = "Train it again.");

  void require(bool right, const std::string& problem) const {
    if (!right) throw_input_error(text(name_, " is not a usable ", model_), problem, advice_);
  }
  /// An attribute that is a finite number, or an integer from 0 to `most`.
  double number(const char* attribute) const;
  int whole(const char* attribute, int most = 1'000'000) const;
  std::string word(const char* attribute) const { return content_.attribute(attribute); }

  /// A dataset, whose real numbers must be finite.
  template <class T>
  const std::vector<T>& values(const std::string& path) const {
    require(content_.has(path), text("the dataset ", path, " is missing"));
    require(std::holds_alternative<std::vector<T>>(content_.at(path).values), text(path, " is of another type"));
    const std::vector<T>& found = content_.values<T>(path);
    if constexpr (std::is_floating_point_v<T>) {
      require(std::all_of(found.begin(), found.end(), [](T v) { return std::isfinite(v); }),
              text(path, " is not finite"));
    }
    return found;
  }
  const std::vector<std::uint64_t>& shape(const std::string& path) const { return content_.at(path).shape; }

  /// The counterparts of add_samples().
  data::ImageShape image() const;
  data::Scale scale(std::size_t features) const;
  std::vector<std::string> class_name(std::size_t least) const;
  /// The counterpart of add_encoding(); null if the file has none.
  std::shared_ptr<const data::TableEncoding> encoding(std::size_t features) const;

  /// The counterpart of add_first_index(); -1 if the file has none.
  int first_index() const;

  /// The tensors with these names and shapes, as add_parameters() wrote them.
  std::vector<nn::Parameter> parameters(std::vector<nn::Parameter> tensors, char dot) const;

private:
  const storage::Container& content_;
  std::string name_, model_, advice_;
};

/// Adds the shape, scale and classes of the samples that a classifier takes.
void add_samples(storage::Container& content, const data::ImageShape& image, const data::Scale& scale,
                 const std::vector<std::string>& class_name);

/// Adds how the columns of a table became the features; nothing if `encoding` is null.
void add_encoding(storage::Container& content, const std::shared_ptr<const data::TableEncoding>& encoding);

/// Adds Dataset::first_index of the training data, unless it is -1.
void add_first_index(storage::Container& content, int first_index);

/// Adds parameters at /parameter/NAME, with `dot` instead of the dots of the name.
void add_parameters(storage::Container& content, std::vector<nn::Parameter> parameters, char dot);

}  // namespace krossfold::model
