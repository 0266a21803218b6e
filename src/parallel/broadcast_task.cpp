// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/broadcast_task.hpp"

#include <memory>

#include "krossfold/core/serialize.hpp"

namespace krossfold::parallel {

namespace {

/// Serialises everything but the values of each sample.
std::vector<std::byte> describe(const data::Dataset& set) {
  ByteWriter writer;
  const int labels = static_cast<int>(set.label.extent(0));
  writer.put_fields(set.name, set.digest, set.image, set.integer, set.lowest, set.highest, set.white, set.size(),
                    set.features(), labels, static_cast<int>(set.group.extent(0)),
                    static_cast<int>(set.weight.extent(0)), set.first_index, static_cast<int>(set.row.extent(0)),
                    set.classes());
  for (const std::string& name : set.class_name) writer.put_string(name);
  writer.put_fields(set.encoding != nullptr);
  if (set.encoding) set.encoding->write(writer);
  return writer.take();
}

template <class View>
std::span<std::byte> bytes_of(const View& view) {
  return {reinterpret_cast<std::byte*>(view.data()), view.size() * sizeof(typename View::value_type)};
}

void broadcast(const Communicator& comm, data::Dataset& set) {
  std::vector<std::byte> description;
  if (comm.is_root()) description = describe(set);
  parallel::broadcast(comm, description);
  ByteReader reader(description, "description of a data set");
  data::Dataset received;
  int size = 0, features = 0, labels = 0, groups = 0, weights = 0, rows = 0, classes = 0;
  reader.get_fields(received.name, received.digest, received.image, received.integer, received.lowest, received.highest,
                    received.white, size, features, labels, groups, weights, received.first_index, rows, classes);
  received.class_name.resize(static_cast<std::size_t>(classes));
  for (std::string& name : received.class_name) name = reader.get_string();
  bool encoded = false;
  reader.get_fields(encoded);
  if (encoded) received.encoding = std::make_shared<const data::TableEncoding>(data::TableEncoding::read(reader));

  const Matrix<float> raw(uninitialized("krossfold::parallel::raw"), size, features);
  const Vector<int> label(uninitialized("krossfold::parallel::label"), labels);
  const Vector<int> group(uninitialized("krossfold::parallel::group"), groups);
  const Vector<double> weight(uninitialized("krossfold::parallel::weight"), weights);
  const Vector<int> row(uninitialized("krossfold::parallel::row"), rows);
  if (comm.is_root()) {
    if (groups > 0) Kokkos::deep_copy(group, set.group);
    if (weights > 0) Kokkos::deep_copy(weight, set.weight);
    if (rows > 0) Kokkos::deep_copy(row, set.row);
    if (size > 0) Kokkos::deep_copy(raw, set.raw);
    if (labels > 0) Kokkos::deep_copy(label, set.label);
  }
  parallel::broadcast(comm, bytes_of(raw));
  parallel::broadcast(comm, bytes_of(label));
  parallel::broadcast(comm, bytes_of(group));
  parallel::broadcast(comm, bytes_of(weight));
  parallel::broadcast(comm, bytes_of(row));
  received.raw = raw;
  received.label = label;
  received.group = group;
  received.weight = weight;
  received.row = row;
  set = received;
}

}  // namespace

data::Task load_and_broadcast(const Communicator& comm, const std::function<data::Task()>& load) {
  data::Task task;
  on_root(comm, [&] { task = load(); });
  if (comm.size() > 1) {
    broadcast(comm, task.train);
    broadcast(comm, task.test);
  }
  return task;
}

}  // namespace krossfold::parallel
