// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <stop_token>
#include <tuple>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/model/ensemble.hpp"
#include "krossfold/model/lstm_file.hpp"
#include "krossfold/model/network_file.hpp"
#include "krossfold/nn/rows.hpp"
#include "krossfold/parallel/gang.hpp"
#include "test/model/sample_models.hpp"
#include "test/nn/name_training.hpp"
#include "test/run/memory_sink.hpp"
#include "test/studies/train/part_of_training.hpp"
#include "test/studies/train/sample_trainings.hpp"

namespace krossfold::studies {
namespace {

using test::DyingSink;
using test::MemorySink;
using test::PartOfTraining;
using training::Strategy;

/// A training as the layers below compute it: all workers in this process, and no executor.
struct Curve {
  std::vector<double> loss, held_out_loss, held_out_error;  ///< (epoch)
  std::vector<nn::Parameter> weights;
};

Curve train_alone(const training::TrainingSetup& setup, const training::TrainTask& task) {
  Curve curve;
  nn::Exchange<Device> exchange(setup.workers);
  const auto train = [&](auto& model, const auto& samples, const auto& evaluate) {
    model.network().initialize({.seed = setup.seed, .purpose = random_purpose_initial_weights});
    const auto at_end_of_epoch = [&](int, const std::vector<double>&) { evaluate(); };
    curve.loss =
        nn::train(model, samples, nn::all_rows(samples.size()), setup.training, {}, at_end_of_epoch).epoch_loss;
    curve.weights = model.network().parameters();
  };
  if (setup.is_lstm()) {
    nn::ShardedLstm<Device> model(Device(), setup.lstm(), setup.windows_at_once(), exchange);
    const auto held_out = test::windows_of(task.names.held_out.name);
    train(model, test::windows_of(task.names.train.name),
          [&] { curve.held_out_loss.push_back(model.mean_loss(held_out)); });
    return curve;
  }
  nn::ShardedNetwork<Device> model(Device(), setup.network(), setup.training.batch, exchange, nn::Sharing::batch,
                                   setup.strategy == Strategy::ddp);
  const auto held_out = model::samples_of(task.samples.test, setup.scale);
  train(model, model::samples_of(task.samples.train, setup.scale), [&] {
    const nn::Evaluation evaluation = model.evaluate(held_out);
    curve.held_out_loss.push_back(evaluation.loss);
    curve.held_out_error.push_back(evaluation.error);
  });
  return curve;
}

std::vector<nn::Parameter> parameters_in(const std::vector<std::byte>& file) {
  const storage::Container content = storage::container_from_bytes(file, "model");
  return content.attribute("kind") == "lstm-model" ? model::lstm_from_container(content, "model").parameters
                                                   : model::network_from_container(content, "model").parameters;
}

/// One training on all ranks of the job.
class TrainExecutorTest : public testing::Test {
protected:
  const parallel::Communicator comm{MPI_COMM_WORLD};
  training::TrainTask digits = test::digits_task();
  const training::TrainTask names = test::names_task();
  const Unit unit{{train_unit, {0, 0, 0}}};
  std::vector<TrainLayout> runs;
  std::vector<run::LoggedEpoch> logged;  ///< epochs that the executor reported
  int epochs = 3;
  int stop_after = 0;  ///< the number of the epoch after which the unit is to stop; 0 for never

  const training::TrainTask& task() const { return runs.front().params.network == "lstm" ? names : digits; }

  /// Small networks; two workers for each rank unless `params` sets their number.
  void lay_out(const std::string& network, int workers = 0, const std::string& strategy = "", double rate = 0.01) {
    TrainParams params = test::train_params(network);
    params.hidden = {12};
    params.epochs = epochs;
    if (network == "lstm") params.layers = 2;
    if (network == "cnn") params.channels = 3;
    params.dropout = 0.2;
    params.workers = workers == 0 ? 2 * comm.size() : workers;
    params.strategy = strategy;
    params.rate = rate;
    params.seed = 7;
    runs = {lay_out_train(params, network == "lstm" ? names : digits, comm.size())};
  }

  /// What the unit leaves; no record on ranks other than the first, or if the unit was stopped.
  std::vector<Record> run(MemorySink& sink, const run::CheckpointParams& parts = {}) {
    std::stop_source stop;
    logged.clear();
    TrainExecutor executor(runs, task(), parts, [&](const UnitKey&, const run::LoggedEpoch& epoch) {
      logged.push_back(epoch);
      if (epoch.epoch == stop_after) stop.request_stop();
    });
    UnitContext context{stop.get_token(), sink, &comm};
    return executor.run(unit, context);
  }

  /// What the unit says where it goes on from `stored`, changed and with a new checksum; "" if it ends.
  std::string message_of(const MemorySink& stored, const std::function<void(PartOfTraining&)>& change) {
    constexpr run::CheckpointParams params{.identity = 1};
    MemorySink sink = stored;
    run::UnitCheckpoints parts(params);
    if (const auto bytes = parts.begin(unit, sink)) {
      PartOfTraining part = PartOfTraining::from_bytes(*bytes);
      change(part);
      parts.keep(part.to_bytes());
    }
    try {
      run(sink, params);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  /// The results of the whole training, on the first rank.
  TrainRecord result_of(const std::vector<Record>& records) const {
    EXPECT_EQ(records.size(), comm.is_root() ? 1U : 0U);
    return records.empty() ? TrainRecord() : TrainRecord::from_bytes(records[0].payload);
  }

  /// Equal in all that does not depend on time.
  static void expect_equal(const TrainRecord& found, const TrainRecord& expected) {
    EXPECT_EQ(found.loss, expected.loss);
    EXPECT_EQ(found.held_out_loss, expected.held_out_loss);
    EXPECT_THAT(found.held_out_error, testing::Pointwise(testing::NanSensitiveDoubleEq(), expected.held_out_error));
    ASSERT_EQ(found.model.size(), expected.model.size());
    for (std::size_t k = 0; k < found.model.size(); ++k) {
      EXPECT_EQ(found.model[k].name, expected.model[k].name);
      EXPECT_EQ(found.model[k].checksum, expected.model[k].checksum);
    }
    EXPECT_EQ(found.kept_epoch, expected.kept_epoch);
    EXPECT_EQ(found.prediction, expected.prediction);
    EXPECT_EQ(found.validation_loss, expected.validation_loss);
    EXPECT_EQ(found.validation_error, expected.validation_error);
  }
};

TEST_F(TrainExecutorTest, computes_the_bits_of_the_same_workers_in_one_process) {
  for (const std::string network : {"mlp", "cnn", "lstm"}) {
    for (const std::string strategy : {"ddp", "data-parallel"}) {
      SCOPED_TRACE(testing::Message() << network << ", " << strategy);
      lay_out(network, 0, strategy);
      MemorySink sink;
      const TrainRecord found = result_of(run(sink));
      if (!comm.is_root()) {
        EXPECT_TRUE(sink.stored.empty()) << "all ranks have the same weights";
        continue;
      }
      const Curve expected = train_alone(runs.front().setup, task());
      EXPECT_EQ(found.loss, expected.loss);
      EXPECT_EQ(found.held_out_loss, expected.held_out_loss);
      if (network == "lstm") {
        EXPECT_THAT(found.held_out_error, testing::Each(testing::IsNan()));
      } else {
        EXPECT_EQ(found.held_out_error, expected.held_out_error);
      }
      EXPECT_FALSE(found.diverged);
      EXPECT_EQ(found.ranks, comm.size());
      EXPECT_THAT(found.epoch_ranks, testing::ElementsAre(comm.size(), comm.size(), comm.size()));
      ASSERT_EQ(sink.stored.size(), 1U);
      ASSERT_EQ(found.model.size(), 1U);
      const auto& file = sink.stored.at(found.model[0].name);
      EXPECT_EQ(found.model[0].checksum, crc64(file));
      test::expect_same(parameters_in(file), expected.weights);
    }
  }
}

TEST_F(TrainExecutorTest, reports_every_epoch_once_on_the_first_rank) {
  lay_out("mlp");
  MemorySink sink;
  const TrainRecord found = result_of(run(sink));
  ASSERT_EQ(logged.size(), comm.is_root() ? 3U : 0U);
  for (std::size_t e = 0; e < logged.size(); ++e) {
    EXPECT_EQ(logged[e].epoch, static_cast<int>(e) + 1);
    EXPECT_EQ(logged[e].loss, found.loss[e]);
    EXPECT_EQ(logged[e].held_out_loss, found.held_out_loss[e]);
    EXPECT_EQ(logged[e].seconds, found.seconds[e]);
    EXPECT_LE(found.comm_seconds[e], found.seconds[e]);
  }
}

TEST_F(TrainExecutorTest, a_training_that_was_stopped_continues_after_its_last_epoch_with_the_same_bits) {
  for (const std::string network : {"cnn", "lstm"}) {
    SCOPED_TRACE(network);
    lay_out(network);
    MemorySink undisturbed, sink;
    const TrainRecord expected = result_of(run(undisturbed));
    stop_after = 2;
    EXPECT_TRUE(run(sink).empty());
    EXPECT_EQ(sink.stored.size(), comm.is_root() ? 1U : 0U) << "a part";
    stop_after = 0;
    expect_equal(result_of(run(sink)), expected);
    if (comm.is_root()) {
      ASSERT_EQ(logged.size(), 1U);
      EXPECT_EQ(logged[0].epoch, 3);
    }
  }
}

TEST_F(TrainExecutorTest, a_part_with_another_identity_or_damage_is_ignored) {
  lay_out("mlp");
  const std::size_t all = comm.is_root() ? 3 : 0;
  for (const bool damage : {false, true}) {
    MemorySink sink;
    stop_after = 2;
    run(sink, {.identity = 1});
    stop_after = 0;
    for (auto& [name, bytes] : sink.stored) {
      if (damage) bytes[bytes.size() / 2] ^= std::byte{1};
    }
    run(sink, {.identity = damage ? 1U : 2U});
    EXPECT_EQ(logged.size(), all) << "it begins anew";
  }
}

TEST_F(TrainExecutorTest, a_part_whose_lists_contradict_one_another_is_refused_on_all_ranks) {
  using Part = PartOfTraining;
  const std::vector<std::vector<double> Part::*> of_evaluation{&Part::held_out_loss, &Part::held_out_error},
      of_validation{&Part::validation_loss, &Part::validation_error},
      of_training{&Part::seconds, &Part::comm_seconds, &Part::epoch_ranks};
  for (const double validation : {0.0, 0.3}) {
    SCOPED_TRACE(validation);
    digits = test::digits_task(validation);
    lay_out("mlp");
    MemorySink stored;
    stop_after = 2;
    run(stored, {.identity = 1});
    stop_after = 0;
    // Every list of evaluations but those of a validation that there is not.
    const auto resize_evaluations = [&](Part& part, std::size_t count) {
      for (const auto list : of_evaluation) (part.*list).resize(count);
      if (validation > 0) {
        for (const auto list : of_validation) (part.*list).resize(count);
      }
      part.kept_epoch = std::min(part.kept_epoch, static_cast<std::int32_t>(count));
    };
    EXPECT_EQ(message_of(stored, [](Part&) {}), "");
    EXPECT_EQ(logged.size(), comm.is_root() ? 1U : 0U) << "it goes on behind its second epoch";
    EXPECT_EQ(message_of(stored, [&](Part& part) { resize_evaluations(part, 1); }), "") << "an epoch to evaluate";
    EXPECT_EQ(logged.size(), comm.is_root() ? 2U : 0U);

    const auto expect_refused = [&](const std::string& what, const std::function<void(Part&)>& change) {
      EXPECT_THAT(message_of(stored, change), testing::HasSubstr("its numbers of epochs contradict one another"))
          << what;
    };
    for (const auto& lists : {of_evaluation, of_validation, of_training}) {
      for (std::size_t k = 0; k < lists.size(); ++k) {
        const auto list = lists[k];
        const bool empty = validation == 0 && lists == of_validation;
        const std::string what = text("list ", k, " of ", lists.size(), empty ? ", empty" : "");
        expect_refused(what + ", longer", [&](Part& part) { (part.*list).push_back(1); });
        if (empty) continue;
        expect_refused(what + ", shorter", [&](Part& part) { (part.*list).pop_back(); });
      }
    }
    for (const std::size_t count : {0U, 3U}) {
      expect_refused(text(count, " evaluations"), [&](Part& part) { resize_evaluations(part, count); });
    }
    for (const std::int32_t epoch : {-1, 3}) {
      expect_refused(text("kept epoch ", epoch), [&](Part& part) { part.kept_epoch = epoch; });
    }
  }
}

TEST_F(TrainExecutorTest, a_training_that_was_killed_at_any_store_ends_with_the_same_bits) {
  digits = test::digits_task(0.3);
  epochs = 12;
  for (const std::string strategy : {"ddp", "model-parallel"}) {
    SCOPED_TRACE(strategy);
    lay_out("mlp", comm.size(), strategy, 0.3);
    MemorySink undisturbed;
    const TrainRecord expected = result_of(run(undisturbed));
    EXPECT_LT(expected.kept_epoch, epochs) << "the weights of an earlier epoch are in the checkpoints";
    for (int late = 0; late < comm.size(); ++late) {  // this rank stores one part more than the others
      DyingSink sink;
      int deaths = 0;
      for (bool done = false; !done;) {
        sink.stores = 0;
        sink.dies_at = comm.rank() == late ? 2 : 1;
        std::vector<Record> records;
        try {
          records = run(sink, {.identity = 5, .every = 0});  // stores after every epoch
        } catch (const std::exception&) {
          ASSERT_LE(++deaths, epochs + 1);
        }
        done = parallel::agree(comm, !records.empty());
        if (done) expect_equal(result_of(records), expected);
      }
      EXPECT_GE(deaths, 1);
    }
  }
}

TEST_F(TrainExecutorTest, the_model_has_the_weights_of_the_epoch_with_the_fewest_validation_errors) {
  digits = test::digits_task(0.3);
  epochs = 12;
  for (const std::string strategy : {"ddp", "data-parallel", "model-parallel"}) {
    SCOPED_TRACE(strategy);
    lay_out("mlp", comm.size(), strategy, 0.3);
    MemorySink all, fewer;
    const TrainRecord found = result_of(run(all));
    const int kept = static_cast<int>(parallel::gather_numbers(comm, found.kept_epoch)[0]);
    ASSERT_TRUE(kept >= 1 && kept < epochs) << kept << ": the test is of a training that becomes worse";
    if (comm.is_root()) {
      const auto rank_of = [&](std::size_t e) {
        return std::tuple(found.validation_error[e], found.validation_loss[e], e);
      };
      for (std::size_t e = 0; e < found.loss.size(); ++e)
        EXPECT_LE(rank_of(static_cast<std::size_t>(kept) - 1), rank_of(e));
    }
    runs.front().setup.training.epochs = kept;
    run(fewer);
    EXPECT_EQ(all.stored, fewer.stored) << "the training that ends there stores the same model";
  }
}

TEST_F(TrainExecutorTest, split_weights_are_stored_by_every_rank_and_join_to_the_whole_network) {
  lay_out("mlp", comm.size(), "model-parallel");
  MemorySink sink;
  const TrainRecord found = result_of(run(sink));
  ASSERT_EQ(sink.stored.size(), 1U);
  const auto& [name, bytes] = *sink.stored.begin();
  EXPECT_EQ(name, model_name(runs.front(), 0, 1, comm.rank()));
  const std::string own(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto all_names = parallel::all_gather(comm, name), all_files = parallel::all_gather(comm, own);
  if (!comm.is_root()) return;
  ASSERT_EQ(found.model.size(), all_files.size());
  std::vector<model::NetworkModel> parts;
  for (std::size_t r = 0; r < all_files.size(); ++r) {
    const auto file = std::as_bytes(std::span(all_files[r]));
    EXPECT_EQ(found.model[r].name, all_names[r]);
    EXPECT_EQ(found.model[r].checksum, crc64(file));
    parts.push_back(model::network_from_container(storage::container_from_bytes(file, all_names[r]), all_names[r]));
  }
  // The sums of split weights have another order: equal up to rounding, with the tolerance of training_test.
  const Curve expected = train_alone(runs.front().setup, digits);
  const model::NetworkModel whole = model::join_parts(std::move(parts), all_names);
  ASSERT_EQ(whole.parameters.size(), expected.weights.size());
  for (std::size_t t = 0; t < expected.weights.size(); ++t) {
    EXPECT_THAT(whole.parameters[t].value, testing::Pointwise(testing::FloatNear(1e-4F), expected.weights[t].value));
  }
}

TEST_F(TrainExecutorTest, a_training_that_diverges_says_why_and_stores_no_model) {
  lay_out("mlp", 0, "", 1e30);
  MemorySink sink;
  const TrainRecord found = result_of(run(sink));
  EXPECT_TRUE(sink.stored.empty());
  EXPECT_TRUE(found.model.empty());
  EXPECT_EQ(found.diverged, comm.is_root());
  EXPECT_EQ(found.reason.find("loss") != std::string::npos, comm.is_root()) << found.reason;
}

// Its loss was computed before the only step, and nothing is held out that would show what the step did.
TEST_F(TrainExecutorTest, a_training_that_diverges_in_its_last_step_stores_no_model) {
  epochs = 1;
  digits.samples.test = {};
  lay_out("mlp", 0, "", 1e38);
  runs.front().setup.training.batch = digits.samples.train.size();
  MemorySink sink;
  const TrainRecord found = result_of(run(sink));
  EXPECT_TRUE(sink.stored.empty());
  EXPECT_EQ(found.reason, comm.is_root() ? "training loss nan after epoch 1" : "");
}

TEST_F(TrainExecutorTest, names_of_model_files_tell_runs_and_parts_apart) {
  lay_out("lstm");
  EXPECT_EQ(model_name(runs.front(), 0, 1, 0), "lstm.h5");
  EXPECT_EQ(model_name(runs.front(), 3, 12, 0), "lstm_03.h5");
  lay_out("mlp", comm.size(), "model-parallel");
  EXPECT_EQ(model_name(runs.front(), 0, 1, 0), comm.size() == 1 ? "network.h5" : "network-0of2.h5");
}

}  // namespace
}  // namespace krossfold::studies
