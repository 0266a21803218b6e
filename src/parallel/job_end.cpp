// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/job_end.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "krossfold/core/slurm.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::parallel {

namespace {

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

/// Parses seconds written in digits; nothing for 0 or any other word.
std::optional<double> seconds_of(const std::string& word) {
  double seconds = 0;
  if (!is_number(word)) return std::nullopt;
  std::from_chars(word.data(), word.data() + word.size(), seconds);
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

/// Parses "2026-01-31T12:00:00" as local time.
std::optional<double> local_time_of(const std::string& word) {
  std::tm fields{};
  const char* end = strptime(word.c_str(), "%Y-%m-%dT%H:%M:%S", &fields);
  if (end == nullptr || *end != '\0') return std::nullopt;
  fields.tm_isdst = -1;
  const std::time_t time = std::mktime(&fields);
  return time > 0 ? std::optional(static_cast<double>(time)) : std::nullopt;
}

/// The first position from `from` on where `name` starts a word in a text of NAME=WORD pairs, or npos.
std::size_t find_name(const std::string& name, const std::string& all, std::size_t from = 0) {
  std::size_t at = all.find(name, from);
  while (at != std::string::npos && at > 0 && all[at - 1] != ' ' && all[at - 1] != '\n') at = all.find(name, at + 1);
  return at;
}

/// The word that follows `name`, or "".
std::string value_of(const std::string& name, const std::string& all) {
  const std::size_t at = find_name(name, all);
  if (at == std::string::npos) return "";
  const std::size_t first = at + name.size();
  return all.substr(first, all.find_first_of(" \n", first) - first);
}

std::string scontrol_show_job(const std::string& job) {
  if (!is_number(job)) return "";
  // Requests seconds, if scontrol supports that: local times are ambiguous when the clocks are set back.
  return output_of({"env", "SLURM_TIME_FORMAT=%s", "scontrol", "show", "job", job}, 10);
}

std::string clock_time(double seconds, bool with_date) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm fields{};
  gmtime_r(&time, &fields);
  std::array<char, 40> written{};
  return {written.data(),
          std::strftime(written.data(), written.size(), with_date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &fields)};
}

}  // namespace

JobQueries slurm_queries() {
  return {[](const char* name) { return std::getenv(name); }, scontrol_show_job};
}

std::optional<double> end_time_of(const std::string& description, const std::string& job) {
  const std::string mark = "JobId=";
  for (std::size_t at = find_name(mark, description); at != std::string::npos;) {
    const std::size_t next = find_name(mark, description, at + 1);
    const std::string one = description.substr(at, next == std::string::npos ? next : next - at);
    if (value_of(mark, one) == job) {
      const std::string end = value_of("EndTime=", one);
      const auto seconds = seconds_of(end);
      return seconds ? seconds : local_time_of(end);
    }
    at = next;
  }
  return std::nullopt;
}

std::optional<JobEnd> find_job_end(const JobQueries& queries) {
  const auto variable = [&](const char* name) -> std::string {
    const char* value = queries.variable(name);
    return value != nullptr ? value : "";
  };
  const std::string job = variable("SLURM_JOB_ID");
  if (job.empty()) return std::nullopt;
  auto end = seconds_of(variable("SLURM_JOB_END_TIME"));
  if (!end) end = end_time_of(queries.description(job), job);
  return end ? std::optional(JobEnd{job, *end}) : std::nullopt;
}

Deadline deadline_of(const JobEnd& job, double grace) {
  const double drop = job.end - time_to_leave;
  return {drop - std::max(grace, 0.0), drop};
}

std::string describe(const JobEnd& job, const Deadline& deadline, double now) {
  const auto day = [](double seconds) { return std::floor(seconds / 86400); };
  const bool today = day(job.end) == day(now) && day(deadline.stop) == day(now);
  return text("job ", job.job, " ends at ", clock_time(job.end, !today), " UTC: stopping at ",
              deadline.stop > now ? clock_time(deadline.stop, !today) : "once");
}

double epoch_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace krossfold::parallel
