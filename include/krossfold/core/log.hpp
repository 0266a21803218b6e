// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace krossfold {

enum class Verbosity { quiet, normal, verbose };

/// Messages for people, on stderr; stdout is for results. One per process is made in main and passed down.
/// Only the rank that was told to speak writes anything.
class Log {
public:
  explicit Log(Verbosity verbosity = Verbosity::normal, bool speaks = true) : verbosity_(verbosity), speaks_(speaks) {}

  /// Said unless --quiet.
  void info(const std::string& message) const;
  /// Said with --verbose only.
  void detail(const std::string& message) const;
  /// Said always, after "warning: ".
  void warn(const std::string& message) const;

  bool shows_progress() const { return speaks_ && verbosity_ != Verbosity::quiet; }

private:
  Verbosity verbosity_;
  bool speaks_;
};

/// "svm search: 37 of 120 units (31 %), 2.1 units/s, 39 s left": `done` of `total` units are finished, `earlier` of
/// them before this run began `seconds` ago. `work_done` is the cost of what this run has finished, `work_left` of what
/// is still to do; the time left follows from the two. What cannot be known yet is left out. at_most: "of up to 120 units".
std::string progress_text(const std::string& what, int done, int total, int earlier, double work_done, double work_left,
                          double seconds, bool at_most = false);

/// The line that says how far a study is: units done, rate, time left. On a terminal one line is redrawn; elsewhere a
/// plain line appears at most every ten seconds. Called from one thread.
class Progress {
public:
  Progress(const Log& log, std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Arguments as of progress_text.
  void update(int done, int total, int earlier, double work_done, double work_left, double seconds,
              bool at_most = false);

private:
  bool shown_, terminal_;
  std::string what_;
  double last_ = -1e9;
  bool line_open_ = false;
};

}  // namespace krossfold
