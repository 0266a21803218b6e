// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// When the batch system ends the job, and when a run must stop to be done by then.

#include <functional>
#include <optional>
#include <string>

namespace krossfold::parallel {

/// The end of a batch job. Times are in seconds since the epoch (UTC) on the machine's clock.
struct JobEnd {
  std::string job;  ///< job ID
  double end = 0;
};

/// Sources of information about the job; tests substitute their own.
struct JobQueries {
  std::function<const char*(const char* name)> variable;           ///< environment variable; null if it is not set
  std::function<std::string(const std::string& job)> description;  ///< what `scontrol show job` prints
};

/// The environment of this process and the scontrol in its PATH, with a timeout of ten seconds.
JobQueries slurm_queries();

/// The end of the Slurm job that this process runs in: SLURM_JOB_END_TIME if it is a time, else EndTime from scontrol.
/// Nothing outside a job, in a job without a time limit, or if neither source has a time.
///
/// Called once, at the start: a requeued job starts again anyway, and if an administrator extends a running job, the
/// study stops at the earlier end and the next job resumes it. Nothing is lost in either case.
std::optional<JobEnd> find_job_end(const JobQueries& queries);

/// The EndTime of a job in the output of `scontrol show job`, which may list several jobs (of an array), as seconds or
/// local time. Nothing if it is Unknown, NONE, or missing.
std::optional<double> end_time_of(const std::string& description, const std::string& job);

/// The times at which a run must stop because its job ends or may be killed.
struct Deadline {
  double stop = 0;  ///< no unit starts after this time
  double drop = 0;  ///< units still in flight are dropped: the rest of the job is for writing the result file
};

/// Seconds at the end of a job reserved for writing results and exiting.
inline constexpr double time_to_leave = 15;

/// The deadline of a job whose units in flight get `grace` seconds before they are dropped.
Deadline deadline_of(const JobEnd& job, double grace);

/// "job 123 ends at 14:05:00 UTC: stopping at 14:04:15"; with the date unless it is today's, and "stopping at once" if
/// it is already too late.
std::string describe(const JobEnd& job, const Deadline& deadline, double now);

/// The current time.
double epoch_seconds();

}  // namespace krossfold::parallel
