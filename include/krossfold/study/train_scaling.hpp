// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krossfold/study/formation.hpp"
#include "krossfold/study/train_report.hpp"

namespace krossfold::study {

struct ScalingParams {
  std::vector<Formation> formations;  ///< none: 1x1, 1x2, 1x4, 2x4, 4x4, ... up to the first that does not pay
  std::optional<double> latency,
      bandwidth;        ///< of the link, in seconds and bytes a second; not set: as it was measured
  double deadline = 0;  ///< seconds; 0 for none
};

/// A training on a formation, as step_model.hpp has it: a step waits for the slowest rank.
struct ScalingRow {
  std::string formation;
  int ranks = 0;
  bool measured = false;  ///< the ranks that the training ran on
  double epoch = 0;       ///< seconds of an epoch's steps
  double seconds = 0;     ///< of all epochs
  double exchange = 0;    ///< share of that for the exchange
  double speed_up = 0;    ///< against one rank of speed 1, modelled if that was not measured
  double rank_hours = 0;
  bool in_time = true;
};

/// What other formations would do with a training.
struct Scaling {
  std::string name, training;  ///< of the file; "run 3: 4 workers, batch 4096, rate 0.004"
  int epochs = 0;
  Link link;
  std::string link_source;  ///< "measured", "assumed" or "given"
  double deadline = 0;
  std::vector<ScalingRow> rows;
  int cheapest = -1;  ///< the row that meets the deadline with the fewest rank-hours
  bool on_devices = false;
  double replicated = 0;  ///< share of a step's operations that every rank does whole
};

/// One for every run that has been trained. Throws an input error if there is none.
std::vector<Scaling> scale_trainings(const TrainReport& report, const ScalingParams& params);

std::string scaling_text(const Scaling& scaling);
std::string scaling_json(const std::vector<Scaling>& scalings);
inline constexpr const char* scaling_csv_header =
    "file,training,formation,ranks,measured,epoch_seconds,seconds,exchange,speed_up,rank_hours,in_time\n";
std::string scaling_csv_rows(const Scaling& scaling);

}  // namespace krossfold::study
