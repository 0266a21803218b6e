// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/hdf5.hpp"

#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5_version.hpp"

namespace krossfold::storage::hdf5 {

namespace {

herr_t first_description(unsigned depth, const H5E_error2_t* error, void* reason) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(reason) = error->desc;
  return 0;
}

}  // namespace

void throw_hdf5_error(const std::string& problem, ExitCode code) {
  std::string reason;
  if (H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_description, &reason) < 0 || reason.empty()) {
    reason = "HDF5 gives no reason";
  }
  H5Eclear2(H5E_DEFAULT);
  throw Error(code, problem, "HDF5: " + reason);
}

Quiet::Quiet() {
  check(H5Eget_auto2(H5E_DEFAULT, &print_, &data_), "the error handling of HDF5 cannot be read");
  check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "the error handling of HDF5 cannot be set");
}

Quiet::~Quiet() {
  if (restore_) H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

Handle string_type(std::size_t length) {
  const std::string problem = "an HDF5 string type cannot be made";
  Handle type(check(H5Tcopy(H5T_C_S1), problem), H5Tclose);
  check(H5Tset_size(type.get(), length), problem);
  check(H5Tset_strpad(type.get(), length == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD), problem);
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), problem);
  return type;
}

void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t space, const void* value) {
  const std::string problem = "the attribute " + name + " cannot be written";
  Handle attribute(check(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), problem), H5Aclose);
  check(H5Awrite(attribute.get(), type, value), problem);
  attribute.close(problem);
}

}  // namespace krossfold::storage::hdf5

namespace krossfold::storage {

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

std::string hdf5_header_version() { return text(H5_VERS_MAJOR, ".", H5_VERS_MINOR, ".", H5_VERS_RELEASE); }

}  // namespace krossfold::storage
