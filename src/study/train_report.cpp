// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_report.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/schema.hpp"
#include "krossfold/study/names_report.hpp"
#include "krossfold/study/report.hpp"
#include "report_values.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

}  // namespace

bool TrainingReport::on_same_ranks() const {
  return std::all_of(epoch_ranks.begin(), epoch_ranks.end(), [this](int count) { return count == ranks; });
}

double TrainingReport::total_seconds() const { return sum(seconds); }

double TrainingReport::comm_share() const {
  return seconds.empty() ? std::numeric_limits<double>::quiet_NaN() : sum(comm_seconds) / total_seconds();
}

TrainReport make_train_report(const storage::Container& result, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw_input_error(text(name, " is not a usable result file"), why);
  };
  const auto values = [&]<class T>(const storage::Field& of, const T&) -> const std::vector<T>& {
    if (!result.has(of.path) || !std::holds_alternative<std::vector<T>>(result.at(of.path).values)) {
      refuse(text(of.path, " is missing"));
    }
    return result.values<T>(of.path);
  };
  TrainReport report;
  set_common(report, result, name);
  report.utilisation = real(result, "utilisation");
  report.kind = result.attribute("kind");
  report.formation = result.attribute("formation");
  report.devices = result.attribute("devices");
  report.network = result.attribute("network");
  report.architecture = result.attribute("architecture");
  report.parameters = whole(result, "parameters");
  const auto& workers = values(field::run_workers, std::int32_t());
  const auto& loss = values(field::training_loss, double());
  if (workers.empty() || loss.size() % workers.size() != 0) refuse("its datasets do not fit together");
  const std::size_t runs = workers.size(), epochs = loss.size() / runs;
  const auto of_run = [&]<class T>(const storage::Field& of, std::size_t run, const T& like) {
    const auto& all = values(of, like);
    if (all.size() != runs) refuse(text(of.path, " has ", all.size(), " entries"));
    return all[run];
  };
  const auto of_epochs = [&](const storage::Field& of, std::size_t run, std::size_t count) {
    const auto& all = values(of, double());
    if (all.size() != runs * epochs) refuse(text(of.path, " has ", all.size(), " entries"));
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(run * epochs);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  const auto epochs_done = [&](std::size_t run) {
    std::size_t done = 0;
    while (done < epochs && !std::isnan(loss[run * epochs + done])) ++done;
    return done;
  };
  for (std::size_t k = 0; k < runs; ++k) {
    TrainingReport one;
    one.workers = workers[k];
    one.ranks = of_run(field::run_ranks, k, std::int32_t());
    one.batch = of_run(field::run_batch, k, std::int32_t());
    one.status = of_run(field::run_status, k, std::int32_t());
    one.rate = of_run(field::run_rate, k, double());
    one.summed = static_cast<double>(of_run(field::run_summed, k, std::int64_t()));
    one.gathered = static_cast<double>(of_run(field::run_gathered, k, std::int64_t()));
    one.sums = of_run(field::run_sums, k, std::int32_t());
    one.gathers = of_run(field::run_gathers, k, std::int32_t());
    one.replicated = of_run(field::run_replicated, k, double());
    one.strategy = of_run(field::run_strategy, k, std::string());
    one.reason = of_run(field::run_reason, k, std::string());
    const std::size_t done = epochs_done(k);
    one.loss = of_epochs(field::training_loss, k, done);
    one.held_out_loss = of_epochs(field::training_held_out_loss, k, done);
    if (result.has(field::training_held_out_error.path)) {
      one.held_out_error = of_epochs(field::training_held_out_error, k, done);
    }
    one.seconds = of_epochs(field::training_seconds, k, done);
    one.comm_seconds = of_epochs(field::training_comm_seconds, k, done);
    const auto& epoch_ranks = values(field::training_ranks, std::int32_t());
    if (epoch_ranks.size() != runs * epochs) refuse(text(field::training_ranks.path, " does not fit"));
    const auto first = epoch_ranks.begin() + static_cast<std::ptrdiff_t>(k * epochs);
    one.epoch_ranks.assign(first, first + static_cast<std::ptrdiff_t>(done));
    if (one.workers < 1 || one.ranks < 1 || one.workers % one.ranks != 0 || one.batch < 1) {
      refuse("its workers and ranks do not fit together");
    }
    report.run.push_back(std::move(one));
  }
  return report;
}

MeasuredSteps TrainReport::steps_of(const TrainingReport& one) const {
  MeasuredSteps measured;
  measured.workers = one.workers;
  measured.ranks = one.ranks;
  measured.gathers_on_root = one.strategy == "data-parallel";
  measured.steps = std::ceil(static_cast<double>(train_samples) / one.batch);
  int epochs = 0;
  for (std::size_t e = 0; e < one.seconds.size(); ++e) {
    if (one.epoch_ranks[e] != one.ranks) continue;
    ++epochs;
    measured.seconds += one.seconds[e];
    measured.comm_seconds += one.comm_seconds[e];
  }
  measured.seconds /= std::max(1, epochs);
  measured.comm_seconds /= std::max(1, epochs);
  measured.summed = one.summed;
  measured.gathered = one.gathered;
  measured.sums = one.sums;
  measured.gathers = one.gathers;
  measured.measured = one.on_same_ranks();
  measured.replicated = one.replicated;
  measured.most_ranks = one.strategy == "model-parallel" ? 0 : one.batch;
  return measured;
}

std::string train_report_text(const TrainReport& r) {
  if (r.kind == "names") return names_report_text(r);
  std::ostringstream out;
  out << r.name << ": training, " << r.status << "\n"
      << "  data     " << r.data << ": " << r.train_samples << " to train on, " << r.test_samples << " held out\n"
      << "  network  " << r.architecture << ", " << r.parameters << " parameters\n";
  for (const TrainingReport& one : r.run) {
    out << "  run      " << one.strategy << ", " << counted(one.workers, "worker") << " on "
        << counted(one.ranks, "rank") << (one.on_same_ranks() ? "" : " in the end") << ", batch " << one.batch
        << ", rate " << rounded(one.rate) << "\n";
    if (!one.reason.empty())
      out << "           " << (one.status == 2 ? "failed: " : "diverged: ") << one.reason << "\n";
    if (one.loss.empty()) continue;
    out << "\n" << std::setw(10) << "epoch" << std::setw(12) << "loss" << std::setw(12) << "held out";
    if (!one.held_out_error.empty()) out << std::setw(12) << "error";
    out << std::setw(12) << "seconds" << std::setw(12) << "exchange"
        << "\n";
    for (std::size_t e = 0; e < one.loss.size(); ++e) {
      out << std::setw(10) << e + 1 << std::setw(12) << rounded(one.loss[e]) << std::setw(12)
          << rounded(one.held_out_loss[e]);
      if (!one.held_out_error.empty()) out << std::setw(12) << percent(one.held_out_error[e]);
      out << std::setw(12) << rounded(one.seconds[e]) << std::setw(12) << percent(one.comm_seconds[e] / one.seconds[e])
          << "\n";
    }
    out << "\n  time     " << duration_text(one.total_seconds()) << " of steps, " << percent(one.comm_share())
        << " of it for the exchange with other ranks\n";
  }
  return out.str();
}

const char* const train_csv_header =
    "file,run,workers,ranks,strategy,batch,rate,epoch,loss,held_out_loss,held_out_error,seconds,comm_seconds\n";

std::string train_csv_rows(const TrainReport& r) {
  std::string rows;
  for (std::size_t k = 0; k < r.run.size(); ++k) {
    const TrainingReport& one = r.run[k];
    for (std::size_t e = 0; e < one.loss.size(); ++e) {
      rows += text(csv_field(r.name), ",", k, ",", one.workers, ",", one.ranks, ",", one.strategy, ",", one.batch, ",",
                   shortest(one.rate), ",", e + 1, ",", shortest(one.loss[e]), ",", shortest(one.held_out_loss[e]), ",",
                   one.held_out_error.empty() ? "" : shortest(one.held_out_error[e]), ",", shortest(one.seconds[e]),
                   ",", shortest(one.comm_seconds[e]), "\n");
    }
  }
  return rows;
}

}  // namespace krossfold::study
