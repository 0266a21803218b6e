// SPDX-License-Identifier: BSD-3-Clause
// bin/krossfold of a package: starts libexec/krossfold/krossfold-LEVEL of the highest level that is installed and that this
// processor has, with the same arguments. KROSSFOLD_LEVEL in the environment names another one. Compiled for every x86-64.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Level {
  const char* name;
  const char* features;  // some of those that the level before has not
  bool here;             // the processor has it, and the operating system keeps its registers
};

#if defined(__clang__)  // its older versions do not know the levels by name
#define KROSSFOLD_HAS(level, feature) (__builtin_cpu_supports(feature) != 0)
#else
#define KROSSFOLD_HAS(level, feature) (__builtin_cpu_supports(level) != 0)
#endif

std::array<Level, 3> find_levels() {
  __builtin_cpu_init();
  const bool v2 = KROSSFOLD_HAS("x86-64-v2", "sse4.2");
  const bool v3 =
      v2 && KROSSFOLD_HAS("x86-64-v3", "avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && KROSSFOLD_HAS("x86-64-v4", "avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return {
      {{"v4", "AVX-512 F, BW, CD, DQ and VL", v4}, {"v3", "AVX2, BMI2 and FMA", v3}, {"v2", "SSE4.2 and POPCNT", v2}}};
}

int complain(const std::string& message, int code) {
  std::fprintf(stderr, "krossfold: error: %s\n", message.c_str());
  return code;
}

/// The folder of the programs, with a slash at its end; "" if the kernel does not say where this program lies.
std::string program_folder() {
  std::array<char, PATH_MAX> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) return "";
  const std::string own = path.data();
  return own.substr(0, own.rfind('/') + 1) + KROSSFOLD_PROGRAMS + "/";
}

int start(const std::string& program, char** argv) {
  execv(program.c_str(), argv);
  return complain("cannot start " + program + " (" + std::strerror(errno) + ") install the package again", 1);
}

}  // namespace

int main(int, char** argv) {
  const std::string folder = program_folder();
  if (folder.empty()) {
    return complain("cannot find the programs of this package (/proc/self/exe: " + std::string(std::strerror(errno)) +
                        ") mount /proc",
                    1);
  }
  const char* given = std::getenv("KROSSFOLD_LEVEL");
  const std::string wanted = given != nullptr ? given : "";
  std::string installed, lacking;  // the levels passed over, and what the processor lacks for the last of them
  for (const Level& level : find_levels()) {
    const std::string program = folder + "krossfold-" + level.name;
    if (access(program.c_str(), X_OK) != 0) continue;
    if (wanted == level.name && !level.here) {
      return complain("KROSSFOLD_LEVEL=" + wanted + " does not run here (the processor lacks " + level.features +
                          ") name a lower level or unset it",
                      2);
    }
    if (wanted == level.name || (wanted.empty() && level.here)) return start(program, argv);
    installed += (installed.empty() ? "" : ", ") + std::string(level.name);
    lacking = level.features;
  }
  if (installed.empty())
    return complain("no program is installed in " + folder + " (it should be) install the package again", 1);
  if (!wanted.empty())
    return complain(
        "there is no level " + wanted + " (KROSSFOLD_LEVEL; installed: " + installed + ") name one of them or unset it",
        2);
  return complain("this processor is older than this package (it lacks " + lacking +
                      ") build Krossfold from its source with tools/setup, which compiles for the processor it runs on",
                  1);
}
