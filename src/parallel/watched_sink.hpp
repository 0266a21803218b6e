// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/core/unit.hpp"

namespace krossfold::parallel {

/// A sink error on another rank that computes the same unit.
class SinkError : public Error {
public:
  explicit SinkError(const std::string& message) : Error(Error::from_message(ExitCode::failed, message)) {}
};

/// Keeps the first error of a sink: a full disk is not the fault of the unit that stored something.
class WatchedSink : public CheckpointSink {
public:
  explicit WatchedSink(CheckpointSink& sink) : sink_(sink) {}
  std::string error;  ///< "" if there was none

  void store(const std::string& name, std::span<const std::byte> bytes) override {
    watch(name, [&] { sink_.store(name, bytes); });
  }
  std::optional<std::vector<std::byte>> load(const std::string& name) override {
    std::optional<std::vector<std::byte>> bytes;
    watch(name, [&] { bytes = sink_.load(name); });
    return bytes;
  }
  void remove(const std::string& name) override {
    watch(name, [&] { sink_.remove(name); });
  }

private:
  template <class Action>
  void watch(const std::string& name, const Action& action) {
    try {
      action();
    } catch (const std::exception& failure) {
      if (out_of_memory(failure)) throw;
      if (error.empty()) error = text(failure.what(), *failure.what() == '\0' ? "cannot store or read " + name : "");
      throw;
    }
  }

  CheckpointSink& sink_;
};

}  // namespace krossfold::parallel
