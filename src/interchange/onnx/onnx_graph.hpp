// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protobuf.hpp"

namespace krossfold::interchange {

/// Types of elements, as TensorProto.DataType numbers them.
enum class OnnxType { float32 = 1, int64 = 7, text = 8, float64 = 11 };

/// A graph of ONNX with standard operators of operator set 17 (https://github.com/onnx/onnx/blob/main/docs/Operators.md), in the
/// format of IR version 8. Values are known by their names. Nodes must be added after what they take.
class OnnxGraph {
public:
  using Shape = std::vector<std::int64_t>;
  using Attribute = std::variant<std::int64_t, std::string, std::vector<std::int64_t>>;
  using Attributes = std::vector<std::pair<std::string, Attribute>>;

  /// Adds a constant and returns its name, to which a number is appended if there is one of that name already.
  std::string constant(const std::string& name, const Shape& shape, std::span<const float> values);
  std::string constant(const std::string& name, const Shape& shape, std::span<const double> values);
  std::string constant(const std::string& name, const Shape& shape, std::span<const std::int64_t> values);
  std::string constant(const std::string& name, const Shape& shape, const std::vector<std::string>& values);
  std::string constant(const std::string& name, double value) { return constant(name, {}, std::span(&value, 1)); }
  std::string whole(const std::string& name, std::vector<std::int64_t> values);  ///< a list of whole numbers

  /// Adds a node of an operator with one output, and returns the name of that, `output` as for constants.
  std::string node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output,
                   const Attributes& attributes = {});
  /// Cast to a type.
  std::string cast(const std::string& input, OnnxType type, const std::string& output);

  /// Declares an input or output; an extent is a number or the name of a free one.
  using Extents = std::vector<std::variant<std::int64_t, std::string>>;
  void input(const std::string& name, OnnxType type, const Extents& extents);
  void output(const std::string& name, OnnxType type, const Extents& extents);

  /// Adds a pair of metadata_props.
  void describe(const std::string& key, const std::string& value);

  /// The file. Throws an input error if it is larger than 2 GiB, the limit of such messages; `model` names it.
  std::vector<std::byte> finish(const std::string& model) const;

private:
  std::string fresh(const std::string& name);
  std::string tensor(const std::string& name, OnnxType type, const Shape& shape, std::span<const std::byte> bytes);

  std::set<std::string> names_;
  ProtobufMessage graph_;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

}  // namespace krossfold::interchange
