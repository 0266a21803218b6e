// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/parts_executor.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/model/svm_file.hpp"
#include "krossfold/model/svm_parts_file.hpp"
#include "krossfold/run/done_record.hpp"
#include "krossfold/svm/partitioned_machine.hpp"

namespace krossfold::studies {

namespace {

constexpr const char* model_of_part = "svm.h5";

/// The files of a part beside the models of the study: all of them are ".part" files, which are removed when the study ends.
class PartSink : public CheckpointSink {
public:
  PartSink(CheckpointSink& sink, int part) : sink_(sink), part_(part) {}
  void store(const std::string& name, std::span<const std::byte> bytes) override { sink_.store(of_part(name), bytes); }
  std::optional<std::vector<std::byte>> load(const std::string& name) override { return sink_.load(of_part(name)); }
  void remove(const std::string& name) override { sink_.remove(of_part(name)); }

private:
  std::string of_part(const std::string& name) const {
    return text("part-", part_, "-", name, name.ends_with(".part") ? "" : ".part");
  }

  CheckpointSink& sink_;
  int part_;
};

std::uint64_t identity_of(const run::CheckpointParams& params, int part) {
  return crc64(std::as_bytes(std::span(&part, 1)), params.identity);
}

/// The machine of a part, which another rank may have stored a moment ago: a network file system shows it to this host up to a minute
/// later. Nothing if it does not appear, or if another file stays in its place.
std::optional<std::vector<std::byte>> stored_machine(CheckpointSink& sink, int part, Digest checksum,
                                                     const Poll& poll) {
  constexpr std::chrono::milliseconds patience(90'000), longest(5'000);
  std::chrono::milliseconds pause(200);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    call(poll);
    auto bytes = PartSink(sink, part).load(model_of_part);
    if (bytes && crc64(*bytes) == checksum) return bytes;
    if (std::chrono::steady_clock::now() > end) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest);
  }
}

}  // namespace

/// The part whose units are being computed.
struct PartsExecutor::Current {
  int part;
  SvmLayout layout;
  data::Task task;
  std::unique_ptr<SvmExecutor> executor;
};

PartsExecutor::PartsExecutor(const PartsLayout& search, const data::Task& task, const MemoryPlan& plan,
                             const run::CheckpointParams& parts)
    : search_(search), task_(task), plan_(plan), parts_(parts) {}

PartsExecutor::~PartsExecutor() = default;

void PartsExecutor::release() {
  current_.reset();
  plan_.folds_at_once = 1;
}

PartsExecutor::Current& PartsExecutor::at(int part) {
  if (part < 0 || part >= search_.parts())
    throw_run_error(text("a unit of part ", part), "the search has no such part");
  if (current_ && current_->part == part) return *current_;
  current_.reset();
  current_ = std::make_unique<Current>(
      Current{part, layout_of_part(search_, part), task_of_part(search_, task_, part), nullptr});
  MemoryPlan plan = plan_;
  plan.cached_rows = std::max(4, std::min(plan.cached_rows, search_.part_samples(part)));
  plan.rows_at_first = std::min(plan.rows_at_first, search_.part_samples(part));
  current_->executor = std::make_unique<SvmExecutor>(
      current_->layout, current_->task, plan, SharedDistances(),
      run::CheckpointParams{.identity = identity_of(parts_, part), .every = parts_.every});
  return *current_;
}

/// Runs a unit of the search within the part, whose records have the keys of that search. weights: the fold whose class weights
/// count, or the number of folds.
std::vector<Record> PartsExecutor::in_part(const Unit& unit, const Unit& inner, int weights, UnitContext& context) {
  const int part = unit.key.index[0];
  Current& current = at(part);
  current.layout.class_weights = search_.weights.at(static_cast<std::size_t>(weights));
  PartSink sink(context.checkpoint, part);
  UnitContext own{context.stop, sink, context.gang};
  return current.executor->run(inner, own);
}

std::vector<Record> PartsExecutor::run(const Unit& unit, UnitContext& context) {
  const auto& index = unit.key.index;
  const int folds = search_.whole.folds.folds();
  Unit inner;
  inner.input = unit.input;
  const auto alone = [&](int weights) {
    std::vector<Record> records = in_part(unit, inner, weights, context);
    for (Record& record : records) record.key = unit.key;
    return records;
  };
  switch (unit.key.kind) {
    case svm_unit_part_fold: {
      inner.key = {svm_unit_fold, {index[1], index[2], 0}};
      std::vector<Record> records = in_part(unit, inner, index[2], context);
      for (Record& record : records) {
        record.key = {svm_unit_part_fold, {index[0], index[1], record.key.index[1]}};
        PartFoldResult result{FoldResult::from_bytes(record.payload), {}};
        const std::size_t cs = result.fold.wrong.size(), problems = result.fold.fit.size() / cs;
        result.not_converged.assign(cs, 0);
        for (std::size_t k = 0; k < result.fold.fit.size(); ++k) {
          result.not_converged[k / problems] += result.fold.fit[k].converged == 0 ? 1 : 0;
        }
        result.fold.fit.clear();
        result.fold.score.clear();
        record.payload = result.to_bytes();
      }
      return records;
    }
    case svm_unit_part_out_of_fold:
      inner.key = {svm_unit_out_of_fold, {0, index[1], index[2]}};
      return alone(index[2]);
    case svm_unit_part_refit:
      inner.key = {svm_unit_refit, {index[1], index[2], 0}};
      return alone(folds);
    case svm_unit_part_model:
      return run::unless_stopped(context, [&](const Poll& poll) -> std::vector<Record> {
        return {run::done_record(unit.key, join(unit, context, poll).to_bytes())};
      });
    default:
      throw_run_error(text("a unit of kind ", unit.key.kind), "a search in parts has none");
  }
}

/// Joins the machines of the parts in one model, and tests it.
RefitResult PartsExecutor::join(const Unit& unit, UnitContext& context, const Poll& poll) {
  current_.reset();
  const PartModelInput input = PartModelInput::from_bytes(unit.input);
  svm::PartitionedMachine machine;
  machine.kind = search_.partition.kind;
  machine.centre = search_.partition.centre;
  RefitResult result;
  for (std::size_t p = 0; p < input.checksum.size(); ++p) {
    const std::optional<std::vector<std::byte>> bytes =
        stored_machine(context.checkpoint, static_cast<int>(p), input.checksum[p], poll);
    require(bytes.has_value(), text("the machine of part ", p, " is missing or another one"),
            "its file is not the one that its refit stored", "Start the study anew in another file.");
    const std::string name = text("machine of part ", p);
    machine.part.push_back(model::machine_from_container(storage::container_from_bytes(*bytes, name), name));
    result.support += machine.part.back().support.size();
  }
  if (task_.test.size() > 0) {
    add_test(result, machine.first(), svm::decision_values(Device(), machine, task_.test, poll), task_.test);
  }
  const auto model = storage::to_bytes(model::to_container(machine));
  result.model_name = model_of_part;
  result.model_size = model.size();
  result.model_checksum = crc64(model);
  context.checkpoint.store(result.model_name, model);
  return result;
}

}  // namespace krossfold::studies
