// SPDX-License-Identifier: BSD-3-Clause
// Runs the targets without libFuzzer, with any compiler: on every file of FOLDER/NAME/, and for some time on blind changes of them.
//
//     fuzz_replay [--target=NAME] [--seconds=S] [--seed=N] FOLDER...
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "fuzz/plain_container.hpp"
#include "fuzz/target.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/storage/reader_process.hpp"

namespace krossfold::fuzz {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = 1 << 16;

Bytes bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string letters{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(letters));
  return {bytes.begin(), bytes.end()};
}

/// A few random changes, as blind fuzzers make them: bytes flipped, set, doubled, left out, or taken from another input.
void change(Bytes& input, const Bytes& other, std::mt19937_64& random) {
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  for (std::size_t changes = 1 + below(6); changes-- > 0;) {
    const std::size_t at = below(input.size() + 1), length = 1 + below(8);
    const auto first = input.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t left = input.size() - at;
    switch (below(6)) {
      case 0:
        if (left > 0) input[at] ^= static_cast<std::byte>(1U << below(8));
        break;
      case 1: {
        constexpr unsigned char odd[] = {0, 1, 0x7f, 0x80, 0xff, '"', ',', '\n', '-', 'e'};
        if (left > 0) input[at] = static_cast<std::byte>(odd[below(std::size(odd))]);
        break;
      }
      case 2:
        input.erase(first, first + static_cast<std::ptrdiff_t>(std::min(length, left)));
        break;
      case 3: {
        const Bytes piece(first, first + static_cast<std::ptrdiff_t>(std::min(length * 4, left)));
        if (input.size() < most_bytes) input.insert(first, piece.begin(), piece.end());
        break;
      }
      case 4: {
        if (other.empty()) break;
        const std::size_t from = below(other.size()), taken = std::min(length * 4, other.size() - from);
        const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
        if (input.size() < most_bytes) input.insert(first, begin, begin + static_cast<std::ptrdiff_t>(taken));
        break;
      }
      default:
        input.resize(at);
        break;
    }
  }
}

struct Params {
  std::string target;
  double seconds = 0;
  std::uint64_t seed = 1;
  std::vector<fs::path> folder;
};

Params params_of(int count, char** argument) {
  Params params;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = argument[i];
    const auto value = [&](std::string_view option) { return std::string(word.substr(option.size())); };
    if (word.starts_with("--target=")) {
      params.target = value("--target=");
    } else if (word.starts_with("--seconds=")) {
      params.seconds = std::stod(value("--seconds="));
    } else if (word.starts_with("--seed=")) {
      params.seed = std::stoull(value("--seed="));
    } else {
      params.folder.emplace_back(word);
    }
  }
  require(params.target.empty() || find_target(params.target) != nullptr, "there is no target " + params.target);
  require(!params.folder.empty(), "no folder of inputs was given");
  return params;
}

std::vector<Bytes> inputs_of(const Target& target, const std::vector<fs::path>& folders) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders)
    if (fs::is_directory(folder / target.name))
      for (const auto& entry : fs::directory_iterator(folder / target.name)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Bytes> inputs;
  for (const fs::path& file : files) {
    std::fprintf(stderr, "%s\n", file.c_str());  // the last line names the input that ends the process
    inputs.push_back(bytes_of(file));
    run(target, inputs.back());
  }
  return inputs;
}

// What is being read, for the handler of signals.
const Bytes* current = nullptr;
std::string kept;

/// Writes the input that ends the process.
extern "C" void keep_input(int signal) {
  const int file = ::open(kept.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && current != nullptr && ::write(file, current->data(), current->size()) >= 0) ::close(file);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

constexpr const char* answers = "--answer";

/// Changes inputs for some time. What ends the process is left in the file fault-NAME. HDF5 files are read by another process, as in the
/// program: that library may crash on damaged ones, or never end.
std::uint64_t change_inputs(const Target& target, const std::vector<Bytes>& inputs, const Params& params) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(params.seconds);
  std::mt19937_64 random(params.seed);
  kept = std::string("fault-") + target.name;
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGTERM}) std::signal(signal, keep_input);
  storage::set_reader_command({"/proc/self/exe", answers});
  const storage::KeptReader kept_reader;
  std::uint64_t runs = 0;
  for (; Clock::now() < end; ++runs) {
    Bytes input = inputs[random() % inputs.size()];
    change(input, inputs[random() % inputs.size()], random);
    if (target.repair != nullptr && random() % 4 != 0) target.repair(input);
    current = &input;
    run(target, input);
    current = nullptr;
  }
  storage::set_reader_command({});
  return runs;
}

void replay(const Params& params) {
  for (const Target& target : all_targets()) {
    if (!params.target.empty() && params.target != target.name) continue;
    const std::vector<Bytes> inputs = inputs_of(target, params.folder);
    require(!inputs.empty(), std::string("there is no input for ") + target.name);
    std::printf("%-8s %zu inputs", target.name, inputs.size());
    if (params.seconds > 0)
      std::printf(", %llu changed ones (seed %llu)",
                  static_cast<unsigned long long>(change_inputs(target, inputs, params)),
                  static_cast<unsigned long long>(params.seed));
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace

}  // namespace krossfold::fuzz

int main(int count, char** argument) {
  if (count == 2 && std::strcmp(argument[1], krossfold::fuzz::answers) == 0)
    return krossfold::storage::serve_reader_requests(STDIN_FILENO, {.seconds = 5});
  const krossfold::KokkosRuntime kokkos;
  try {
    if (count == 3 && std::strcmp(argument[1], "--plain") == 0) {  // a result or model file as an input of `content`
      const auto bytes = krossfold::fuzz::to_plain(krossfold::storage::read_container(argument[2]));
      std::cout.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      return 0;
    }
    if (count == 2 && std::strncmp(argument[1], "--part=", 7) == 0) {  // the state of a unit as an input of `part`
      const auto bytes =
          krossfold::fuzz::valid_part(static_cast<unsigned>(std::stoul(argument[1] + 7)) % krossfold::fuzz::part_kinds);
      std::cout.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      return 0;
    }
    krossfold::fuzz::replay(krossfold::fuzz::params_of(count, argument));
    return 0;
  } catch (const krossfold::Error& error) {
    std::cerr << "fuzz_replay: " << error.what() << "\n";
    return 2;
  }
}
