// SPDX-License-Identifier: BSD-3-Clause
// The entry points of libFuzzer (https://llvm.org/docs/LibFuzzer.html): fuzz_readers --target=NAME CORPUS...
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuzz/target.hpp"
#include "krossfold/core/kokkos_compat.hpp"

namespace {

const krossfold::fuzz::Target* target = nullptr;

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

int LLVMFuzzerInitialize(int* count, char*** arguments) {
  static const krossfold::KokkosRuntime kokkos;
  constexpr const char* option = "--target=";  // libFuzzer leaves options of two dashes alone
  for (int i = 1; i < *count; ++i)
    if (std::strncmp((*arguments)[i], option, std::strlen(option)) == 0)
      target = krossfold::fuzz::find_target((*arguments)[i] + std::strlen(option));
  if (target != nullptr) return 0;
  std::fputs("usage: fuzz_readers --target=NAME CORPUS...; the targets are:\n", stderr);
  for (const auto& one : krossfold::fuzz::all_targets()) std::fprintf(stderr, "  %s\n", one.name);
  std::exit(2);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  krossfold::fuzz::run(*target, std::as_bytes(std::span(data, size)));
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  if (target->repair == nullptr || seed % 4 == 0) return size;
  const auto* first = reinterpret_cast<const std::byte*>(data);
  krossfold::fuzz::Bytes input(first, first + size);
  target->repair(input);
  std::memcpy(data, input.data(), size);
  return size;
}

}  // extern "C"
