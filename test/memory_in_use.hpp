// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether something that is done many times keeps memory.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "krossfold/core/text.hpp"
#include "krossfold/core/view.hpp"
#include "test/sanitizer.hpp"

namespace krossfold::test {

/// Bytes that this process has allocated and not freed (glibc); 0 under a sanitizer, which allocates itself.
inline std::size_t memory_in_use() {
  if (sanitized()) return 0;
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

/// What Kokkos has allocated, on the host and on devices, and what of it was not freed.
struct KokkosMemory {
  std::int64_t made = 0;                        ///< allocations
  std::int64_t kept = 0, bytes = 0;             ///< allocations less deallocations, and their bytes
  std::map<std::string, std::int64_t> kept_of;  ///< of each label
};

/// "LABEL +3" for each label of which more or fewer allocations are kept than before.
inline std::string changed_labels(const KokkosMemory& before, const KokkosMemory& now) {
  std::string all;
  for (const auto& [label, kept] : now.kept_of) {
    const auto found = before.kept_of.find(label);
    const std::int64_t more = kept - (found == before.kept_of.end() ? 0 : found->second);
    if (more != 0) all += text(all.empty() ? "" : ", ", label, more > 0 ? " +" : " ", more);
  }
  return all;
}

/// Counts the allocations of Kokkos, all or those of one label, until the end of the scope, through its callbacks for tools; those that were set before are called, too
/// (fibres have one).
class KokkosAllocations {
public:
  explicit KokkosAllocations(const std::string& label = "") {
    namespace tools = Kokkos::Tools::Experimental;
    counted() = {};
    wanted() = label;
    before() = tools::get_callbacks();
    tools::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle space, const char* label, const void* memory, std::uint64_t bytes) {
          if (counts(label)) {
            ++counted().made;
            add(label, 1, static_cast<std::int64_t>(bytes));
          }
          if (before().allocate_data != nullptr) before().allocate_data(space, label, memory, bytes);
        });
    tools::set_deallocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle space, const char* label, const void* memory, std::uint64_t bytes) {
          if (counts(label)) add(label, -1, -static_cast<std::int64_t>(bytes));
          if (before().deallocate_data != nullptr) before().deallocate_data(space, label, memory, bytes);
        });
  }
  ~KokkosAllocations() { Kokkos::Tools::Experimental::set_callbacks(before()); }
  KokkosAllocations(const KokkosAllocations&) = delete;
  KokkosAllocations& operator=(const KokkosAllocations&) = delete;

  KokkosMemory so_far() const {
    Kokkos::fence();
    return counted();
  }

private:
  // The callbacks take no context.
  static KokkosMemory& counted() {
    static KokkosMemory one;
    return one;
  }
  static std::string& wanted() {
    static std::string one;
    return one;
  }
  static void add(const char* label, std::int64_t allocations, std::int64_t bytes) {
    counted().kept += allocations;
    counted().bytes += bytes;
    counted().kept_of[label] += allocations;
  }
  static bool counts(const char* label) { return wanted().empty() || wanted() == label; }
  static Kokkos::Tools::Experimental::EventSet& before() {
    static Kokkos::Tools::Experimental::EventSet one;
    return one;
  }
};

/// Does it `few` times and then until it was done `many` times, and expects no more memory in use than after the few: none of the
/// times may keep a hundred bytes, and all of them together may not keep one allocation of Kokkos. On devices fewer times, as small
/// work takes long there, and bytes of the C library are not counted, which the driver uses, too.
inline void expect_no_memory_is_kept(const std::function<void()>& action, int few = 10,
                                     int many = cpu_backend() ? 1000 : 100) {
  const KokkosAllocations allocations;
  for (int i = 0; i < few; ++i) action();
  const KokkosMemory held = allocations.so_far();
  const std::size_t before = memory_in_use();
  for (int i = few; i < many; ++i) action();
  const std::size_t after = memory_in_use();
  const KokkosMemory now = allocations.so_far();
  EXPECT_GE(now.made - held.made, many - few) << "Kokkos does not report its allocations";
  EXPECT_EQ(now.kept, held.kept) << "Views were kept, or those of the first " << few
                                 << " times freed: " << changed_labels(held, now);
  EXPECT_EQ(now.bytes, held.bytes);
  if (!cpu_backend()) return;
  if (before == 0) GTEST_SKIP() << "the C library does not tell how much memory is in use, or a sanitizer allocates";
  EXPECT_LE(after, before + 100 * static_cast<std::size_t>(many - few))
      << (after - before) / static_cast<std::size_t>(many - few) << " bytes a time";
}

}  // namespace krossfold::test
