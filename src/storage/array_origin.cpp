// SPDX-License-Identifier: BSD-3-Clause
#include "array_origin.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "krossfold/core/text.hpp"

namespace krossfold::storage::hdf5 {

namespace {

constexpr std::uint64_t most_compression = 1100;
constexpr std::uint64_t always_allowed = 64u << 20;  // bytes
constexpr std::uint64_t of_column = 256;             // bytes that a reader of a table needs for each number of a row

herr_t refuse_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

/// a * b, or the largest number if that is too large.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > largest / b ? largest : a * b;
}

std::uint64_t product(const std::vector<hsize_t>& extents, std::uint64_t size) {
  for (const hsize_t extent : extents) size = product(size, extent);
  return size;
}

/// Refuses an array of chunks some of which were never written, unless its writer said what stands for these.
void check_chunks(hid_t dataset, hid_t space, hid_t creation, const std::vector<hsize_t>& extents,
                  const std::vector<hsize_t>& chunk, const std::string& what) {
  H5D_fill_value_t fill = H5D_FILL_VALUE_DEFAULT;
  check(H5Pfill_value_defined(creation, &fill), what, ExitCode::usage);
  if (fill == H5D_FILL_VALUE_USER_DEFINED) return;
  hsize_t written = 0;
  check(H5Dget_num_chunks(dataset, space, &written), what, ExitCode::usage);
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < extents.size(); ++d)
    all = product(all, extents[d] / chunk[d] + (extents[d] % chunk[d] != 0 ? 1 : 0));
  require(written >= all, what, text("only ", written, " of its ", all, " chunks were written"),
          "write all of it, resize it to what was written, or create it with a fill value: else HDF5 makes values up");
}

void check_filters(hid_t creation, const std::string& what) {
  constexpr std::array known{H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32,
                             H5Z_FILTER_SZIP,    H5Z_FILTER_NBIT,    H5Z_FILTER_SCALEOFFSET};
  const int filters = check(H5Pget_nfilters(creation), what, ExitCode::usage);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, settings = 0;
    std::size_t n_settings = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t filter = check(H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &n_settings, nullptr,
                                                     name.size() - 1, name.data(), &settings),
                                      what, ExitCode::usage);
    if (std::find(known.begin(), known.end(), filter) != known.end()) continue;
    throw_input_error(what,
                      text("it is compressed by the filter ", filter, name[0] == '\0' ? "" : " ", quoted(name.data()),
                           ", which HDF5 itself lacks"),
                      "compress it by deflate: h5repack -f GZIP=6 IN OUT");
  }
}

}  // namespace

Handle access_within_file(hid_t creator) {
  const std::string problem = "the access to an HDF5 file cannot be set";
  Handle access(check(H5Pcreate(creator), problem), H5Pclose);
  check(H5Pset_elink_cb(access.get(), refuse_link, nullptr), problem);
  return access;
}

void check_origin(hid_t dataset, const std::string& what) {
  const Handle creation(check(H5Dget_create_plist(dataset), what, ExitCode::usage), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (layout == H5D_VIRTUAL || check(H5Pget_external_count(creation.get()), what, ExitCode::usage) != 0)
    throw_input_error(what, "its values lie in other files or arrays", "copy them into one file: h5repack IN OUT");
  check_filters(creation.get(), what);

  const Handle space(check(H5Dget_space(dataset), what, ExitCode::usage), H5Sclose);
  const Handle type(check(H5Dget_type(dataset), what, ExitCode::usage), H5Tclose);
  const Handle file(check(H5Iget_file_id(dataset), what, ExitCode::usage), H5Fclose);
  hsize_t whole = 0;  // bytes of the file: it may say that it stores more
  check(H5Fget_filesize(file.get(), &whole), what, ExitCode::usage);
  const std::uint64_t size = H5Tget_size(type.get()), stored = std::min<hsize_t>(H5Dget_storage_size(dataset), whole);
  std::vector<hsize_t> extents(
      static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space.get()), what, ExitCode::usage)));
  if (!extents.empty()) check(H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr), what, ExitCode::usage);
  std::uint64_t bytes = product(extents, size), allowed = stored;
  require(bytes == 0 || stored != 0, what, "it was never written", "write its values: until then HDF5 makes them up");
  const std::uint64_t compressed = product(stored, most_compression);
  std::vector<hsize_t> chunk(extents.size());
  if (layout == H5D_CHUNKED) {
    check(H5Pget_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()), what, ExitCode::usage);
    allowed = compressed;
    bytes = std::max(bytes, product(chunk, size));  // a chunk is read as a whole
  }
  if (bytes > std::max(allowed, always_allowed))
    throw_input_error(what,
                      text("its shape needs ", size_text(bytes), ", of which the file holds ", size_text(stored)));
  if (extents.size() > 1) {
    const std::uint64_t columns = product({extents.begin() + 1, extents.end()}, 1);
    if (product(columns, of_column) > std::max(compressed, always_allowed))
      throw_input_error(what, text("each row has ", columns, " numbers, of which the file holds ", size_text(stored)));
  }
  if (layout == H5D_CHUNKED && product(extents, 1) != 0)
    check_chunks(dataset, space.get(), creation.get(), extents, chunk, what);
}

}  // namespace krossfold::storage::hdf5
