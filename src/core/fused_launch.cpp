// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/fused_launch.hpp"

#include <cstring>

namespace krossfold {
namespace {

/// Notes what a function launches as long as it lives.
template <class Exec>
class Noting {
public:
  explicit Noting(fused::Noted<Exec>& noted) : before_(std::exchange(fused::noted_here<Exec>(), &noted)) {}
  ~Noting() { fused::noted_here<Exec>() = before_; }
  Noting(const Noting&) = delete;
  Noting& operator=(const Noting&) = delete;

private:
  fused::Noted<Exec>* before_;
};

template <class Exec>
bool all_alike(const std::vector<fused::Noted<Exec>>& noted) {
  for (const auto& kernels : noted) {
    if (kernels.size() != noted.front().size()) return false;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (!kernels[k]->like(*noted.front()[k])) return false;
    }
  }
  return true;
}

}  // namespace

template <class Exec>
FusedLaunch<Exec>::FusedLaunch(const Exec& exec, const std::vector<std::function<void()>>& functions)
    : exec_(exec), noted_(functions.size()), fits_(repeats_launches<Exec>) {
  if (!fits_) return;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const Noting<Exec> noting(noted_[f]);
    functions[f]();
  }
  fits_ = !noted_.empty() && all_alike<Exec>(noted_);
  if (!fits_) return;
  for (std::size_t k = 0; k < noted_.front().size(); ++k) {
    const std::size_t bytes = noted_.front()[k]->body_bytes();
    const Kokkos::View<std::byte*, Kokkos::LayoutRight, typename Exec::memory_space> bodies(
        uninitialized("krossfold::core::bodies"), bytes * noted_.size());
    const auto host = Kokkos::create_mirror_view(bodies);
    wait_like_a_copy();
    for (std::size_t f = 0; f < noted_.size(); ++f) std::memcpy(&host(f * bytes), noted_[f][k]->body(), bytes);
    Kokkos::deep_copy(bodies, host);
    bodies_.push_back(bodies);
  }
}

template <class Exec>
FusedLaunch<Exec>::~FusedLaunch() {
  fence(exec_, "krossfold::core::fused_launch");  // kernels may still read the bodies
}

template <class Exec>
void FusedLaunch<Exec>::launch_kernels() const {
  const auto count = static_cast<int>(noted_.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) noted_.front()[k]->launch_all(exec_, bodies_[k], count);
}

template <class Exec>
void FusedLaunch<Exec>::launch() {
  if (!launched_) {  // Kokkos prepares a kernel when it is launched for the first time
    launch_kernels();
    launched_ = true;
    return;
  }
  if (!graph_) graph_.emplace(exec_, [this] { launch_kernels(); });
  graph_->launch();
}

#define KROSSFOLD_INSTANTIATE(Exec) template class FusedLaunch<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold
