// SPDX-License-Identifier: BSD-3-Clause
// The input is untrusted: every type must be exactly one that to_bytes writes, every size is counted against a limit
// before memory is allocated for it, and nothing may refer outside the file.
#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "dimension_scales.hpp"
#include "heap_string.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5.hpp"
#include "user_block.hpp"

namespace krossfold::storage {

namespace {

using hdf5::Handle;

constexpr std::uint64_t max_entries = 10000;  // entries of a group, or attributes of the root
constexpr std::size_t longest_name = 1024;
constexpr int deepest_group = 16;

class Reader {
public:
  Reader(std::span<const std::byte> bytes, std::string name)
      : name_(std::move(name)), bytes_(bytes.subspan(sizeof(UserBlock))) {
    // None of our files expands to more than 32 times its size.
    left_ = bytes.size() > std::numeric_limits<std::uint64_t>::max() / 32 ? bytes.size() : 32 * bytes.size();
    const std::string what = "it is not an HDF5 file";
    const Handle access(ok(H5Pcreate(H5P_FILE_ACCESS), what), H5Pclose);
    ok(H5Pset_fapl_core(access.get(), 1 << 20, false), what);
    ok(H5Pset_file_image(access.get(), const_cast<std::byte*>(bytes.data()), bytes.size()), what);  // copies it
    // HDF5 rejects an image named like an existing file, as "krossfold" would be in the program's folder: no file can
    // have this name.
    file_ = Handle(ok(H5Fopen("/dev/null/krossfold", H5F_ACC_RDONLY, access.get()), what), H5Fclose);
  }

  Container read(std::int64_t version) {
    const Handle root(ok(H5Gopen2(file_.get(), "/", H5P_DEFAULT), "it has no root group"), H5Gclose);
    addresses_.insert(address_of(root.get(), "/"));
    read_root_attributes(root.get());
    const auto written = content_.attributes.find("schema_version");
    if (written == content_.attributes.end() && content_.attribute("kind") == "scaling") {
      throw_input_error(text(name_, " is no result of a study"),
                        "tools/scaling_study wrote it, with the times of many runs", "show it with tools/plot_scaling");
    }
    if (written == content_.attributes.end() || written->second != Attribute(version)) {
      fail("schema_version of its root differs from that of its user block");
    }
    if (content_.attribute("kind").empty()) fail("its root has no attribute kind");
    read_group(root.get(), "/", 0);
    attach_scales();
    std::sort(content_.arrays.begin(), content_.arrays.end(),
              [](const Array& a, const Array& b) { return a.path < b.path; });
    return std::move(content_);
  }

private:
  [[noreturn]] void fail(const std::string& why) const {
    throw_input_error(text(name_, " cannot be read"), why, "only files that Krossfold wrote can be read");
  }

  template <class T>
  T ok(T value, const std::string& what) const {
    return hdf5::check(value, text(name_, " cannot be read: ", what), ExitCode::usage);
  }

  /// Deducts an allocation from the limit before it is made.
  std::size_t claim(std::uint64_t count, std::uint64_t size, const std::string& what) {
    if (size != 0 && count > left_ / size) fail(text(what, " claims to be larger than the file could hold"));
    left_ -= count * size;
    return static_cast<std::size_t>(count * size);
  }

  haddr_t address_of(hid_t object, const std::string& path) const {
    H5O_info_t info;
    ok(H5Oget_info2(object, &info, H5O_INFO_BASIC), text("the object ", path, " is damaged"));
    return info.addr;
  }

  bool is(hid_t type, hid_t expected) const { return ok(H5Tequal(type, expected), "a data type is damaged") > 0; }

  /// The length if `type` is one of our string types of fixed length, else 0.
  std::size_t string_length(hid_t type) const {
    const std::string what = "a data type is damaged";
    if (H5Tget_class(type) != H5T_STRING || ok(H5Tis_variable_str(type), what) > 0) return 0;
    const std::size_t length = H5Tget_size(type);
    return length != 0 && is(type, hdf5::string_type(length).get()) ? length : 0;
  }

  static std::string unpadded(const char* letters, std::size_t length) { return {letters, strnlen(letters, length)}; }

  Attribute read_attribute(hid_t attribute, const std::string& what) {
    const Handle type(ok(H5Aget_type(attribute), what), H5Tclose), space(ok(H5Aget_space(attribute), what), H5Sclose);
    if (H5Sget_simple_extent_type(space.get()) != H5S_SCALAR) fail(what + " is not a single value");
    if (is(type.get(), H5T_STD_I64LE)) {
      std::int64_t value = 0;
      ok(H5Aread(attribute, H5T_NATIVE_INT64, &value), what);
      return value;
    }
    if (is(type.get(), H5T_IEEE_F64LE)) {
      double value = 0;
      ok(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), what);
      return value;
    }
    if (H5Tis_variable_str(type.get()) > 0 && H5Tget_cset(type.get()) == H5T_CSET_UTF8) {
      hdf5::HeapReference reference{};
      ok(hdf5::read_heap_reference(attribute, reference), what);
      const auto found = hdf5::heap_string(bytes_, reference);
      if (!found) fail(what + " is damaged");
      claim(found->size(), 1, what);
      return unpadded(found->data(), found->size());
    }
    const std::size_t length = string_length(type.get());  // as in files of older versions
    if (length == 0) fail(what + " is of an unknown type");
    std::string letters(claim(length, 1, what), '\0');
    ok(H5Aread(attribute, type.get(), letters.data()), what);
    return unpadded(letters.data(), letters.size());
  }

  void read_root_attributes(hid_t root) {
    const std::string what = "the attributes of the root are damaged";
    H5O_info_t info;
    ok(H5Oget_info2(root, &info, H5O_INFO_NUM_ATTRS), what);
    if (info.num_attrs > max_entries) fail(text("its root has ", info.num_attrs, " attributes"));
    for (hsize_t i = 0; i < info.num_attrs; ++i) {
      const Handle attribute(
          ok(H5Aopen_by_idx(root, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT), what), H5Aclose);
      std::string name(longest_name, '\0');
      const ssize_t length = ok(H5Aget_name(attribute.get(), name.size(), name.data()), what);
      if (static_cast<std::size_t>(length) >= longest_name) fail("the name of an attribute is too long");
      name.resize(static_cast<std::size_t>(length));
      content_.attributes[name] = read_attribute(attribute.get(), "the attribute " + name);
    }
  }

  std::string text_attribute(hid_t dataset, const char* name, const std::string& path) {
    const std::string what = text("the attribute ", name, " of ", path);
    const Handle attribute(ok(H5Aopen(dataset, name, H5P_DEFAULT), what), H5Aclose);
    const Attribute value = read_attribute(attribute.get(), what);
    if (!std::holds_alternative<std::string>(value)) fail(what + " is not a string");
    return std::get<std::string>(value);
  }

  void read_group(hid_t group, const std::string& prefix, int depth) {
    const std::string what = text("the group ", prefix, " is damaged");
    if (depth > deepest_group) fail(text("its groups are nested more than ", deepest_group, " deep"));
    H5G_info_t info;
    ok(H5Gget_info(group, &info), what);
    if (info.storage_type != H5G_STORAGE_TYPE_COMPACT) fail(text("the group ", prefix, " is stored in an unknown way"));
    if (info.nlinks > max_entries) fail(text("the group ", prefix, " has ", info.nlinks, " entries"));
    for (hsize_t i = 0; i < info.nlinks; ++i) {
      std::string name(longest_name, '\0');
      const ssize_t length = ok(
          H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(), H5P_DEFAULT), what);
      if (static_cast<std::size_t>(length) >= longest_name) fail(text("a name in ", prefix, " is too long"));
      name.resize(static_cast<std::size_t>(length));
      H5L_info_t link;
      ok(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), what);
      if (link.type != H5L_TYPE_HARD) fail(text(prefix, name, " is a soft or external link"));
      const Handle object(ok(H5Oopen(group, name.c_str(), H5P_DEFAULT), what), H5Oclose);
      read_object(object.get(), prefix + name, depth);
    }
  }

  void read_object(hid_t object, const std::string& path, int depth) {
    const haddr_t address = address_of(object, path);
    if (!addresses_.insert(address).second) fail(text(path, " is there under two names"));
    const H5I_type_t kind = H5Iget_type(object);
    if (kind == H5I_GROUP) return read_group(object, path + "/", depth + 1);
    if (kind != H5I_DATASET) fail(text(path, " is neither group nor dataset"));
    read_dataset(object, path);
    array_at_.emplace(address, content_.arrays.size() - 1);
    read_scale_uses(object, path);
  }

  void read_dataset(hid_t dataset, const std::string& path) {
    const std::string what = text("the dataset ", path);
    Array array;
    array.path = path;
    const Handle space(ok(H5Dget_space(dataset), what), H5Sclose);
    const H5S_class_t kind = H5Sget_simple_extent_type(space.get());
    if (kind != H5S_SCALAR && kind != H5S_SIMPLE) fail(what + " has no shape");
    const int rank = ok(H5Sget_simple_extent_ndims(space.get()), what);
    std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
    ok(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), what);
    array.shape.assign(shape.begin(), shape.end());
    std::uint64_t count = std::find(shape.begin(), shape.end(), hsize_t{0}) == shape.end() ? 1 : 0;
    for (const hsize_t n : shape) {
      if (count > left_ / std::max<hsize_t>(n, 1)) fail(what + " claims to be larger than the file could hold");
      count *= n;
    }

    const Handle type(ok(H5Dget_type(dataset), what), H5Tclose);
    check_storage(dataset, array.shape, H5Tget_size(type.get()), what);
    const auto read = [&](auto values, hid_t memory_type) {
      claim(count, sizeof(values[0]), what);
      values.resize(count);
      if (count != 0) ok(H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
      array.values = std::move(values);
    };
    if (is(type.get(), H5T_IEEE_F64LE)) {
      read(std::vector<double>(), H5T_NATIVE_DOUBLE);
    } else if (is(type.get(), H5T_IEEE_F32LE)) {
      read(std::vector<float>(), H5T_NATIVE_FLOAT);
    } else if (is(type.get(), H5T_STD_I32LE)) {
      read(std::vector<std::int32_t>(), H5T_NATIVE_INT32);
    } else if (is(type.get(), H5T_STD_I64LE)) {
      read(std::vector<std::int64_t>(), H5T_NATIVE_INT64);
    } else {
      const std::size_t length = string_length(type.get());
      if (length == 0) fail(what + " is of an unknown type");
      std::vector<char> letters(claim(count, length, what));
      if (count != 0) ok(H5Dread(dataset, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, letters.data()), what);
      std::vector<std::string> values;
      for (std::uint64_t i = 0; i < count; ++i) values.push_back(unpadded(letters.data() + i * length, length));
      array.values = std::move(values);
    }
    array.units = text_attribute(dataset, "units", path);
    array.long_name = text_attribute(dataset, "long_name", path);
    content_.arrays.push_back(std::move(array));
  }

  /// Rejects values stored in other files or datasets, filters other than fletcher32, and chunks larger than the shape.
  void check_storage(hid_t dataset, const std::vector<std::uint64_t>& shape, std::size_t element,
                     const std::string& what) {
    const Handle list(ok(H5Dget_create_plist(dataset), what), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(list.get());
    if (layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) {
      fail(what + " has an unknown or virtual layout");
    }
    if (ok(H5Pget_external_count(list.get()), what) != 0) fail(what + " lies in another file");
    const int filters = ok(H5Pget_nfilters(list.get()), what);
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0, settings = 0;
      std::size_t n_settings = 0;
      const H5Z_filter_t filter =
          ok(H5Pget_filter2(list.get(), static_cast<unsigned>(i), &flags, &n_settings, nullptr, 0, nullptr, &settings),
             what);
      if (filter != H5Z_FILTER_FLETCHER32) fail(text(what, " uses the filter ", filter));
    }
    if (layout != H5D_CHUNKED) return;
    std::vector<hsize_t> chunk(shape.size());
    if (ok(H5Pget_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), what) !=
        static_cast<int>(shape.size())) {
      fail(what + " has chunks of another rank");
    }
    std::uint64_t size = element;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (chunk[d] > std::max<hsize_t>(shape[d], 1) || (size != 0 && chunk[d] > left_ / size)) {
        fail(what + " has chunks larger than itself");
      }
      size *= chunk[d];
    }
  }

  /// Records where a scale is used according to its REFERENCE_LIST, because DIMENSION_LIST lies in an unchecked heap.
  void read_scale_uses(hid_t dataset, const std::string& path) {
    const std::string what = text("the dimension scale ", path, " is damaged");
    content_.arrays.back().is_scale = ok(H5Aexists(dataset, "CLASS"), what) > 0;
    if (ok(H5Aexists(dataset, "REFERENCE_LIST"), what) == 0) return;
    const Handle attribute(ok(H5Aopen(dataset, "REFERENCE_LIST", H5P_DEFAULT), what), H5Aclose);
    const Handle type(ok(H5Aget_type(attribute.get()), what), H5Tclose);
    const Handle expected = hdf5::scale_use_type(), space(ok(H5Aget_space(attribute.get()), what), H5Sclose);
    if (!is(type.get(), expected.get())) fail(what);
    const auto count = static_cast<std::uint64_t>(ok(H5Sget_simple_extent_npoints(space.get()), what));
    claim(count, sizeof(hdf5::ScaleUse), what);
    std::vector<hdf5::ScaleUse> uses(count);
    if (count != 0) ok(H5Aread(attribute.get(), expected.get(), uses.data()), what);
    for (const hdf5::ScaleUse& use : uses) scale_uses_.emplace_back(path, use);
  }

  void attach_scales() {
    for (const auto& [path, use] : scale_uses_) {
      const auto found = array_at_.find(use.dataset);
      if (found == array_at_.end()) fail(text("the dimension scale ", path, " belongs to a dataset that is missing"));
      Array& array = content_.arrays[found->second];
      const Array& scale = content_.at(path);
      if (use.dimension >= array.shape.size() ||
          scale.shape != std::vector<std::uint64_t>{array.shape[use.dimension]}) {
        fail(text("the dimension scale ", path, " does not fit ", array.path));
      }
      array.scales.resize(array.shape.size());
      array.scales[use.dimension] = path;
    }
  }

  std::string name_;
  std::span<const std::byte> bytes_;  ///< of the file, from the superblock on
  std::uint64_t left_ = 0;            ///< bytes that may still be allocated
  Handle file_;
  Container content_;
  std::set<haddr_t> addresses_;              ///< addresses of all objects seen
  std::map<haddr_t, std::size_t> array_at_;  ///< index in content_.arrays by address
  std::vector<std::pair<std::string, hdf5::ScaleUse>> scale_uses_;
};

}  // namespace

Container container_from_bytes(std::span<const std::byte> bytes, const std::string& name, bool verify) {
  const std::int64_t version = check_user_block(bytes, name, verify);
  hdf5::Quiet quiet;
  try {
    return Reader(bytes, name).read(version);
  } catch (...) {
    quiet.stay();
    throw;
  }
}

}  // namespace krossfold::storage
