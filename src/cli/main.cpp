// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include "krossfold/cli/program.hpp"
#include "krossfold/studies/registry.hpp"

namespace {

/// Opens standard descriptors that are closed, lest a file or pipe that is opened later get their numbers and what is printed. Reading and
/// writing them still fails; the files /dev/stdin, /dev/stdout and /dev/stderr are /dev/null then.
void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  return krossfold::cli::run_program(argc, argv, krossfold::studies::all_kinds());
}
