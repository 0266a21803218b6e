// SPDX-License-Identifier: BSD-3-Clause
#include "study_options.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/run/option_groups.hpp"
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

run::OptionTable run_options(run::RunParams& run) {
  run::OptionTable table;
  table.begin_group(run::group::output);
  run::Option& output = table.add("output", run.output, "FILE.h5",
                                  "result file to write; if it is there and unfinished, the study continues");
  output.letter = "o";
  table.add("json-log", run.json_log, "FILE",
            "append a line of JSON to FILE for every unit and every epoch of a training (docs/json-log.md)");
  table.begin_group(run::group::time);
  const auto parse_limit = [](const std::string& word, const std::string& option) {
    return std::max(parse_duration(word, option), run::no_time);
  };
  add_parsed(table, "max-time", run.max_time, parse_limit, "DURATION",
             "stop cleanly after this time, also 0, but not before one unit has begun (exit code 75); the same command "
             "continues. 90, 90s, 15m, 1.5h or 1:30:00");
  add_parsed(table, "grace", run.grace, parse_duration, "DURATION", "time that units in flight then have to finish",
             "30s");
  add_parsed(table, "checkpoint-every", run.checkpoint_every, parse_duration, "DURATION",
             "how often a unit in flight stores its intermediate state", "1m");
  add_parsed(
      table, "stall-timeout", run.stall_timeout, parse_duration, "DURATION",
      "abort, naming the rank, if it reports no progress for this long (longer than a disk may take); 0 disables",
      "30m");
  table.add("retry-failed", run.retry_failed, "", "compute again the units that failed");
  table.add("break-lock", run.break_lock, "", "take over an output that a run on another host seems to use");
  table.begin_group(run::group::devices);
  const auto parse_schedule = [](const std::string& word, const std::string&) {
    return parallel::parse_schedule(word);
  };
  add_parsed(table, "schedule", run.schedule, parse_schedule, "KIND",
             "which rank computes which unit, where a study has several (train has not, and refuses it)",
             name_of(run.schedule))
      .choices = {{"dynamic", "a free rank takes the longest unit left"},
                  {"static", "each rank takes an equal run of units"},
                  {"shuffled", "the same in random order"},
                  {"node-static", "each node takes an equal run, its ranks share it dynamically"}};
  add_parsed(table, "memory-limit", run.memory_limit, parse_size, "SIZE",
             "memory that a rank may use, such as 4G: less of a kernel matrix is cached, networks that need more are "
             "refused");
  add_parsed(table, "gpu", run.devices, parse_devices, "LIST|all",
             "GPUs that the ranks of a node take in turn: numbers such as 0,2,3, or all")
      .choices = {{"all"}};
  table.begin_group(run::group::general);
  table.add("config", run.config, "FILE",
            "take the options that are not given here from FILE: a result file (the options it was computed with) or "
            "TOML. --no-NAME turns off a switch that it turns on");
  table.add("dry-run", run.dry_run, "", "print units, memory and devices without computing anything");
  return table;
}

/// True beside --config, where an empty value undoes what the file says.
bool may_undo(const CLI::App& app, const std::string& name) {
  const CLI::Option* config = app.get_option_no_throw("--config");
  return config != nullptr && config->count() > 0 && name != "--config";
}

/// Throws an input error if the value is empty, as of a variable of the shell that is not set, or the name of an option, before which the
/// value is missing.
void refuse_no_value(const CLI::App& app, const std::string& name, const std::string& value) {
  require(!value.empty(), text(name, " needs a value"), "the one given is empty", "Give one, or leave the option out.");
  if (value.starts_with("--") && app.get_option_no_throw(value) != nullptr) {
    throw_input_error(text(name, " needs a value"), text("what follows it, ", value, ", is an option"));
  }
}

void add_table(CLI::App& app, const run::OptionTable& table) {
  for (const run::Option& option : table.options()) {
    const std::string shown = "--" + option.name;
    if (option.is_flag) {
      app.add_flag_function(shown + ",!--no-" + option.name,
                            [&option, shown](std::int64_t count) { option.set(count > 0 ? "true" : "false", shown); });
    } else if (option.repeats) {
      app.add_option_function<std::vector<std::string>>(option.metavar,
                                                        [&app, &option](const std::vector<std::string>& words) {
                                                          for (const std::string& word : words) {
                                                            refuse_no_value(app, option.metavar, word);
                                                            option.set(word, option.metavar);
                                                          }
                                                        });
    } else {
      const std::string name = option.is_positional ? option.metavar : shown;
      app.add_option_function<std::string>((option.letter.empty() ? "" : "-" + option.letter + ",") + name,
                                           [&app, &option, name](const std::string& value) {
                                             if (value.empty() && may_undo(app, name)) return;
                                             if (!option.may_be_empty) refuse_no_value(app, name, value);
                                             option.set(value, name);
                                           });
    }
  }
}

}  // namespace krossfold::cli
