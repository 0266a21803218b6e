// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "krossfold/doctor/checks.hpp"

namespace krossfold::doctor {

inline constexpr std::uint64_t GiB = std::uint64_t{1} << 30;

/// Facts of a rank with which nothing is wrong, bound to one core of a host with four.
inline RankFacts healthy(const std::string& host, int core) {
  RankFacts rank;
  rank.place = {host, core, -1, "Serial", 0, {}};
  rank.build = "0.1.0 (abc), GNU 12.2.0, Kokkos 3.4.1 (Serial)";
  rank.processor = "Processor 9000";
  rank.processor_level = rank.build_level = 4;
  rank.mpi = "Open MPI v4.1.4";
  rank.processors = rank.cores = {core};
  rank.processor_count = 4;
  rank.shared_memory = 8 * GiB;
  rank.blas = "OpenBLAS SkylakeX";
  rank.blas_threads = 1;
  rank.hdf5 = rank.hdf5_headers = "1.10.8";
  rank.memory = 64 * GiB;
  rank.free_memory = 60 * GiB;
  rank.open_files = 4096;
  rank.clock = 1.8e9;
  return rank;
}

/// Two ranks on each of these hosts.
inline Ranks healthy_ranks(const std::vector<std::string>& hosts = {"node1", "node2"}) {
  Ranks ranks;
  for (const std::string& host : hosts) {
    for (const int core : {0, 1}) ranks.push_back(healthy(host, core));
  }
  return ranks;
}

/// The same with a GPU for each rank.
inline Ranks gpu_ranks() {
  Ranks ranks = healthy_ranks();
  for (RankFacts& rank : ranks) {
    rank.cpu_backend = false;
    rank.gpu_aware = true;
    rank.place.backend = "CUDA (NVIDIA H100)";
    rank.place.device = rank.place.local_rank;
    rank.place.devices = 2;
    rank.place.state.free_bytes = 79 * GiB;
    rank.place.state.id = rank.place.device == 0 ? "0000:17:00.0" : "0000:65:00.0";
  }
  return ranks;
}

inline storage::FolderFacts healthy_folder() {
  storage::FolderFacts folder;
  folder.folder = "/scratch/me";
  folder.file_system = "lustre";
  folder.exists = true;
  folder.free_bytes = 100 * GiB;
  folder.sync_seconds = 0.004;
  return folder;
}

/// Expects a verdict, these words in what was found, and those in the remedy, which there is exactly unless all is ok.
inline void expect(const Finding& finding, Verdict verdict, const std::string& found, const std::string& remedy = "") {
  EXPECT_EQ(name_of(finding.verdict), name_of(verdict)) << finding.found;
  EXPECT_THAT(finding.found, testing::HasSubstr(found));
  EXPECT_THAT(finding.remedy, testing::HasSubstr(remedy));
  EXPECT_EQ(finding.remedy.empty(), verdict == Verdict::ok) << finding.remedy;
}

/// Expects of each check that it finds nothing in three healthy set-ups, and says what it looked at.
inline void expect_ok_when_healthy(std::initializer_list<Finding (*)(const Ranks&)> checks) {
  for (const Ranks& ranks : {healthy_ranks(), healthy_ranks({"node1"}), gpu_ranks()}) {
    for (const auto check : checks) {
      const Finding finding = check(ranks);
      EXPECT_EQ(name_of(finding.verdict), "ok") << finding.check << ": " << finding.found;
      EXPECT_EQ(finding.remedy, "");
      EXPECT_NE(finding.found, "");
    }
  }
}

}  // namespace krossfold::doctor
