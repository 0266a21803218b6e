// SPDX-License-Identifier: BSD-3-Clause
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <new>

#include "array_source.hpp"
#include "krossfold/core/memory.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/reader_process.hpp"
#include "reader_messages.hpp"

namespace krossfold::storage {

namespace {

void close_descriptors_but(int kept) {
  DIR* folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return;
  std::vector<int> open;
  while (const dirent* entry = ::readdir(folder)) {
    int number = 0;
    const char* last = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, last, number).ptr == last && number != ::dirfd(folder)) open.push_back(number);
  }
  ::closedir(folder);
  for (const int number : open) {
    if (number > STDERR_FILENO && number != kept) ::close(number);
  }
}

/// Sets the soft limit of a resource, to no more than it was at the start; the hard one stays.
class Limit {
public:
  explicit Limit(decltype(RLIMIT_AS) resource) : resource_(resource) { ::getrlimit(resource, &first_); }

  void set(std::uint64_t most) const {
    const rlimit limit{std::min<std::uint64_t>(most, first_.rlim_cur), first_.rlim_max};
    ::setrlimit(resource_, &limit);
  }

private:
  decltype(RLIMIT_AS) resource_;
  rlimit first_{RLIM_INFINITY, RLIM_INFINITY};
};

void limit_memory(std::uint64_t granted) {
  const std::uint64_t used = process_memory().addresses;
  if (!readers_limit_memory || used == 0) return;
  // Page cache in use counts as taken, so that little may seem to be free: a quarter of the memory is granted anyway.
  if (granted == 0) granted = std::max(free_memory(), memory_limit() / 4);
  if (granted > 0) Limit(RLIMIT_AS).set(used + granted);
}

/// Answers requests about one file after another.
class Server {
public:
  explicit Server(const ReaderLimits& limits) : limits_(limits) {}

  const std::string& file() const { return file_; }

  std::vector<std::byte> answer(Request request, ByteReader& fields) {
    ByteWriter writer;
    limit_time();
    switch (request) {
      case Request::container:
        take_file(fields);
        put_container(writer, read_container(file_, fields.get<std::int32_t>() != 0));
        break;
      case Request::open_file:
        take_file(fields);
        source_ = open_hdf5_arrays(file_);
        break;
      case Request::close_file:
        source_.reset();
        break;
      case Request::close_array:
        source().close(fields.get<std::uint64_t>());
        break;
      case Request::path_kind:
        writer.put(static_cast<std::uint8_t>(source().kind_of(fields.get_string())));
        break;
      case Request::open_array:
        put_facts(writer, source().open(fields.get_string()));
        break;
      case Request::listing:
        put_words(writer, source().listing());
        break;
      case Request::read:
        return read(fields);
      case Request::read_text: {
        const auto array = fields.get<std::uint64_t>(), first = fields.get<std::uint64_t>();
        put_words(writer, source().read_text(array, first, fields.get<std::uint64_t>()));
        break;
      }
      case Request::array_has_attribute: {
        const auto array = fields.get<std::uint64_t>();
        writer.put<std::uint8_t>(source().array_has_attribute(array, fields.get_string()));
        break;
      }
      case Request::array_attribute: {
        const auto array = fields.get<std::uint64_t>();
        put_array_attribute(writer, source().array_attribute(array, fields.get_string()));
        break;
      }
      case Request::has_attribute:
        writer.put<std::uint8_t>(source().has_attribute(fields.get_string()));
        break;
      case Request::attribute_text:
        writer.put_string(source().attribute(fields.get_string()));
        break;
      case Request::attribute_number: {
        const std::string name = fields.get_string();
        writer.put(source().attribute(name, fields.get<std::int64_t>()));
        break;
      }
      default:
        throw_run_error("unknown request");
    }
    return writer.take();
  }

private:
  void take_file(ByteReader& fields) {
    file_ = fields.get_string();
    struct stat status {};
    file_bytes_ = ::stat(file_.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
    limit_time();
  }

  /// Grants this request its time, from now on.
  void limit_time() const {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const timeval &user = used.ru_utime, &system = used.ru_stime;
    const auto spent =
        static_cast<std::uint64_t>(user.tv_sec + system.tv_sec + (user.tv_usec + system.tv_usec) / 1'000'000);
    time_.set(spent + 1 + limits_.seconds + file_bytes_ / limits_.bytes_a_second);
  }

  ArraySource& source() {
    if (source_ == nullptr) throw_run_error("no file is open");
    return *source_;
  }

  std::vector<std::byte> read(ByteReader& fields) {
    const auto array = fields.get<std::uint64_t>(), first = fields.get<std::uint64_t>();
    const auto count = fields.get<std::uint64_t>(), bytes = fields.get<std::uint64_t>();
    std::vector<std::byte> values(bytes);
    source().read(array, first, count, values);
    return values;
  }

  ReaderLimits limits_;
  Limit time_{RLIMIT_CPU};
  std::string file_;
  std::uint64_t file_bytes_ = 0;
  std::shared_ptr<ArraySource> source_;
};

}  // namespace

int serve_reader_requests(int descriptor, const ReaderLimits& limits) {
  close_descriptors_but(descriptor);
  Limit(RLIMIT_CORE).set(0);
  limit_memory(limits.memory);
  ::prctl(PR_SET_NAME, "krossfold-hdf5");  // else "exe"
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!send_message(descriptor, reader_greeting, {})) return static_cast<int>(ExitCode::failed);
  Server server(limits);
  for (;;) {
    MessageHead head;
    std::vector<std::byte> request;
    if (!receive_all(descriptor, std::as_writable_bytes(std::span(&head, 1))) ||
        !receive_bytes(descriptor, head.bytes, request))
      return static_cast<int>(ExitCode::done);
    std::vector<std::byte> answer;
    std::uint32_t code = 0;
    const auto refuse = [&](ExitCode with, const std::string& message) {
      ByteWriter writer;
      writer.put_string(message);
      answer = writer.take();
      code = static_cast<std::uint32_t>(with);
    };
    try {
      ByteReader fields(request, "request");
      answer = server.answer(static_cast<Request>(head.code), fields);
    } catch (const Error& error) {
      refuse(error.code(), error.what());
    } catch (const std::bad_alloc&) {
      refuse(ExitCode::failed, text("cannot read ", server.file(), " (it needs more memory than is free)"));
    } catch (const std::exception& error) {
      refuse(ExitCode::failed, error.what());
    }
    if (!send_message(descriptor, code, answer)) return static_cast<int>(ExitCode::failed);
  }
}

}  // namespace krossfold::storage
