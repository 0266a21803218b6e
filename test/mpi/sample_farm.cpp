// SPDX-License-Identifier: BSD-3-Clause
#include "test/mpi/sample_farm.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>

#include "test/mpi/mpi_calls.hpp"

namespace krossfold::parallel::test {

namespace {

struct SampleSink : CheckpointSink {
  std::function<void(const std::string&)> on_store, on_load;
  void store(const std::string& name, std::span<const std::byte>) override {
    if (!on_store) ADD_FAILURE() << name;
    on_store(name);
  }
  std::optional<std::vector<std::byte>> load(const std::string& name) override {
    if (on_load) on_load(name);
    return std::nullopt;
  }
};

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

void EventLog::append(const Record& record) {
  events.push_back({false, record.key, seconds_since(began_)});
  if (on_append) on_append(record);
}

void EventLog::sync() {
  events.push_back({true, {}, seconds_since(began_)});
  if (on_sync) on_sync();
}

std::vector<UnitKey> EventLog::appended() const {
  std::vector<UnitKey> keys;
  for (const Event& event : events) {
    if (!event.sync) keys.push_back(event.key);
  }
  return keys;
}

int EventLog::syncs() const {
  return static_cast<int>(std::count_if(events.begin(), events.end(), [](const Event& event) { return event.sync; }));
}

SampleFarm::SampleFarm() {
  executor.compute = [](const Unit& unit, UnitContext&) { return std::vector<Record>{sample_record(unit)}; };
}

FarmOutcome SampleFarm::run(const Communicator& comm) {
  std::unique_ptr<FarmRoot> root;
  if (comm.is_root()) root.reset(new FarmRoot{study, log, replayed, nullptr, snapshot, snapshot_every});
  SampleSink sink;
  sink.on_store = store;
  sink.on_load = load;
  FarmOutcome outcome;
  std::exception_ptr error;
  watch_mpi_calls();
  try {
    outcome = run_farm(comm, root.get(), executor, sink, params);
  } catch (...) {
    error = std::current_exception();
  }
  const MpiCalls calls = seen_mpi_calls();
  EXPECT_EQ(calls.overlapping, 0);
  EXPECT_EQ(calls.by_the_watcher, 0);
  EXPECT_TRUE(calls.all > 0 || comm.size() == 1) << "the MPI calls were not counted";
  patient_barrier(comm);
  int left_over = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.handle(), &left_over, MPI_STATUS_IGNORE), "MPI_Iprobe");
  EXPECT_EQ(left_over, 0) << "a message was not received";
  patient_barrier(comm);
  if (error) std::rethrow_exception(error);
  return outcome;
}

Error SampleFarm::error(const Communicator& comm) {
  try {
    run(comm);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error on rank " << comm.rank();
  return Error(ExitCode::done, "no error");
}

std::vector<UnitKey> SampleFarm::all_computed(const Communicator& comm) const {
  const std::string bytes(reinterpret_cast<const char*>(executor.computed.data()),
                          executor.computed.size() * sizeof(UnitKey));
  std::string all;
  for (const std::string& part : all_gather(comm, bytes)) all += part;
  std::vector<UnitKey> keys(all.size() / sizeof(UnitKey));
  if (!all.empty()) std::memcpy(keys.data(), all.data(), all.size());
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<Unit> sample_units(int count) {
  std::vector<Unit> units;
  for (int k = 0; k < count; ++k) units.push_back({key(k), 1});
  return units;
}

UnitKey key(int index) { return {1, {index, 0, 0}}; }

int index_of(const Unit& unit) { return unit.key.index[0]; }

std::vector<UnitKey> keys_of(const std::vector<Unit>& units) {
  std::vector<UnitKey> keys;
  for (const Unit& unit : units) keys.push_back(unit.key);
  return keys;
}

std::vector<UnitKey> keys_of(const std::vector<Record>& records) {
  std::vector<UnitKey> keys;
  for (const Record& record : records) keys.push_back(record.key);
  return keys;
}

std::vector<std::byte> sample_payload(const UnitKey& key) {
  std::uint64_t state = key.kind;
  for (const std::int32_t index : key.index)
    state = state * 6364136223846793005u + static_cast<std::uint32_t>(index) + 1;
  std::vector<std::byte> payload(state % 100);
  for (std::byte& byte : payload) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return payload;
}

Record sample_record(const Unit& unit) {
  Record record;
  record.key = unit.key;
  record.status = Status::done;
  record.payload = sample_payload(unit.key);
  return record;
}

void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

bool wait_for_stop(const UnitContext& context) {
  return wait_until([&] { return context.stop.stop_requested(); });
}

bool wait_until(const std::function<bool()>& condition) {
  for (int k = 0; k < 1600; ++k) {
    if (condition()) return true;
    sleep_ms(5);
  }
  return false;
}

SharedCounter::SharedCounter(const Communicator& comm) {
  const MPI_Aint bytes = comm.is_root() ? sizeof(int) : 0;
  void* own = nullptr;
  check(MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, comm.handle(), &own, &window_),
        "MPI_Win_allocate_shared");
  MPI_Aint size = 0;
  int unit = 0;
  check(MPI_Win_shared_query(window_, 0, &size, &unit, &number_), "MPI_Win_shared_query");
  if (comm.is_root()) *number_ = 0;
  patient_barrier(comm);
}

SharedCounter::~SharedCounter() { MPI_Win_free(&window_); }

}  // namespace krossfold::parallel::test
