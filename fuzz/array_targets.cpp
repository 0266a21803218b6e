// SPDX-License-Identifier: BSD-3-Clause
// Readers of arrays: IDX, npy, npz, gzip and HDF5.
#include "fuzz/checksums.hpp"
#include "fuzz/samples.hpp"
#include "fuzz/target.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/input/read_idx.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/tables/numpy_files.hpp"

namespace krossfold::fuzz {

namespace {

/// Two files in one input: the length of the first in its first two bytes.
struct Pair {
  std::span<const std::byte> first, second;
};
Pair two_files(std::span<const std::byte> input) {
  if (input.size() < 2) return {input, {}};
  const std::size_t length = std::to_integer<std::size_t>(input[0]) << 8 | std::to_integer<std::size_t>(input[1]);
  const auto rest = input.subspan(2);
  const auto first = rest.first(std::min(length, rest.size()));
  return {first, rest.subspan(first.size())};
}

void check_table(const tables::Table& table) {
  must(table.size() > 0, "a table has samples");
  if (table.labelled()) check_samples(tables::table_dataset(table));
}

void read_idx(std::span<const std::byte> input) {
  const Pair pair = two_files(input);
  const InputFile labels(pair.first, "labels"), images(pair.second, "images");
  tables::ReadParams params;
  params.limit = static_cast<int>(pair.first.size() % 3);
  params.labelled = !pair.first.empty();
  check_samples(input::read_idx(images.path(), params.labelled ? labels.path() : "", params));
}

void read_npy(std::span<const std::byte> input) {
  const Pair pair = two_files(input);
  const tables::NumpyArray x = tables::parse_npy(pair.second, "x.npy");
  std::uint64_t elements = 1;
  for (const std::uint64_t extent : x.shape) elements *= extent;
  must(x.elements.size() == elements * x.bytes, "an array has as many elements as its shape says");
  if (pair.first.empty()) {
    check_table(tables::numpy_table(x, nullptr));
  } else {
    const tables::NumpyArray y = tables::parse_npy(pair.first, "y.npy");
    check_table(tables::numpy_table(x, &y));
  }
}

void read_npz(std::span<const std::byte> input) {
  const InputFile file(input, "input.npz");
  check_table(tables::read_npz(file.path(), "X", "y"));
}

void read_gzip(std::span<const std::byte> input) { data::gunzip(input, "input.gz"); }

void read_hdf5(std::span<const std::byte> input) {
  const InputFile file(input, "input.h5");
  input::TaskParams params;
  params.train = "hdf5:" + file.path();
  const data::Task task = input::load_task(params);
  check_samples(task.train);
}

constexpr Target targets[] = {{"idx", read_idx},
                              {"npy", read_npy},
                              {"npz", read_npz, repair_zip},
                              {"gzip", read_gzip, repair_gzip},
                              {"hdf5", read_hdf5}};

}  // namespace

std::span<const Target> array_targets() { return targets; }

}  // namespace krossfold::fuzz
