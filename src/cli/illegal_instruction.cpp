// SPDX-License-Identifier: BSD-3-Clause
#include "illegal_instruction.hpp"

#include <unistd.h>

#include <csignal>

// A literal, because code that puts a message together might hold such an instruction itself.
#if defined(__AVX512F__)
#define KROSSFOLD_BUILT_FOR "x86-64-v4 (AVX-512)"
#elif defined(__AVX2__)
#define KROSSFOLD_BUILT_FOR "x86-64-v3 (AVX2)"
#else
#define KROSSFOLD_BUILT_FOR "another kind of"
#endif

namespace krossfold::cli {

namespace {

void explain(int number) {
  static const char message[] =
      "krossfold: error: illegal instruction (this program was built for " KROSSFOLD_BUILT_FOR
      " processors) Build it on this kind of machine, or for all x86-64 processors since 2013: cmake "
      "-DKROSSFOLD_ARCH=x86-64-v3.\n";
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(1);
  raise(number);  // again, now with the default action, which SA_RESETHAND has restored
}

}  // namespace

__attribute__((constructor(101))) void explain_illegal_instructions() {
  struct sigaction action {};
  action.sa_handler = explain;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  sigaction(SIGILL, &action, nullptr);
}

}  // namespace krossfold::cli
