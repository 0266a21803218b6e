// SPDX-License-Identifier: BSD-3-Clause
// Pretends that libraries are others than they are. Loaded with LD_PRELOAD; told what to do by its environment:
//   KROSSFOLD_PRETEND_THREADS  the level of thread support that MPI grants: 0 (single) to 3 (multiple)
//   KROSSFOLD_PRETEND_HDF5     the release number of the HDF5 library
//   KROSSFOLD_PRETEND_CRASH    the HDF5 library crashes when it reads an array
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};

static void pretend(int* granted) {
  const char* level = getenv("KROSSFOLD_PRETEND_THREADS");
  if (level != NULL) *granted = levels[atoi(level) & 3];
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* granted) {
  const int code = PMPI_Init_thread(argc, argv, required, granted);
  pretend(granted);
  return code;
}

int MPI_Query_thread(int* granted) {
  const int code = PMPI_Query_thread(granted);
  pretend(granted);
  return code;
}

int H5get_libversion(unsigned* major, unsigned* minor, unsigned* release) {
  const char* number = getenv("KROSSFOLD_PRETEND_HDF5");
  *major = 1;
  *minor = 10;
  *release = number != NULL ? (unsigned)atoi(number) : 8;
  return 0;
}

int H5Dread(int64_t dataset, int64_t memory_type, int64_t memory, int64_t file, int64_t plist, void* values) {
  if (getenv("KROSSFOLD_PRETEND_CRASH") != NULL) abort();
  int (*real)(int64_t, int64_t, int64_t, int64_t, int64_t, void*) =
      (int (*)(int64_t, int64_t, int64_t, int64_t, int64_t, void*))dlsym(RTLD_NEXT, "H5Dread");
  return real(dataset, memory_type, memory, file, plist, values);
}
