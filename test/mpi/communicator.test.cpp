// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/communicator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <stdexcept>
#include <thread>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::parallel {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<std::byte>(k * 7 + k / 251);
  return bytes;
}

std::optional<Error> error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

TEST(Communicator, knows_rank_and_size) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  int rank = -1, size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(world.rank(), rank);
  EXPECT_EQ(world.size(), size);
  EXPECT_EQ(world.is_root(), rank == 0);
  EXPECT_EQ(self.size(), 1);
  EXPECT_TRUE(self.is_root());
}

TEST(Communicator, splits_into_ranks_of_equal_colour_in_their_order) {
  const Communicator world(MPI_COMM_WORLD), part(world, world.rank() % 2);
  EXPECT_EQ(part.rank(), world.rank() / 2);
  EXPECT_EQ(part.size(), (world.size() + 1 - world.rank() % 2) / 2);
}

TEST(Communicator, ranks_learn_that_all_have_arrived) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_TRUE(all_arrive(comm, 60));
}

TEST(Communicator, messages_do_not_meet_those_of_its_parent) {
  const Communicator comm(MPI_COMM_WORLD);
  const int next = (comm.rank() + 1) % comm.size(), last = (comm.rank() + comm.size() - 1) % comm.size();
  const int sent = comm.rank();
  int received = -1, arrived = 1;
  MPI_Request request;
  ASSERT_EQ(MPI_Isend(&sent, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
  ASSERT_EQ(MPI_Probe(last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);  // it has arrived now
  EXPECT_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.handle(), &arrived, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(arrived, 0);
  EXPECT_EQ(MPI_Recv(&received, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(received, last);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

TEST(Communicator, failed_call_is_an_error_that_names_it) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto error =
      error_of([&] { check(MPI_Send("x", 1, MPI_BYTE, comm.size() + 5, 1, comm.handle()), "MPI_Send"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ExitCode::failed);
  EXPECT_THAT(error->what(), testing::StartsWith("MPI_Send failed ("));
  EXPECT_THAT(error->what(), HasSubstr("rank"));
  check(MPI_SUCCESS, "nothing");
}

TEST(Broadcast, gives_every_rank_the_bytes_of_rank_0_whatever_it_had) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::size_t size : {0u, 1u, 1000u, 3'000'001u}) {
    std::vector<std::byte> bytes = comm.is_root() ? pattern(size) : std::vector<std::byte>(17, std::byte(comm.rank()));
    broadcast(comm, bytes);
    EXPECT_TRUE(bytes == pattern(size)) << size;
  }
  std::array<int, 3> numbers = {comm.rank(), 5 * comm.rank(), -comm.rank()};
  broadcast(comm, std::as_writable_bytes(std::span(numbers)));
  EXPECT_EQ(numbers, (std::array<int, 3>{0, 0, 0}));
}

TEST(AllGather, gives_every_rank_all_texts_in_order) {
  const Communicator comm(MPI_COMM_WORLD);
  std::vector<std::string> expected;
  for (int r = 0; r < comm.size(); ++r)
    expected.push_back(std::string(static_cast<std::size_t>(r) * 3, '\0') + text(r));
  expected[0].clear();
  EXPECT_THAT(all_gather(comm, expected[comm.rank()]), ElementsAreArray(expected));
  EXPECT_THAT(all_gather(comm, ""), ElementsAreArray(std::vector<std::string>(comm.size())));
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(OnRoot, runs_the_action_once_on_rank_0_while_the_others_sleep) {
  const Communicator comm(MPI_COMM_WORLD);
  const double before = cpu_seconds();
  int runs = 0;
  Clock::time_point done{};
  on_root(comm, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    ++runs;
    done = Clock::now();
  });
  const auto after = Clock::now();
  EXPECT_LT(cpu_seconds() - before, .2);
  EXPECT_EQ(runs, comm.is_root() ? 1 : 0);
  broadcast(comm, std::as_writable_bytes(std::span(&done, 1)));  // the ranks share one machine and so its clock
  EXPECT_GE(after, done);
}

TEST(OnRoot, error_is_thrown_on_every_rank_with_its_code) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto input =
      error_of([&] { on_root(comm, [] { throw_input_error("no file x", "it is missing", "Make it."); }); });
  ASSERT_TRUE(input);
  EXPECT_EQ(input->code(), ExitCode::usage);
  EXPECT_EQ(std::string(input->what()), "no file x (it is missing) Make it.");

  const auto foreign = error_of([&] { on_root(comm, [] { throw std::out_of_range("5 of 4"); }); });
  ASSERT_TRUE(foreign);
  EXPECT_EQ(foreign->code(), ExitCode::failed);
  EXPECT_EQ(std::string(foreign->what()), "5 of 4");

  const auto unknown = error_of([&] { on_root(comm, [] { throw 1; }); });
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->code(), ExitCode::failed);

  EXPECT_FALSE(error_of([&] { on_root(comm, [] {}); }));  // the communicator remains usable
}

TEST(OnAll, error_of_any_rank_is_thrown_on_every_rank_and_of_several_the_first) {
  const Communicator comm(MPI_COMM_WORLD);
  int runs = 0;
  EXPECT_FALSE(error_of([&] { on_all(comm, [&] { ++runs; }); }));
  EXPECT_EQ(runs, 1);
  for (int first = 0; first < comm.size(); ++first) {
    const auto error = error_of([&] {
      on_all(comm, [&] {
        if (comm.rank() >= first) throw_input_error(text("no memory on rank ", comm.rank()));
      });
    });
    ASSERT_TRUE(error) << first;
    EXPECT_EQ(error->code(), ExitCode::usage);
    EXPECT_EQ(std::string(error->what()), text("no memory on rank ", first));
  }
}

TEST(PatientBarrier, no_rank_leaves_before_the_last_has_come_and_waiting_costs_no_core) {
  const Communicator comm(MPI_COMM_WORLD);
  const double before = cpu_seconds();
  if (comm.rank() == comm.size() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  auto came = Clock::now();
  patient_barrier(comm);
  const auto left = Clock::now();
  EXPECT_LT(cpu_seconds() - before, .2);
  const std::string mine(reinterpret_cast<const char*>(&came), sizeof(came));
  for (const std::string& one : all_gather(comm, mine)) {
    std::memcpy(&came, one.data(), sizeof(came));
    EXPECT_GE(left, came);
  }
}

using Variables = std::map<std::string, std::string>;

/// Sets some launcher variables for one test and unsets the others.
class Launcher {
public:
  explicit Launcher(const Variables& variables) {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
      const char* value = std::getenv(name);
      before_.emplace_back(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Launcher() {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST(OneWorld, process_alone_though_the_launcher_started_several_is_an_input_error) {
  const Communicator alone(MPI_COMM_SELF);
  for (const std::string name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const Launcher launcher(Variables{{name, "3"}});
    const auto error = error_of([&] { check_one_world(alone); });
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->code(), ExitCode::usage);
    EXPECT_THAT(error->what(), HasSubstr("started 3 processes"));
    EXPECT_THAT(error->what(), HasSubstr(name + "=3"));
    EXPECT_THAT(error->what(), HasSubstr("srun --mpi=pmix"));
  }
}

TEST(OneWorld, single_processes_and_whole_worlds_pass) {
  const Communicator alone(MPI_COMM_SELF), world(MPI_COMM_WORLD);
  {
    const Launcher none(Variables{});
    EXPECT_FALSE(error_of([&] { check_one_world(alone); }));
  }
  {
    const Launcher one(Variables{{"SLURM_STEP_NUM_TASKS", "1"}});
    EXPECT_FALSE(error_of([&] { check_one_world(alone); }));
  }
  {
    const Launcher inner(
        Variables{{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}});  // two mpirun daemons
    EXPECT_FALSE(error_of([&] { check_one_world(alone); }));
  }
  const Launcher all(Variables{{"OMPI_COMM_WORLD_SIZE", text(world.size())}});
  EXPECT_FALSE(error_of([&] { check_one_world(world); }));
}

}  // namespace
}  // namespace krossfold::parallel
