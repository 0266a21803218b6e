// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/dual_solver.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/svm/smo.hpp"

namespace krossfold::svm {

namespace {

/// Iterations per launch: about ten milliseconds on one core, so that a stop is noticed in time. On a device 3,000, 5 to 26 ms for 1,000 to
/// 8,000 members, so that problems that are due for a Newton step do not wait longer for the others. Does not affect results.
template <class Exec>
std::int64_t steps_per_launch(int members) {
  if constexpr (!std::is_same_v<Exec, Host>) return 3000;
  return std::max<std::int64_t>(16, static_cast<std::int64_t>(4e7 / std::max(members, 1)));
}

/// What a factorisation counts beside iterations of SMO: on a device all multiprocessors work on it, while an iteration of a problem
/// keeps one busy, and the other problems go on meanwhile. Measured: docs/gpu.md.
template <class Exec>
inline constexpr double factor_share = std::is_same_v<Exec, Host> ? 1.0 : 0.02;

/// SMO iterations between two Newton steps: those that cost what the next step is expected to, which is at least what the last one
/// did.
template <class Exec>
std::int64_t steps_until_newton(const Slot& slot) {
  constexpr double least = 1000;
  const double price = factor_share<Exec> * std::max(newton_cost(slot.free, slot.members), slot.newton_price);
  return static_cast<std::int64_t>(std::max(least, price / smo_cost(slot.members)));
}

/// Takes note of what a Newton step cost, and of whether it reached the solution of its free members.
void charge_newton(Slot& slot, const NewtonState& step) {
  constexpr double max_doubt = 16;
  slot.newton_doubt =
      step.feasible != 0 ? std::max(1.0, slot.newton_doubt / 2) : std::min(max_doubt, 2 * slot.newton_doubt);
  slot.newton_price = slot.newton_doubt * step.spent;
}

bool spent(const Slot& slot, const SolveParams& params) {
  return slot.iterations >= params.max_iterations || slot.cost >= slot.budget;
}

/// The cost of choosing, loading and storing a working set.
double round_cost(const Slot& slot, int samples) { return (4.0 * slot.changed + 20.0) * samples; }

/// SMO iterations on a whole problem before a smaller working set is tried again. Each try updates the gradient of all
/// samples from the kernel rows of those that changed.
std::int64_t whole_steps(int samples) { return std::max(1000, samples / 4); }

/// What SMO costs from one Newton step to the next. It does not depend on how many launches that takes, and so not on which
/// kernel rows are in memory.
struct Account {
  double cost = 0;              ///< of all before
  std::int64_t iterations = 0;  ///< of all before
  std::int64_t next = 0;        ///< iterations at the next Newton step, or at which a whole problem is left
  std::int64_t last = 0;        ///< iterations at which the problem is given up
};

template <class Exec>
Account open_account(const Slot& slot, int samples) {
  constexpr double most = 1e15;
  const double affordable = std::clamp((slot.budget - slot.cost) / smo_cost(size_of(slot, samples)), 0.0, most);
  const std::int64_t steps = slot.whole != 0 ? whole_steps(samples) : steps_until_newton<Exec>(slot);
  return {slot.cost, slot.iterations, slot.iterations + steps,
          slot.iterations + 1 + static_cast<std::int64_t>(affordable)};
}

void charge_smo(Slot& slot, const Account& account, int samples) {
  slot.cost =
      account.cost + static_cast<double>(slot.iterations - account.iterations) * smo_cost(size_of(slot, samples));
}

constexpr int max_newtons = 12;  // per round
constexpr double gap_tolerance =
    0.2;  // of a sub-problem where a duality gap is enough, relative to its initial violation
constexpr double capped_tolerance = 0.02;  // of a capped sub-problem, relative to its initial violation

}  // namespace

SolverSize solver_size_within(std::uint64_t room, int slots, int samples) {
  SolverSize size;
  size.capacity = std::min(samples / 2 + 1, 16384);  // larger working sets are solved as whole problems
  size.newton_limit = std::min(size.capacity, 3072);
  // A working set has rarely a quarter of the members that it may have.
  constexpr std::uint64_t share = 16;
  const std::uint64_t largest = sizeof(float) * largest_kernel(size.capacity),
                      one = solver_memory(size, samples) - largest;
  const std::uint64_t fitting = room > largest ? (room - largest) / (one + largest / share) : 1;
  size.slots = static_cast<int>(std::clamp<std::uint64_t>(fitting, 1, static_cast<std::uint64_t>(slots)));
  const std::uint64_t all = static_cast<std::uint64_t>(size.slots), left = room > all * one ? room - all * one : 0;
  if (size.slots > 1 && left < all * largest) size.kernel_entries = std::max(largest, left) / sizeof(float);
  return size;
}

template <class Exec>
SolverSize solver_size(int problems, int samples, std::uint64_t room) {
  constexpr bool host = std::is_same_v<Exec, Host>;
  if (host) room = std::numeric_limits<std::uint64_t>::max();
  return solver_size_within(room, host ? std::min(problems, Exec().concurrency()) : problems, samples);
}

std::uint64_t working_set_memory(const SolverSize& size) {
  const auto slots = static_cast<std::uint64_t>(size.slots), limit = static_cast<std::uint64_t>(size.newton_limit);
  const std::uint64_t entries = size.kernel_entries > 0 ? size.kernel_entries : slots * largest_kernel(size.capacity);
  return sizeof(float) * entries + slots * 8 * limit * limit;
}

std::uint64_t solver_memory(const SolverSize& size, int samples) {
  const auto slots = static_cast<std::uint64_t>(size.slots), capacity = static_cast<std::uint64_t>(size.capacity),
             limit = static_cast<std::uint64_t>(size.newton_limit);
  // Follows from the element types of SubProblems and NewtonWork.
  return working_set_memory(size) +
         slots * (40 * capacity + 60 * limit + 57 * static_cast<std::uint64_t>(samples) + 34'000);
}

template <class Exec>
DualSolver<Exec>::DualSolver(const Exec& exec, const SolverSize& size, int samples)
    : exec_(exec),
      newton_exec_(instances<Exec>(1).front()),
      size_(size),
      pool_(size.slots, size.kernel_entries),
      waiting_(static_cast<std::size_t>(size.slots), 0),
      subs_(make_sub_problems<Exec>(size.slots, size.capacity, samples, size.kernel_entries)),
      work_(make_newton_work<Exec>(size.slots, size.capacity, size.newton_limit)) {}

template <class Exec>
void DualSolver<Exec>::assign(int count) {
  assign_slots(exec_, subs_, count);
  pool_ = KernelPool(size_.slots, size_.kernel_entries);
}

/// Finds places for the kernel matrices of the working sets that were chosen. Slots that are not being solved lose theirs to those
/// that are; a slot for which there is still none is inactive until the next round, in which the same members are chosen again.
/// Throws a run error if no slot is left that could go on, since no later round would find more room.
template <class Exec>
void DualSolver<Exec>::place_kernels() {
  bool any = false;
  std::size_t refused = 0;
  const auto lose = [&](int s) {
    pool_.release(s);
    subs_.slot(s).lost = 1;
  };
  for (int s = 0; s < subs_.slots; ++s) {
    Slot& slot = subs_.slot(s);
    if (slot.active == 0) continue;
    if (slot.whole != 0) {
      any = true;
      continue;
    }
    // As many rows as there may be members, of full vectors: the largest is largest_kernel().
    const std::size_t entries =
        static_cast<std::size_t>(slot.stride) * static_cast<std::size_t>(std::min(slot.stride, subs_.capacity));
    if (!pool_.holds(s)) slot.lost = 1;
    if (!pool_.place(s, entries)) {
      for (int other = 0; other < subs_.slots; ++other) {
        if (subs_.slot(other).active == 0 || subs_.slot(other).whole != 0) lose(other);
      }
      if (!pool_.place(s, entries)) {
        lose(s);
        waiting_[s] = 1;
        slot.active = 0;
        refused = std::max(refused, entries);
        continue;
      }
    }
    any = true;
    slot.origin = pool_.origin(s);
  }
  if (!any) {
    throw_run_error(text("a working set needs a kernel matrix of ", refused, " numbers"),
                    text("the solver has room for ", size_.kernel_entries, " of all its problems together"));
  }
}

template <class Exec>
void DualSolver<Exec>::begin_records(const SolveParams& params) {
  round_.clear();
  if (!params.record) return;
  round_.resize(subs_.slots);
  for (int s = 0; s < subs_.slots; ++s) {
    const Slot& slot = subs_.slot(s);
    round_[s].problem = slot.problem;
    round_[s].whole = slot.whole != 0;
    round_[s].members = size_of(slot, static_cast<int>(subs_.position.extent(1)));
    round_[s].fresh = slot.whole != 0 ? 0 : slot.lost != 0 ? slot.members : slot.fresh;
  }
}

template <class Exec>
void DualSolver<Exec>::record_rounds(const SolveParams& params) {
  for (std::size_t s = 0; s < round_.size(); ++s) {
    const Slot& slot = subs_.slot(s);
    if (slot.active == 0) continue;
    Round& round = round_[s];
    round.changed = slot.changed;
    params.record(round);
  }
}

template <class Exec>
bool DualSolver<Exec>::solve_sub_problems(KernelRows<Exec>& kernel, const SolveParams& params) {
  const int slots = subs_.slots, samples = static_cast<int>(subs_.position.extent(1));
  std::vector<Account> account(slots);
  std::vector<int> newtons(slots, 0), due(slots, 0);
  for (int s = 0; s < slots; ++s) {
    Slot& slot = subs_.slot(s);
    slot.inner = slot.active;
    if (slot.active == 0) continue;
    slot.inner_tolerance = (slot.whole != 0 ? 0.9 : 0.5) * params.tolerance;
    if (params.gap > 0) slot.inner_tolerance = std::max(slot.inner_tolerance, gap_tolerance * slot.violation);
    if (slot.capped != 0 && slot.whole == 0)
      slot.inner_tolerance = std::max(slot.inner_tolerance, capped_tolerance * slot.violation);
    account[s] = open_account<Exec>(slot, samples);
  }
  for (;;) {
    if (params.stop.stop_requested()) return false;
    // Problems for which a Newton step is due take it while the others go on with SMO: on a device, both at the same time.
    bool any = false, step = false;
    for (int s = 0; s < slots; ++s) {
      Slot& slot = subs_.slot(s);
      if (due[s] != 0) {
        slot.newton = 1;
        slot.inner = 0;
        step = true;
      } else if (slot.inner != 0) {
        any = true;
        slot.steps = std::min({account[s].next - slot.iterations, params.max_iterations - slot.iterations,
                               steps_per_launch<Exec>(size_of(slot, samples)), account[s].last - slot.iterations});
      }
    }
    if (!any && !step) break;
    if (any) launch_smo(exec_, subs_);
    if (step) newton(newton_exec_, subs_, work_, kernel.poll);
    if (any) fence(exec_, "krossfold::svm::smo");
    for (int s = 0; s < slots; ++s) {
      Slot& slot = subs_.slot(s);
      if (slot.active == 0) continue;
      if (due[s] != 0) {
        due[s] = 0;
        slot.inner = 1;
        const NewtonState& taken = work_.state(s);
        charge_newton(slot, taken);
        slot.cost += factor_share<Exec> * taken.spent;
        if (!round_.empty()) {
          round_[s].stretch.push_back(
              {slot.iterations - account[s].iterations, taken.spent > 0 ? slot.free : 0, taken.spent});
        }
        account[s] = open_account<Exec>(slot, samples);
        continue;
      }
      charge_smo(slot, account[s], samples);
      if (slot.inner == 0) continue;
      // At least two rows per problem stay valid, so the other row of the pair is kept and SMO makes progress.
      if (slot.missing >= 0) kernel.fetch(std::span<const int>(&slot.missing, 1));
      const bool next = slot.iterations >= account[s].next;
      if (spent(slot, params) || (slot.whole != 0 && next)) slot.inner = 0;
      if (slot.inner == 0 || !next) continue;
      if (newtons[s]++ == max_newtons) {
        slot.inner = 0;
        continue;
      }
      due[s] = 1;
    }
  }
  for (std::size_t s = 0; s < round_.size(); ++s) {
    const Slot& slot = subs_.slot(s);
    if (slot.active != 0 && slot.iterations > account[s].iterations)
      round_[s].stretch.push_back({slot.iterations - account[s].iterations});
  }
  return true;
}

template <class Exec>
bool DualSolver<Exec>::solve(const DualProblems<Exec>& duals, KernelRows<Exec>& kernel, const SolveParams& params,
                             const std::vector<int>& follow, std::vector<Progress>& progress) {
  const int slots = subs_.slots;
  for (int s = 0; s < slots; ++s) {
    Slot& slot = subs_.slot(s);
    slot.active = slot.problem >= 0 && follow[slot.problem] != 0 ? 1 : 0;
    slot.stuck = 0;
    slot.iterations = 0;
    slot.cost = 0;
    slot.violation = 0;
    if (slot.active == 0) continue;
    const Progress& before = progress[slot.problem];
    slot.budget = before.budget;
    if (!params.resume) continue;
    slot.iterations = before.iterations;
    slot.cost = before.cost;
  }
  std::fill(waiting_.begin(), waiting_.end(), 0);
  for (;;) {
    for (int s = 0; s < slots; ++s) {
      if (waiting_[s] != 0) subs_.slot(s).active = 1;
      waiting_[s] = 0;
    }
    choose_working_sets(exec_, subs_, duals, params.c, params.tolerance, params.gap);
    bool any = false;
    for (int s = 0; s < slots; ++s) {
      Slot& slot = subs_.slot(s);
      if (slot.active != 0 && spent(slot, params)) {
        slot.active = 0;
        slot.stride = 0;  // chosen but not loaded: the next choice starts from scratch
      }
      any = any || slot.active != 0;
    }
    if (!any) break;
    if (size_.kernel_entries > 0) place_kernels();
    subs_.row = kernel.row;
    subs_.unit_sphere = kernel.half.extent(0) == 0;
    begin_records(params);
    load_sub_problems(exec_, subs_, duals, kernel, params.c);
    const bool complete = solve_sub_problems(kernel, params);
    store_sub_problems(exec_, subs_, duals, kernel);
    record_rounds(params);
    if (!complete) return false;
    for (int s = 0; s < slots; ++s) {
      Slot& slot = subs_.slot(s);
      if (slot.active != 0) slot.cost += round_cost(slot, duals.samples());
    }
  }
  for (int s = 0; s < slots; ++s) {
    const Slot& slot = subs_.slot(s);
    if (slot.problem < 0 || follow[slot.problem] == 0) continue;
    Progress& now = progress[slot.problem];
    now.iterations = slot.iterations;
    now.cost = slot.cost;
    const bool by_gap = slot.violation > params.tolerance && params.gap > 0 && slot.gap <= params.gap;
    now.converged = !(slot.violation > params.tolerance) || by_gap;
    now.bias = by_gap ? slot.gap_bias : std::numeric_limits<double>::quiet_NaN();
    now.given_up = !now.converged && slot.cost >= slot.budget;
  }
  return true;
}

#define KROSSFOLD_INSTANTIATE(Exec)                               \
  template SolverSize solver_size<Exec>(int, int, std::uint64_t); \
  template class DualSolver<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
