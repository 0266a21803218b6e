// SPDX-License-Identifier: BSD-3-Clause
// A slow disk and a clock that jumps. Loaded with LD_PRELOAD; told what to do by its environment:
//   KROSSFOLD_SLOW_FOLDER  absolute path: fsync and fdatasync of files below it take KROSSFOLD_SLOW_SYNC milliseconds, each write a hundredth
//   KROSSFOLD_CLOCK_JUMP   seconds by which the clock of the day goes forth and back, at every second look at it
//   KROSSFOLD_ODD_LOG      a file beyond the folder: a byte for each call that was slow (s) and each look at the clock (c)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#include "watched.h"

static void say(const char* what) { append_to("KROSSFOLD_ODD_LOG", what, 1); }

static int is_slow(int file) {
  char path[2048];
  return path_of(file, path, sizeof(path)) && is_below(path, "KROSSFOLD_SLOW_FOLDER");
}

static void wait_ms(double ms) {
  struct timespec left = {(time_t)(ms / 1000), (long)((ms - 1000 * (time_t)(ms / 1000)) * 1e6)};
  while (nanosleep(&left, &left) != 0) {
  }
}

static void slow(int file, double part) {
  if (!is_slow(file)) return;
  say("s");
  wait_ms(part * atof(setting("KROSSFOLD_SLOW_SYNC")));
}

int fsync(int file) {
  slow(file, 1);
  return REAL(fsync)(file);
}
int fdatasync(int file) {
  slow(file, 1);
  return REAL(fdatasync)(file);
}
ssize_t write(int file, const void* bytes, size_t size) {
  slow(file, 0.01);
  return REAL(write)(file, bytes, size);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  slow(file, 0.01);
  return REAL(pwrite)(file, bytes, size, offset);
}

/// Seconds by which this look at the clock is wrong.
static long jump(void) {
  static int looks = 0;
  const long by = atol(setting("KROSSFOLD_CLOCK_JUMP"));
  if (by == 0) return 0;
  say("c");
  return __atomic_add_fetch(&looks, 1, __ATOMIC_SEQ_CST) % 2 == 0 ? by : -by;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = REAL(clock_gettime)(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += jump();
  return result;
}
int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  const int result = REAL(gettimeofday)(now, zone);
  if (result == 0) now->tv_sec += jump();
  return result;
}
time_t time(time_t* now) {
  const time_t found = REAL(time)(NULL) + jump();
  if (now != NULL) *now = found;
  return found;
}
