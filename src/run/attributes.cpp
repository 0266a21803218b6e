// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/attributes.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::run {

StudyFacts::StudyFacts(const std::vector<OptionValue>& options, std::uint64_t seed, std::string fold_kind,
                       const data::Task& task)
    : config(to_json(options)),
      seed(seed),
      fold_kind(!fold_kind.empty() && task.train.group.extent(0) != 0 ? "group" : std::move(fold_kind)),
      data(task.train.name),
      train(task.train.size()),
      test(task.test.size()),
      features(task.train.features()),
      test_digest(task.test.size() > 0 ? task.test.digest : 0),
      understood(task.understood),
      warnings(task.warning) {
  const auto given = std::find_if(options.begin(), options.end(), [](const auto& o) { return o.name == "data"; });
  if (given == options.end() || !given->is_default) return;
  if (given->value == "digits") understood.emplace_back("these are the built-in digits; data names others");
  if (given->value == "names") understood.emplace_back("these are the built-in names; data names others");
}

void StudyFacts::describe_features(const data::Dataset& train, const data::Scale& scale) {
  nlohmann::ordered_json all;
  if (train.encoding) {
    const data::TableEncoding& table = *train.encoding;
    if (table.named) all["names"] = table.feature_names();
    for (const data::FeatureColumn& one : table.column) {
      nlohmann::ordered_json column{{"column", one.column}};
      if (table.named) column["name"] = one.name;
      column["missing"] = std::isnan(one.fill) ? nlohmann::ordered_json() : nlohmann::ordered_json(one.fill);
      column["categories"] = one.text ? nlohmann::ordered_json(one.category) : nlohmann::ordered_json();
      all["columns"].push_back(column);
    }
    all["label"] = table.label;
    all["label_column"] = table.label_column;
  }
  all["scale"] = {{"offset", scale.offset}, {"divisor", scale.divisor}};
  features_json = all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void add_run_attributes(storage::Container& content, const std::string& kind, const StudyFacts& study,
                        const RunFacts& facts) {
  const BuildInfo build = build_info();
  auto& a = content.attributes;
  a["kind"] = kind;
  a["status"] = facts.status;
  if (!facts.run_id.empty()) a["run_id"] = facts.run_id;
  a["krossfold_version"] = build.version;
  a["git_commit"] = build.git_commit;
  a["compiler"] = build.compiler + " " + build.flags;
  a["kokkos"] = build.kokkos;
  a["blas"] = blas_kernel();
  a["mpi"] = facts.mpi;
  a["hdf5"] = storage::hdf5_version();
  a["cpu"] = cpu_name();
  a["command_line"] = facts.command_line;
  a["config"] = study.config;
  a["fingerprint"] = facts.fingerprint.config;
  a["data_digest"] = text(std::hex, facts.fingerprint.data);
  a["build"] = facts.fingerprint.build;
  if (!facts.earlier_builds.empty()) a["earlier_builds"] = joined(facts.earlier_builds, "\n");
  a["seed"] = text(study.seed);
  a["data"] = study.data;
  a["n_train"] = study.train;
  a["n_test"] = study.test;
  if (study.test > 0) a["test_digest"] = text(std::hex, study.test_digest);
  a["n_features"] = study.features;
  if (!study.features_json.empty()) a["features"] = study.features_json;
  a["fold_kind"] = study.fold_kind;
  if (!study.warnings.empty()) a["data_warnings"] = joined(study.warnings, "\n");
  a["formation"] = facts.formation;
  a["schedule"] = facts.schedule;
  a["devices"] = facts.devices;
  a["hosts"] = facts.hosts;
  a["ranks"] = std::int64_t{facts.ranks};
  a["seconds"] = facts.seconds;
  if (facts.setup_seconds > 0) a["setup_seconds"] = facts.setup_seconds;
  a["utilisation"] = facts.utilisation;
  a["started"] = facts.started;
  a["finished"] = facts.finished;
}

}  // namespace krossfold::run
