// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/svm_parts_file.hpp"

#include <algorithm>
#include <utility>

#include "content_reader.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/model/svm_file.hpp"

namespace krossfold::model {

namespace {

constexpr const char* kind_key = "partition";

/// Whether a dataset of a machine's file is its own; the other ones are equal in all parts.
bool is_own(const std::string& path) {
  return path.starts_with("/support/") || path == "/coefficient" || path == "/bias";
}

std::string group_of(int part) { return text("/part/", part); }

}  // namespace

storage::Container to_container(const svm::PartitionedMachine& machine) {
  std::vector<double> gamma, c;
  storage::Container content;
  for (int p = 0; p < machine.parts(); ++p) {
    const svm::Machine& one = machine.part[static_cast<std::size_t>(p)];
    gamma.push_back(one.kernel.gamma);
    c.push_back(one.c);
    storage::Container own = to_container(one);
    if (p == 0) content.attributes = own.attributes;
    for (storage::Array& array : own.arrays) {
      const bool of_part = is_own(array.path);
      if (of_part) array.path = group_of(p) + array.path;
      if (of_part || p == 0) content.arrays.push_back(std::move(array));
    }
  }
  content.attributes.erase("gamma");
  content.attributes.erase("C");
  content.attributes["kind"] = std::string(svm_parts_kind);
  content.attributes[kind_key] = std::string(svm::name_of(machine.kind));
  const auto parts = static_cast<std::uint64_t>(machine.parts());
  content.arrays.push_back({"/part_gamma", {parts}, std::move(gamma), {}, "1", "gamma of each part's machine"});
  content.arrays.push_back({"/part_C", {parts}, std::move(c), {}, "1", "C of each part's machine"});
  if (machine.kind == svm::PartitionKind::voronoi) {
    content.arrays.push_back({"/centre",
                              {parts, machine.centre.extent(1)},
                              list_of(machine.centre),
                              {},
                              "1",
                              "centre of each part in scaled features"});
  }
  return content;
}

svm::PartitionedMachine parts_from_container(const storage::Container& content, const std::string& name) {
  const ContentReader file(content, svm_parts_kind, name, "SVM model");
  const std::string kind = file.word(kind_key);
  file.require(kind == "voronoi" || kind == "random", text("its partition is neither voronoi nor random: ", kind));
  svm::PartitionedMachine machine;
  machine.kind = kind == "voronoi" ? svm::PartitionKind::voronoi : svm::PartitionKind::random;
  const auto &gamma = file.values<double>("/part_gamma"), &c = file.values<double>("/part_C");
  file.require(!gamma.empty() && gamma.size() == c.size(), "its parts have no gamma or C");
  storage::Container shared, own;
  shared.attributes = content.attributes;
  shared.attributes["kind"] = std::string("svm-model");
  std::vector<std::vector<const storage::Array*>> of_part(gamma.size());
  for (const storage::Array& array : content.arrays) {
    if (!array.path.starts_with("/part/")) {
      if (array.path != "/centre") shared.arrays.push_back(array);
      continue;
    }
    const std::size_t end = array.path.find('/', 6);
    const std::string number = array.path.substr(6, end - 6);
    file.require(end != std::string::npos && !number.empty() && number.size() < 9 &&
                     std::all_of(number.begin(), number.end(), [](char d) { return d >= '0' && d <= '9'; }) &&
                     std::stoul(number) < of_part.size(),
                 text(array.path, " belongs to no part"));
    of_part[std::stoul(number)].push_back(&array);
  }
  for (std::size_t p = 0; p < gamma.size(); ++p) {
    own = shared;
    own.attributes["gamma"] = gamma[p];
    own.attributes["C"] = c[p];
    for (const storage::Array* array : of_part[p]) {
      own.arrays.push_back(*array);
      own.arrays.back().path = array->path.substr(group_of(static_cast<int>(p)).size());
    }
    machine.part.push_back(machine_from_container(own, name));
  }
  const int features = machine.first().support.features();
  for (const svm::Machine& one : machine.part) {
    file.require(one.support.features() == features, "its parts have different numbers of features");
  }
  if (machine.kind == svm::PartitionKind::random) return machine;
  const auto& centre = file.values<double>("/centre");
  file.require(centre.size() == gamma.size() * static_cast<std::size_t>(features), "the centres do not fit the parts");
  const Matrix<double> places(uninitialized("krossfold::model::centre"), gamma.size(), features);
  std::copy(centre.begin(), centre.end(), places.data());
  machine.centre = places;
  return machine;
}

}  // namespace krossfold::model
