// SPDX-License-Identifier: BSD-3-Clause
// Pretends that libraries are others than they are. Loaded with LD_PRELOAD; told what to do by its environment:
//   KROSSFOLD_PRETEND_THREADS  the level of thread support that MPI grants: 0 (single) to 3 (multiple)
//   KROSSFOLD_PRETEND_HDF5     the release number of the HDF5 library
#include <mpi.h>
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
