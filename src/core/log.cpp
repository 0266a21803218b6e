// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/log.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "krossfold/core/printable.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold {
namespace {

// Returns to the start of the line and clears it. This is not a colour, so NO_COLOR does not apply.
constexpr const char* clear_line = "\r\033[K";

bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A single call keeps lines of several processes from interleaving. A closed stderr leaves nobody to report it to.
void write_stderr(const std::string& bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stderr);
  std::fflush(stderr);
}

// On a terminal the message may overwrite the progress line, which is then redrawn below it.
void say(const std::string& message) {
  write_stderr((stderr_is_terminal() ? clear_line : "") + printable(message) +
               "\n");  // one line, whatever the names in it hold
}

// "2.1 units/s", or per min or h where that makes the rate at least one.
std::string rate_text(double per_second) {
  constexpr std::array<std::pair<double, const char*>, 3> units = {{{1, "s"}, {60, "min"}, {3600, "h"}}};
  std::size_t k = 0;
  while (k + 1 < units.size() && per_second * units[k].first < 1) ++k;
  const double rate = per_second * units[k].first;
  const double shown = rate < 9.95 ? std::round(rate * 10) / 10 : std::round(rate);
  return text(shortest(shown), " units/", units[k].second);
}

}  // namespace

void Log::info(const std::string& message) const {
  if (speaks_ && verbosity_ != Verbosity::quiet) say(message);
}

void Log::detail(const std::string& message) const {
  if (speaks_ && verbosity_ == Verbosity::verbose) say(message);
}

void Log::warn(const std::string& message) const {
  if (speaks_) say("warning: " + message);
}

std::string progress_text(const std::string& study, int done, int total, int earlier, double work_done,
                          double work_left, double seconds, bool at_most) {
  // Never show 100 % while units are still running.
  const int percent = done >= total ? 100 : std::min(99, static_cast<int>(std::lround(100.0 * done / total)));
  std::string line = text(study, ": ", done, at_most ? " of up to " : " of ", total, " units (", percent, " %)");
  if (earlier > 0) line += text(", ", earlier, " of them earlier");
  if (done <= earlier || !(seconds > 0)) return line;
  line += ", " + rate_text((done - earlier) / seconds);
  if (done >= total) {
    line += ", " + duration_text(seconds < 10 ? seconds : std::round(seconds)) + " in all";
  } else if (work_done > 0 && work_left >= 0) {
    line += ", " + duration_text(std::ceil(seconds * (work_left / work_done))) + " left";
  }
  return line;
}

Progress::Progress(const Log& log, std::string study)
    : shown_(log.shows_progress()), terminal_(stderr_is_terminal()), study_(std::move(study)) {}

Progress::~Progress() {
  if (line_open_) write_stderr("\n");
}

void Progress::update(int done, int total, int earlier, double work_done, double work_left, double seconds,
                      bool at_most) {
  const double interval = terminal_ ? 0.1 : 10;
  const bool last = terminal_ && done >= total;
  if (!shown_ || (seconds - last_ < interval && !last)) return;
  last_ = seconds;
  std::string line = progress_text(study_, done, total, earlier, work_done, work_left, seconds, at_most);
  if (!terminal_) return write_stderr(line + "\n");
  // A line that wraps could not be cleared.
  line.resize(std::min(line.size(), terminal_columns() - 1));
  write_stderr(clear_line + line);
  line_open_ = true;
}

}  // namespace krossfold
