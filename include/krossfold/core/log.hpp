// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace krossfold {

enum class Verbosity { quiet, normal, verbose };

/// Writes messages for people to stderr; stdout is reserved for results. main creates one per process and passes it
/// down; a rank constructed with speaks = false writes nothing.
class Log {
public:
  explicit Log(Verbosity verbosity = Verbosity::normal, bool speaks = true) : verbosity_(verbosity), speaks_(speaks) {}

  /// Printed unless the log is quiet.
  void info(const std::string& message) const;
  /// Printed only if the log is verbose.
  void detail(const std::string& message) const;
  /// Always printed, prefixed with "warning: ".
  void warn(const std::string& message) const;

  bool shows_progress() const { return speaks_ && verbosity_ != Verbosity::quiet; }

private:
  Verbosity verbosity_;
  bool speaks_;
};

/// "svm search: 37 of 120 units (31 %), 2.1 units/s, 39 s left": `done` of `total` units are finished, `earlier` of
/// them before this run began `seconds` ago. The remaining time follows from `work_done`, the cost of what this run
/// finished, and `work_left`, the cost of the rest. Unknown parts are omitted. at_most: "of up to 120 units".
std::string progress_text(const std::string& study, int done, int total, int earlier, double work_done,
                          double work_left, double seconds, bool at_most = false);

/// Progress line of a study: units done, rate, time left. A terminal gets one line that is redrawn; any other stderr
/// gets a plain line at most every ten seconds. Call it from one thread only.
class Progress {
public:
  Progress(const Log& log, std::string study);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Takes the arguments of progress_text().
  void update(int done, int total, int earlier, double work_done, double work_left, double seconds,
              bool at_most = false);

private:
  bool shown_, terminal_;
  std::string study_;
  double last_ = -1e9;
  bool line_open_ = false;
};

}  // namespace krossfold
