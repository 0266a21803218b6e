// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5_enumeration.hpp"

#include <utility>

#include "krossfold/core/error.hpp"

namespace krossfold::storage {

bool is_boolean(hid_t type) {
  if (H5Tget_nmembers(type) != 2 || H5Tget_size(type) != 1) return false;
  for (const auto& [name, value] : {std::pair<const char*, char>{"FALSE", 0}, {"TRUE", 1}}) {
    char found = 2;
    if (H5Tenum_valueof(type, name, &found) < 0 || found != value) return false;
  }
  return true;
}

std::unordered_map<std::string, std::string> members_of(hid_t type, const std::string& problem) {
  const int count = hdf5::check(H5Tget_nmembers(type), problem, ExitCode::usage);
  std::unordered_map<std::string, std::string> member;
  std::string value(H5Tget_size(type), '\0');
  for (unsigned k = 0; k < static_cast<unsigned>(count); ++k) {
    hdf5::check(H5Tget_member_value(type, k, value.data()), problem, ExitCode::usage);
    char* const name = H5Tget_member_name(type, k);
    hdf5::check(name == nullptr ? -1 : 0, problem, ExitCode::usage);
    member.emplace(value, name);
    H5free_memory(name);
  }
  return member;
}

}  // namespace krossfold::storage
