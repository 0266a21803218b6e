// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/provenance.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

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

// Symbols are looked up at run time, so that core does not link BLAS and Kokkos Kernels may use any BLAS.

/// The file of the library whose sgemm_ this process calls; empty if that cannot be said, as of a static library.
std::string blas_file() {
  Dl_info info{};
  void* const gemm = dlsym(RTLD_DEFAULT, "sgemm_");
  if (gemm == nullptr || dladdr(gemm, &info) == 0 || info.dli_fname == nullptr) return "";
  return info.dli_fname;
}

/// A symbol of that library, or of one that it needs. (LAPACK may bring an OpenBLAS whose matrix products nobody calls.)
void* blas_symbol(const char* name) {
  const std::string file = blas_file();
  void* const library = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return dlsym(RTLD_DEFAULT, name);
  void* const symbol = dlsym(library, name);
  dlclose(library);  // it stays loaded: it was before
  return symbol;
}

std::string openblas_core_name() {
  using CoreName = const char* (*)();
  const auto core_name = reinterpret_cast<CoreName>(blas_symbol("openblas_get_corename"));
  const char* name = core_name != nullptr ? core_name() : nullptr;
  return name != nullptr ? name : "";
}

}  // namespace

std::string blas_kernel() {
  const std::string name = openblas_core_name();
  if (!name.empty()) return std::string(openblas) + name;
  constexpr std::array<std::pair<const char*, const char*>, 3> others = {
      {{"mkl_get_version", "MKL"}, {"bli_info_get_version_str", "BLIS"}, {"ATL_buildinfo", "ATLAS"}}};
  for (const auto& [symbol, product] : others) {
    if (blas_symbol(symbol) != nullptr) return product;
  }
  // Distributions make libblas.so.3 a link to the library that is chosen.
  std::error_code ignored;
  const std::string file = std::filesystem::canonical(blas_file(), ignored).filename().string();
  return file.starts_with("libblas.") && blas_symbol("flexiblas_avail") == nullptr ? reference_blas : "unknown BLAS";
}

void use_one_blas_thread() {
  using SetThreads = void (*)(int);
  constexpr const char* name = "openblas_set_num_threads";
  // Also of an OpenBLAS behind a library that takes calls for itself first, such as NVBLAS.
  for (void* const symbol : {blas_symbol(name), dlsym(RTLD_DEFAULT, name)}) {
    if (const auto set = reinterpret_cast<SetThreads>(symbol)) set(1);
  }
}

int blas_threads() {
  using Threads = int (*)();
  const auto threads = reinterpret_cast<Threads>(blas_symbol("openblas_get_num_threads"));
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
