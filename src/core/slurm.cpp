// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/slurm.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>

extern char** environ;

namespace krossfold {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Reads a pipe until end of file or the deadline; returns true at end of file.
bool read_until(int pipe, double seconds, std::string& out) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::array<char, 4096> part{};
  for (;;) {
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{pipe, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(left * 1000) + 1) <= 0) continue;
    const ssize_t got = ::read(pipe, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    out.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

SlurmJob slurm_job() {
  SlurmJob job{variable("SLURM_JOB_ID"), variable("SLURM_RESTART_COUNT"), variable("SLURM_CLUSTER_NAME")};
  if (job.restart == "0") job.restart.clear();
  return job;
}

JobState job_state_from(const std::string& answer) {
  constexpr std::string_view key = "JobState=";
  const std::size_t at = answer.find(key);
  if (at == std::string::npos) {
    return answer.find("Invalid job id") != std::string::npos ? JobState::ended : JobState::unknown;
  }
  if (answer.find(key, at + 1) != std::string::npos) return JobState::unknown;  // a job array: several jobs
  const std::size_t begin = at + key.size();
  const std::string state = answer.substr(begin, answer.find_first_of(" \t\n+", begin) - begin);
  constexpr std::array<std::string_view, 9> ended = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE", "FAILED",
                                                     "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "TIMEOUT"};
  return std::find(ended.begin(), ended.end(), state) != ended.end() ? JobState::ended : JobState::active;
}

std::string cluster_from(const std::string& answer) {
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key, sign, value;
    if (words >> key >> sign >> value && key == "ClusterName" && sign == "=") return value;
  }
  return "";
}

std::string slurm_cluster() { return cluster_from(output_of({"scontrol", "show", "config"}, 10)); }

JobState job_state(const std::string& id) {
  if (id.empty() || id.find_first_not_of("0123456789_") != std::string::npos) return JobState::unknown;
  return job_state_from(output_of({"scontrol", "show", "job", id}, 10));
}

std::string output_of(const std::vector<std::string>& command, double seconds) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  std::string out;
  if (error == 0) {
    if (!read_until(pipe[0], seconds, out)) ::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(pipe[0]);
  return out;
}

}  // namespace krossfold
