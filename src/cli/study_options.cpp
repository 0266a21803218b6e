// SPDX-License-Identifier: BSD-3-Clause
#include "study_options.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "option_parsing.hpp"

namespace krossfold::cli {

namespace {

/// Reads "0,2,3", or "all" as an empty list.
std::vector<int> parse_devices(const std::string& value, const std::string& shown) {
  std::vector<int> devices;
  if (value == "all") return devices;
  for (const std::string& one : run::split_list(value)) {
    const auto device = run::whole_number<int>(one);
    if (!device || *device < 0 || contains(devices, *device)) {
      throw_input_error(text("bad value '", value, "' for ", shown), "expected different device numbers, or all",
                        text("For example ", shown, " 0,2,3."));
    }
    devices.push_back(*device);
  }
  return devices;
}

}  // namespace

void add_run_options(CLI::App& app, run::RunParams& run) {
  app.add_option("-o,--output", run.output, "result file to write; if it is unfinished, the study continues")
      ->type_name("FILE.h5");
  const auto parse_schedule = [](const std::string& word, const std::string&) {
    return parallel::parse_schedule(word);
  };
  add_parsed(
      app, "--max-time", run.max_time, parse_duration,
      "stop cleanly after this time, but not before one unit has begun (exit code 75); the same command continues",
      "DURATION");
  add_parsed(app, "--grace", run.grace, parse_duration, "time that units in flight then have to finish", "DURATION",
             "30s");
  add_parsed(app, "--checkpoint-every", run.checkpoint_every, parse_duration,
             "how often a unit in flight stores its intermediate state", "DURATION", "1m");
  add_parsed(
      app, "--stall-timeout", run.stall_timeout, parse_duration,
      "abort, naming the rank, if it reports no progress for this long (longer than a disk may take); 0 disables",
      "DURATION", "30m");
  add_parsed(app, "--schedule", run.schedule, parse_schedule,
             "which rank computes which unit: " + std::string(parallel::schedule_names), "KIND", name_of(run.schedule));
  add_parsed(app, "--memory-limit", run.memory_limit, parse_size,
             "memory that a rank may use: less of a kernel matrix is cached, networks that need more are refused",
             "SIZE");
  add_parsed(app, "--gpu", run.devices, parse_devices,
             "GPUs that the ranks of a node take in turn: numbers such as 0,2,3, or all", "LIST|all");
  app.add_flag("--retry-failed", run.retry_failed, "compute again the units that failed");
  app.add_flag("--break-lock", run.break_lock, "take over an output that a run on another host seems to use");
  app.add_option("--json-log", run.json_log,
                 "append a line of JSON to FILE for every unit and every epoch of a training (docs/json-log.md)")
      ->type_name("FILE");
  app.add_option("--config", run.config,
                 "take the options not given here from FILE: a result file (the options it was computed with) or TOML")
      ->type_name("FILE");
  app.add_flag("--dry-run", run.dry_run, "print units, memory and devices without computing anything");
}

void add_table(CLI::App& app, const run::OptionTable& table) {
  for (const run::Option& option : table.options()) {
    const std::string shown = "--" + option.name;
    if (option.is_flag) {
      app.add_flag_function(
          shown + ",!--no-" + option.name,
          [&option, shown](std::int64_t count) { option.set(count > 0 ? "true" : "false", shown); }, option.help);
    } else if (option.is_positional) {
      app.add_option_function<std::string>(
          option.metavar, [&option](const std::string& value) { option.set(value, option.metavar); }, option.help);
    } else {
      add_text(
          app, shown, [&option, shown](const std::string& value) { option.set(value, shown); }, option.help,
          option.metavar, option.default_text);
    }
  }
}

}  // namespace krossfold::cli
