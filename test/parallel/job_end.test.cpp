// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/job_end.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <map>

namespace krossfold::parallel {
namespace {

using testing::Optional;

// The output format of Slurm 22.05.
std::string description_of(const std::string& job, const std::string& end, const std::string& array = "") {
  return "JobId=" + job + array +
         " JobName=x\n   UserId=root(0) GroupId=root(0) MCS_label=N/A\n   RunTime=00:00:01 TimeLimit=00:01:00 "
         "TimeMin=N/A\n"
         "   StartTime=2026-01-31T11:59:00 EndTime=" +
         end + " Deadline=N/A\n   SuspendTime=None SecsPreSuspend=0 LastSchedEvalTime=2026-01-31T11:59:00\n\n";
}

/// Questions with fixed answers, counting how often the controller is asked.
struct Answers {
  std::map<std::string, std::string> variable;
  std::string description;
  int asked = 0;

  std::optional<JobEnd> find() {
    return find_job_end({[this](const char* name) {
                           const auto found = variable.find(name);
                           return found == variable.end() ? nullptr : found->second.c_str();
                         },
                         [this](const std::string&) {
                           ++asked;
                           return description;
                         }});
  }
};

/// Sets the local time zone for one test.
class Zone {
public:
  explicit Zone(const char* name) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    setenv("TZ", name, 1);
    tzset();
  }
  ~Zone() {
    before_.empty() ? unsetenv("TZ") : setenv("TZ", before_.c_str(), 1);
    tzset();
  }

private:
  std::string before_;
};

TEST(JobEnd, is_unknown_outside_a_job_and_nobody_is_asked) {
  Answers answers{{{"SLURM_JOB_END_TIME", "1769860800"}}, description_of("7", "1769860800")};
  EXPECT_EQ(answers.find(), std::nullopt);
  answers.variable["SLURM_JOB_ID"] = "";
  EXPECT_EQ(answers.find(), std::nullopt);
  EXPECT_EQ(answers.asked, 0);
}

TEST(JobEnd, is_that_of_the_environment_where_it_is_a_time) {
  Answers answers{{{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_END_TIME", "1769860800"}}, description_of("7", "1769000000")};
  const auto job = answers.find();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->job, "7");
  EXPECT_EQ(job->end, 1769860800);
  EXPECT_EQ(answers.asked, 0);
}

TEST(JobEnd, is_asked_of_the_controller_else) {
  const std::string too_large(400, '9');
  for (const char* useless : {"", "0", "soon", "-5", "1769860800x", too_large.c_str()}) {
    Answers answers{{{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_END_TIME", useless}}, description_of("7", "1769860800")};
    const auto job = answers.find();
    ASSERT_TRUE(job) << useless;
    EXPECT_EQ(job->end, 1769860800);
    EXPECT_EQ(answers.asked, 1);
  }
}

TEST(JobEnd, is_unknown_without_a_limit_and_without_an_answer) {
  for (const std::string& description :
       {description_of("7", "Unknown"), description_of("7", "NONE"), description_of("7", "N/A"),
        description_of("7", "2026-01-31"), description_of("8", "1769860800"), std::string(), std::string("JobId=7")}) {
    Answers answers{{{"SLURM_JOB_ID", "7"}}, description};
    EXPECT_EQ(answers.find(), std::nullopt) << description;
  }
}

TEST(JobEnd, is_read_from_local_time_too) {
  const Zone zone("CET-1");  // an hour east
  EXPECT_THAT(end_time_of(description_of("7", "2026-01-31T13:00:00"), "7"), Optional(1769860800.0));
}

TEST(JobEnd, is_read_from_local_time_in_summer) {
  const Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_THAT(end_time_of(description_of("7", "2026-07-01T14:00:00"), "7"), Optional(1782907200.0));  // 12:00 UTC
}

TEST(JobEnd, is_that_of_the_job_asked_for_among_those_of_an_array) {
  const std::string all = description_of("71", "1769860871", " ArrayJobId=7 ArrayTaskId=1") +
                          description_of("7", "1769860800", " ArrayJobId=7 ArrayTaskId=2") +
                          description_of("9", "Unknown", " ArrayJobId=7 ArrayTaskId=3");
  EXPECT_THAT(end_time_of(all, "7"), Optional(1769860800.0));
  EXPECT_THAT(end_time_of(all, "71"), Optional(1769860871.0));
  EXPECT_EQ(end_time_of(all, "9"), std::nullopt);
  EXPECT_EQ(end_time_of(all, "1"), std::nullopt);
}

TEST(JobEnd, leaves_the_grace_and_the_time_to_write_before_it) {
  const Deadline deadline = deadline_of({"7", 1000}, 30);
  EXPECT_EQ(deadline.drop, 1000 - time_to_leave);
  EXPECT_EQ(deadline.stop, deadline.drop - 30);
  const Deadline at_once = deadline_of({"7", 1000}, 0);
  EXPECT_EQ(at_once.stop, at_once.drop);
}

TEST(JobEnd, is_told_with_the_time_to_stop) {
  const JobEnd job{"123", 1769860800};  // 2026-01-31 12:00:00
  EXPECT_EQ(describe(job, deadline_of(job, 30), 1769860000), "job 123 ends at 12:00:00 UTC: stopping at 11:59:15");
  EXPECT_EQ(describe(job, deadline_of(job, 30), 1769860000 - 86400),
            "job 123 ends at 2026-01-31 12:00:00 UTC: stopping at 2026-01-31 11:59:15");
  EXPECT_EQ(describe(job, deadline_of(job, 30), 1769860790), "job 123 ends at 12:00:00 UTC: stopping at once");
  EXPECT_EQ(describe(job, deadline_of(job, 30), 1769860755), "job 123 ends at 12:00:00 UTC: stopping at once");
}

TEST(JobEnd, is_told_with_dates_when_it_is_after_the_midnight_before_which_the_run_stops) {
  const JobEnd job{"123", 1769904010};  // 2026-02-01 00:00:10
  const std::string with_dates = "job 123 ends at 2026-02-01 00:00:10 UTC: stopping at 2026-01-31 23:59:25";
  EXPECT_EQ(describe(job, deadline_of(job, 30), 1769900000), with_dates);
}

}  // namespace
}  // namespace krossfold::parallel
