// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <iostream>
#include <thread>

#include "commands.hpp"
#include "krossfold/doctor/examine.hpp"
#include "krossfold/parallel/gang.hpp"

namespace krossfold::cli {

ExitCode run_doctor(const DoctorParams& params, const parallel::Communicator& world, bool speaks, bool quiet) {
  const doctor::Examination examination = doctor::examine(world, params.output);
  bool wrong = false;
  if (world.is_root()) {
    wrong = doctor::worst(examination.findings) == doctor::Verdict::wrong;
    if (speaks) {
      std::cout << report::render({doctor::document_of(examination, quiet)}, params.json ? "json" : "text")
                << std::flush;
    }
  }
  // The launcher ends the job when the first process fails, which must be the one that prints.
  if (world.is_root() && !speaks) std::this_thread::sleep_for(std::chrono::seconds(2));
  return parallel::agree(world, wrong) ? ExitCode::failed : ExitCode::done;
}

}  // namespace krossfold::cli
