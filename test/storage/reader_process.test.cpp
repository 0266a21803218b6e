// SPDX-License-Identifier: BSD-3-Clause
// The reader process is this test itself, which runs one of the tests named DISABLED as its end of the socket.
#include "krossfold/storage/reader_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "krossfold/core/text.hpp"
#include "krossfold/storage/array_file.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/posix_file.hpp"
#include "read_by.hpp"
#include "sample_container.hpp"
#include "temporary_folder.hpp"

namespace krossfold::storage {
namespace {

using testing::AllOf;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int request_socket = STDIN_FILENO;

/// Reads files by a process that runs one of these tests.
struct ReadBy : test::ReadBy {
  explicit ReadBy(const std::string& test) : test::ReadBy("Reader.DISABLED_" + test) {}
};

TEST(Reader, DISABLED_answers) { EXPECT_EQ(serve_reader_requests(request_socket), 0); }

template <class T>
void send(const std::vector<T>& words) {
  const std::size_t bytes = words.size() * sizeof(T);
  EXPECT_EQ(::send(request_socket, words.data(), bytes, 0), static_cast<ssize_t>(bytes));
}

/// Says that this is a reader process.
void greet() { send<std::uint32_t>({0x4b465232, 0, 0, 0}); }

void wait_for_request() {
  std::array<char, 64> request{};
  if (::recv(request_socket, request.data(), request.size(), 0) <= 0) std::_Exit(1);
}

void answer(const std::vector<std::uint64_t>& words) {
  wait_for_request();
  send(words);
}

TEST(Reader, DISABLED_aborts) {
  greet();
  wait_for_request();
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::abort();
}

TEST(Reader, DISABLED_is_killed) {
  greet();
  wait_for_request();
  ::raise(SIGKILL);
}

/// A container of nothing, and 8 bytes behind it.
TEST(Reader, DISABLED_says_more) {
  greet();
  answer({0, 24, 0, 0, 7});
}

TEST(Reader, DISABLED_is_busy) {
  greet();
  wait_for_request();
  const rlimit second{1, 100};
  ::setrlimit(RLIMIT_CPU, &second);
  for (volatile bool busy = true; busy;) {
  }
}

TEST(Reader, DISABLED_leaves) {
  greet();
  wait_for_request();
}

/// Another program than a reader.
TEST(Reader, DISABLED_is_another_program) {}

/// Answers of no bytes, and no end.
TEST(Reader, DISABLED_stays) {
  greet();
  answer({0, 0});
  answer({0, 0});
  ::pause();
}

/// 2^60 bytes are announced and 8 sent.
TEST(Reader, DISABLED_boasts) {
  greet();
  answer({0, std::uint64_t{1} << 60, 7});
}

/// A container with no attributes and one array, of 2^40 bytes as its path.
TEST(Reader, DISABLED_lies) {
  greet();
  answer({0, 24, 0, 1, std::uint64_t{1} << 40});
}

/// A container with no attributes and one array of five values, of which none is there.
TEST(Reader, DISABLED_lacks_values) {
  greet();
  answer({0, 84, 0, 1, 0, 1, 5, 0, 0, 0, 0, 0, 0});
}

/// A file that holds the sample container.
std::string sample_file(const test::TemporaryFolder& folder) {
  write_container(folder / "sample.h5", test::sample_container());
  return folder / "sample.h5";
}

TEST(Reader, gives_the_container_that_is_read_here) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  const std::vector<std::byte> here = to_bytes(read_container(file));
  const ReadBy process("answers");
  EXPECT_EQ(to_bytes(read_container(file)), here);
}

TEST(Reader, gives_the_arrays_that_are_read_here) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  const auto all_of = [&] {
    const ArrayFile arrays(file);
    std::vector<std::string> found = arrays.listing();
    for (const char* path : {"/fold_error", "/unit/rank", "/class_name", "/best/gamma", "/fit/iterations"}) {
      const StoredArray array = arrays.open(path);
      const std::uint64_t rows = array.shape().empty() ? 1 : array.shape()[0];
      found.push_back(text(array.path(), array.kind(), array.bytes(), array.type(), array.rows_at_once(), rows));
      found.push_back(text(array.has_attribute("units"), array.has_attribute("unit"), array.attribute("units").word));
      if (array.kind() == 'S') {
        for (const std::string& word : array.read_text(0, rows)) found.push_back(word);
        continue;
      }
      std::size_t bytes = rows * array.bytes();
      for (std::size_t d = 1; d < array.shape().size(); ++d) bytes *= array.shape()[d];
      std::string values(bytes, '\0');
      array.read(0, rows, values.data());
      found.push_back(values);
    }
    found.push_back(text(arrays.has("/best"), arrays.has("/best/gamma"), arrays.has_attribute("kind"),
                         arrays.attribute("kind"), arrays.attribute("none"),
                         arrays.attribute("n_train", std::int64_t{3}), arrays.attribute("none", std::int64_t{3})));
    return found;
  };
  const std::vector<std::string> here = all_of();
  const ReadBy process("answers");
  EXPECT_THAT(all_of(), ElementsAreArray(here));
}

TEST(Reader, gives_the_errors_that_are_found_here) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  test::put(folder / "text.h5", "not HDF5");
  const auto all_of = [&] {
    std::vector<std::string> found;
    const auto add = [&](const auto& body) { found.push_back(test::message_of(ExitCode::usage, body)); };
    add([&] { read_container(folder / "none.h5"); });
    add([&] { read_container(folder / "text.h5"); });
    add([&] { ArrayFile(folder / "none.h5"); });
    add([&] { ArrayFile(folder / "text.h5"); });
    add([&] { ArrayFile(file).open("/x"); });
    add([&] {
      std::array<double, 8> row{};
      ArrayFile(file).open("/fold_error").read(3, 1, row.data());
    });
    return found;
  };
  const std::vector<std::string> here = all_of();
  const ReadBy process("answers");
  EXPECT_THAT(all_of(), ElementsAreArray(here));
}

/// The message of the error when the sample is read by that test, as a container and as arrays.
std::string error_with(const std::string& test) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  const ReadBy process(test);
  test::message_of(ExitCode::usage, [&] { ArrayFile(file).open("/fold_error"); });
  const std::string message = test::message_of(ExitCode::usage, [&] { read_container(file); });
  EXPECT_THAT(message, StartsWith("cannot read " + file));
  return message;
}

TEST(Reader, that_crashes_is_an_error) {
  EXPECT_THAT(error_with("aborts"), AllOf(HasSubstr("the HDF5 library crashed: Aborted"), HasSubstr("h5dump")));
}

TEST(Reader, that_is_busy_for_too_long_is_an_error) {
  EXPECT_THAT(error_with("is_busy"), HasSubstr("took more time than a file of its size needs"));
}

TEST(Reader, that_leaves_is_an_error) { EXPECT_THAT(error_with("leaves"), HasSubstr("broke off")); }

TEST(Reader, that_announces_more_than_it_sends_is_an_error) {
  EXPECT_THAT(error_with("boasts"), HasSubstr("broke off"));
}

TEST(Reader, whose_answer_cannot_be_is_an_error) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  for (const char* test : {"lies", "lacks_values", "says_more"}) {
    const ReadBy process(test);
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { read_container(file); }), HasSubstr("broke off")) << test;
  }
  const ReadBy process("stays");
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { ArrayFile(file).has("/x"); }), HasSubstr("broke off"));
}

/// The message of the error, which is no fault of the file, when the sample is read by that test.
std::string failure_with(const std::string& test) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  const ReadBy process(test);
  return test::message_of(ExitCode::failed, [&] { read_container(file); });
}

TEST(Reader, that_is_killed_is_no_fault_of_the_file) {
  EXPECT_THAT(failure_with("is_killed"), HasSubstr("the process that read it was killed"));
}

TEST(Reader, whose_end_somebody_else_hears_of_is_an_error) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  const std::string message = failure_with("is_another_program");
  ::signal(SIGCHLD, before);
  EXPECT_THAT(message, HasSubstr("(/proc/self/exe does not answer)"));
}

TEST(Reader, that_is_another_program_is_no_fault_of_the_file) {
  EXPECT_THAT(failure_with("is_another_program"),
              HasSubstr("cannot be started (/proc/self/exe does not answer: exit code 0)"));
}

TEST(Reader, may_be_kept_for_several_files) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  const std::vector<std::byte> here = to_bytes(read_container(file));
  const ReadBy process("answers");
  const KeptReader kept;
  EXPECT_EQ(to_bytes(read_container(file)), here);
  set_reader_command({folder / "no-program"});  // no other is started
  EXPECT_EQ(to_bytes(read_container(file)), here);
  for (int k = 0; k < 2; ++k) EXPECT_TRUE(ArrayFile(file).has("/best/gamma"));
  test::message_of(ExitCode::usage, [&] { read_container(folder / "none.h5"); });
  test::message_of(ExitCode::usage, [&] { ArrayFile(folder / "none.h5"); });
  EXPECT_EQ(to_bytes(read_container(file)), here);
}

TEST(Reader, that_crashed_is_not_kept) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  const std::vector<std::byte> here = to_bytes(read_container(file));
  const KeptReader kept;
  {
    const ReadBy process("aborts");
    test::message_of(ExitCode::usage, [&] { read_container(file); });
  }
  const ReadBy process("answers");
  EXPECT_EQ(to_bytes(read_container(file)), here);
}

TEST(Reader, gives_large_arrays_in_pieces) {
  const test::TemporaryFolder folder;
  Container content;
  content.attributes["kind"] = std::string("sample");
  constexpr std::uint64_t rows = 9, columns = 2'000'000;  // 16 MB a row: four of them are a piece
  std::vector<double> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  content.arrays.push_back({"/x", {rows, columns}, values, {}, "1", "values", false});
  write_container(folder / "large.h5", content);
  const ReadBy process("answers");
  std::vector<double> found(7 * columns);
  ArrayFile(folder / "large.h5").open("/x").read(2, 7, found.data());
  EXPECT_TRUE(std::equal(found.begin(), found.end(), values.begin() + 2 * columns));
}

TEST(Reader, sees_files_by_the_descriptors_of_this_process) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  const FileDescriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const ReadBy process("answers");
  const std::string name = text("/dev/fd/", open.get());
  EXPECT_TRUE(ArrayFile(name).has("/best/gamma"));
  EXPECT_TRUE(read_container(name).has("/best/gamma"));
}

TEST(Reader, that_cannot_be_started_is_an_error) {
  const test::TemporaryFolder folder;
  const std::string file = sample_file(folder);
  set_reader_command({folder / "no-program"});
  const std::string message = test::message_of(ExitCode::failed, [&] { read_container(file); });
  set_reader_command({});
  EXPECT_THAT(message, HasSubstr("the process that reads HDF5 files cannot be started"));
}

}  // namespace
}  // namespace krossfold::storage
