// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::test {

/// Keeps in memory what units store.
struct MemorySink : CheckpointSink {
  std::map<std::string, std::vector<std::byte>> stored;
  void store(const std::string& name, std::span<const std::byte> bytes) override {
    stored[name].assign(bytes.begin(), bytes.end());
  }
  std::optional<std::vector<std::byte>> load(const std::string& name) override {
    const auto found = stored.find(name);
    return found == stored.end() ? std::nullopt : std::optional(found->second);
  }
  void remove(const std::string& name) override { stored.erase(name); }
};

/// Dies at a store, as a process may at any time: what was stored before is there, what is being stored is not.
struct DyingSink : MemorySink {
  int stores = 0, dies_at = -1;
  void store(const std::string& name, std::span<const std::byte> bytes) override {
    if (stores++ == dies_at) throw std::runtime_error("killed");
    MemorySink::store(name, bytes);
  }
};

}  // namespace krossfold::test
