// SPDX-License-Identifier: BSD-3-Clause
#include "before_start.hpp"

#include <iostream>

#include "krossfold/core/printable.hpp"
#include "krossfold/parallel/gang.hpp"
#include "krossfold/run/output.hpp"

namespace krossfold::run {

namespace {

OutputState state_of_output(const StudyCase& study, const StudyKind& kind) {
  const std::string& output = study.context.run.output;
  return output.empty() ? OutputState() : inspect_output(output, kind.name(), study.fingerprint);
}

}  // namespace

void print_dry_run(const StudyCase& study, const StudyKind& kind) {
  const RunParams& run = study.context.run;
  const OutputState state = state_of_output(study, kind);
  study.print_plan(std::cout);
  if (state.exists) {
    std::cout << "output   " << printable(run.output) << " holds this study, " << describe(state, run.retry_failed)
              << "\n";
  }
  std::cout << "devices  " << parallel::describe(study.context.places) << "\n";
}

void require_memory(const StudyCase& study, const StudyKind& kind) {
  const parallel::Communicator& comm = study.context.comm;
  try {
    parallel::on_all(comm, [&] { study.require_memory(); });
  } catch (const parallel::AgreedError&) {
    bool finished = false;
    parallel::on_root(comm,
                      [&] { finished = state_of_output(study, kind).finished && !study.context.run.retry_failed; });
    if (!parallel::agree(comm, finished)) throw;
  }
}

}  // namespace krossfold::run
