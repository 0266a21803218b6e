// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_result.hpp"

#include <algorithm>
#include <limits>

#include "krossfold/core/text.hpp"
#include "krossfold/storage/schema.hpp"
#include "krossfold/study/run_attributes.hpp"
#include "krossfold/study/train_records.hpp"

namespace krossfold::study {

namespace field = storage::field;

storage::Container make_train_result(const TrainPlan& plan, const data::NameTask& task,
                                     const std::vector<Record>& records, const RunFacts& facts) {
  storage::Container content;
  const TrainParams& params = plan.params;
  add_run_attributes(content, {"train", to_json(options_of(params)), params.seed, ""},
                     DataFacts{task.train.source, task.train.size(), task.held_out.size(), params.window}, facts);
  content.attributes["network"] = params.network;
  content.attributes["architecture"] = nn::describe(plan.architecture);
  content.attributes["parameters"] = plan.architecture.parameters();
  const auto epochs = static_cast<std::size_t>(params.epochs);
  const std::vector<double> none(epochs, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> loss = none, held_out = none, seconds = none, comm = none;
  std::vector<std::int32_t> status{0}, ranks{plan.ranks};
  std::vector<std::string> reason{""};
  for (const Record& record : records) {
    status[0] = static_cast<std::int32_t>(record.status);
    reason[0] = record.reason;
    if (record.status != Status::done) continue;
    const TrainRecord result = TrainRecord::from_bytes(record.payload);
    const auto put = [epochs](const std::vector<double>& from, std::vector<double>& to) {
      std::copy_n(from.begin(), std::min(from.size(), epochs), to.begin());
    };
    put(result.loss, loss);
    put(result.held_out_loss, held_out);
    put(result.seconds, seconds);
    put(result.comm_seconds, comm);
    ranks[0] = result.ranks;
    if (result.diverged) reason[0] = result.reason;
    content.attributes["model"] = result.model_name;
    content.attributes["model_size"] = static_cast<std::int64_t>(result.model_size);
    content.attributes["model_checksum"] = text(std::hex, result.model_checksum);
  }
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::run_workers, {1}, std::vector<std::int32_t>{params.workers}));
  arrays.push_back(make_array(field::run_ranks, {1}, ranks));
  arrays.push_back(make_array(field::run_batch, {1}, std::vector<std::int32_t>{params.batch}));
  arrays.push_back(make_array(field::run_rate, {1}, std::vector<double>{params.rate}));
  arrays.push_back(make_array(field::run_strategy, {1}, std::vector<std::string>{params.strategy}));
  arrays.push_back(make_array(field::run_status, {1}, status));
  arrays.push_back(make_array(field::run_reason, {1}, reason));
  arrays.push_back(make_array(field::training_loss, {1, epochs}, loss));
  arrays.push_back(make_array(field::training_held_out_loss, {1, epochs}, held_out));
  arrays.push_back(make_array(field::training_seconds, {1, epochs}, seconds));
  arrays.push_back(make_array(field::training_comm_seconds, {1, epochs}, comm));
  return content;
}

}  // namespace krossfold::study
