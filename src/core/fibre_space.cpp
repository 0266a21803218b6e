// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/kokkos_compat.hpp"

#ifdef KROSSFOLD_FIBRES
#include <setjmp.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
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
  fibres::Place place;
  const void* value = nullptr;
};

struct TeamOfFibres {
  std::vector<Fibre> fibre;
  const std::function<void(int)>* body = nullptr;
  int running = -1;
  ucontext_t back;
  jmp_buf scheduler;
};

TeamOfFibres& team() {
  static TeamOfFibres one;
  return one;
}

void first_step() {
  const int rank = team().running;
  (*team().body)(rank);
  team().fibre[static_cast<std::size_t>(rank)].state = State::ended;
  _longjmp(team().scheduler, 1);
}

/// Runs a fibre until it waits or ends. The contexts begin a fibre; afterwards jumps are enough, and need no system call.
void resume(int rank) {
  Fibre& fibre = team().fibre[static_cast<std::size_t>(rank)];
  team().running = rank;
  if (_setjmp(team().scheduler) != 0) return;
  if (fibre.begun) _longjmp(fibre.where, 1);
  fibre.begun = true;
  getcontext(&fibre.start);
  fibre.start.uc_stack.ss_sp = fibre.stack.data();
  fibre.start.uc_stack.ss_size = fibre.stack.size();
  fibre.start.uc_link = nullptr;
  makecontext(&fibre.start, first_step, 0);
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

}  // namespace

int Fibres::team_size() {
  static const int size = static_cast<int>(number_from("KROSSFOLD_TEAM_SIZE", 8));
  return size;
}

namespace fibres {

void run_team(int size, const std::function<void(int)>& body) {
  TeamOfFibres& one = team();
  if (one.running >= 0) fail("a kernel was launched within another");
  if (static_cast<int>(one.fibre.size()) < size) one.fibre.resize(static_cast<std::size_t>(size));
  one.body = &body;
  for (int rank = 0; rank < size; ++rank) {
    one.fibre[static_cast<std::size_t>(rank)].state = State::ready;
    one.fibre[static_cast<std::size_t>(rank)].begun = false;
  }
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (;;) {
    std::shuffle(order.begin(), order.end(), generator());
    int ended = 0, waiting = 0;
    const fibres::Place* place = nullptr;
    for (const int rank : order) {
      Fibre& fibre = one.fibre[static_cast<std::size_t>(rank)];
      resume(rank);
      if (fibre.state == State::ended) ++ended;
      if (fibre.state != State::waiting) continue;
      if (waiting++ > 0 && !same(fibre.place, *place)) {
        fail(text("threads of a team wait at different barriers, ", name_of(fibre.place), " and ", name_of(*place)));
      }
      place = &fibre.place;
    }
    if (ended > 0 && waiting > 0) {
      fail(text("a thread of a team ended while others wait at a barrier, ", name_of(*place)));
    }
    if (waiting == 0) break;
  }
  one.running = -1;
}

void barrier(const Place& place) {
  Fibre& fibre = team().fibre[static_cast<std::size_t>(team().running)];
  fibre.state = State::waiting;
  fibre.place = place;
  if (_setjmp(fibre.where) == 0) _longjmp(team().scheduler, 1);
}

void publish(int rank, const void* value) { team().fibre[static_cast<std::size_t>(rank)].value = value; }
const void* published(int rank) { return team().fibre[static_cast<std::size_t>(rank)].value; }

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
