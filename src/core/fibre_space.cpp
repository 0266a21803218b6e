// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/kokkos_compat.hpp"

#ifdef KROSSFOLD_FIBRES
#include <setjmp.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/core/text.hpp"

namespace krossfold {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* word = std::getenv(variable);
  return word == nullptr ? otherwise : std::strtoull(word, nullptr, 10);
}

std::mt19937_64& generator() {
  static std::mt19937_64 one(number_from("KROSSFOLD_SEED", 1));
  return one;
}

constexpr std::size_t stack_bytes = 256 << 10;

enum class State { ready, waiting, ended };

struct Fibre {
  std::vector<char> stack = std::vector<char>(stack_bytes);
  ucontext_t start;
  jmp_buf where;
  bool begun = false;
  State state = State::ready;
  fibres::Group group = fibres::Group::team;  // and place: of the barrier that it waits at
  fibres::Place place;
  const void* value = nullptr;
};

struct TeamOfFibres {
  std::vector<Fibre> fibre;  // rank * lanes + lane
  int lanes = 1;
  const std::function<void(int, int)>* body = nullptr;
  int running = -1;
  ucontext_t back;
  jmp_buf scheduler;
};

TeamOfFibres& team() {
  static TeamOfFibres one;
  return one;
}

/// One fibre runs its part of one team after another.
void run_fibre() {
  for (;;) {
    const int of_team = team().running;
    (*team().body)(of_team / team().lanes, of_team % team().lanes);
    Fibre& fibre = team().fibre[static_cast<std::size_t>(of_team)];
    fibre.state = State::ended;
    if (_setjmp(fibre.where) == 0) _longjmp(team().scheduler, 1);
  }
}

/// Runs a fibre until it waits or ends. The contexts begin a fibre; afterwards jumps are enough, and need no system call.
void resume(int of_team) {
  Fibre& fibre = team().fibre[static_cast<std::size_t>(of_team)];
  team().running = of_team;
  if (_setjmp(team().scheduler) != 0) return;
  if (fibre.begun) _longjmp(fibre.where, 1);
  fibre.begun = true;
  getcontext(&fibre.start);
  fibre.start.uc_stack.ss_sp = fibre.stack.data();
  fibre.start.uc_stack.ss_size = fibre.stack.size();
  fibre.start.uc_link = nullptr;
  makecontext(&fibre.start, run_fibre, 0);
  setcontext(&fibre.start);
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "fibres: %s\n", what.c_str());
  std::abort();
}

/// The barriers of a function that is compiled several times are the same.
bool same(const fibres::Place& a, const fibres::Place& b) {
  return a.line() == b.line() && a.column() == b.column() && std::string_view(a.file_name()) == b.file_name();
}

std::string name_of(const fibres::Place& place) { return text(place.file_name(), ":", place.line()); }

/// Fibres [first, last) go on if all wait at one barrier of `group`, and stay if none of them waits at one. Fails if only some do, or
/// at different ones. True if they go on.
bool release(int first, int last, fibres::Group group) {
  const bool threads = group == fibres::Group::team;
  const Fibre* waits = nullptr;
  int waiting = 0, ended = 0;
  for (int f = first; f < last; ++f) {
    const Fibre& fibre = team().fibre[static_cast<std::size_t>(f)];
    if (fibre.state == State::ended) ++ended;
    if (fibre.state != State::waiting || fibre.group != group) continue;
    if (waiting++ > 0 && !same(fibre.place, waits->place)) {
      fail(text(threads ? "threads of a team" : "lanes of a thread", " wait at different barriers, ",
                name_of(fibre.place), " and ", name_of(waits->place)));
    }
    waits = &fibre;
  }
  if (waiting == 0) return false;
  if (ended > 0) {
    fail(text(threads ? "a thread of a team" : "a lane of a thread", " ended while others wait at a barrier, ",
              name_of(waits->place)));
  }
  if (waiting < last - first) fail(text("only some lanes of a thread wait for one another, ", name_of(waits->place)));
  for (int f = first; f < last; ++f) team().fibre[static_cast<std::size_t>(f)].state = State::ready;
  return true;
}

struct Launched {
  std::deque<std::function<void()>> kernel;
  bool within = false;  // a kernel
  bool late = number_from("KROSSFOLD_LATE", 1) != 0;

  Launched() {
    // A device releases memory when all that uses it has ended.
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char*, const void*, std::uint64_t) { fibres::finish(); });
  }
};

Launched& launched() {
  static Launched one;
  return one;
}

/// Kokkos::fence() and Kokkos::finalize() wait for Fibres, too.
struct Waits : Kokkos::Impl::ExecSpaceInitializerBase {
  void initialize(const Kokkos::InitArguments&) override { launched(); }
  void finalize(bool) override { fibres::finish(); }
  void fence() override { fibres::finish(); }
  void print_configuration(std::ostream&, bool) override {}
};
const int registered = Kokkos::Impl::initialize_space_factory<Waits>("900_Fibres");

}  // namespace

void Fibres::impl_static_fence() { fibres::finish(); }

int Fibres::team_size() {
  static const int size = static_cast<int>(number_from("KROSSFOLD_TEAM_SIZE", 8));
  return size;
}

namespace fibres {

void launch(std::function<void()> kernel) {
  if (launched().within) fail("a kernel was launched within another");
  launched().kernel.push_back(std::move(kernel));
  if (!launched().late) finish();
}

void finish() {
  Launched& all = launched();
  if (all.within) return;
  while (!all.kernel.empty()) {
    all.within = true;
    all.kernel.front()();
    all.kernel.pop_front();
    all.within = false;
  }
}

int most_lanes() {
  static const int most = static_cast<int>(number_from("KROSSFOLD_LANES", 4));
  return most;
}

void run_team(int threads, int lanes, const std::function<void(int, int)>& body) {
  TeamOfFibres& one = team();
  const int size = threads * lanes;
  if (static_cast<int>(one.fibre.size()) < size) one.fibre.resize(static_cast<std::size_t>(size));
  one.body = &body;
  one.lanes = lanes;
  for (int f = 0; f < size; ++f) one.fibre[static_cast<std::size_t>(f)].state = State::ready;
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (bool more = true; more;) {
    std::shuffle(order.begin(), order.end(), generator());
    for (const int f : order) {
      if (one.fibre[static_cast<std::size_t>(f)].state == State::ready) resume(f);
    }
    more = false;
    for (int rank = 0; rank < threads && lanes > 1; ++rank) {
      more = release(rank * lanes, rank * lanes + lanes, Group::thread) || more;
    }
    if (!more) more = release(0, size, Group::team);
  }
  one.running = -1;
}

void barrier(Group group, const Place& place) {
  if (group == Group::thread && team().lanes == 1) return;
  Fibre& fibre = team().fibre[static_cast<std::size_t>(team().running)];
  fibre.state = State::waiting;
  fibre.group = group;
  fibre.place = place;
  if (_setjmp(fibre.where) == 0) _longjmp(team().scheduler, 1);
}

void publish(const void* value) { team().fibre[static_cast<std::size_t>(team().running)].value = value; }
const void* published(int rank, int lane) {
  return team().fibre[static_cast<std::size_t>(rank * team().lanes + lane)].value;
}

std::function<std::int64_t(std::int64_t)> random_order(std::int64_t n) {
  if (n < 2) return [](std::int64_t k) { return k; };
  // k -> a k + b mod n is a permutation if a and n have no common divisor.
  std::int64_t a = 1;
  do a = 1 + static_cast<std::int64_t>(generator()() % static_cast<std::uint64_t>(n));
  while (std::gcd(a, n) != 1);
  const auto b = static_cast<std::int64_t>(generator()() % static_cast<std::uint64_t>(n));
  return [=](std::int64_t k) { return static_cast<std::int64_t>((static_cast<__int128>(a) * k + b) % n); };
}

}  // namespace fibres
}  // namespace krossfold
#endif
