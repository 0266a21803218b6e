// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// When the batch system ends the job, and when a run that wants to be done by then has to stop.

#include <functional>
#include <optional>
#include <string>

namespace krossfold::parallel {

/// Times are in seconds since the epoch (UTC), on the machine's clock.
struct JobEnd {
  std::string job;  ///< its number
  double end = 0;
};

/// What is asked for the end of the job; tests give answers of their own.
struct JobQuestions {
  std::function<const char*(const char* name)> variable;           ///< of the environment; null if it is not set
  std::function<std::string(const std::string& job)> description;  ///< what `scontrol show job` says; "" if it cannot
};

/// The environment of this process and the scontrol in its PATH, which gets ten seconds to answer.
JobQuestions ask_slurm();

/// The end of the Slurm job that this process runs in: SLURM_JOB_END_TIME if it is a time, else EndTime of scontrol.
/// Nothing outside a job, in one without a time limit, and where neither tells.
///
/// Asked once, at the start: a requeued job is started anew, and where an administrator extends a running one the study
/// stops at the earlier end and its next job goes on. Nothing is lost by either.
std::optional<JobEnd> find_job_end(const JobQuestions& ask);

/// The EndTime of a job in what `scontrol show job` prints, which may tell of several jobs (those of an array): as
/// seconds or as local time. Nothing if it is Unknown, NONE, or not there.
std::optional<double> end_time_of(const std::string& description, const std::string& job);

/// What the end of the job, or a time after which it may be killed, means for a run.
struct Deadline {
  double stop = 0;  ///< no unit begins after it
  double drop = 0;  ///< units still in flight are dropped: what is left of the job is for writing the result file
};

/// Seconds of a job that are kept for writing results and leaving.
inline constexpr double time_to_leave = 15;

/// Units in flight get `grace` seconds before they are dropped.
Deadline deadline_of(const JobEnd& job, double grace);

/// "job 123 ends at 14:05:00 UTC: stopping at 14:04:15"; with the date where that is not today's, and "stopping at once" where
/// it is too late already.
std::string describe(const JobEnd& job, const Deadline& deadline, double now);

/// The time now.
double epoch_seconds();

}  // namespace krossfold::parallel
