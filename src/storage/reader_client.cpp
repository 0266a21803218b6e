// SPDX-License-Identifier: BSD-3-Clause
#include "reader_client.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "krossfold/core/text.hpp"
#include "krossfold/storage/posix_file.hpp"
#include "krossfold/storage/reader_process.hpp"
#include "reader_messages.hpp"

namespace krossfold::storage {

namespace {

constexpr std::uint64_t most_letters = 1u << 20;  // of an error

std::vector<std::string> command;

/// The variables of this process, but one thread of BLAS: a reader has no use for more.
std::vector<std::string> reader_environment() {
  constexpr std::string_view threads = "OPENBLAS_NUM_THREADS=";
  std::vector<std::string> variables{text(threads, 1)};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with(threads)) variables.emplace_back(*variable);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// Starts the command with a socket as its standard input. Returns 0 or the error number.
int start(const std::vector<std::string>& words, int socket, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  // Signals that ask the job to stop reach all its processes; this one is ended by its parent.
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&blocked, signal);
  sigset_t ends_it;  // even if this process ignores it
  sigemptyset(&ends_it);
  sigaddset(&ends_it, SIGXCPU);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setsigdefault(&attributes, &ends_it);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = words, environment = reader_environment();
  const int error = ::posix_spawn(&process, words.front().c_str(), &actions, &attributes, pointers(arguments).data(),
                                  pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// The name of a file as another process sees it, which has other descriptors than this one.
std::string as_seen_elsewhere(const std::string& file) {
  if (!file.starts_with("/dev/") && !file.starts_with("/proc/")) return file;
  std::error_code error;
  const std::string path = std::filesystem::canonical(file, error).string();
  return error ? file : path;
}

/// An end of a socket above the standard descriptors, which may be closed.
FileDescriptor above_standard(FileDescriptor end) {
  if (end.get() > STDERR_FILENO) return end;
  return FileDescriptor(::fcntl(end.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// A process that reads files, one at a time. The file of a request is that of its errors.
class ReaderProcess {
public:
  explicit ReaderProcess(const std::string& file) : file_(file) {
    const std::string problem = text("cannot read ", file_, ": the process that reads HDF5 files cannot be started");
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw_system_error(problem, errno);
    socket_ = above_standard(FileDescriptor(ends[0]));
    {
      const FileDescriptor theirs = above_standard(FileDescriptor(ends[1]));
      require_success(start(command, theirs.get(), process_), problem);
    }
    MessageHead head;
    if (receive_all(socket_.get(), std::as_writable_bytes(std::span(&head, 1))) && head.code == reader_greeting) return;
    const End end = wait_for_end();
    throw_run_error(problem, text(command.front(), " does not answer", describe(end)),
                    "The program has to find itself as /proc/self/exe, and to get its arguments as they are.");
  }
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;
  ~ReaderProcess() { wait_for_end(std::chrono::milliseconds(0)); }

  void set_file(const std::string& file) { file_ = file; }
  bool lives() const { return process_ != 0; }

  /// What `parse` makes of the answer to a request, which has at most `most` bytes.
  template <class Parse, class... T>
  std::invoke_result_t<const Parse&, ByteReader&> ask(std::uint64_t most, const Parse& parse, Request request,
                                                      const T&... fields) {
    const MessageHead head = head_of_answer(request, fields...);
    std::vector<std::byte> bytes;
    if (head.bytes > most || !receive_bytes(socket_.get(), head.bytes, bytes)) fail();
    return parsed(bytes, parse);
  }
  /// Reads an answer of as many bytes into `values`.
  template <class... T>
  void ask_for(std::span<std::byte> values, Request request, const T&... fields) {
    const MessageHead head = head_of_answer(request, fields...);
    if (head.bytes != values.size() || !receive_all(socket_.get(), values)) fail();
  }

private:
  /// How a process ended; one that this program has killed, or that somebody else has waited for, has no status.
  struct End {
    bool known = false;
    int status = 0;
    int signal() const { return known && WIFSIGNALED(status) ? WTERMSIG(status) : 0; }
  };

  static std::string describe(const End& end) {
    if (!end.known) return "";
    return end.signal() != 0 ? text(": ", ::strsignal(end.signal())) : text(": exit code ", WEXITSTATUS(end.status));
  }

  template <class Parse>
  std::invoke_result_t<const Parse&, ByteReader&> parsed(std::span<const std::byte> bytes, const Parse& parse) {
    try {
      ByteReader reader(bytes, "answer");
      return parse(reader);
    } catch (const Error&) {
      fail();
    }
  }

  template <class... T>
  MessageHead head_of_answer(Request request, const T&... fields) {
    ByteWriter writer;
    writer.put_fields(fields...);
    MessageHead head;
    if (!send_message(socket_.get(), static_cast<std::uint32_t>(request), writer.take()) ||
        !receive_all(socket_.get(), std::as_writable_bytes(std::span(&head, 1))))
      fail();
    if (head.code == 0) return head;
    std::vector<std::byte> letters;
    if (head.bytes > most_letters || !receive_bytes(socket_.get(), head.bytes, letters)) fail();
    const auto code = head.code == static_cast<std::uint32_t>(ExitCode::failed) ? ExitCode::failed : ExitCode::usage;
    throw Error::from_message(code, parsed(letters, [](ByteReader& reader) { return reader.get_string(); }));
  }

  /// Waits for the process to end by itself, for so long at most; then ends it.
  End wait_for_end(std::chrono::milliseconds patience = std::chrono::seconds(2)) {
    End end;
    if (process_ == 0) return end;
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
      const pid_t ended = ::waitpid(process_, &end.status, WNOHANG);
      if (ended != 0 && !(ended < 0 && errno == EINTR)) {
        end.known = ended == process_;
        process_ = 0;
        return end;
      }
      if (std::chrono::steady_clock::now() >= until) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(process_, SIGKILL);  // it only reads
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return end;
  }

  [[noreturn]] void fail() {
    const End end = wait_for_end();
    const std::string problem = text("cannot read ", file_);
    const std::string advice =
        "The file is damaged, or made to do this: look at it with h5dump where nothing is at stake.";
    if (end.signal() == SIGKILL)
      throw_run_error(problem, "the process that read it was killed", "Was memory exhausted?");
    if (end.signal() == SIGXCPU)
      throw_input_error(problem, "the HDF5 library took more time than a file of its size needs", advice);
    if (end.signal() != 0)
      throw_input_error(problem, text("the HDF5 library crashed: ", ::strsignal(end.signal())), advice);
    throw_input_error(problem, "the process that read it broke off", advice);
  }

  std::string file_;
  FileDescriptor socket_;
  pid_t process_ = 0;
};

/// Of KeptReader: how many there are, and the process that has read the last file.
int keepers = 0;
std::unique_ptr<ReaderProcess> kept;

/// The kept process, or a new one, for one file; kept again afterwards.
class Loan {
public:
  explicit Loan(const std::string& file) : process_(std::move(kept)) {
    if (process_ == nullptr) process_ = std::make_unique<ReaderProcess>(file);
    process_->set_file(file);
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    if (keepers > 0 && process_->lives()) kept = std::move(process_);
  }

  ReaderProcess* operator->() const { return process_.get(); }

private:
  std::unique_ptr<ReaderProcess> process_;
};

class ArraysElsewhere final : public ArraySource {
public:
  explicit ArraysElsewhere(const std::string& file) : process_(file) {
    ask(nothing, Request::open_file, as_seen_elsewhere(file));
  }
  ArraysElsewhere(const ArraysElsewhere&) = delete;
  ArraysElsewhere& operator=(const ArraysElsewhere&) = delete;
  ~ArraysElsewhere() override {
    try {
      ask(nothing, Request::close_file);
    } catch (...) {  // of a process that has ended
    }
  }

  PathKind kind_of(const std::string& path) override {
    const auto most = static_cast<std::uint8_t>(PathKind::other);
    return static_cast<PathKind>(std::min(value<std::uint8_t>(Request::path_kind, path), most));
  }
  ArrayFacts open(const std::string& path) override { return ask(get_facts, Request::open_array, path); }
  void close(std::uint64_t array) override { ask(nothing, Request::close_array, array); }
  std::vector<std::string> listing() override { return ask(get_words, Request::listing); }

  /// In pieces: two processes hold each.
  void read(std::uint64_t array, std::uint64_t first, std::uint64_t count, std::span<std::byte> values) override {
    const std::uint64_t row = count == 0 ? 0 : values.size() / count;
    const std::uint64_t rows = row == 0 ? count : std::max<std::uint64_t>(1, piece / row);
    do {
      const std::uint64_t now = std::min(rows, count);
      process_->ask_for(values.first(now * row), Request::read, array, first, now, now * row);
      values = values.subspan(now * row);
      first += now;
      count -= now;
    } while (count > 0);
  }

  std::vector<std::string> read_text(std::uint64_t array, std::uint64_t first, std::uint64_t count) override {
    return ask(get_words, Request::read_text, array, first, count);
  }
  bool array_has_attribute(std::uint64_t array, const std::string& name) override {
    return value<std::uint8_t>(Request::array_has_attribute, array, name) != 0;
  }
  ArrayAttribute array_attribute(std::uint64_t array, const std::string& name) override {
    return ask(get_array_attribute, Request::array_attribute, array, name);
  }
  bool has_attribute(const std::string& name) override {
    return value<std::uint8_t>(Request::has_attribute, name) != 0;
  }
  std::string attribute(const std::string& name) override {
    return ask([](ByteReader& reader) { return reader.get_string(); }, Request::attribute_text, name);
  }
  std::int64_t attribute(const std::string& name, std::int64_t otherwise) override {
    return value<std::int64_t>(Request::attribute_number, name, otherwise);
  }

private:
  static constexpr std::uint64_t piece = 64u << 20;        // bytes
  static constexpr std::uint64_t most_bytes = 4ULL << 30;  // of names and words
  static void nothing(ByteReader& reader) { reader.expect_end(); }

  template <class Parse, class... Fields>
  std::invoke_result_t<const Parse&, ByteReader&> ask(const Parse& parse, Request request, const Fields&... fields) {
    return process_->ask(most_bytes, parse, request, fields...);
  }
  template <class T, class... Fields>
  T value(Request request, const Fields&... fields) {
    T result{};
    process_->ask_for(std::as_writable_bytes(std::span(&result, 1)), request, fields...);
    return result;
  }

  Loan process_;
};

}  // namespace

void set_reader_command(std::vector<std::string> words) { command = std::move(words); }

const std::vector<std::string>& reader_command() { return command; }

std::shared_ptr<ArraySource> open_arrays_elsewhere(const std::string& file) {
  return std::make_shared<ArraysElsewhere>(file);
}

Container read_container_elsewhere(const std::string& file, bool verify) {
  const Loan process(file);
  // As container_from_bytes() reads at most 32 times the bytes of a file.
  struct stat status {};
  const bool known = ::stat(file.c_str(), &status) == 0;
  const std::uint64_t most = 64 * (known ? static_cast<std::uint64_t>(status.st_size) : 0) + (1u << 20);
  return process->ask(most, get_container, Request::container, as_seen_elsewhere(file), verify);
}

KeptReader::KeptReader() { ++keepers; }

KeptReader::~KeptReader() {
  if (--keepers == 0) kept.reset();
}

}  // namespace krossfold::storage
