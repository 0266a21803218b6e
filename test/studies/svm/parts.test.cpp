// SPDX-License-Identifier: BSD-3-Clause
// A search in parts: its layout, its units and its executor.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "krossfold/model/svm_parts_file.hpp"
#include "krossfold/studies/svm/executor.hpp"
#include "krossfold/studies/svm/memory.hpp"
#include "krossfold/studies/svm/parts_executor.hpp"
#include "krossfold/studies/svm/parts_result.hpp"
#include "krossfold/studies/svm/parts_units.hpp"
#include "krossfold/studies/svm/schema.hpp"
#include "test/core/refusal.hpp"
#include "test/run/memory_sink.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies {
namespace {

SvmParams small_params(const std::string& partition) {
  SvmParams params;
  params.grid_c = params.grid_gamma = 3;
  params.log10_c = {-1, 2};
  params.folds = 3;
  params.scale = "8:4";
  params.partition = partition;
  return params;
}

/// Two clusters far apart; the first one has only samples of class 0.
data::Task one_sided_task(int n = 240) {
  std::mt19937 random(5);
  std::normal_distribution<float> noise;
  const auto make = [&](int size) {
    const Matrix<float> raw("krossfold::test::raw", size, 2);
    const Vector<int> label("krossfold::test::label", size);
    for (int i = 0; i < size; ++i) {
      const bool first = i % 2 == 0;
      raw(i, 0) = (first ? 0.0F : 40.0F) + noise(random);
      raw(i, 1) = noise(random);
      label(i) = first ? 0 : raw(i, 1) > 0.3F * noise(random) ? 1 : 2;
    }
    return data::make_dataset("one-sided", raw, label, {"a", "b", "c"});
  };
  data::Dataset train = make(n);
  return {train, make(90)};
}

/// All records of a study, computed in a random order, each `fresh`: by an executor of its own; with `together` folds in a unit.
std::map<UnitKey, Record> compute(const PartsLayout& search, const data::Task& task, test::MemorySink& sink,
                                  unsigned order, bool fresh = false, int together = 1) {
  PartsStudy study(search, together);
  std::vector<Unit> ready = study.initial();
  std::mt19937 random(order);
  std::map<UnitKey, Record> records;
  UnitContext context{{}, sink};
  auto executor = std::make_unique<PartsExecutor>(search, task);
  while (!ready.empty()) {
    if (order != 0) std::shuffle(ready.begin(), ready.end(), random);
    const Unit unit = ready.back();
    ready.pop_back();
    if (fresh) executor = std::make_unique<PartsExecutor>(search, task);
    const std::vector<Record> done = executor->run(unit, context);
    EXPECT_TRUE(together > 1 || done.size() == 1U);
    for (const Record& record : done) {
      EXPECT_TRUE(records.try_emplace(record.key, record).second) << "computed twice";
      for (Unit& next : study.on_record(record)) ready.push_back(std::move(next));
    }
    EXPECT_EQ(records.count(unit.key), 1U);
  }
  return records;
}

std::vector<Record> list(const std::map<UnitKey, Record>& records) {
  std::vector<Record> all;
  for (const auto& [key, record] : records) all.push_back(record);
  return all;
}

TEST(PartsLayout, a_part_has_its_share_of_the_folds_of_the_whole) {
  const data::Task task = test::sample_task(300);
  SvmParams params = small_params("voronoi:60");
  params.repeats = 2;
  const PartsLayout search = lay_out_parts(params, task);
  ASSERT_GE(search.parts(), 4);
  const SvmLayout plain = lay_out_svm(params, task);
  EXPECT_EQ(search.whole.folds.held, plain.folds.held);
  for (int f = 0; f < 6; ++f) {
    std::set<int> joined;
    for (int p = 0; p < search.parts(); ++p) {
      for (const int place : search.folds[p].held[f]) joined.insert(search.partition.sample[p][place]);
    }
    EXPECT_EQ(std::vector<int>(joined.begin(), joined.end()), plain.folds.held[f]);
  }
}

TEST(PartsLayout, refuses_what_does_not_go_with_parts) {
  const data::Task task = test::sample_task(300);
  const auto refusal = [&](auto change) {
    SvmParams params = small_params("voronoi:60");
    change(params);
    return test::refusal([&] { lay_out_parts(params, task); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal([](SvmParams& p) { p.factor = 64; }), HasSubstr("factor does not go with --partition"));
  EXPECT_THAT(refusal([](SvmParams& p) { p.refine = 1; }), HasSubstr("refine does not go with --partition"));
  EXPECT_THAT(refusal([](SvmParams& p) { p.outer = 3; }), HasSubstr("outer does not go with --partition"));
  EXPECT_THAT(refusal([](SvmParams& p) { p.probability = true; }),
              HasSubstr("probability does not go with --partition"));
  EXPECT_THAT(refusal([](SvmParams& p) { p.select_by = "roc-auc"; }),
              HasSubstr("roc-auc does not go with --partition"));
  EXPECT_THAT(refusal([](SvmParams& p) { p.fold_kind = "leave-one-out"; }), HasSubstr("leave-one-out does not go"));
  EXPECT_THAT(refusal([](SvmParams& p) { p.partition = "voronoi:6"; }), HasSubstr("voronoi:2000"));
  EXPECT_THAT(refusal([](SvmParams& p) { p.part_cell = "mine"; }), HasSubstr("common or own"));
  // Contiguous folds of samples that are sorted by their place: a part lies in one fold.
  const data::Task sorted = [&] {
    const Matrix<float> raw("krossfold::test::raw", 300, 1);
    const Vector<int> label("krossfold::test::label", 300);
    for (int i = 0; i < 300; ++i) {
      raw(i, 0) = static_cast<float>(i / 100 * 1000 + i % 7);
      label(i) = i % 2;
    }
    return data::Task{data::make_dataset("sorted", raw, label, {"a", "b"}), {}};
  }();
  SvmParams params = small_params("voronoi:100");
  params.fold_kind = "contiguous";
  EXPECT_THAT(test::refusal([&] { lay_out_parts(params, sorted); }), HasSubstr("has none to train on beside fold"));
}

TEST(PartsExecutor, a_part_is_what_a_search_of_its_samples_alone_with_the_same_folds_is) {
  for (const char* partition : {"voronoi:70", "random:70"}) {
    for (const char* multiclass : {"ovr", "ovo"}) {
      const data::Task task = test::sample_task(300);
      SvmParams params = small_params(partition);
      params.multiclass = multiclass;
      const PartsLayout search = lay_out_parts(params, task);
      test::MemorySink sink;
      const auto records = compute(search, task, sink, 0);
      SvmParams plain = params;
      plain.partition = "none";
      for (int p = 0; p < search.parts(); ++p) {
        const std::vector<int>& sample = search.partition.sample[p];
        const data::Task alone{data::select(task.train, sample), {}};
        SvmLayout layout = lay_out_svm(plain, alone);
        for (std::size_t f = 0; f < 3; ++f) {
          const std::vector<int>& held = search.whole.folds.held[f];
          layout.folds.held[f].clear();
          for (std::size_t k = 0; k < sample.size(); ++k) {
            if (std::binary_search(held.begin(), held.end(), sample[k]))
              layout.folds.held[f].push_back(static_cast<int>(k));
          }
        }
        SvmExecutor executor(layout, alone);
        UnitContext context{{}, sink};
        for (int g = 0; g < 3; ++g) {
          for (int f = 0; f < 3; ++f) {
            if (layout.folds.held[f].empty()) continue;
            const auto expected =
                FoldResult::from_bytes(executor.run({{svm_unit_fold, {g, f, 0}}}, context).at(0).payload);
            const auto found = PartFoldResult::from_bytes(records.at({svm_unit_part_fold, {p, g, f}}).payload).fold;
            EXPECT_EQ(found.wrong, expected.wrong) << partition << " part " << p << " gamma " << g << " fold " << f;
            EXPECT_EQ(found.held, expected.held);
            EXPECT_EQ(found.count, expected.count);
          }
        }
      }
    }
  }
}

TEST(PartsExecutor, gives_the_same_bytes_in_any_order_and_whatever_it_computed_before) {
  for (const char* cell : {"common", "own"}) {
    const data::Task task = test::sample_task(240);
    SvmParams params = small_params("voronoi:60");
    params.part_cell = cell;
    const PartsLayout search = lay_out_parts(params, task);
    test::MemorySink sink, other, third;
    const auto one = compute(search, task, sink, 0), shuffled = compute(search, task, other, 7),
               fresh = compute(search, task, third, 3, true);
    ASSERT_EQ(one.size(), shuffled.size());
    for (const auto& [key, record] : one) {
      EXPECT_EQ(record.payload, shuffled.at(key).payload) << key.kind << " " << key.index[0];
      EXPECT_EQ(record.payload, fresh.at(key).payload) << key.kind << " " << key.index[0];
    }
    EXPECT_EQ(sink.load("svm.h5"), other.load("svm.h5"));
  }
}

TEST(PartsExecutor, folds_of_a_part_that_are_solved_together_have_the_bytes_of_each_alone) {
  const data::Task task = one_sided_task(300);
  for (const char* weights : {"none", "b:2.5"}) {
    SvmParams params = small_params("voronoi:60");
    params.class_weight = weights;
    PartsLayout search = lay_out_parts(params, task);
    search.folds[1].held[2].clear();  // a fold without samples of the part
    test::MemorySink sink;
    const auto apart = compute(search, task, sink, 0);
    for (const int together : {2, 3}) {
      const auto joined = compute(search, task, sink, 5, false, together);
      ASSERT_EQ(joined.size(), apart.size());
      for (const auto& [key, record] : apart) {
        EXPECT_EQ(joined.at(key).payload, record.payload) << weights << " " << key.kind << " " << key.index[0];
      }
    }
  }
}

TEST(PartsStudy, the_error_of_a_cell_is_over_all_samples) {
  const data::Task task = test::sample_task(300);
  const PartsLayout search = lay_out_parts(small_params("voronoi:60"), task);
  test::MemorySink sink;
  const auto records = compute(search, task, sink, 0);
  PartsStudy study(search);
  for (const auto& [key, record] : records) study.on_record(record);
  for (int g = 0; g < 3; ++g) {
    for (int c = 0; c < 3; ++c) {
      for (int f = 0; f < 3; ++f) {
        double wrong = 0, held = 0;
        for (int p = 0; p < search.parts(); ++p) {
          if (search.held(p, f) == 0) continue;
          const auto one = PartFoldResult::from_bytes(records.at({svm_unit_part_fold, {p, g, f}}).payload).fold;
          wrong += one.wrong[c];
          held += one.held;
        }
        EXPECT_EQ(held, static_cast<double>(search.whole.folds.held[f].size()));
        EXPECT_DOUBLE_EQ(study.round().fold_error[(g * 3 + c) * 3 + f], wrong / held);
      }
    }
  }
  // The common cell has the smallest mean; out-of-fold predictions are wrong as often as it says.
  const Cell best = study.common().value();
  storage::Container content;
  write_parts_result(search, task, list(records), study, content);
  const storage::FieldReader file(content, "result");
  const auto &label = file.get(svm_schema().out_label), &choice = file.get(svm_schema().out_prediction);
  double wrong = 0;
  for (std::size_t i = 0; i < label.size(); ++i) wrong += label[i] != choice[i] ? 1 : 0;
  double mean = 0;
  for (int f = 0; f < 3; ++f) mean += study.round().fold_error[(best.gamma * 3 + best.c) * 3 + f] / 3;
  EXPECT_NEAR(best.error, mean, 1e-15);
  EXPECT_NEAR(wrong / 300, mean, 1e-3);  // folds of nearly equal size
  for (std::size_t at = 0; at < 27; at += 3) {
    const auto& error = study.round().fold_error;
    EXPECT_GE((error[at] + error[at + 1] + error[at + 2]) / 3, mean - 1e-15);
  }
}

TEST(PartsStudy, with_own_cells_each_part_has_the_best_of_its_own) {
  const data::Task task = one_sided_task(400);
  SvmParams params = small_params("voronoi:60");
  params.part_cell = "own";
  const PartsLayout search = lay_out_parts(params, task);
  test::MemorySink sink;
  const auto records = compute(search, task, sink, 0);
  PartsStudy study(search);
  for (const auto& [key, record] : records) study.on_record(record);
  const auto outcome = study.outcome();
  ASSERT_EQ(static_cast<int>(outcome.size()), search.parts());
  for (int p = 0; p < search.parts(); ++p) {
    std::map<double, std::pair<int, int>> by_error;  // mean fold error -> first (C, gamma)
    for (int c = 2; c >= 0; --c) {
      for (int g = 2; g >= 0; --g) {
        double sum = 0;
        for (int f = 0; f < 3; ++f) {
          const auto one = PartFoldResult::from_bytes(records.at({svm_unit_part_fold, {p, g, f}}).payload).fold;
          sum += static_cast<double>(one.wrong[c]) / one.held;
        }
        by_error[std::round(sum * 1e9)] = {c, g};
      }
    }
    const auto [c, g] = by_error.begin()->second;
    EXPECT_EQ(outcome[p].cell.c, c) << p;
    EXPECT_EQ(outcome[p].cell.gamma, g) << p;
  }
}

TEST(PartsExecutor, a_part_of_one_class_predicts_that_class) {
  for (const char* multiclass : {"ovr", "ovo"}) {
    const data::Task task = one_sided_task();
    SvmParams params = small_params("voronoi:60");
    params.multiclass = multiclass;
    const PartsLayout search = lay_out_parts(params, task);
    test::MemorySink sink;
    const auto records = compute(search, task, sink, 0);
    int parts_of_one_class = 0;
    for (int p = 0; p < search.parts(); ++p) {
      const bool one_class = std::all_of(search.partition.sample[p].begin(), search.partition.sample[p].end(),
                                         [&](int i) { return task.train.label(i) == 0; });
      parts_of_one_class += one_class ? 1 : 0;
      for (int g = 0; g < 3 && one_class; ++g) {
        for (int f = 0; f < 3; ++f) {
          const auto one = PartFoldResult::from_bytes(records.at({svm_unit_part_fold, {p, g, f}}).payload).fold;
          EXPECT_EQ(one.wrong, std::vector<int>(3, 0));
        }
      }
    }
    EXPECT_GE(parts_of_one_class, 1);
    const Record& joined = records.rbegin()->second;
    ASSERT_EQ(joined.key.kind, svm_unit_part_model);
    const RefitResult result = RefitResult::from_bytes(joined.payload);
    for (int i = 0; i < task.test.size(); i += 2) EXPECT_EQ(result.prediction[i], 0);
  }
}

TEST(PartsExecutor, the_model_predicts_a_sample_by_the_machine_of_its_part) {
  for (const char* partition : {"voronoi:60", "random:60"}) {
    const data::Task task = test::sample_task(240);
    const PartsLayout search = lay_out_parts(small_params(partition), task);
    test::MemorySink sink;
    const auto records = compute(search, task, sink, 0);
    const RefitResult result = RefitResult::from_bytes(records.rbegin()->second.payload);
    const auto bytes = sink.load("svm.h5");
    ASSERT_TRUE(bytes);
    const auto machine = model::parts_from_container(storage::container_from_bytes(*bytes, "svm.h5"), "svm.h5");
    EXPECT_EQ(machine.parts(), search.parts());
    EXPECT_EQ(svm::predicted_classes(machine.first(), svm::decision_values(Device(), machine, task.test)),
              result.prediction);
    if (search.partition.kind != svm::PartitionKind::voronoi) continue;
    const std::vector<int> nearest = svm::nearest_centre(search.partition.centre, search.whole.scale, task.test);
    for (int i = 0; i < task.test.size(); ++i) {
      const svm::Machine& own = machine.part[nearest[i]];
      const auto decision = svm::decision_values(Device(), own, svm::part_of(task.test, {i}));
      EXPECT_EQ(svm::predicted_classes(own, decision)[0], result.prediction[i]) << i;
    }
  }
}

TEST(PartsExecutor, balanced_weights_are_those_of_the_whole_training_part) {
  const data::Task task = one_sided_task();
  SvmParams params = small_params("voronoi:60");
  params.class_weight = "balanced";
  const PartsLayout search = lay_out_parts(params, task);
  ASSERT_EQ(search.weights.size(), 4U);
  std::vector<double> count(3, 0);
  for (int i = 0; i < task.train.size(); ++i) ++count[task.train.label(i)];
  for (int c = 0; c < 3; ++c) {
    EXPECT_DOUBLE_EQ(search.weights.back().of_class[c], task.train.size() / (3 * count[c]));
  }
}

TEST(PartsStudy, refuses_records_of_another_study_and_tells_failures) {
  const data::Task task = test::sample_task(240);
  const PartsLayout search = lay_out_parts(small_params("voronoi:60"), task);
  test::MemorySink sink;
  auto records = compute(search, task, sink, 0);
  Record odd = records.begin()->second;
  odd.key.index[0] = 1000;
  PartsStudy study(search);
  EXPECT_THROW(study.on_record(odd), Error);
  // A failed refit: no model.
  PartsStudy failing(search);
  for (auto& [key, record] : records) {
    if (key.kind == svm_unit_part_refit && key.index[0] == 1) {
      record.status = Status::failed;
      record.reason = "no memory";
    }
    if (key.kind != svm_unit_part_model) failing.on_record(record);
  }
  EXPECT_EQ(failing.refit_failed(), "part 1: no memory");
  // A failed unit of the search: its cells have no error over all samples, and another one is chosen.
  PartsStudy holed(search);
  const Cell best = failing.common().value();
  for (auto& [key, record] : records) {
    if (key.kind != svm_unit_part_fold) continue;
    if (key.index == std::array<std::int32_t, 3>{0, best.gamma, 0}) record.status = Status::failed;
    holed.on_record(record);
  }
  ASSERT_TRUE(holed.common());
  EXPECT_NE(holed.common()->gamma, best.gamma);
}

TEST(PartsMemory, a_part_needs_less_than_the_whole_and_the_whole_is_told_of_parts) {
  const data::Task task = test::sample_task(2000);
  const SvmParams params = small_params("voronoi:100");
  const PartsLayout search = lay_out_parts(params, task);
  const MemoryRoom room{.bytes = std::uint64_t{1} << 40, .why = "test"};
  EXPECT_LT(plan_parts_memory(search, room).total() * 4, plan_memory(search.whole, room).total());
  const MemoryRoom narrow{.bytes = 1 << 16, .why = "memory-limit allows little"};
  EXPECT_THAT(test::refusal([&] { plan_memory(search.whole, narrow); }), testing::HasSubstr("partition voronoi:2000"));
  EXPECT_THAT(test::refusal([&] { plan_parts_memory(search, narrow); }), testing::HasSubstr("Use smaller parts"));
}

}  // namespace
}  // namespace krossfold::studies
