// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "krossfold/core/processor.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "wording.hpp"

namespace krossfold::doctor {

namespace {

/// True if something is the same on every rank.
template <class Member>
bool equal_on_all(const Ranks& ranks, Member member) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](const RankFacts& rank) { return rank.*member == ranks[0].*member; });
}

}  // namespace

Finding check_build(const Ranks& ranks) {
  const std::string found = by_rank(ranks, [](const RankFacts& rank) {
    return rank.build + (rank.optimised ? "" : ", compiled without optimisation");
  });
  if (!equal_on_all(ranks, &RankFacts::build)) {
    return judged("build", Verdict::wrong, found, "Start the same program on every host.");
  }
  const bool optimised = ranks_where(ranks, [](const RankFacts& rank) { return !rank.optimised; }).empty();
  return judged("build", optimised ? Verdict::ok : Verdict::slow, found, "Build the preset release.");
}

Finding check_processor(const Ranks& ranks) {
  const std::string found = by_rank(ranks, [](const RankFacts& rank) {
    std::string said = rank.processor;
    if (rank.processor_level > 0) {
      said += text(", ", level_name(rank.processor_level), "; program for ", level_name(rank.build_level));
    }
    if (!rank.missing_instructions.empty()) said += text(" with ", rank.missing_instructions, ", which it lacks");
    return said;
  });
  const auto lacking = ranks_where(ranks, [](const RankFacts& rank) { return !rank.missing_instructions.empty(); });
  if (!lacking.empty()) {
    return judged(
        "processor", Verdict::wrong, found,
        text("The program may end with an illegal instruction. Build it on this kind of machine, or for all x86-64 "
             "processors since 2013: cmake -DKROSSFOLD_ARCH=x86-64-v3."));
  }
  int level = ranks[0].processor_level;
  for (const RankFacts& rank : ranks) level = std::min(level, rank.processor_level);
  if (ranks[0].build_level < level) {
    return judged("processor", Verdict::slow, found,
                  text("Build for this machine: cmake -DKROSSFOLD_ARCH=native, or ", level_name(level), "."));
  }
  return judged(
      "processor", equal_on_all(ranks, &RankFacts::processor) ? Verdict::ok : Verdict::slow, found,
      "Use one kind of processor: results are bitwise identical only there, and a training of several ranks waits "
      "for the slowest.");
}

Finding check_blas(const Ranks& ranks) {
  const std::string found = by_rank(ranks, [](const RankFacts& rank) {
    std::string said = rank.blas;
    if (rank.blas_threads > 0)
      said += rank.blas_threads == 1 ? ", 1 thread" : text(", ", rank.blas_threads, " threads");
    const std::string forced = setting(rank, "OPENBLAS_CORETYPE");
    return forced.empty() ? said : text(said, ", by OPENBLAS_CORETYPE=", forced);
  });
  for (const RankFacts& rank : ranks) {
    if (rank.better_blas.empty()) continue;
    return judged("BLAS", Verdict::slow, found,
                  text("This kernel does not use what the processor can do: set OPENBLAS_CORETYPE=", rank.better_blas,
                       ", or unset it, and krossfold chooses the kernel."));
  }
  if (!ranks_where(ranks, [](const RankFacts& rank) { return rank.blas == reference_blas; }).empty()) {
    return judged(
        "BLAS", Verdict::slow, found,
        "Matrix products take many times as long as with OpenBLAS: install it (Debian: libopenblas0) and choose it "
        "with update-alternatives, or check LD_LIBRARY_PATH.");
  }
  if (!equal_on_all(ranks, &RankFacts::blas)) {
    return judged("BLAS", Verdict::slow, found,
                  "Results depend on which rank computes what: set OPENBLAS_CORETYPE to one kernel on every host.");
  }
  if (ranks[0].blas_threads > 1) {
    return judged("BLAS", Verdict::slow, found, "Set OPENBLAS_NUM_THREADS=1: results depend on the number of threads.");
  }
  // Only OpenBLAS can be asked for its threads, and told.
  const bool one_thread = ranks[0].blas_threads == 1 || setting(ranks[0], "OMP_NUM_THREADS") == "1" ||
                          setting(ranks[0], "MKL_NUM_THREADS") == "1";
  return judged(
      "BLAS", one_thread || ranks.size() == 1 ? Verdict::ok : Verdict::slow, found,
      "Keep BLAS to one thread a rank: OMP_NUM_THREADS=1, for MKL MKL_NUM_THREADS=1. krossfold does so itself for "
      "OpenBLAS only.");
}

Finding check_hdf5(const Ranks& ranks) {
  const std::string found = by_rank(ranks, [](const RankFacts& rank) {
    const bool same = rank.hdf5 == rank.hdf5_headers;
    return text("library ", rank.hdf5, ", compiled with ",
                same ? "its headers" : "the headers of " + rank.hdf5_headers);
  });
  const auto apart = ranks_where(ranks, [](const RankFacts& rank) { return rank.hdf5 != rank.hdf5_headers; });
  return judged("HDF5", apart.empty() ? Verdict::ok : Verdict::wrong, found,
                "HDF5 ends such a program at its first file: load the module that krossfold was built with, check "
                "LD_LIBRARY_PATH (ldd krossfold), or build again.");
}

}  // namespace krossfold::doctor
