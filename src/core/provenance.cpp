// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/provenance.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <string_view>

#include "krossfold/core/error.hpp"

namespace krossfold {
namespace {

constexpr std::string_view openblas = "OpenBLAS ";

// What openblas_get_corename() returns for CPUs without AVX2, and for those with AVX2 but without AVX-512. Names in
// neither list are assumed to be newer than this table and are left alone.
constexpr std::array<std::string_view, 21> before_avx2 = {
    "unknown",   "generic", "katmai", "coppermine", "northwood",  "prescott",     "banias",
    "atom",      "core2",   "penryn", "dunnington", "nehalem",    "athlon",       "opteron",
    "barcelona", "nano",    "bobcat", "bulldozer",  "piledriver", "opteron_sse3", "sandybridge"};
constexpr std::array<std::string_view, 4> before_avx512 = {"haswell", "steamroller", "excavator", "zen"};

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The symbol is looked up at run time, so that core does not link BLAS and Kokkos Kernels may use any BLAS.
std::string openblas_core_name() {
  using CoreName = const char* (*)();
  const auto core_name = reinterpret_cast<CoreName>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  const char* name = core_name != nullptr ? core_name() : nullptr;
  return name != nullptr ? name : "";
}

}  // namespace

std::string blas_kernel() {
  const std::string name = openblas_core_name();
  return name.empty() ? "unknown BLAS" : std::string(openblas) + name;
}

void use_one_blas_thread() {
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
}

int blas_threads() {
  using Threads = int (*)();
  const auto threads = reinterpret_cast<Threads>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  return threads != nullptr ? threads() : 0;
}

std::string better_blas_kernel(const std::string& kernel, bool avx512, bool avx2) {
  std::string name = kernel;
  for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  const bool old = holds(before_avx2, name);
  if (avx512 && (old || holds(before_avx512, name))) return "SKYLAKEX";
  if (avx2 && old) return "HASWELL";
  return "";
}

std::string better_blas_kernel() {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return better_blas_kernel(openblas_core_name(), avx512, avx2);
#else
  return "";
#endif
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    if (first != std::string::npos) return line.substr(first);
  }
  return "unknown processor";
}

std::string host_name() {
  std::array<char, 256> name{};  // POSIX: at most 255 letters
  if (gethostname(name.data(), name.size() - 1) != 0) throw_system_error("cannot read this machine's name", errno);
  return name.data();
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm fields{};
  if (gmtime_r(&now, &fields) == nullptr) throw_system_error("cannot read the clock", errno);
  std::array<char, 32> written{};
  return {written.data(), std::strftime(written.data(), written.size(), "%Y-%m-%dT%H:%M:%SZ", &fields)};
}

}  // namespace krossfold
