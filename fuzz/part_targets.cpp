// SPDX-License-Identifier: BSD-3-Clause
// States of unfinished units (files *.part): a unit that finds one goes on from it to its end.
#include <algorithm>
#include <functional>
#include <string>

#include "fuzz/checksums.hpp"
#include "fuzz/target.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/input/names.hpp"
#include "krossfold/nn/rows.hpp"
#include "krossfold/nn/sharded_lstm.hpp"
#include "krossfold/nn/training.hpp"
#include "krossfold/run/checkpoint.hpp"
#include "krossfold/studies/bag/executor.hpp"
#include "krossfold/studies/svm/executor.hpp"
#include "test/run/memory_sink.hpp"

namespace krossfold::fuzz {

namespace {

constexpr run::CheckpointParams always{.identity = 7, .every = 0};
constexpr int epochs = 2;

// What is kept from input to input is never freed: its Views would outlive Kokkos.

/// Three classes of images of 4 x 4 pixels.
const data::Task& small_task() {
  static const data::Task& task =
      [] {
        constexpr int samples = 18, side = 4;
        const Matrix<float> raw("krossfold::fuzz::raw", samples, side * side);
        const Vector<int> label("krossfold::fuzz::label", samples);
        for (int i = 0; i < samples; ++i) {
          label(i) = i % 3;
          for (int f = 0; f < side * side; ++f) raw(i, f) = static_cast<float>((7 * i + 5 * f + 3 * (i % 3) * f) % 16);
        }
        return std::ref(*new data::Task{
            .train = data::make_dataset("small", raw, label, {"a", "b", "c"}, {side, side, 1}), .test = {}});
      }()
          .get();
  return task;
}

std::vector<Record> run_fold(const Unit& unit, UnitContext& context) {
  static const studies::SvmLayout& search =
      [] {
        studies::SvmParams params;
        params.grid_c = 2;
        params.grid_gamma = 1;
        params.folds = 2;
        return std::ref(*new studies::SvmLayout(studies::lay_out_svm(params, small_task())));
      }()
          .get();
  std::vector<Record> records = studies::SvmExecutor(search, small_task(), {}, {}, always).run(unit, context);
  for (const Record& record : records) studies::FoldResult::from_bytes(record.payload);
  return records;
}

/// A trial of a bag, or the fit of its best one.
std::vector<Record> run_of_bag(const Unit& unit, UnitContext& context) {
  static const studies::OodImages& none = *new studies::OodImages;
  static const studies::BagLayout& search =
      [] {
        studies::BagParams params;
        params.bootstraps = params.trials = 1;
        params.folds = 2;
        params.epochs = epochs;
        params.batch = 2;
        params.channels = run::WholeRange{1, 1};
        params.kernel = run::WholeRange{2, 2};
        params.hidden = run::WholeRange{2, 2};
        return std::ref(*new studies::BagLayout(studies::lay_out_bag(params, small_task())));
      }()
          .get();
  std::vector<Record> records = studies::BagExecutor(search, small_task(), none, {}, always).run(unit, context);
  for (const Record& record : records) {
    if (unit.key.kind == studies::bag_unit_trial) {
      studies::TrialResult::from_bytes(record.payload);
    } else {
      studies::FinalResult::from_bytes(record.payload);
    }
  }
  return records;
}

/// A training of a character model; it is left after `most` steps.
void train_names(const Unit& unit, CheckpointSink& sink, int most) {
  const input::NameWindows made = input::name_windows({"abba", "babe", "cab"}, 8);
  const nn::Windows<Device> windows{list_on<Device>("krossfold::fuzz::symbol", made.symbol),
                                    list_on<Device>("krossfold::fuzz::next", made.next), made.steps};
  nn::Exchange<Device> exchange;
  nn::ShardedLstm<Device> model(Device(), {.layers = 1, .hidden = 2, .dropout = 0}, 2, exchange);
  model.network().initialize({.seed = 1, .purpose = random_purpose_initial_weights});
  const nn::TrainingParams params{.epochs = epochs, .batch = 2, .stream = {.purpose = random_purpose_sample_order}};
  nn::Training<nn::ShardedLstm<Device>> training(model, windows, nn::all_rows(windows.size()), params);
  run::UnitCheckpoints parts(always);
  if (const auto part = parts.begin(unit, sink)) {
    ByteReader reader(*part, run::checkpoint_name(unit.key));
    training.read_state(reader);
    reader.expect_end();
  }
  const bool went_on = !training.finished();
  try {
    while (!training.finished()) {
      training.start_steps([&] {
        if (most-- == 0) throw Stopped();
      });
      training.read_losses();
    }
  } catch (const Stopped&) {
    training.read_losses();
  }
  must(!went_on || training.result().epoch_loss.size() <= epochs, "a training has as many epochs as it may have");
  ByteWriter writer;
  training.write_state(writer);
  parts.keep(writer.take());
}

/// What units of this kind do with the part that is in the sink, and leave there.
void run_unit(unsigned kind, const Unit& unit, CheckpointSink& sink, int most_steps) {
  UnitContext context{{}, sink};
  switch (kind) {
    case 0:
      run_fold(unit, context);
      break;
    case 1:
    case 3:
      run_of_bag(unit, context);
      break;
    default:
      train_names(unit, sink, most_steps);
  }
}

Unit unit_of(unsigned kind) {
  constexpr std::uint32_t unit_kinds[part_kinds] = {studies::svm_unit_fold, studies::bag_unit_trial, 1,
                                                    studies::bag_unit_final};
  Unit unit;
  unit.key.kind = unit_kinds[kind];
  return unit;
}

void read_part(std::span<const std::byte> input) {
  Choices choice(input);
  const unsigned kind = choice.next(part_kinds);
  const Unit unit = unit_of(kind);
  test::MemorySink sink;
  sink.store(run::checkpoint_name(unit.key), choice.rest());
  run_unit(kind, unit, sink, -1);
}

constexpr Target targets[] = {{"part", read_part, repair_part}};

}  // namespace

Bytes valid_part(unsigned kind) {
  const Unit unit = unit_of(kind);
  test::MemorySink sink;
  run_unit(kind, unit, sink, 3);
  Bytes input = sink.load(run::checkpoint_name(unit.key)).value_or(Bytes());
  input.insert(input.begin(), static_cast<std::byte>(kind));
  return input;
}

void repair_part(Bytes& input) {
  constexpr std::size_t seal = 3 * sizeof(std::uint64_t);  // run/checkpoint.cpp
  if (input.size() < 1 + seal) return;
  const Unit unit = unit_of(std::to_integer<unsigned>(input.front()) % part_kinds);
  test::MemorySink sink;
  run::UnitCheckpoints parts(always);
  parts.begin(unit, sink);
  parts.keep(Bytes(input.begin() + 1, input.end() - seal));
  const Bytes& sealed = sink.stored.begin()->second;
  std::copy(sealed.begin(), sealed.end(), input.begin() + 1);
}

std::span<const Target> part_targets() { return targets; }

}  // namespace krossfold::fuzz
