// SPDX-License-Identifier: BSD-3-Clause
// A network file system as hosts see it that cache names: a name that another host made cannot be found for a while, though it is there and
// a listing of its folder shows it. Loaded with LD_PRELOAD; each rank of a job counts as a host. Told what to do by its environment:
//   KROSSFOLD_LATE_FOLDER   absolute path: only names below it are late
//   KROSSFOLD_LATE_SECONDS  for how long they are
//   KROSSFOLD_LATE_NAMES    a file beyond the folder for what the hosts tell one another: lines "NANOSECONDS HOST PATH" of names that were made
//   KROSSFOLD_LATE_LOG      a file beyond the folder: a line "HOST PATH" for each look that found nothing because of this
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>

#include "watched.h"

static const char* host(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank != NULL ? rank : "0";
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1000000000LL * time.tv_sec + time.tv_nsec;
}

static int is_there(const char* path) {
  struct stat status;
  return syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/// Notes that this host made the name, or knows it now.
static void note(const char* path) {
  char line[4300];
  const int length = snprintf(line, sizeof(line), "%lld %s %s\n", now(), host(), path);
  append_to("KROSSFOLD_LATE_NAMES", line, (size_t)length);
}

/// Whether another host made exactly this name a short while ago, and this one has not learnt of it.
static int is_unknown(const char* path) {
  FILE* names = fopen(setting("KROSSFOLD_LATE_NAMES"), "re");
  if (names == NULL) return 0;
  const long long since = now() - (long long)(1e9 * atof(setting("KROSSFOLD_LATE_SECONDS")));
  int unknown = 0, known = 0;
  char line[4300], by[32], made[4200];
  long long when;
  while (fgets(line, sizeof(line), names) != NULL) {
    if (sscanf(line, "%lld %31s %4199[^\n]", &when, by, made) != 3 || strcmp(made, path) != 0) continue;
    if (strcmp(by, host()) == 0) known = 1;
    unknown = when > since;
  }
  fclose(names);
  return unknown && !known;
}

/// Whether a look at the name is to find nothing: it or a folder above it is unknown here. Sets errno.
static int is_late(const char* name) {
  const int before = errno;
  char path[4200], part[4200];
  absolute(path, sizeof(path), name);
  const size_t folder = strlen(setting("KROSSFOLD_LATE_FOLDER"));
  int late = 0;
  if (folder > 0 && is_below(path, "KROSSFOLD_LATE_FOLDER")) {
    for (size_t end = folder + 1; !late && end <= strlen(path); ++end) {
      if (path[end] != '/' && path[end] != 0) continue;
      memcpy(part, path, end);
      part[end] = 0;
      late = is_there(part) && is_unknown(part);
    }
  }
  if (late) {
    char line[4300];
    append_to("KROSSFOLD_LATE_LOG", line, (size_t)snprintf(line, sizeof(line), "%s %s\n", host(), path));
  }
  errno = late ? ENOENT : before;
  return late;
}

/// Calls `make`, and notes the name if it did not exist before and does so now.
#define MAKING(name, make)                                                           \
  char path_[4200];                                                                  \
  absolute(path_, sizeof(path_), name);                                              \
  const int watched_ = is_below(path_, "KROSSFOLD_LATE_FOLDER"), was_ = is_there(path_); \
  const int made_ = make, error_ = errno;                                            \
  if (watched_ && !was_ && is_there(path_)) note(path_);                             \
  errno = error_;                                                                    \
  return made_;

#define OPEN(name)                                            \
  int name(const char* path, int flags, ...) {                \
    va_list rest;                                             \
    va_start(rest, flags);                                    \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                             \
    if ((flags & O_CREAT) == 0) return is_late(path) ? -1 : REAL(name)(path, flags); \
    MAKING(path, REAL(name)(path, flags, mode))               \
  }
OPEN(open)
OPEN(open64)

int rename(const char* from, const char* to) { MAKING(to, REAL(rename)(from, to)) }
int link(const char* from, const char* to) { MAKING(to, REAL(link)(from, to)) }

int mkdir(const char* name, mode_t mode) {
  char path[4200];
  absolute(path, sizeof(path), name);
  const int made = REAL(mkdir)(name, mode), error = errno;
  // That it is there already tells this host of it.
  if (is_below(path, "KROSSFOLD_LATE_FOLDER") && (made == 0 || error == EEXIST)) note(path);
  errno = error;
  return made;
}

int stat(const char* restrict path, struct stat* restrict status) { return is_late(path) ? -1 : REAL(stat)(path, status); }
int stat64(const char* restrict path, struct stat64* restrict status) { return is_late(path) ? -1 : REAL(stat64)(path, status); }
int lstat(const char* restrict path, struct stat* restrict status) { return is_late(path) ? -1 : REAL(lstat)(path, status); }
int lstat64(const char* restrict path, struct stat64* restrict status) { return is_late(path) ? -1 : REAL(lstat64)(path, status); }
int access(const char* path, int mode) { return is_late(path) ? -1 : REAL(access)(path, mode); }
