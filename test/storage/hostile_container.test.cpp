// SPDX-License-Identifier: BSD-3-Clause
// Files that are damaged or malicious.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5.hpp"
#include "src/storage/dimension_scales.hpp"
#include "src/storage/user_block.hpp"
#include "test/storage/sample_container.hpp"
#include "test/storage/temporary_folder.hpp"

namespace {

using namespace krossfold;
using namespace krossfold::storage;
using namespace krossfold::test;
using hdf5::check;
using hdf5::Handle;
using testing::AllOf;
using testing::HasSubstr;

using Bytes = std::vector<std::byte>;

std::string why_refused(const Bytes& bytes, bool verify = true) {
  return message_of(ExitCode::usage, [&] { container_from_bytes(bytes, "F.h5", verify); });
}

/// Gives `bytes` a user block with the correct length and CRC-64.
Bytes sealed(Bytes bytes) {
  const UserBlock block = make_user_block(std::span<const std::byte>(bytes).subspan(sizeof(UserBlock)));
  std::copy(block.begin(), block.end(), bytes.begin());
  return bytes;
}

TEST(DamagedContainer, is_found_by_a_flip_of_any_byte) {
  constexpr unsigned seed = 7;
  std::mt19937 random(seed);
  const Bytes bytes = to_bytes(sample_container());
  const auto flipped_is_refused = [&](std::size_t at) {
    Bytes damaged = bytes;
    damaged[at] ^= std::byte{1} << random() % 8;
    EXPECT_THAT(why_refused(damaged), HasSubstr("F.h5")) << "byte " << at << ", seed " << seed;
  };
  for (std::size_t at = 0; at < 600; ++at) flipped_is_refused(at);
  for (int trial = 0; trial < 2000; ++trial) flipped_is_refused(random() % bytes.size());
}

TEST(DamagedContainer, cut_off_anywhere_or_extended_is_refused) {
  Bytes bytes = to_bytes(sample_container());
  for (std::size_t length = 0; length < bytes.size(); length += length < 600 ? 1 : 37) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THAT(why_refused(part), HasSubstr("F.h5")) << length;
    why_refused(part, false);
  }
  bytes.push_back(std::byte{0});
  EXPECT_THAT(why_refused(bytes), HasSubstr("too long"));
}

TEST(DamagedContainer, read_unverified_gives_an_error_or_a_container) {
  const char* const trials_wanted = std::getenv("KROSSFOLD_FUZZ_TRIALS");
  const int trials = trials_wanted == nullptr ? 600 : std::atoi(trials_wanted);
  constexpr unsigned seed = 11;
  std::mt19937 random(seed);
  const Bytes bytes = to_bytes(sample_container());
  int read = 0;
  for (int trial = 0; trial < trials; ++trial) {
    SCOPED_TRACE(text("seed ", seed, ", trial ", trial));
    Bytes damaged = bytes;
    for (unsigned flips = random() % 4; flips < 4; ++flips) {
      damaged[random() % damaged.size()] ^= std::byte{1} << random() % 8;
    }
    try {
      const Container c = container_from_bytes(damaged, "F.h5", false);
      for (const Array& array : c.arrays) EXPECT_TRUE(sample_container().has(array.path)) << array.path;
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    }
  }
  if (trials >= 600) {
    EXPECT_GT(read, 0) << "no damage in the user block or in unused bytes was survived";
  }
}

/// Where the heaps of the strings begin.
std::vector<std::size_t> heaps_of(const Bytes& bytes) {
  const std::string letters(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::size_t> all;
  for (std::size_t at = letters.find("GCOL"); at != std::string::npos; at = letters.find("GCOL", at + 4)) {
    all.push_back(at);
  }
  return all;
}

TEST(DamagedContainer, whose_heap_of_strings_is_damaged_gives_an_error_or_strings_of_the_same_lengths) {
  constexpr unsigned seed = 13;
  std::mt19937 random(seed);
  const Bytes bytes = to_bytes(sample_container());
  const Container whole = container_from_bytes(bytes, "F.h5");
  const std::vector<std::size_t> heaps = heaps_of(bytes);
  ASSERT_FALSE(heaps.empty());
  int read = 0, refused = 0;
  for (const std::size_t heap : heaps) {
    for (std::size_t at = heap; at < std::min(heap + 4096, bytes.size()); ++at) {
      SCOPED_TRACE(text("seed ", seed, ", byte ", at));
      Bytes damaged = bytes;
      damaged[at] ^= at % 2 == 0 ? std::byte{0xff} : std::byte{1} << random() % 8;
      try {
        const Container c = container_from_bytes(damaged, "F.h5", false);
        ++read;
        ASSERT_EQ(c.attributes.size(), whole.attributes.size());
        for (const auto& [name, value] : whole.attributes) {
          ASSERT_EQ(c.attributes.at(name).index(), value.index()) << name;
          ASSERT_LE(c.attribute(name).size(), whole.attribute(name).size()) << name;
        }
        ASSERT_EQ(c.arrays.size(), whole.arrays.size());
        for (std::size_t k = 0; k < whole.arrays.size(); ++k) {
          ASSERT_LE(c.arrays[k].units.size(), whole.arrays[k].units.size());
          ASSERT_EQ(c.arrays[k].shape, whole.arrays[k].shape);
        }
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ExitCode::usage) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
}

TEST(DamagedContainer, with_a_damaged_checksum_is_read_unverified) {
  Bytes bytes = to_bytes(sample_container());
  bytes[24] ^= std::byte{1};
  EXPECT_THAT(why_refused(bytes),
              AllOf(HasSubstr("CRC-64"), HasSubstr("see what report can still read of it unverified")));
  EXPECT_EQ(container_from_bytes(bytes, "F.h5", false).arrays.size(), sample_container().arrays.size());
}

TEST(ForeignContainer, of_a_newer_version_is_refused_with_advice) {
  Bytes bytes = to_bytes(sample_container());
  bytes[8] = std::byte{9};
  for (const bool verify : {true, false}) {
    EXPECT_THAT(why_refused(bytes, verify),
                AllOf(HasSubstr("F.h5"), HasSubstr("version 9"), HasSubstr("Use a newer Krossfold")));
  }
}

TEST(ForeignContainer, that_is_something_else_is_refused) {
  EXPECT_THAT(why_refused({}), HasSubstr("not a result or model file"));
  EXPECT_THAT(why_refused(bytes_of("a letter")), HasSubstr("not a result or model file"));
  Bytes zeros(4096);
  EXPECT_THAT(why_refused(zeros), HasSubstr("not a result or model file"));
  EXPECT_THAT(why_refused(sealed(zeros)), HasSubstr("it is not an HDF5 file"));
}

/// Makes a sealed HDF5 file with the root attributes our reader requires and with whatever `add` puts into it.
Bytes crafted(const std::function<void(hid_t)>& add, std::int64_t version = schema_version,
              unsigned max_compact_links = 100) {
  const TemporaryFolder folder;
  const hdf5::Quiet quiet;
  {
    const Handle creation(check(H5Pcreate(H5P_FILE_CREATE), ""), H5Pclose);
    const Handle access(check(H5Pcreate(H5P_FILE_ACCESS), ""), H5Pclose);
    check(H5Pset_userblock(creation.get(), 512), "");
    check(H5Pset_link_phase_change(creation.get(), max_compact_links, 0), "");
    check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "");
    const Handle file(check(H5Fcreate((folder / "x.h5").c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), ""),
                      H5Fclose);
    const Handle scalar(check(H5Screate(H5S_SCALAR), ""), H5Sclose);
    hdf5::write_attribute(file.get(), "schema_version", H5T_STD_I64LE, scalar.get(), &version);
    hdf5::write_attribute(file.get(), "kind", hdf5::string_type(3).get(), scalar.get(), "svm");
    add(file.get());
  }
  return sealed(bytes_of(content_of(folder / "x.h5")));
}

struct Shape {
  std::vector<hsize_t> size{2}, most{2}, chunk;
};

/// Adds a dataset of any type, shape and creation list, however hostile; returns it open.
Handle add_dataset(hid_t file, const char* path, hid_t type, const Shape& shape = {},
                   const std::function<void(hid_t)>& change_list = {}, bool described = true) {
  const Handle space(
      check(H5Screate_simple(static_cast<int>(shape.size.size()), shape.size.data(), shape.most.data()), ""), H5Sclose);
  const Handle list(check(H5Pcreate(H5P_DATASET_CREATE), ""), H5Pclose);
  if (!shape.chunk.empty()) {
    check(H5Pset_chunk(list.get(), static_cast<int>(shape.chunk.size()), shape.chunk.data()), "");
  }
  if (change_list) change_list(list.get());
  Handle dataset(check(H5Dcreate2(file, path, type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), ""), H5Dclose);
  if (described) {
    const Handle scalar(check(H5Screate(H5S_SCALAR), ""), H5Sclose);
    for (const char* name : {"units", "long_name"}) {
      hdf5::write_attribute(dataset.get(), name, hdf5::string_type(1).get(), scalar.get(), "1");
    }
  }
  return dataset;
}

TEST(HostileContainer, made_by_this_test_without_harm_is_read) {
  const Bytes bytes = crafted([](hid_t file) { add_dataset(file, "x", H5T_IEEE_F64LE); });
  EXPECT_EQ(container_from_bytes(bytes, "F.h5").values<double>("/x"), (std::vector<double>{0, 0}));
}

TEST(HostileContainer, with_links_out_of_the_tree_is_refused) {
  EXPECT_THAT(why_refused(crafted([](hid_t file) {
                add_dataset(file, "x", H5T_IEEE_F64LE);
                check(H5Lcreate_soft("/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT), "");
              })),
              AllOf(HasSubstr("/soft"), HasSubstr("soft or external link")));
  EXPECT_THAT(why_refused(crafted([](hid_t file) {
                check(H5Lcreate_external("/etc/passwd", "/", file, "external", H5P_DEFAULT, H5P_DEFAULT), "");
              })),
              AllOf(HasSubstr("/external"), HasSubstr("soft or external link")));
}

TEST(HostileContainer, whose_values_lie_elsewhere_is_refused) {
  EXPECT_THAT(why_refused(crafted([](hid_t file) {
                add_dataset(file, "x", H5T_IEEE_F64LE, {},
                            [](hid_t list) { check(H5Pset_external(list, "/etc/passwd", 0, 16), ""); });
              })),
              AllOf(HasSubstr("/x"), HasSubstr("lies in another file")));
  EXPECT_THAT(why_refused(crafted([](hid_t file) {
                add_dataset(file, "x", H5T_IEEE_F64LE, {}, [](hid_t list) {
                  const hsize_t size = 2;
                  const Handle space(check(H5Screate_simple(1, &size, nullptr), ""), H5Sclose);
                  check(H5Pset_virtual(list, space.get(), "/etc/passwd", "y", space.get()), "");
                });
              })),
              AllOf(HasSubstr("/x"), HasSubstr("virtual layout")));
}

TEST(HostileContainer, that_claims_absurd_sizes_is_refused_before_anything_is_allocated) {
  const auto of_shape = [](const Shape& shape, hid_t type) {
    return crafted([&](hid_t file) { add_dataset(file, "x", type, shape); });
  };
  const hsize_t huge = hsize_t{1} << 40;
  const auto larger = AllOf(HasSubstr("/x"), HasSubstr("larger"));
  EXPECT_THAT(why_refused(of_shape({{huge}, {huge}, {1024}}, H5T_IEEE_F64LE)), larger);
  EXPECT_THAT(why_refused(of_shape({{huge, huge}, {huge, huge}, {64, 64}}, H5T_STD_I32LE)), larger);
  EXPECT_THAT(why_refused(of_shape({{100000000}, {100000000}, {}}, H5T_IEEE_F32LE)), larger);
  EXPECT_THAT(why_refused(of_shape({{2}, {H5S_UNLIMITED}, {1 << 28}}, H5T_IEEE_F64LE)), larger);
  EXPECT_THAT(why_refused(of_shape({{2}, {2}, {}}, hdf5::string_type(1U << 30).get())), larger);
  EXPECT_THAT(why_refused(crafted([](hid_t file) {  // each alone is small enough, together they are not
                for (const char* path : {"a", "b", "c", "x"}) {
                  add_dataset(file, path, H5T_IEEE_F64LE, {{12000}, {12000}, {1000}});
                }
              })),
              HasSubstr("larger than the file could hold"));
}

TEST(HostileContainer, with_unknown_types_or_filters_is_refused) {
  const auto of_type = [](hid_t type) { return crafted([&](hid_t file) { add_dataset(file, "x", type); }); };
  const auto unknown = AllOf(HasSubstr("/x"), HasSubstr("unknown type"));
  for (const hid_t type : {H5T_IEEE_F64BE, H5T_STD_I16LE, H5T_STD_U64LE, H5T_STD_REF_OBJ, H5T_UNIX_D32LE}) {
    EXPECT_THAT(why_refused(of_type(type)), unknown);
  }
  const Handle variable = hdf5::string_type(H5T_VARIABLE), list(H5Tvlen_create(H5T_IEEE_F64LE), H5Tclose);
  EXPECT_THAT(why_refused(of_type(variable.get())), unknown);
  EXPECT_THAT(why_refused(of_type(list.get())), unknown);
  EXPECT_THAT(why_refused(of_type(hdf5::scale_use_type().get())), unknown);
  EXPECT_THAT(why_refused(crafted([](hid_t file) {
                add_dataset(file, "x", H5T_IEEE_F64LE, {{2}, {2}, {2}},
                            [](hid_t creation) { check(H5Pset_shuffle(creation), ""); });
              })),
              AllOf(HasSubstr("/x"), HasSubstr("filter")));
  EXPECT_THAT(why_refused(crafted([](hid_t file) {
                const Handle type(H5Tcopy(H5T_IEEE_F64LE), H5Tclose);
                check(H5Tcommit2(file, "x", type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "");
              })),
              HasSubstr("/x is neither group nor dataset"));
}

TEST(HostileContainer, with_unexpected_attributes_is_refused) {
  const auto with = [](hid_t type, hsize_t count) {
    return crafted([&](hid_t file) {
      const Handle space(check(H5Screate_simple(1, &count, nullptr), ""), H5Sclose);
      const Handle scalar(check(H5Screate(H5S_SCALAR), ""), H5Sclose);
      const std::vector<char> zeros(1024);
      hdf5::write_attribute(file, "odd", type, count == 1 ? scalar.get() : space.get(), zeros.data());
    });
  };
  EXPECT_THAT(why_refused(with(H5T_STD_I64LE, 3)), AllOf(HasSubstr("odd"), HasSubstr("single value")));
  EXPECT_THAT(why_refused(with(H5T_STD_I16LE, 1)), AllOf(HasSubstr("odd"), HasSubstr("unknown type")));
  const Handle variable(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(variable.get(), H5T_VARIABLE), "");
  EXPECT_THAT(why_refused(with(variable.get(), 1)), AllOf(HasSubstr("odd"), HasSubstr("unknown type")));
  EXPECT_THAT(why_refused(crafted([](hid_t file) { add_dataset(file, "x", H5T_IEEE_F64LE, {}, {}, false); })),
              AllOf(HasSubstr("units"), HasSubstr("/x")));
  EXPECT_THAT(why_refused(crafted([](hid_t) {}, 5)), HasSubstr("schema_version"));
}

TEST(HostileContainer, whose_string_claims_more_than_its_heap_holds_is_refused_before_anything_is_allocated) {
  const Bytes bytes = to_bytes(sample_container());
  const std::size_t heap = heaps_of(bytes).front();
  const auto with = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    Bytes changed = bytes;
    std::memcpy(&changed[heap + at], &value, size);
    return why_refused(sealed(changed));
  };
  constexpr std::size_t object_index = 16, object_size = 24;
  for (const std::uint64_t huge : {std::uint64_t{1} << 30, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    EXPECT_THAT(with(8, huge, 8), AllOf(HasSubstr("attribute"), HasSubstr("damaged"))) << huge;
    EXPECT_THAT(with(object_size, huge, 8), AllOf(HasSubstr("attribute"), HasSubstr("damaged"))) << huge;
  }
  EXPECT_THAT(with(0, 0, 4), HasSubstr("damaged"));
  EXPECT_THAT(with(object_index, 65535, 2), HasSubstr("damaged"));
}

TEST(HostileContainer, with_groups_in_heaps_that_hdf5_does_not_survive_is_refused) {
  const auto three = [](hid_t file) {
    for (const char* path : {"a", "b", "x"}) add_dataset(file, path, H5T_IEEE_F64LE);
  };
  EXPECT_EQ(container_from_bytes(crafted(three), "F.h5").arrays.size(), 3u);
  EXPECT_THAT(why_refused(crafted(three, schema_version, 2)), HasSubstr("the group / is stored in an unknown way"));
}

TEST(HostileContainer, whose_groups_form_a_circle_or_are_too_deep_is_refused) {
  EXPECT_THAT(why_refused(crafted([](hid_t file) {
                const Handle group(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
                check(H5Lcreate_hard(file, "/", group.get(), "again", H5P_DEFAULT, H5P_DEFAULT), "");
              })),
              HasSubstr("/g/again is there under two names"));
  EXPECT_THAT(why_refused(crafted([](hid_t file) {
                std::string path;
                for (int depth = 0; depth < 40; ++depth) {
                  path += "/g";
                  const Handle group(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
                }
              })),
              HasSubstr("deep"));
}

TEST(HostileContainer, with_dimension_scales_that_do_not_fit_is_refused) {
  const auto with = [](const hdf5::ScaleUse& use, bool own_address, hid_t type) {
    return crafted([&](hid_t file) {
      const Handle data = add_dataset(file, "data", H5T_IEEE_F64LE, {{3}, {3}, {}});
      const Handle scale = add_dataset(file, "scale", H5T_IEEE_F64LE);
      std::array<hdf5::ScaleUse, 4> uses{use, use, use, use};
      if (own_address) check(H5Rcreate(&uses[0].dataset, file, "data", H5R_OBJECT, -1), "");
      const hsize_t one = 1;
      const Handle space(check(H5Screate_simple(1, &one, nullptr), ""), H5Sclose);
      hdf5::write_attribute(scale.get(), "REFERENCE_LIST", type, space.get(), uses.data());
    });
  };
  const Handle type = hdf5::scale_use_type();
  EXPECT_THAT(why_refused(with({0, 0}, true, type.get())), AllOf(HasSubstr("/scale"), HasSubstr("does not fit /data")));
  EXPECT_THAT(why_refused(with({0, 1}, true, type.get())), AllOf(HasSubstr("/scale"), HasSubstr("does not fit /data")));
  EXPECT_THAT(why_refused(with({0, 7}, true, type.get())), AllOf(HasSubstr("/scale"), HasSubstr("does not fit /data")));
  EXPECT_THAT(why_refused(with({99, 0}, false, type.get())), AllOf(HasSubstr("/scale"), HasSubstr("missing")));
  EXPECT_THAT(why_refused(with({0, 0}, true, H5T_STD_I64LE)), AllOf(HasSubstr("/scale"), HasSubstr("damaged")));
}

}  // namespace
