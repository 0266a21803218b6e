// SPDX-License-Identifier: BSD-3-Clause
#include "dimension_scales.hpp"

#include <cstddef>
#include <map>

namespace krossfold::storage::hdf5 {

namespace {

const char* const problem = "the dimension scales cannot be written";

hobj_ref_t reference_to(hid_t file, const std::string& path) {
  hobj_ref_t reference = 0;
  check(H5Rcreate(&reference, file, path.c_str(), H5R_OBJECT, H5I_INVALID_HID), problem);
  return reference;
}

Handle open_dataset(hid_t file, const std::string& path) {
  return Handle(check(H5Dopen2(file, path.c_str(), H5P_DEFAULT), problem), H5Dclose);
}

Handle list_space(std::size_t count) {
  const hsize_t size = count;
  return Handle(check(H5Screate_simple(1, &size, nullptr), problem), H5Sclose);
}

void write_zero_terminated(hid_t object, const std::string& name, const std::string& value) {
  const Handle type(check(H5Tcopy(H5T_C_S1), problem), H5Tclose);
  check(H5Tset_size(type.get(), value.size() + 1), problem);
  const Handle scalar(check(H5Screate(H5S_SCALAR), problem), H5Sclose);
  write_attribute(object, name, type.get(), scalar.get(), value.c_str());
}

/// Writes, for each dimension of the array, the list of its scales, which has one entry or none.
void write_dimension_list(hid_t file, const Array& array) {
  std::vector<hobj_ref_t> reference(array.scales.size());
  std::vector<hvl_t> list(array.scales.size());
  for (std::size_t d = 0; d < list.size(); ++d) {
    if (array.scales[d].empty()) continue;
    reference[d] = reference_to(file, array.scales[d]);
    list[d] = {1, &reference[d]};
  }
  const Handle type(check(H5Tvlen_create(H5T_STD_REF_OBJ), problem), H5Tclose);
  const Handle dataset = open_dataset(file, array.path);
  write_attribute(dataset.get(), "DIMENSION_LIST", type.get(), list_space(list.size()).get(), list.data());
}

void write_scale(hid_t file, const std::string& path, const std::vector<ScaleUse>& uses) {
  const Handle dataset = open_dataset(file, path);
  write_zero_terminated(dataset.get(), "CLASS", "DIMENSION_SCALE");
  write_zero_terminated(dataset.get(), "NAME", path.substr(path.rfind('/') + 1));
  if (uses.empty()) return;
  write_attribute(dataset.get(), "REFERENCE_LIST", scale_use_type().get(), list_space(uses.size()).get(), uses.data());
}

}  // namespace

void write_dimension_scales(hid_t file, const std::vector<const Array*>& arrays) {
  std::map<std::string, std::vector<ScaleUse>> uses_of;
  for (const Array* array : arrays) {
    bool any = false;
    if (array->is_scale) uses_of.try_emplace(array->path);
    for (std::size_t d = 0; d < array->scales.size(); ++d) {
      if (array->scales[d].empty()) continue;
      uses_of[array->scales[d]].push_back({reference_to(file, array->path), static_cast<std::uint32_t>(d)});
      any = true;
    }
    if (any) write_dimension_list(file, *array);
  }
  for (const auto& [path, uses] : uses_of) write_scale(file, path, uses);
}

Handle scale_use_type() {
  Handle type(check(H5Tcreate(H5T_COMPOUND, sizeof(ScaleUse)), problem), H5Tclose);
  check(H5Tinsert(type.get(), "dataset", offsetof(ScaleUse, dataset), H5T_STD_REF_OBJ), problem);
  check(H5Tinsert(type.get(), "dimension", offsetof(ScaleUse, dimension), H5T_STD_I32LE), problem);
  return type;
}

}  // namespace krossfold::storage::hdf5
