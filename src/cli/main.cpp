// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/cli/program.hpp"
#include "krossfold/studies/registry.hpp"

int main(int argc, char** argv) { return krossfold::cli::run_program(argc, argv, krossfold::studies::all_kinds()); }
