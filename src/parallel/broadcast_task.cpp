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
                    set.is_sparse(), entries_of(set.sparse), set.classes());
  for (const std::string& name : set.class_name) writer.put_string(name);
  writer.put_fields(set.encoding != nullptr);
  if (set.encoding) set.encoding->write(writer);
  return writer.take();
}

template <class View>
std::span<std::byte> bytes_of(const View& view) {
  return {reinterpret_cast<std::byte*>(view.data()), view.size() * sizeof(typename View::value_type)};
}

/// Gives every rank the rows of rank 0, which has so many rows, columns and entries.
SparseMatrix<float> broadcast(const Communicator& comm, const SparseMatrix<float>& own, int rows, int columns,
                              std::int64_t entries) {
  const auto count = static_cast<std::size_t>(entries);
  const Vector<std::int64_t> begin(uninitialized("krossfold::parallel::sparse_begin"),
                                   static_cast<std::size_t>(rows) + 1);
  const Vector<int> column(uninitialized("krossfold::parallel::sparse_column"), count);
  const Vector<float> value(uninitialized("krossfold::parallel::sparse_value"), count);
  if (comm.is_root()) {
    const std::int64_t first = own.begin(0);
    for (std::size_t i = 0; i < begin.extent(0); ++i) begin(i) = own.begin(i) - first;
    const auto part = Kokkos::make_pair(first, first + entries);
    Kokkos::deep_copy(column, Kokkos::subview(own.column, part));
    Kokkos::deep_copy(value, Kokkos::subview(own.value, part));
  }
  parallel::broadcast(comm, bytes_of(begin));
  parallel::broadcast(comm, bytes_of(column));
  parallel::broadcast(comm, bytes_of(value));
  return {begin, column, value, columns};
}

void broadcast(const Communicator& comm, data::Dataset& set) {
  std::vector<std::byte> description;
  if (comm.is_root()) description = describe(set);
  parallel::broadcast(comm, description);
  ByteReader reader(description, "description of a data set");
  data::Dataset received;
  bool sparse = false;
  std::int64_t entries = 0;
  int size = 0, features = 0, labels = 0, groups = 0, weights = 0, rows = 0, classes = 0;
  reader.get_fields(received.name, received.digest, received.image, received.integer, received.lowest, received.highest,
                    received.white, size, features, labels, groups, weights, received.first_index, rows, sparse,
                    entries, classes);
  received.class_name.resize(static_cast<std::size_t>(classes));
  for (std::string& name : received.class_name) name = reader.get_string();
  bool encoded = false;
  reader.get_fields(encoded);
  if (encoded) received.encoding = std::make_shared<const data::TableEncoding>(data::TableEncoding::read(reader));

  const Matrix<float> raw(uninitialized("krossfold::parallel::raw"), sparse ? 0 : size, features);
  const Vector<int> label(uninitialized("krossfold::parallel::label"), labels);
  const Vector<int> group(uninitialized("krossfold::parallel::group"), groups);
  const Vector<double> weight(uninitialized("krossfold::parallel::weight"), weights);
  const Vector<int> row(uninitialized("krossfold::parallel::row"), rows);
  if (comm.is_root()) {
    if (groups > 0) Kokkos::deep_copy(group, set.group);
    if (weights > 0) Kokkos::deep_copy(weight, set.weight);
    if (rows > 0) Kokkos::deep_copy(row, set.row);
    if (size > 0 && !sparse) Kokkos::deep_copy(raw, set.raw);
    if (labels > 0) Kokkos::deep_copy(label, set.label);
  }
  if (sparse) {
    received.sparse = broadcast(comm, set.sparse, size, features, entries);
  } else {
    parallel::broadcast(comm, bytes_of(raw));
    received.raw = raw;
  }
  parallel::broadcast(comm, bytes_of(label));
  parallel::broadcast(comm, bytes_of(group));
  parallel::broadcast(comm, bytes_of(weight));
  parallel::broadcast(comm, bytes_of(row));
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
