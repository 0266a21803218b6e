// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An execution space that finds errors of team kernels on a CPU, for the preset "fibres" (CONTRIBUTING.md).
//
// The threads of a team are fibres: each runs until it waits at a barrier, and which runs next is random (KROSSFOLD_SEED). So a
// missing barrier shows as a wrong result, which differs from seed to seed; a barrier that only some threads reach, or different
// barriers that threads wait at, end the program with a message. Indices are distributed as on a GPU. Teams come in random order,
// too, and one after another. The vector lanes of a thread are fibres, too, which wait for one another where they reduce.
//
// A kernel runs as late as it may: at the next fence, copy or release of memory. So what reads its results without a fence, or
// overwrites what it reads, finds the old ones. KROSSFOLD_LATE=0 runs it at once.
//
// Only what the kernels here use is there, and only for Kokkos 3.4, Debian's.

#ifdef KROSSFOLD_FIBRES

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <source_location>
#include <vector>

#if KOKKOS_VERSION >= 30500
#error "The execution space of fibres is written for Kokkos 3.4."
#endif

namespace krossfold {

class Fibres {
public:
  using execution_space = Fibres;
  using memory_space = Kokkos::HostSpace;
  using size_type = memory_space::size_type;
  using device_type = Kokkos::Device<Fibres, Kokkos::HostSpace>;
  using array_layout = Kokkos::LayoutRight;
  using scratch_memory_space = Kokkos::ScratchMemorySpace<Fibres>;

  static int in_parallel() { return 0; }
  static void impl_static_fence();
  void fence() const { impl_static_fence(); }
  /// More than one, so that sizes that depend on it are not those of one thread.
  static int concurrency() { return 4; }
  static const char* name() { return "Fibres"; }
  static void print_configuration(std::ostream&, bool = false) {}
  static int impl_thread_pool_size(int = 0) { return 1; }
  static int impl_thread_pool_rank() { return 0; }
  std::uint32_t impl_instance_id() const noexcept { return 0; }

  /// Threads of a team of AUTO size: KROSSFOLD_TEAM_SIZE, 8 by default.
  static int team_size();
};

namespace fibres {

/// Runs kernel() at the next finish().
void launch(std::function<void()> kernel);
/// Runs all that was launched, in order; does nothing within a kernel.
void finish();

/// Runs body(rank, lane) for all lanes of all threads of a team as fibres. Ends the program, naming the barriers, if the fibres do
/// not all wait at the same ones, or the lanes of a thread at the same of theirs.
void run_team(int threads, int lanes, const std::function<void(int, int)>& body);
/// The most lanes that a thread has: KROSSFOLD_LANES, 4 by default. A kernel that asks for more gets so many.
int most_lanes();
enum class Group { team, thread };
/// Waits until all fibres of the team, or all lanes of the thread, are here; `place` tells barriers apart.
using Place = std::source_location;
void barrier(Group group, const Place& place);
/// What a lane of a thread of the team has published with publish(). Valid from the next barrier on until the one after.
const void* published(int rank, int lane);
void publish(const void* value);
/// i in [0, n) in a random order that is new each time: order(k) for k = 0 ... n - 1.
std::function<std::int64_t(std::int64_t)> random_order(std::int64_t n);

/// A lane of a thread of a team; most kernels ask for one lane only.
class Member {
public:
  using execution_space = Fibres;
  using team_handle = Member;

  using Scratch = Fibres::scratch_memory_space;

  Member(int league_rank, int league_size, int rank, int size, int lane = 0, int lanes = 1,
         const Scratch& scratch = Scratch())
      : league_rank_(league_rank),
        league_size_(league_size),
        rank_(rank),
        size_(size),
        lane_(lane),
        lanes_(lanes),
        scratch_(scratch) {}
  int league_rank() const { return league_rank_; }
  int league_size() const { return league_size_; }
  int team_rank() const { return rank_; }
  int team_size() const { return size_; }
  int lane() const { return lane_; }
  int lanes() const { return lanes_; }

  const Scratch& team_scratch(int) const { return scratch_; }  ///< of level 0 alone; it holds NaN at first
  void team_barrier(const Place& place = Place::current()) const { barrier(Group::team, place); }

  /// Joins the values of all threads in the order of their ranks; every thread gets the result.
  template <class Reducer>
  void team_reduce(const Reducer& reducer, const Place& place = Place::current()) const {
    reduce(
        Group::team, size_, [this](int r) { return published(r, lane_); }, reducer, place);
  }

  /// Joins the values of the lanes of this thread in their order; every lane gets the result.
  template <class Reducer>
  void lane_reduce(const Reducer& reducer, const Place& place) const {
    reduce(
        Group::thread, lanes_, [this](int l) { return published(rank_, l); }, reducer, place);
  }

  /// The sum of the values of the threads before this one; `total` becomes that of all.
  template <class T>
  T team_scan(const T& value, T* total = nullptr, const Place& place = Place::current()) const {
    const T own = value;
    publish(&own);
    barrier(Group::team, place);
    T before{}, all{};
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) before = all;
      all += *static_cast<const T*>(published(r, lane_));
    }
    barrier(Group::team, place);
    if (total != nullptr) *total = all;
    return before;
  }

private:
  int league_rank_, league_size_, rank_, size_, lane_, lanes_;
  Scratch scratch_;

  template <class Reducer, class Published>
  static void reduce(Group group, int count, const Published& value_of, const Reducer& reducer, const Place& place) {
    using Value = typename Reducer::value_type;
    const Value own = reducer.reference();
    publish(&own);
    barrier(group, place);
    Value joined = *static_cast<const Value*>(value_of(0));
    for (int k = 1; k < count; ++k) reducer.join(joined, *static_cast<const Value*>(value_of(k)));
    barrier(group, place);
    reducer.reference() = joined;
  }
};

struct ThreadRange {
  const Member& member;
  int begin, end;
};
struct VectorRange {
  const Member& member;
  int begin, end;
};
struct OncePerTeam {
  const Member& member;
};
struct OncePerThread {
  const Member& member;
};

}  // namespace fibres
}  // namespace krossfold

namespace Kokkos {

namespace Tools::Experimental {
template <>
struct DeviceTypeTraits<krossfold::Fibres> {
  static constexpr DeviceType id = DeviceType::Serial;
};
}  // namespace Tools::Experimental

inline krossfold::fibres::ThreadRange TeamThreadRange(const krossfold::fibres::Member& member, int end) {
  return {member, 0, end};
}
inline krossfold::fibres::ThreadRange TeamThreadRange(const krossfold::fibres::Member& member, int begin, int end) {
  return {member, begin, end};
}
inline krossfold::fibres::VectorRange ThreadVectorRange(const krossfold::fibres::Member& member, int end) {
  return {member, 0, end};
}
inline krossfold::fibres::OncePerTeam PerTeam(const krossfold::fibres::Member& member) { return {member}; }
inline krossfold::fibres::OncePerThread PerThread(const krossfold::fibres::Member& member) { return {member}; }

template <class Body>
void single(const krossfold::fibres::OncePerTeam& once, const Body& body) {
  if (once.member.team_rank() == 0 && once.member.lane() == 0) body();
}
template <class Body>
void single(const krossfold::fibres::OncePerThread& once, const Body& body) {
  if (once.member.lane() == 0) body();
}

template <class Body>
void parallel_for(const krossfold::fibres::ThreadRange& range, const Body& body) {
  for (int i = range.begin + range.member.team_rank(); i < range.end; i += range.member.team_size()) body(i);
}
template <class Body>
void parallel_for(const krossfold::fibres::VectorRange& range, const Body& body) {
  for (int i = range.begin + range.member.lane(); i < range.end; i += range.member.lanes()) body(i);
}
template <class Body, class T>
  requires(!Kokkos::is_reducer<T>::value)
void parallel_reduce(const krossfold::fibres::ThreadRange& range, const Body& body, T& result,
                     const krossfold::fibres::Place& place = krossfold::fibres::Place::current()) {
  T own{};
  for (int i = range.begin + range.member.team_rank(); i < range.end; i += range.member.team_size()) body(i, own);
  range.member.team_reduce(Kokkos::Sum<T>(own), place);
  result = own;
}
template <class Body, class Reducer>
  requires(Kokkos::is_reducer<Reducer>::value)
void parallel_reduce(const krossfold::fibres::ThreadRange& range, const Body& body, const Reducer& reducer,
                     const krossfold::fibres::Place& place = krossfold::fibres::Place::current()) {
  typename Reducer::value_type own;
  reducer.init(own);
  for (int i = range.begin + range.member.team_rank(); i < range.end; i += range.member.team_size()) body(i, own);
  range.member.team_reduce(Reducer(own), place);
  reducer.reference() = own;
}
template <class Body, class Reducer>
  requires(Kokkos::is_reducer<Reducer>::value)
void parallel_reduce(const krossfold::fibres::VectorRange& range, const Body& body, const Reducer& reducer,
                     const krossfold::fibres::Place& place = krossfold::fibres::Place::current()) {
  typename Reducer::value_type own;
  reducer.init(own);
  for (int i = range.begin + range.member.lane(); i < range.end; i += range.member.lanes()) body(i, own);
  range.member.lane_reduce(Reducer(own), place);
  reducer.reference() = own;
}
template <class Body, class T>
  requires(!Kokkos::is_reducer<T>::value)
void parallel_reduce(const krossfold::fibres::VectorRange& range, const Body& body, T& result,
                     const krossfold::fibres::Place& place = krossfold::fibres::Place::current()) {
  parallel_reduce(range, body, Kokkos::Sum<T>(result), place);
}
/// As on a GPU: the team takes one index a thread at a time.
template <class Body>
void parallel_scan(const krossfold::fibres::ThreadRange& range, const Body& body,
                   const krossfold::fibres::Place& place = krossfold::fibres::Place::current()) {
  using Value = typename Impl::FunctorAnalysis<Impl::FunctorPatternInterface::SCAN, void, Body>::value_type;
  Value before{};
  for (int first = range.begin; first < range.end; first += range.member.team_size()) {
    const int i = first + range.member.team_rank();
    Value own{}, total{};
    if (i < range.end) body(i, own, false);
    Value at = before + range.member.team_scan(own, &total, place);
    if (i < range.end) body(i, at, true);
    before += total;
  }
}

namespace Impl {

template <class... Properties>
class TeamPolicyInternal<krossfold::Fibres, Properties...> : public PolicyTraits<Properties...> {
public:
  using traits = PolicyTraits<Properties...>;
  using execution_policy = TeamPolicyInternal;
  using execution_space = krossfold::Fibres;
  using member_type = krossfold::fibres::Member;

  TeamPolicyInternal(const execution_space&, int league, int team, int lanes = 1)
      : league_(league), team_(team), lanes_(std::min(lanes, krossfold::fibres::most_lanes())) {}
  TeamPolicyInternal(const execution_space& space, int league, const AUTO_t&, int lanes = 1)
      : TeamPolicyInternal(space, league, execution_space::team_size(), lanes) {}
  TeamPolicyInternal(int league, const AUTO_t&, int lanes = 1)
      : TeamPolicyInternal(execution_space(), league, execution_space::team_size(), lanes) {}
  TeamPolicyInternal(int league, int team, int lanes = 1)
      : TeamPolicyInternal(execution_space(), league, team, lanes) {}

  const execution_space& space() const {
    static const execution_space one;
    return one;
  }
  int league_size() const { return league_; }
  int team_size() const { return team_; }
  int impl_vector_length() const { return lanes_; }
  bool impl_auto_team_size() const { return false; }
  bool impl_auto_vector_length() const { return false; }
  void impl_set_team_size(std::size_t) {}
  void impl_set_vector_length(std::size_t) {}
  int chunk_size() const { return 1; }
  /// Bytes of scratch memory: Kokkos gives the largest team of a GPU, for which it needs some itself, so many at level 0.
  TeamPolicyInternal& set_scratch_size(int level, const PerTeamValue& bytes) {
    if (level != 0 || bytes.value > 40936) Kokkos::abort("fibres: more scratch memory than a device has at level 0");
    scratch_ = static_cast<int>(bytes.value);
    return *this;
  }
  int scratch_size() const { return scratch_; }
  template <class Body>
  int team_size_max(const Body&, const ParallelForTag&) const {
    return 64;
  }

private:
  int league_, team_, lanes_, scratch_ = 0;
};

template <class Body, class... Properties>
class ParallelFor<Body, TeamPolicy<Properties...>, krossfold::Fibres> {
  using Policy = TeamPolicyInternal<krossfold::Fibres, Properties...>;

public:
  ParallelFor(const Body& body, const Policy& policy) : body_(body), policy_(policy) {}
  void execute() const {
    krossfold::fibres::launch([body = body_, policy = policy_] {
      const int league = policy.league_size(), size = policy.team_size(), lanes = policy.impl_vector_length();
      const auto order = krossfold::fibres::random_order(league);
      std::vector<double> scratch((policy.scratch_size() + 7) / 8);
      for (int k = 0; k < league; ++k) {
        const int team = static_cast<int>(order(k));
        std::fill(scratch.begin(), scratch.end(), std::numeric_limits<double>::quiet_NaN());
        const krossfold::fibres::Member::Scratch space(scratch.data(), 8 * scratch.size());
        krossfold::fibres::run_team(size, lanes, [&](int rank, int lane) {
          body(krossfold::fibres::Member(team, league, rank, size, lane, lanes, space));
        });
      }
    });
  }

private:
  const Body body_;
  const Policy policy_;
};

/// Indices in random order: no iteration may depend on another.
template <class Body, class... Traits>
class ParallelFor<Body, RangePolicy<Traits...>, krossfold::Fibres> {
  using Policy = RangePolicy<Traits...>;

public:
  ParallelFor(const Body& body, const Policy& policy) : body_(body), policy_(policy) {}
  void execute() const {
    krossfold::fibres::launch([body = body_, policy = policy_] {
      using Index = typename Policy::member_type;
      const auto n = static_cast<std::int64_t>(policy.end() - policy.begin());
      const auto order = krossfold::fibres::random_order(n);
      for (std::int64_t k = 0; k < n; ++k) {
        body(static_cast<Index>(policy.begin() + static_cast<Index>(order(k))));
      }
    });
  }

private:
  const Body body_;
  const Policy policy_;
};

/// The other patterns are those of one thread, which does not start before all that was launched has ended.
template <class OneThread>
class AtOnce : public OneThread {
public:
  using OneThread::OneThread;
  void execute() const {
    krossfold::fibres::finish();
    OneThread::execute();
  }
};
template <class Body, class... Traits>
class ParallelFor<Body, MDRangePolicy<Traits...>, krossfold::Fibres>
    : public AtOnce<ParallelFor<Body, MDRangePolicy<Traits...>, Serial>> {
  using AtOnce<ParallelFor<Body, MDRangePolicy<Traits...>, Serial>>::AtOnce;
};
template <class Body, class Reducer, class... Traits>
class ParallelReduce<Body, RangePolicy<Traits...>, Reducer, krossfold::Fibres>
    : public AtOnce<ParallelReduce<Body, RangePolicy<Traits...>, Reducer, Serial>> {
  using AtOnce<ParallelReduce<Body, RangePolicy<Traits...>, Reducer, Serial>>::AtOnce;
};
template <class Body, class... Traits>
class ParallelScan<Body, RangePolicy<Traits...>, krossfold::Fibres>
    : public AtOnce<ParallelScan<Body, RangePolicy<Traits...>, Serial>> {
  using AtOnce<ParallelScan<Body, RangePolicy<Traits...>, Serial>>::AtOnce;
};

/// A copy in the order of the kernels of an instance, which does not wait.
template <>
struct DeepCopy<HostSpace, HostSpace, krossfold::Fibres> {
  DeepCopy(void* to, const void* from, std::size_t bytes) {
    krossfold::fibres::finish();
    hostspace_parallel_deepcopy(to, from, bytes);
  }
  DeepCopy(const krossfold::Fibres&, void* to, const void* from, std::size_t bytes) {
    krossfold::fibres::launch([=] { hostspace_parallel_deepcopy(to, from, bytes); });
  }
};

}  // namespace Impl
}  // namespace Kokkos

#endif  // KROSSFOLD_FIBRES
