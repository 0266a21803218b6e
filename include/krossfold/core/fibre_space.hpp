// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An execution space that finds errors of team kernels on a CPU, for the preset "fibres" (CONTRIBUTING.md).
//
// The threads of a team are fibres: each runs until it waits at a barrier, and which runs next is random (KROSSFOLD_SEED). So a
// missing barrier shows as a wrong result, which differs from seed to seed; a barrier that only some threads reach, or different
// barriers that threads wait at, end the program with a message. Indices are distributed as on a GPU. Teams come in random order,
// too, and one after another.
//
// Only what the kernels here use is there, and only for Kokkos 3.4, Debian's.

#ifdef KROSSFOLD_FIBRES

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <source_location>

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
  static void impl_static_fence() {}
  void fence() const {}
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

/// Runs body(rank) for all ranks of a team as fibres. Ends the program, naming the barriers, if they do not all wait at the same ones.
void run_team(int size, const std::function<void(int)>& body);
/// Waits until all threads of the team are here; `place` tells barriers apart.
using Place = std::source_location;
void barrier(const Place& place);
/// What thread `rank` of the team has published with publish(). Valid from the next barrier on until the one after.
const void* published(int rank);
void publish(int rank, const void* value);
/// i in [0, n) in a random order that is new each time: order(k) for k = 0 ... n - 1.
std::function<std::int64_t(std::int64_t)> random_order(std::int64_t n);

/// A thread of a team.
class Member {
public:
  using execution_space = Fibres;
  using team_handle = Member;

  Member(int league_rank, int league_size, int rank, int size)
      : league_rank_(league_rank), league_size_(league_size), rank_(rank), size_(size) {}
  int league_rank() const { return league_rank_; }
  int league_size() const { return league_size_; }
  int team_rank() const { return rank_; }
  int team_size() const { return size_; }

  void team_barrier(const Place& place = Place::current()) const { barrier(place); }

  /// Joins the values of all threads in the order of their ranks; every thread gets the result.
  template <class Reducer>
  void team_reduce(const Reducer& reducer, const Place& place = Place::current()) const {
    using Value = typename Reducer::value_type;
    const Value own = reducer.reference();
    publish(rank_, &own);
    barrier(place);
    Value joined = *static_cast<const Value*>(published(0));
    for (int r = 1; r < size_; ++r) reducer.join(joined, *static_cast<const Value*>(published(r)));
    barrier(place);
    reducer.reference() = joined;
  }

  /// The sum of the values of the threads before this one; `total` becomes that of all.
  template <class T>
  T team_scan(const T& value, T* total = nullptr, const Place& place = Place::current()) const {
    const T own = value;
    publish(rank_, &own);
    barrier(place);
    T before{}, all{};
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) before = all;
      all += *static_cast<const T*>(published(r));
    }
    barrier(place);
    if (total != nullptr) *total = all;
    return before;
  }

private:
  int league_rank_, league_size_, rank_, size_;
};

struct ThreadRange {
  const Member& member;
  int begin, end;
};
struct VectorRange {
  int begin, end;
};
struct OncePerTeam {
  const Member& member;
};
struct OncePerThread {};

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
inline krossfold::fibres::VectorRange ThreadVectorRange(const krossfold::fibres::Member&, int end) { return {0, end}; }
inline krossfold::fibres::OncePerTeam PerTeam(const krossfold::fibres::Member& member) { return {member}; }
inline krossfold::fibres::OncePerThread PerThread(const krossfold::fibres::Member&) { return {}; }

template <class Body>
void single(const krossfold::fibres::OncePerTeam& once, const Body& body) {
  if (once.member.team_rank() == 0) body();
}
template <class Body>
void single(const krossfold::fibres::OncePerThread&, const Body& body) {
  body();
}

template <class Body>
void parallel_for(const krossfold::fibres::ThreadRange& range, const Body& body) {
  for (int i = range.begin + range.member.team_rank(); i < range.end; i += range.member.team_size()) body(i);
}
template <class Body>
void parallel_for(const krossfold::fibres::VectorRange& range, const Body& body) {
  for (int i = range.begin; i < range.end; ++i) body(i);
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
void parallel_reduce(const krossfold::fibres::VectorRange& range, const Body& body, const Reducer& reducer) {
  typename Reducer::value_type own;
  reducer.init(own);
  for (int i = range.begin; i < range.end; ++i) body(i, own);
  reducer.reference() = own;
}
template <class Body, class T>
  requires(!Kokkos::is_reducer<T>::value)
void parallel_reduce(const krossfold::fibres::VectorRange& range, const Body& body, T& result) {
  result = T{};
  for (int i = range.begin; i < range.end; ++i) body(i, result);
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

  TeamPolicyInternal(const execution_space&, int league, int team, int = 1) : league_(league), team_(team) {}
  TeamPolicyInternal(const execution_space& space, int league, const AUTO_t&, int = 1)
      : TeamPolicyInternal(space, league, execution_space::team_size()) {}
  TeamPolicyInternal(int league, const AUTO_t&, int = 1)
      : TeamPolicyInternal(execution_space(), league, execution_space::team_size()) {}
  TeamPolicyInternal(int league, int team, int = 1) : TeamPolicyInternal(execution_space(), league, team) {}

  const execution_space& space() const {
    static const execution_space one;
    return one;
  }
  int league_size() const { return league_; }
  int team_size() const { return team_; }
  int impl_vector_length() const { return 1; }
  bool impl_auto_team_size() const { return false; }
  bool impl_auto_vector_length() const { return false; }
  void impl_set_team_size(std::size_t) {}
  void impl_set_vector_length(std::size_t) {}
  int chunk_size() const { return 1; }
  template <class Body>
  int team_size_max(const Body&, const ParallelForTag&) const {
    return 64;
  }

private:
  int league_, team_;
};

template <class Body, class... Properties>
class ParallelFor<Body, TeamPolicy<Properties...>, krossfold::Fibres> {
  using Policy = TeamPolicyInternal<krossfold::Fibres, Properties...>;

public:
  ParallelFor(const Body& body, const Policy& policy) : body_(body), policy_(policy) {}
  void execute() const {
    const auto order = krossfold::fibres::random_order(policy_.league_size());
    for (int k = 0; k < policy_.league_size(); ++k) {
      const int team = static_cast<int>(order(k)), size = policy_.team_size();
      krossfold::fibres::run_team(
          size, [&](int rank) { body_(krossfold::fibres::Member(team, policy_.league_size(), rank, size)); });
    }
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
    using Index = typename Policy::member_type;
    const auto order = krossfold::fibres::random_order(static_cast<std::int64_t>(policy_.end() - policy_.begin()));
    for (std::int64_t k = 0, n = policy_.end() - policy_.begin(); k < n; ++k) {
      body_(static_cast<Index>(policy_.begin() + static_cast<Index>(order(k))));
    }
  }

private:
  const Body body_;
  const Policy policy_;
};

/// The other patterns are those of one thread.
template <class Body, class... Traits>
class ParallelFor<Body, MDRangePolicy<Traits...>, krossfold::Fibres>
    : public ParallelFor<Body, MDRangePolicy<Traits...>, Serial> {
  using ParallelFor<Body, MDRangePolicy<Traits...>, Serial>::ParallelFor;
};
template <class Body, class Reducer, class... Traits>
class ParallelReduce<Body, RangePolicy<Traits...>, Reducer, krossfold::Fibres>
    : public ParallelReduce<Body, RangePolicy<Traits...>, Reducer, Serial> {
  using ParallelReduce<Body, RangePolicy<Traits...>, Reducer, Serial>::ParallelReduce;
};
template <class Body, class... Traits>
class ParallelScan<Body, RangePolicy<Traits...>, krossfold::Fibres>
    : public ParallelScan<Body, RangePolicy<Traits...>, Serial> {
  using ParallelScan<Body, RangePolicy<Traits...>, Serial>::ParallelScan;
};

}  // namespace Impl
}  // namespace Kokkos

#endif  // KROSSFOLD_FIBRES
