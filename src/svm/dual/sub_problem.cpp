// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/sub_problem.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "krossfold/core/simd.hpp"
#include "sub_problem_rows.hpp"

namespace krossfold::svm {

namespace {

/// Rows between two polls: about ten milliseconds at 60,000 samples, on one core or on a device for all slots. A multiple of the rows per
/// pass of update_gradient, so that splitting leaves results bitwise identical.
template <class Exec>
inline constexpr int rows_in_part = std::is_same_v<Exec, Host> ? 512 : 8192;

/// Calls body(s, first, count) for successive parts of the list of every active slot s, with the kernel rows of each
/// part in memory. If all rows are always in memory, s = -1 stands for that part of the lists of all slots.
template <class Exec, class Size, class Body>
void with_rows(const SubProblems<Exec>& subs, KernelRows<Exec>& kernel, const Matrix<int, Exec>& list, const Size& size,
               const Body& body) {
  if (kernel.complete) {
    int most = 0;
    for (int s = 0; s < subs.slots; ++s) {
      if (subs.slot(s).active != 0) most = std::max(most, size(subs.slot(s)));
    }
    for (int k = 0; k < most; k += rows_in_part<Exec>) {
      call(kernel.poll);
      body(-1, k, std::min(rows_in_part<Exec>, most - k));
    }
    return;
  }
  for (int s = 0; s < subs.slots; ++s) {
    if (subs.slot(s).active == 0) continue;
    const int last = size(subs.slot(s));
    const auto samples = on_host(Kokkos::subview(list, s, Kokkos::ALL));
    const int part = std::min(kernel.max_rows, rows_in_part<Exec>);
    for (int k = 0; k < last; k += part) {
      call(kernel.poll);
      const int count = std::min(part, last - k);
      kernel.fetch({samples.data() + k, static_cast<std::size_t>(count)});
      body(s, k, count);
    }
  }
}

/// Makes all members of working sets that have lost their kernel matrix fresh, in the places that they have.
template <class Exec>
void renew_lost(const Exec& exec, const SubProblems<Exec>& subs) {
  const auto renewed = [](const Slot& slot) { return slot.lost != 0 && slot.active != 0 && slot.whole == 0; };
  bool any = false;
  for (int s = 0; s < subs.slots; ++s) {
    Slot& slot = subs.slot(s);
    if (!renewed(slot)) continue;
    any = true;
    slot.fresh = slot.members;
    slot.moved = slot.before = 0;
  }
  if (!any) return;
  const ListRows work(subs);
  Kokkos::parallel_for(
      "krossfold::svm::renew_lost", Kokkos::TeamPolicy<Exec>(exec, subs.slots, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank();
        const Slot& slot = work.slot(s);
        if (slot.lost == 0 || slot.active == 0 || slot.whole != 0) return;
        const int* sample = &work.sample(s, 0);
        int *fresh = &work.fresh(s, 0), *fresh_sample = &work.fresh_sample(s, 0);
        team_simd_for(member, slot.members, [=](int r) {
          fresh[r] = r;
          fresh_sample[r] = sample[r];
        });
      });
  fence(exec, "krossfold::svm::renew_lost");
  for (int s = 0; s < subs.slots; ++s) {
    if (renewed(subs.slot(s))) subs.slot(s).lost = 0;
  }
}

/// Moves rows and columns of K_WW to the new places of members and clears the padding. Old places lie beyond the last
/// member, new ones before it.
template <class Exec>
void move_members(const Exec& exec, const SubProblems<Exec>& subs) {
  int moves = 0, rows = 0;
  for (int s = 0; s < subs.slots; ++s) {
    const Slot& slot = subs.slot(s);
    if (slot.active == 0 || slot.before <= slot.members) continue;
    moves = std::max(moves, slot.moved);
    rows = std::max(rows, slot.members);
  }
  if (rows == 0) return;
  const ListRows work(exec, subs);
  if (moves > 0)
    Kokkos::parallel_for(
        "krossfold::svm::move_rows", Kokkos::TeamPolicy<Exec>(exec, subs.slots * moves, Kokkos::AUTO),
        KOKKOS_LAMBDA(const Team<Exec>& member) {
          const int s = member.league_rank() / moves, k = member.league_rank() % moves;
          const Slot& slot = work.slot(s);
          if (slot.active == 0 || k >= slot.moved) return;
          float* own = work.kernel(s);
          const float* from = own + static_cast<std::size_t>(work.moved(s, k)) * slot.stride;
          float* to = own + static_cast<std::size_t>(work.moved_to(s, k)) * slot.stride;
          team_simd_for(member, slot.stride, [=](int r) { to[r] = from[r]; });
        });
  Kokkos::parallel_for(
      "krossfold::svm::move_columns", Kokkos::TeamPolicy<Exec>(exec, subs.slots * rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank() / rows, r = member.league_rank() % rows;
        const Slot& slot = work.slot(s);
        if (slot.active == 0 || slot.before <= slot.members || r >= slot.members) return;
        float* row = work.kernel(s) + static_cast<std::size_t>(r) * slot.stride;
        const int *from = &work.moved(s, 0), *to = &work.moved_to(s, 0);
        team_simd_for(member, slot.moved, [=](int k) { row[to[k]] = row[from[k]]; });
        member.team_barrier();
        team_simd_for(member, places(slot.members) - slot.members, [&](int k) { row[slot.members + k] = 0; });
      });
  fence(exec, "krossfold::svm::move_members");
}

/// Fills the rows of K_WW of fresh members [first, first + count) of slot `only`, or of every slot if only < 0.
template <class Exec>
void fill_rows(const Exec& exec, const SubProblems<Exec>& subs, const Vector<const KernelRow, Exec>& row, int only,
               int first, int count) {
  const ListRows work(exec, subs);
  const KernelRow* start = row.data();
  Kokkos::parallel_for(
      "krossfold::svm::fill_rows", Kokkos::TeamPolicy<Exec>(exec, (only < 0 ? subs.slots : 1) * count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = only < 0 ? member.league_rank() / count : only;
        const Slot& slot = work.slot(s);
        const int k = first + member.league_rank() % count;
        if (slot.active == 0 || k >= slot.fresh) return;
        const float* from = start[work.fresh_sample(s, k)].value;
        float* to = work.kernel(s) + static_cast<std::size_t>(work.fresh(s, k)) * slot.stride;
        const int* sample = &work.sample(s, 0);
#if KROSSFOLD_ON_HOST
        // The members are in no order, which the processor's own prefetching needs.
        if (k + 1 < slot.fresh && k + 1 < first + count) {
          const float* ahead = start[work.fresh_sample(s, k + 1)].value;
          for (int i = 0; i < work.samples; i += 16) __builtin_prefetch(ahead + i, 0, 2);
        }
#endif
        team_simd_for(member, slot.members, [=](int r) { to[r] = from[sample[r]]; });
        team_simd_for(member, places(slot.members) - slot.members, [&](int r) { to[slot.members + r] = 0; });
      });
  fence(exec, "krossfold::svm::fill_rows");
}

/// Fills the columns of the fresh members from their rows (by symmetry), for rows [first, first + count).
template <class Exec>
void fill_columns(const Exec& exec, const SubProblems<Exec>& subs, int first, int count) {
  const ListRows work(exec, subs);
  Kokkos::parallel_for(
      "krossfold::svm::fill_columns", Kokkos::TeamPolicy<Exec>(exec, subs.slots * count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank() / count, r = first + member.league_rank() % count;
        const Slot& slot = work.slot(s);
        if (slot.active == 0 || r >= slot.members) return;
        const std::size_t stride = static_cast<std::size_t>(slot.stride);
        const float* own = work.kernel(s);
        float* to = work.kernel(s) + static_cast<std::size_t>(r) * stride;
        const int* fresh = &work.fresh(s, 0);
        team_simd_for(member, slot.fresh,
                      [=](int k) { to[fresh[k]] = own[static_cast<std::size_t>(fresh[k]) * stride + r]; });
        team_simd_for(member, places(slot.members) - slot.members, [&](int k) { to[slot.members + k] = 0; });
      });
  fence(exec, "krossfold::svm::fill_columns");
}

/// Fills the columns in all rows, in slots where not every member is fresh.
template <class Exec>
void fill_columns(const Exec& exec, const SubProblems<Exec>& subs, const Poll& poll) {
  int rows = 0;
  for (int s = 0; s < subs.slots; ++s) {
    const Slot& slot = subs.slot(s);
    if (slot.active != 0 && slot.fresh > 0 && slot.fresh < slot.members) rows = std::max(rows, slot.members);
  }
  for (int first = 0; first < rows; first += rows_in_part<Exec>) {
    call(poll);
    fill_columns<Exec>(exec, subs, first, std::min(rows_in_part<Exec>, rows - first));
  }
}

/// Subtracts changes [first, first + count) of slot `only`, or of every slot if only < 0, from its problem's gradient.
template <class Exec>
void update_gradient(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals,
                     const Vector<const KernelRow, Exec>& row, int only, int first, int count) {
  const ListRows work(exec, subs);
  const int n = duals.samples();
  const int block = std::max(1024, places(n / Exec().concurrency())), blocks = (n + block - 1) / block;
  const Rows<double> gradient(duals.gradient);
  const KernelRow* start_of = row.data();
  Kokkos::parallel_for(
      "krossfold::svm::update_gradient",
      Kokkos::TeamPolicy<Exec>(exec, (only < 0 ? subs.slots : 1) * blocks, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = only < 0 ? member.league_rank() / blocks : only;
        if (work.slot(s).active == 0) return;
        const int start = member.league_rank() % blocks * block, width = start + block < n ? block : n - start;
        const int last = first + count, to = last < work.slot(s).changed ? last : work.slot(s).changed;
        double* g = &gradient(work.slot(s).problem, start);
        // Eight rows per pass, so that the gradient is read and written once for every eight rows.
        for (int k = first; k < to; k += 8) {
          const float* rows[8];
          double d[8];
          for (int u = 0; u < 8; ++u) {
            const int at = k + u < to ? k + u : k;
            rows[u] = start_of[work.changed(s, at)].value + start;
            d[u] = k + u < to ? work.change(s, at) : 0.0;
          }
          const float *k0 = rows[0], *k1 = rows[1], *k2 = rows[2], *k3 = rows[3], *k4 = rows[4], *k5 = rows[5],
                      *k6 = rows[6], *k7 = rows[7];
          const double d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3], d4 = d[4], d5 = d[5], d6 = d[6], d7 = d[7];
          team_simd_for(member, width, [=](int i) {
            double sum = g[i] - d0 * static_cast<double>(k0[i]);
            sum -= d1 * static_cast<double>(k1[i]);
            sum -= d2 * static_cast<double>(k2[i]);
            sum -= d3 * static_cast<double>(k3[i]);
            sum -= d4 * static_cast<double>(k4[i]);
            sum -= d5 * static_cast<double>(k5[i]);
            sum -= d6 * static_cast<double>(k6[i]);
            g[i] = sum - d7 * static_cast<double>(k7[i]);
          });
        }
      });
  fence(exec, "krossfold::svm::update_gradient");
}

}  // namespace

template <class Exec>
SubProblems<Exec> make_sub_problems(int slots, int capacity, int samples, std::size_t entries) {
  SubProblems<Exec> subs;
  subs.slots = slots;
  subs.capacity = capacity;
  subs.slot = Flags<Slot>("krossfold::svm::slot", slots);
  if constexpr (!std::is_same_v<Exec, Host>)
    subs.copied_slot = Vector<Slot, Exec>("krossfold::svm::copied_slot", slots);
  const std::size_t most = static_cast<std::size_t>(slots) * largest_kernel(capacity);
  subs.kernel = Vector<float, Exec>(uninitialized("krossfold::svm::sub_kernel"), entries == 0 ? most : entries);
  subs.sample = Matrix<int, Exec>(uninitialized("krossfold::svm::sub_sample"), slots, capacity);
  subs.position = Matrix<int, Exec>(uninitialized("krossfold::svm::sub_position"), slots, samples);
  subs.beta = Matrix<double, Exec>(uninitialized("krossfold::svm::sub_beta"), slots, places(samples));
  subs.gradient = Matrix<double, Exec>(uninitialized("krossfold::svm::sub_gradient"), slots, places(samples));
  subs.anchor = Matrix<double, Exec>(uninitialized("krossfold::svm::sub_anchor"), slots, capacity);
  subs.rough = Matrix<float, Exec>(uninitialized("krossfold::svm::sub_rough"), slots, places(samples));
  subs.bound = Matrix<double, Exec>(uninitialized("krossfold::svm::sub_bound"), slots, places(samples));
  subs.grow = Matrix<float, Exec>(uninitialized("krossfold::svm::sub_grow"), slots, places(samples));
  subs.shrink = Matrix<float, Exec>(uninitialized("krossfold::svm::sub_shrink"), slots, places(samples));
  subs.sorted = Matrix<int, Exec>(uninitialized("krossfold::svm::sub_sorted"), slots, capacity);
  subs.mark = Matrix<std::uint8_t, Exec>(uninitialized("krossfold::svm::sub_mark"), slots, samples);
  subs.urgency = Matrix<float, Exec>(uninitialized("krossfold::svm::sub_urgency"), slots, samples);
  subs.fresh = Matrix<int, Exec>(uninitialized("krossfold::svm::sub_fresh"), slots, capacity);
  subs.fresh_sample = Matrix<int, Exec>(uninitialized("krossfold::svm::sub_fresh_sample"), slots, capacity);
  subs.moved = Matrix<int, Exec>(uninitialized("krossfold::svm::sub_moved"), slots, capacity);
  subs.moved_to = Matrix<int, Exec>(uninitialized("krossfold::svm::sub_moved_to"), slots, capacity);
  subs.changed = Matrix<int, Exec>(uninitialized("krossfold::svm::sub_changed"), slots, samples);
  subs.change = Matrix<double, Exec>(uninitialized("krossfold::svm::sub_change"), slots, samples);
  return subs;
}

template <class Exec>
void assign_slots(const Exec& exec, const SubProblems<Exec>& subs, int count) {
  fence(exec, "krossfold::svm::assign_slots");
  const bool fixed = subs.kernel.extent(0) >= static_cast<std::size_t>(subs.slots) * largest_kernel(subs.capacity);
  for (int s = 0; s < subs.slots; ++s) {
    subs.slot(s) = Slot{};
    subs.slot(s).problem = s < count ? s : -1;
    if (fixed) subs.slot(s).origin = static_cast<std::size_t>(s) * largest_kernel(subs.capacity);
  }
  const auto position = subs.position;
  const int n = static_cast<int>(position.extent(1));
  Kokkos::parallel_for(
      "krossfold::svm::assign_slots", Kokkos::TeamPolicy<Exec>(exec, subs.slots, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        int* at = &position(member.league_rank(), 0);
        team_simd_for(member, n, [=](int i) { at[i] = -1; });
      });
}

template <class Exec>
void load_sub_problems(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals,
                       KernelRows<Exec>& kernel, double c) {
  renew_lost(exec, subs);
  move_members(exec, subs);
  with_rows(
      subs, kernel, subs.fresh_sample, [](const Slot& slot) { return slot.fresh; },
      [&](int s, int first, int count) { fill_rows<Exec>(exec, subs, kernel.row, s, first, count); });
  fill_columns<Exec>(exec, subs, kernel.poll);
  const MemberRows work(subs);
  const Rows<int> list(subs.sample);
  const DualRows all(duals);
  Kokkos::parallel_for(
      "krossfold::svm::load_sub_problems", large_teams(exec, subs.slots), KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank();
        if (work.slot(s).active == 0) return;
        const int p = work.slot(s).problem;
        const int* sample = &list(s, 0);
        const double *b = &all.beta(p, 0), *g = &all.gradient(p, 0), *w = all.weight;
        const std::int8_t* y = &all.sign(p, 0);
        double *sub_b = &work.beta(s, 0), *sub_g = &work.gradient(s, 0), *bound = &work.bound(s, 0);
        const int size = size_of(work.slot(s), all.samples);
        const bool whole = work.slot(s).whole != 0;
        team_simd_for(member, size, [&](int r) {
          const int i = whole ? r : sample[r];
          sub_b[r] = b[i];
          if (!whole) work.anchor(s, r) = b[i];
          sub_g[r] = g[i];
          bound[r] = bound_of(y[i], c, w[i]);
          set_freedom(work, s, r, b[i], bound[r]);
        });
        team_simd_for(member, places(size) - size, [&](int k) {
          sub_g[size + k] = 0;
          work.grow(s, size + k) = 0;
          work.shrink(s, size + k) = 0;
        });
        member.team_barrier();
        const int free = count_free(member, work, s);
        Kokkos::single(Kokkos::PerTeam(member), [&]() {
          work.slot(s).fresh = work.slot(s).moved = work.slot(s).before = 0;
          work.slot(s).free = free;
          work.slot(s).next = -1;
        });
      });
  fence(exec, "krossfold::svm::load_sub_problems");
}

template <class Exec>
void store_sub_problems(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals,
                        KernelRows<Exec>& kernel) {
  const ListRows work(subs);
  const Rows<double> members(subs.beta), all(duals.beta);
  const int n = duals.samples();
  Kokkos::parallel_for(
      "krossfold::svm::store_sub_problems", large_teams(exec, subs.slots), KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank();
        if (work.slot(s).active == 0) return;
        const int p = work.slot(s).problem, size = size_of(work.slot(s), n);
        const bool whole = work.slot(s).whole != 0;
        const int* sample = &work.sample(s, 0);
        const double* sub_b = &members(s, 0);
        double* b = &all(p, 0);
        const auto moved = [=](int r) { return sub_b[r] != b[whole ? r : sample[r]]; };
        const int changed = team_simd_count(member, size, [=](int r) { return moved(r) ? 1 : 0; });
        const int *sorted = &work.sorted(s, 0), *position = &work.position(s, 0);
        Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, size), [&](int k, int& rank, bool last_pass) {
          const int i = whole ? k : sorted[k], r = whole ? k : position[i];
          if (last_pass && moved(r)) {
            work.changed(s, rank) = i;
            work.change(s, rank) = sub_b[r] - b[i];
          }
          rank += moved(r) ? 1 : 0;
        });
        member.team_barrier();
        team_simd_for(member, size, [=](int r) { b[whole ? r : sample[r]] = sub_b[r]; });
        Kokkos::single(Kokkos::PerTeam(member), [&]() {
          work.slot(s).changed = changed;
          if (changed == 0) work.slot(s).stuck = 1;
        });
      });
  fence(exec, "krossfold::svm::store_sub_problems");
  with_rows(
      subs, kernel, subs.changed, [](const Slot& slot) { return slot.changed; },
      [&](int s, int first, int count) { update_gradient<Exec>(exec, subs, duals, kernel.row, s, first, count); });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                        \
  template SubProblems<Exec> make_sub_problems<Exec>(int, int, int, std::size_t);                          \
  template void assign_slots<Exec>(const Exec&, const SubProblems<Exec>&, int);                            \
  template void load_sub_problems<Exec>(const Exec&, const SubProblems<Exec>&, const DualProblems<Exec>&,  \
                                        KernelRows<Exec>&, double);                                        \
  template void store_sub_problems<Exec>(const Exec&, const SubProblems<Exec>&, const DualProblems<Exec>&, \
                                         KernelRows<Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
