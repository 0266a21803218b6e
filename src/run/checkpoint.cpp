// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::run {

namespace {

constexpr std::uint64_t part_version = 2;

/// Follows the bytes of a part.
struct Seal {
  std::uint64_t version = part_version, identity = 0, crc = 0;
};

std::uint64_t checksum(std::span<const std::byte> bytes, const Seal& seal) {
  return crc64(bytes, seal.version ^ seal.identity);
}

}  // namespace

std::string checkpoint_name(const UnitKey& key, const std::string& suffix) {
  return text("unit-", key.kind, "-", key.index[0], "-", key.index[1], "-", key.index[2], suffix, ".part");
}

std::optional<std::vector<std::byte>> UnitCheckpoints::begin(const Unit& unit, CheckpointSink& sink,
                                                             const std::string& suffix) {
  const auto now = Clock::now();
  std::erase_if(complete_, [&](const auto& one) {
    if (std::chrono::duration<double>(now - one.second).count() < params_.synced_after) return false;
    sink.remove(one.first);
    return true;
  });
  Unit named;  // without the fields that only the queue reads
  named.key = unit.key;
  named.input = unit.input;
  identity_ = crc64(to_bytes(named), params_.identity);
  name_ = checkpoint_name(unit.key, suffix);
  sink_ = &sink;
  kept_ = Clock::now();
  auto bytes = sink.load(name_);
  stored_ = bytes.has_value();
  Seal seal;
  if (!bytes || bytes->size() < sizeof(seal)) return std::nullopt;
  std::memcpy(&seal, bytes->data() + bytes->size() - sizeof(seal), sizeof(seal));
  bytes->resize(bytes->size() - sizeof(seal));
  if (seal.version != part_version || seal.identity != identity_ || seal.crc != checksum(*bytes, seal)) {
    return std::nullopt;
  }
  return bytes;
}

bool UnitCheckpoints::due() const {
  const std::chrono::duration<double> since = Clock::now() - kept_;
  return params_.every == 0 || (since.count() >= params_.every && since >= 20 * took_);
}

void UnitCheckpoints::keep(std::vector<std::byte> bytes) {
  const auto began = Clock::now();
  Seal seal;
  seal.identity = identity_;
  seal.crc = checksum(bytes, seal);
  const auto end = std::as_bytes(std::span(&seal, 1));
  bytes.insert(bytes.end(), end.begin(), end.end());
  sink_->store(name_, bytes);
  stored_ = true;
  kept_ = Clock::now();
  took_ = kept_ - began;
  constexpr std::size_t large = 1 << 24;
  if (bytes.size() >= large) rate_ = static_cast<double>(bytes.size()) / took_.count();
}

bool UnitCheckpoints::worth_keeping(std::uint64_t bytes) const {
  constexpr double always = 0.5, longest = 3;
  const double takes = static_cast<double>(bytes) / rate_;
  const std::chrono::duration<double> since = Clock::now() - kept_;
  return takes <= always || (takes <= longest && takes <= since.count());
}

void UnitCheckpoints::complete() {
  if (stored_) complete_.emplace_back(name_, Clock::now());
}

}  // namespace krossfold::run
