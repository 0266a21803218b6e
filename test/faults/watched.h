// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shared by the libraries that are loaded before all others: what they are told, which files they watch, and what they write down.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static inline const char* setting(const char* name) {
  const char* value = getenv(name);
  return value != NULL ? value : "";
}

/// Whether a path is the folder that a setting names, or below it.
static inline int is_below(const char* path, const char* name) {
  const char* folder = setting(name);
  const size_t length = strlen(folder);
  return length > 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/// The absolute path of a name, which may not exist yet.
static inline void absolute(char* path, size_t size, const char* name) {
  char here[2048] = "";
  if (name[0] != '/' && getcwd(here, sizeof(here)) == NULL) here[0] = 0;
  snprintf(path, size, name[0] == '/' ? "%s%s" : "%s/%s", here, name);
}

static inline int path_of(int file, char* path, size_t size) {
  char link[64];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, size - 1);
  path[length > 0 ? length : 0] = 0;
  return length > 0;
}

/// Appends to the file that a setting names, by calls that are not watched.
static inline void append_to(const char* name, const char* text, size_t length) {
  const char* log = getenv(name);
  if (log == NULL) return;
  const int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  syscall(SYS_write, file, text, length);
  syscall(SYS_close, file);
}
