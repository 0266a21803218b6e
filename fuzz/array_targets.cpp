// SPDX-License-Identifier: BSD-3-Clause
// Readers of arrays: IDX, npy, npz, gzip and HDF5.
#include "fuzz/checksums.hpp"
#include "fuzz/learnt.hpp"
#include "fuzz/samples.hpp"
#include "fuzz/target.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/input/read_idx.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/tables/numpy_files.hpp"

namespace krossfold::fuzz {

namespace {

/// Two files in one input: the length of the first in 12 bits of its first two bytes, and options in the 4 before them.
struct Pair {
  std::span<const std::byte> first, second;
  unsigned options = 0;
};
Pair two_files(std::span<const std::byte> input) {
  if (input.size() < 2) return {input, {}};
  const std::size_t head = std::to_integer<std::size_t>(input[0]) << 8 | std::to_integer<std::size_t>(input[1]);
  const std::size_t length = head & 0xfffU;
  const auto rest = input.subspan(2);
  const auto first = rest.first(std::min(length, rest.size()));
  return {first, rest.subspan(first.size()), static_cast<unsigned>(head >> 12U)};
}

void check_table(const tables::Table& table, const tables::TableParams& params = {}) {
  must(table.size() > 0, "a table has samples");
  if (table.labelled()) check_samples(tables::table_dataset(table, params));
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
  const char* const images[] = {"", "auto", "2x3", "2x2x3"};
  tables::TableParams params;
  params.image = images[pair.options % 4];
  if (pair.options / 4 % 2 == 1) {
    params.missing = "mean";
    params.weight = pair.first.empty() ? "2" : "";
    params.group = pair.first.empty() ? "1" : "";
  }
  const data::TableEncoding* encoding = pair.options / 8 == 1 ? &learnt(3) : nullptr;
  const auto check = [&](const tables::NumpyArray* y) {
    params.labelled = encoding == nullptr || y != nullptr;
    const tables::Table table = tables::numpy_table(x, y, params, encoding);
    if (encoding == nullptr) return check_table(table, params);
    must(table.size() > 0, "a table has samples");
    check_samples(tables::encode(table, *encoding, params));
  };
  if (pair.first.empty()) return check(nullptr);
  const tables::NumpyArray y = tables::parse_npy(pair.first, "y.npy");
  check(&y);
}

void read_npz(std::span<const std::byte> input) {
  const InputFile file(input, "input.npz");
  check_table(tables::read_npz(file.path(), "X", "y"));
}

void read_gzip(std::span<const std::byte> input) {
  const InputFile file(input, "input.gz");
  data::read_file(file.path());
}

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
