// SPDX-License-Identifier: BSD-3-Clause
// For two ranks: one sends bytes that are not a request, as a broken network or a bug would. Errors cannot be sent to
// the others then, so the job must abort at once, naming rank and reason; run_farm never returns.
#include "krossfold/parallel/task_farm.hpp"

namespace {

struct NoWork : krossfold::Study, krossfold::RecordLog, krossfold::Executor, krossfold::CheckpointSink {
  std::vector<krossfold::Unit> initial() override { return {}; }
  std::vector<krossfold::Unit> on_record(const krossfold::Record&) override { return {}; }
  void append(const krossfold::Record&) override {}
  void sync() override {}
  std::vector<krossfold::Record> run(const krossfold::Unit&, krossfold::UnitContext&) override { return {}; }
  void store(const std::string&, std::span<const std::byte>) override {}
};

}  // namespace

int main(int argc, char** argv) {
  namespace parallel = krossfold::parallel;
  const parallel::MpiRuntime mpi(&argc, &argv);
  const parallel::Communicator comm(MPI_COMM_WORLD);
  NoWork all;
  const std::vector<krossfold::Record> replayed;
  parallel::FarmRoot root{all, all, replayed};
  if (!comm.is_root()) parallel::check(MPI_Send("damaged", 7, MPI_BYTE, 0, 1, comm.handle()), "MPI_Send");
  parallel::run_farm(comm, comm.is_root() ? &root : nullptr, all, all, {});
  return 0;
}
