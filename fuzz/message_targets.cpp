// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks and of the process that reads HDF5 files, and payloads of records.
#include <algorithm>

#include "fuzz/target.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/studies/bag/payload.hpp"
#include "krossfold/studies/svm/checkpoint.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/studies/train/payload.hpp"
#include "src/parallel/farm_messages.hpp"
#include "src/storage/reader_messages.hpp"

namespace krossfold::fuzz {

namespace {

/// What was read and is written again is read as the same.
template <class T, class Read, class Write>
void check_again(const T& value, Read read, Write write) {
  const Bytes once = write(value);
  must(write(read(once)) == once, "a message that is written and read again is the same");
}

void read_record(std::span<const std::byte> input) {
  check_again(
      record_from_bytes(input), [](const Bytes& bytes) { return record_from_bytes(bytes); },
      [](const Record& record) { return to_bytes(record); });
}

void read_unit(std::span<const std::byte> input) {
  check_again(
      unit_from_bytes(input), [](const Bytes& bytes) { return unit_from_bytes(bytes); },
      [](const Unit& unit) { return to_bytes(unit); });
}

void read_request(std::span<const std::byte> input) {
  check_again(
      parallel::request_from_bytes(input), [](const Bytes& bytes) { return parallel::request_from_bytes(bytes); },
      [](const parallel::Request& request) { return parallel::to_bytes(request); });
}

void read_answer(std::span<const std::byte> input) {
  check_again(
      parallel::answer_from_bytes(input), [](const Bytes& bytes) { return parallel::answer_from_bytes(bytes); },
      [](const parallel::Answer& answer) { return parallel::to_bytes(answer); });
}

/// The first byte chooses between what is known of an array and the content of a file.
void read_reply(std::span<const std::byte> input) {
  Choices choice(input);
  const bool facts = choice.next(2) == 1;
  input = choice.rest();
  const auto read_facts = [](std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "reply");
    return storage::get_facts(reader);
  };
  if (facts) {
    return check_again(read_facts(input), read_facts, [](const storage::ArrayFacts& found) {
      ByteWriter writer;
      storage::put_facts(writer, found);
      return writer.take();
    });
  }
  const auto read = [](std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "reply");
    return storage::get_container(reader);
  };
  check_again(read(input), read, [](const storage::Container& container) {
    ByteWriter writer;
    storage::put_container(writer, container);
    return writer.take();
  });
}

template <class Payload>
void read_as(std::span<const std::byte> input) {
  check_again(
      Payload::from_bytes(input), [](const Bytes& bytes) { return Payload::from_bytes(bytes); },
      [](const Payload& payload) { return payload.to_bytes(); });
}

void read_part(std::span<const std::byte> input) { studies::from_part(input, 3, 4, 20, 5); }

void read_folds(std::span<const std::byte> input) {
  Unit unit;
  unit.input = Bytes(input.begin(), input.end());
  const std::vector<int> folds = studies::folds_of(unit);
  must(unit.input.empty() || studies::input_of_folds(folds) == unit.input, "folds that are written again are the same");
}

/// The first byte says what the rest is a payload of.
void read_payload(std::span<const std::byte> input) {
  using namespace studies;
  constexpr void (*readers[])(std::span<const std::byte>) = {read_as<PathInput>,
                                                             read_as<FoldResult>,
                                                             read_as<OutOfFoldResult>,
                                                             read_as<RefitResult>,
                                                             read_as<PartFoldResult>,
                                                             read_as<PartModelInput>,
                                                             read_as<TrialResult>,
                                                             read_as<FinalResult>,
                                                             read_as<TrainRecord>,
                                                             read_part,
                                                             read_folds};
  Choices choice(input);
  const unsigned kind = choice.next(std::size(readers));
  readers[kind](choice.rest());
}

constexpr Target targets[] = {{"record", read_record}, {"unit", read_unit},   {"request", read_request},
                              {"answer", read_answer}, {"reply", read_reply}, {"payload", read_payload}};

}  // namespace

std::span<const Target> message_targets() { return targets; }

}  // namespace krossfold::fuzz
