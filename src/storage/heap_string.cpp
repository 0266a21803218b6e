// SPDX-License-Identifier: BSD-3-Clause
#include "heap_string.hpp"

#include <cstdint>
#include <cstring>

namespace krossfold::storage::hdf5 {

namespace {

/// Converts a variable-length string in a file to an opaque reference: it leaves the bytes as they are.
herr_t keep_reference(hid_t from, hid_t to, H5T_cdata_t* data, std::size_t, std::size_t, std::size_t, void*, void*,
                      hid_t) {
  const auto fits = [](hid_t type) { return H5Tget_size(type) == sizeof(HeapReference); };
  return data->command != H5T_CONV_INIT || (fits(from) && fits(to)) ? 0 : -1;
}

Handle reference_type() {
  const std::string problem = "an HDF5 type of references cannot be made";
  Handle type(check(H5Tcreate(H5T_OPAQUE, sizeof(HeapReference)), problem), H5Tclose);
  static const herr_t registered =
      H5Tregister(H5T_PERS_SOFT, "krossfold", string_type(H5T_VARIABLE).get(), type.get(), keep_reference);
  check(registered, problem);
  return type;
}

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t at) {
  T number;
  std::memcpy(&number, bytes.subspan(at, sizeof(T)).data(), sizeof(T));
  return number;
}

}  // namespace

herr_t read_heap_reference(hid_t attribute, HeapReference& reference) {
  return H5Aread(attribute, reference_type().get(), reference.data());
}

std::optional<std::string_view> heap_string(std::span<const std::byte> file, const HeapReference& reference) {
  constexpr std::size_t header = 16;                // bytes of that of a collection, and of that of an object
  constexpr int most_objects = (1 << 16) / header;  // HDF5 adds no object to a collection beyond 64 KiB
  const auto length = number_at<std::uint32_t>(reference, 0), number = number_at<std::uint32_t>(reference, 12);
  const auto address = number_at<std::uint64_t>(reference, 4);
  if (length == 0) return "";
  if (file.size() < header || address > file.size() - header) return std::nullopt;
  if (std::memcmp(&file[address], "GCOL\1", 5) != 0) return std::nullopt;
  const auto size = number_at<std::uint64_t>(file, address + 8);
  if (size > file.size() - address) return std::nullopt;
  const auto collection = file.subspan(address, size);
  std::size_t at = header;
  for (int k = 0; k < most_objects && at + header <= size; ++k) {
    const auto letters = number_at<std::uint64_t>(collection, at + 8);
    if (letters > size - at - header) break;
    if (number_at<std::uint16_t>(collection, at) == number) {
      if (letters != length) break;
      return std::string_view(reinterpret_cast<const char*>(&collection[at]) + header, length);
    }
    at += header + (letters + 7) / 8 * 8;
  }
  return std::nullopt;
}

}  // namespace krossfold::storage::hdf5
