// SPDX-License-Identifier: BSD-3-Clause
// What a reader process may take. It is this test itself, which runs serve_reader_requests() in one of the tests named DISABLED, as the
// program does: nothing here stands in for it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <sstream>

#include "krossfold/core/memory.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/array_file.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5.hpp"
#include "krossfold/storage/posix_file.hpp"
#include "krossfold/storage/reader_process.hpp"
#include "test/storage/read_by.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::storage {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Pair;
using testing::StartsWith;

constexpr std::uint64_t little_memory = 64 << 20;  // bytes
constexpr std::int32_t for_ever = -1;

TEST(ReaderLimits, DISABLED_has_the_usual_ones) { EXPECT_EQ(serve_reader_requests(STDIN_FILENO), 0); }

TEST(ReaderLimits, DISABLED_has_little_memory) {
  EXPECT_EQ(serve_reader_requests(STDIN_FILENO, {.memory = little_memory}), 0);
}

/// Converts 32 to 64 bits, which takes as many tenths of a second of processor time as the first value says.
herr_t convert_slowly(hid_t, hid_t, H5T_cdata_t* state, std::size_t count, std::size_t, std::size_t, void* values,
                      void*, hid_t) {
  if (state->command == H5T_CONV_INIT) state->need_bkg = H5T_BKG_NO;
  if (state->command != H5T_CONV_CONV || count == 0) return 0;
  auto* const bytes = static_cast<std::byte*>(values);
  std::int32_t tenths = 0;
  std::memcpy(&tenths, bytes, sizeof(tenths));
  for (const std::clock_t start = std::clock();
       tenths == for_ever || 10 * (std::clock() - start) < tenths * CLOCKS_PER_SEC;) {
  }
  for (std::size_t i = count; i-- > 0;) {
    std::int32_t narrow = 0;
    std::memcpy(&narrow, bytes + i * sizeof(narrow), sizeof(narrow));
    const std::int64_t wide = narrow;
    std::memcpy(bytes + i * sizeof(wide), &wide, sizeof(wide));
  }
  return 0;
}

TEST(ReaderLimits, DISABLED_has_three_seconds_and_a_slow_library) {
  ASSERT_GE(H5Tregister(H5T_PERS_HARD, "slow", H5T_STD_I32LE, H5T_NATIVE_INT64, convert_slowly), 0);
  EXPECT_EQ(serve_reader_requests(STDIN_FILENO, {.seconds = 3}), 0);
}

constexpr std::size_t wide_columns = 23'000'000, narrow_columns = 1'000'000;

/// A file of 192 MB, of which hardly any is on the disk: /wide and /narrow have one row of that many doubles, which nothing was written to.
std::string sparse_file(const test::TemporaryFolder& folder) {
  std::string path = folder / "sparse.h5";
  const hdf5::Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const hdf5::Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
  for (const auto& [name, columns] : {std::pair("wide", wide_columns), std::pair("narrow", narrow_columns)}) {
    const std::array<hsize_t, 2> shape{1, columns};
    const hdf5::Handle space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose);
    const hdf5::Handle made(
        H5Dcreate2(file.get(), name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Dclose);
    EXPECT_GE(made.get(), 0);
  }
  return path;
}

std::string small_file(const test::TemporaryFolder& folder, const std::vector<std::int32_t>& values) {
  Container content;
  content.attributes["kind"] = std::string("sample");
  content.arrays.push_back({"/x", {values.size()}, values, {}, "1", "values", false});
  write_container(folder / "small.h5", content);
  return folder / "small.h5";
}

std::string folder_of_reader(pid_t process) { return text("/proc/", process, "/"); }

/// The child that calls itself a reader, or -1.
pid_t reader_process() {
  pid_t found = -1;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (test::content_of(entry.path() / "comm") != "krossfold-hdf5\n") continue;
    const std::string parent = text("\nPPid:\t", ::getpid(), "\n");
    if (test::content_of(entry.path() / "status").find(parent) == std::string::npos) continue;
    EXPECT_EQ(found, -1) << "several readers";
    found = std::stoi(name);
  }
  EXPECT_GT(found, 0) << "no reader";
  return found;
}

/// The number of a line NAME NUMBER of a file of /proc; the largest one for "unlimited", 0 if there is no such line.
std::uint64_t number_of(const std::string& file, const std::string& name) {
  std::istringstream lines(test::content_of(file));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream rest(line.substr(name.size()));
    std::uint64_t number = 0;
    return rest >> number ? number : std::numeric_limits<std::uint64_t>::max();
  }
  return 0;
}

std::uint64_t soft_limit(const std::string& name) {
  return number_of(folder_of_reader(reader_process()) + "limits", name);
}

/// The open descriptors of a process, and what they are.
std::map<int, std::string> descriptors_of(pid_t process) {
  std::map<int, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of_reader(process) + "fd"))
    found[std::stoi(entry.path().filename())] = std::filesystem::read_symlink(entry.path()).string();
  return found;
}

void read_row(const StoredArray& array, std::uint64_t row = 0) {
  std::size_t bytes = array.bytes();
  for (std::size_t d = 1; d < array.shape().size(); ++d) bytes *= array.shape()[d];
  const auto values = std::make_unique_for_overwrite<std::byte[]>(bytes);  // no page of which is there yet
  array.read(row, 1, values.get());
}

TEST(ReaderLimits, of_memory_make_a_request_for_more_an_error_and_leave_the_others) {
  if (!readers_limit_memory) GTEST_SKIP() << "the sanitizers reserve terabytes of addresses";
  const test::TemporaryFolder folder;
  const std::string path = sparse_file(folder);
  const test::ReadBy process("ReaderLimits.DISABLED_has_little_memory");
  const ArrayFile file(path);
  read_row(file.open("/narrow"));
  const std::string message = test::message_of(ExitCode::failed, [&] { read_row(file.open("/wide")); });
  EXPECT_THAT(message, StartsWith(text("cannot read ", path, " (it needs more memory than is free)")));
  read_row(file.open("/narrow"));
}

TEST(ReaderLimits, of_time_end_a_request_that_is_busy_for_too_long_and_are_granted_to_each_anew) {
  const test::TemporaryFolder folder;
  const std::string path = small_file(folder, {15, 15, 15, for_ever});
  const test::ReadBy process("ReaderLimits.DISABLED_has_three_seconds_and_a_slow_library");
  const ArrayFile file(path);
  const StoredArray slow = file.open("/x");
  for (std::uint64_t row = 0; row < 3; ++row)
    read_row(slow, row);  // 4.5 seconds, where the first request was granted 4 at most
  const std::string message = test::message_of(ExitCode::usage, [&] { read_row(slow, 3); });
  EXPECT_THAT(message, AllOf(StartsWith("cannot read " + path),
                             HasSubstr("the HDF5 library took more time than a file of its size needs")));
}

TEST(ReaderLimits, are_two_minutes_ten_seconds_for_each_100_MB_and_what_is_free) {
  const test::TemporaryFolder folder;
  const std::string small = small_file(folder, {1}), large = sparse_file(folder);
  const test::ReadBy process("ReaderLimits.DISABLED_has_the_usual_ones");
  const KeptReader kept;
  constexpr std::uint64_t spent = 10;  // seconds that the process may have taken so far
  {
    const ArrayFile file(small);
    EXPECT_THAT(soft_limit("Max cpu time"), AllOf(Ge(121u), Le(121 + spent)));
    EXPECT_EQ(soft_limit("Max core file size"), 0u);
    EXPECT_EQ(number_of(folder_of_reader(reader_process()) + "status", "NoNewPrivs:"), 1u);
  }
  const ArrayFile file(large);
  const std::uint64_t more = std::filesystem::file_size(large) / 10'000'000;
  EXPECT_EQ(more, 19u);
  EXPECT_THAT(soft_limit("Max cpu time"), AllOf(Ge(121 + more), Le(121 + more + spent)));
  if (!readers_limit_memory) return;
  rlimit own{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &own), 0);
  const std::uint64_t least = std::min<std::uint64_t>(memory_limit() / 4, own.rlim_cur);
  const std::uint64_t taken = 1024 * number_of(folder_of_reader(reader_process()) + "status", "VmPeak:");
  EXPECT_THAT(soft_limit("Max address space"), AllOf(Ge(least), Le(taken + memory_limit())));
}

TEST(ReaderLimits, leave_it_no_descriptors_but_the_socket_and_the_file) {
  const test::TemporaryFolder folder;
  const std::string path = small_file(folder, {1});
  // As a library of this process may have opened it, to be inherited by all that it starts.
  const FileDescriptor inherited(::open(path.c_str(), O_RDWR)), high(::fcntl(inherited.get(), F_DUPFD, 200));
  ASSERT_GE(high.get(), 200);
  const test::ReadBy process("ReaderLimits.DISABLED_has_the_usual_ones");
  const KeptReader kept;
  const auto socket = Pair(STDIN_FILENO, StartsWith("socket:"));
  const auto output = Pair(STDOUT_FILENO, "/dev/null"), errors = Pair(STDERR_FILENO, "/dev/null");
  {
    const ArrayFile file(path);
    read_row(file.open("/x"));
    const std::string real = std::filesystem::canonical(path).string();
    EXPECT_THAT(descriptors_of(reader_process()), ElementsAre(socket, output, errors, Pair(testing::_, real)));
  }
  EXPECT_EQ(read_container(path).arrays.size(), 1u);
  EXPECT_THAT(descriptors_of(reader_process()), ElementsAre(socket, output, errors));
}

}  // namespace
}  // namespace krossfold::storage
