// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernels of several networks as one: a device begins one kernel in some microseconds, however small it is, so that many small ones leave
// it idle. Horizontal fusion: Wang et al., "Horizontally Fused Training Array", MLSys 3 (2021).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "krossfold/core/launch_graph.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold {
namespace fused {

template <class Exec>
using Bodies = Kokkos::View<const std::byte*, Kokkos::LayoutRight, typename Exec::memory_space>;

/// A kernel that was noted instead of launched, and can be launched for several bodies at once.
template <class Exec>
class Kernel {
public:
  virtual ~Kernel() = default;
  virtual bool like(const Kernel& other) const = 0;  ///< the same code on as many indices
  virtual const void* body() const = 0;              ///< with the arguments that it has captured
  virtual std::size_t body_bytes() const = 0;
  virtual void launch_all(const Exec& exec, const Bodies<Exec>& bodies, int count) const = 0;
};

/// What kernels of any pattern have: a label, a size in indices or teams, and a body.
template <class Exec, class Size, class Body>
class KernelOf : public Kernel<Exec> {
public:
  bool like(const Kernel<Exec>& other) const final {
    return typeid(other) == typeid(*this) && static_cast<const KernelOf&>(other).size_ == size_;
  }
  const void* body() const final { return &body_; }
  std::size_t body_bytes() const final { return sizeof(Body); }

protected:
  KernelOf(std::string label, Size size, const Body& body) : label_(std::move(label)), size_(size), body_(body) {}

  std::string label_;
  Size size_;

private:
  Body body_;
};

template <class Exec>
using Noted = std::vector<std::unique_ptr<Kernel<Exec>>>;

/// Where this thread notes kernels; nullptr while it launches them.
template <class Exec>
Noted<Exec>*& noted_here() {
  thread_local Noted<Exec>* here = nullptr;
  return here;
}

/// Body number k of adjacent ones. The distance is that of the host's compiler: it, too, decides what a launch copies.
template <class Body>
KOKKOS_INLINE_FUNCTION const Body& body_at(const std::byte* bodies, std::int64_t k, int bytes) {
  return *reinterpret_cast<const Body*>(bodies + k * bytes);
}

/// The range kernels of several networks. As a type of its own, because nvcc takes no lambda within a template of lambdas.
template <class Exec, class Index, class Body>
struct RangesOfAll {
  Bodies<Exec> bodies;
  std::int64_t indices, padded;  ///< of each; padded to whole warps, so that none computes for two networks
  int body_bytes;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t at) const {
    const std::int64_t which = at / padded, k = at - which * padded;
    if (k >= indices) return;
    const Body own = body_at<Body>(bodies.data(), which, body_bytes);
    own(static_cast<Index>(k));
  }
};

template <class Exec, class Index, class Body>
class Range final : public KernelOf<Exec, Index, Body> {
public:
  Range(std::string label, Index count, const Body& body)
      : KernelOf<Exec, Index, Body>(std::move(label), count, body) {}

  void launch_all(const Exec& exec, const Bodies<Exec>& bodies, int count) const override {
    constexpr int warp = 32;
    const std::int64_t indices = this->size_, padded = (indices + warp - 1) / warp * warp;
    Kokkos::parallel_for(this->label_,
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, padded * count),
                         RangesOfAll<Exec, Index, Body>{bodies, indices, padded, static_cast<int>(sizeof(Body))});
  }
};

/// The team kernel of one network, which takes the number of its team as an argument.
template <class Exec, class Body>
struct TeamsOfOne {
  Body body;
  KOKKOS_INLINE_FUNCTION void operator()(const Team<Exec>& member) const { body(member, member.league_rank()); }
};

template <class Exec, class Body>
struct TeamsOfAll {
  Bodies<Exec> bodies;
  int teams, body_bytes;  ///< teams of each network

  KOKKOS_INLINE_FUNCTION void operator()(const Team<Exec>& member) const {
    const int which = member.league_rank() / teams;
    const Body own = body_at<Body>(bodies.data(), which, body_bytes);
    own(member, member.league_rank() - which * teams);
  }
};

template <class Exec, class PolicyOf, class Body>
class Teams final : public KernelOf<Exec, int, Body> {
public:
  Teams(std::string label, int teams, const PolicyOf& policy_of, const Body& body)
      : KernelOf<Exec, int, Body>(std::move(label), teams, body), policy_of_(policy_of) {}

  void launch_all(const Exec&, const Bodies<Exec>& bodies, int count) const override {
    Kokkos::parallel_for(this->label_, policy_of_(this->size_ * count),
                         TeamsOfAll<Exec, Body>{bodies, this->size_, static_cast<int>(sizeof(Body))});
  }

private:
  PolicyOf policy_of_;
};

}  // namespace fused

/// body(k) for 0 <= k < count, a kernel that can be fused.
template <class Exec, class Index, class Body>
void launch_range(const std::string& label, const Exec& exec, Index count, const Body& body) {
  if constexpr (repeats_launches<Exec>) {
    if (auto* noted = fused::noted_here<Exec>()) {
      noted->push_back(std::make_unique<fused::Range<Exec, Index, Body>>(label, count, body));
      return;
    }
  }
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count), body);
}

/// body(member, t) for the teams 0 <= t < teams, a kernel that can be fused: member.league_rank() is of no use to it.
/// policy_of(n) = the policy of n teams.
template <class Exec, class PolicyOf, class Body>
void launch_teams(const std::string& label, int teams, const PolicyOf& policy_of, const Body& body) {
  if constexpr (repeats_launches<Exec>) {
    if (auto* noted = fused::noted_here<Exec>()) {
      noted->push_back(std::make_unique<fused::Teams<Exec, PolicyOf, Body>>(label, teams, policy_of, body));
      return;
    }
  }
  Kokkos::parallel_for(label, policy_of(teams), fused::TeamsOfOne<Exec, Body>{body});
}

/// What several functions launch by launch_range() and launch_teams(), one kernel in the place of one for each of them, if all of them
/// launch the same ones. The arguments of each lie in memory of the device, so they are those of the time when this was made, and Views that the kernels use live
/// as long as this. Each index and team computes what it computes alone: results are bitwise the same.
///
/// The functions must launch nothing else (it would run when this is made, and never again), wait for nothing and read nothing that
/// kernels write. They are called once, when this is made.
template <class Exec>
class FusedLaunch {
public:
  FusedLaunch(const Exec& exec, const std::vector<std::function<void()>>& functions);
  ~FusedLaunch();
  FusedLaunch(const FusedLaunch&) = delete;
  FusedLaunch& operator=(const FusedLaunch&) = delete;

  /// Whether all functions launch the same kernels, one after another, on as many indices, in a space that repeats launches
  /// (launch_graph.hpp); launch() must not be called otherwise.
  bool fits() const { return fits_; }
  /// Does not wait. From the second time on a graph, where the space has graphs.
  void launch();
  bool recorded() const { return graph_ && graph_->recorded(); }

private:
  void launch_kernels() const;

  Exec exec_;
  std::vector<fused::Noted<Exec>> noted_;    ///< (function, kernel)
  std::vector<fused::Bodies<Exec>> bodies_;  ///< (kernel): those of all functions
  bool fits_, launched_ = false;
  std::optional<LaunchGraph<Exec>> graph_;
};

}  // namespace krossfold
