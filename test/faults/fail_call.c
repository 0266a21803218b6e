// SPDX-License-Identifier: BSD-3-Clause
// Makes one call that changes files below a folder fail. Loaded with LD_PRELOAD; told what to do by its environment:
//   KROSSFOLD_FAULT_FOLDER  absolute path: only calls on files below it count
//   KROSSFOLD_FAULT_CALL    the number of the call to fail, from 1; 0: none
//   KROSSFOLD_FAULT_ERROR   the error number it fails with
//   KROSSFOLD_FAULT_KIND    once: that call alone. full: from then on all that need space (as on a full disk). short: as once,
//                           but of a write half the bytes are written and the next write fails. locks: every call for a lock
//   KROSSFOLD_FAULT_LOG     a file beyond the folder: a line "NUMBER CALL PATH" for each call counted, with " failed" if so
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "watched.h"

enum class_of_call { takes_space, frees_space, lock };

static int is_kind(const char* kind) { return strcmp(setting("KROSSFOLD_FAULT_KIND"), kind) == 0; }

static int is_watched(const char* path) { return is_below(path, "KROSSFOLD_FAULT_FOLDER"); }

static void say(int number, const char* call, const char* path, int failed) {
  char line[4096];
  const int length = snprintf(line, sizeof(line), "%d %s %s%s\n", number, call, path, failed ? " failed" : "");
  append_to("KROSSFOLD_FAULT_LOG", line, (size_t)length);
}

static int calls = 0;
static int next_write_fails = 0;

/// The error number with which this call is to fail, or 0.
static int fault(const char* call, const char* path, enum class_of_call what) {
  if (!is_watched(path)) return 0;
  const int number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST), wanted = atoi(setting("KROSSFOLD_FAULT_CALL"));
  int fails = wanted > 0 && number == wanted;
  if (is_kind("full")) fails = fails || (wanted > 0 && number > wanted && what == takes_space);
  if (is_kind("locks")) fails = what == lock;
  say(number, call, path, fails);
  return fails ? atoi(setting("KROSSFOLD_FAULT_ERROR")) : 0;
}

static int fault_of_file(const char* call, int file, enum class_of_call what) {
  const int before = errno;
  char path[2048];
  const int error = path_of(file, path, sizeof(path)) ? fault(call, path, what) : 0;
  errno = error != 0 ? error : before;
  return error;
}

static int fault_of_name(const char* call, const char* name, enum class_of_call what) {
  const int before = errno;
  char path[4200];
  absolute(path, sizeof(path), name);
  const int error = fault(call, path, what);
  errno = error != 0 ? error : before;
  return error;
}

static mode_t mode_of(int flags, va_list rest) { return (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0; }

#define OPEN(name)                                                                     \
  int name(const char* path, int flags, ...) {                                         \
    va_list rest;                                                                      \
    va_start(rest, flags);                                                             \
    const mode_t mode = mode_of(flags, rest);                                          \
    va_end(rest);                                                                      \
    if ((flags & O_CREAT) != 0 && fault_of_name("open", path, takes_space)) return -1; \
    return REAL(name)(path, flags, mode);                                              \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                        \
  int name(int folder, const char* path, int flags, ...) {                  \
    va_list rest;                                                           \
    va_start(rest, flags);                                                  \
    const mode_t mode = mode_of(flags, rest);                               \
    va_end(rest);                                                           \
    if ((flags & O_CREAT) != 0 && (folder == AT_FDCWD || path[0] == '/') && \
        fault_of_name("open", path, takes_space)) {                         \
      return -1;                                                            \
    }                                                                       \
    return REAL(name)(folder, path, flags, mode);                           \
  }
OPENAT(openat)
OPENAT(openat64)

/// -1: fails; 0: as it is; 1: only half of it is written.
static int fault_of_write(const char* call, int file) {
  char path[2048];
  const int before = errno;
  if (next_write_fails && path_of(file, path, sizeof(path)) && is_watched(path)) {
    next_write_fails = 0;
    errno = atoi(setting("KROSSFOLD_FAULT_ERROR"));
    return -1;
  }
  if (!fault_of_file(call, file, takes_space)) return 0;
  if (!is_kind("short")) return -1;
  next_write_fails = 1;
  errno = before;
  return 1;
}

ssize_t write(int file, const void* bytes, size_t size) {
  const int fails = fault_of_write("write", file);
  return fails < 0 ? -1 : REAL(write)(file, bytes, fails > 0 && size > 1 ? size / 2 : size);
}

#define PWRITE(name, offset_type)                                                                     \
  ssize_t name(int file, const void* bytes, size_t size, offset_type offset) {                        \
    const int fails = fault_of_write("pwrite", file);                                                 \
    return fails < 0 ? -1 : REAL(name)(file, bytes, fails > 0 && size > 1 ? size / 2 : size, offset); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

int fsync(int file) { return fault_of_file("fsync", file, takes_space) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fault_of_file("fdatasync", file, takes_space) ? -1 : REAL(fdatasync)(file); }
int ftruncate(int file, off_t size) {
  return fault_of_file("ftruncate", file, frees_space) ? -1 : REAL(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
  return fault_of_file("ftruncate", file, frees_space) ? -1 : REAL(ftruncate64)(file, size);
}
int rename(const char* from, const char* to) {
  return fault_of_name("rename", to, takes_space) ? -1 : REAL(rename)(from, to);
}
int link(const char* from, const char* to) {
  return fault_of_name("link", to, takes_space) ? -1 : REAL(link)(from, to);
}
int unlink(const char* path) { return fault_of_name("unlink", path, frees_space) ? -1 : REAL(unlink)(path); }
int remove(const char* path) { return fault_of_name("unlink", path, frees_space) ? -1 : REAL(remove)(path); }
int mkdir(const char* path, mode_t mode) {
  return fault_of_name("mkdir", path, takes_space) ? -1 : REAL(mkdir)(path, mode);
}

/// The file is closed nevertheless, as Linux does it.
int close(int file) {
  const int error = fault_of_file("close", file, frees_space);
  const int result = REAL(close)(file);
  if (error == 0) return result;
  errno = error;
  return -1;
}

static int is_lock(int command) {
  return command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_SETLK || command == F_SETLKW;
}

#define FCNTL(name)                                                       \
  int name(int file, int command, ...) {                                  \
    va_list rest;                                                         \
    va_start(rest, command);                                              \
    void* argument = va_arg(rest, void*);                                 \
    va_end(rest);                                                         \
    if (is_lock(command) && fault_of_file("lock", file, lock)) return -1; \
    return REAL(name)(file, command, argument);                           \
  }
FCNTL(fcntl)
FCNTL(fcntl64)

int flock(int file, int operation) {
  if ((operation & LOCK_UN) == 0 && fault_of_file("lock", file, lock)) return -1;
  return REAL(flock)(file, operation);
}
