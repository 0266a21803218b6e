# SPDX-License-Identifier: BSD-3-Clause
# Packages run on many processors. With KROSSFOLD_LAUNCHER the program is libexec/krossfold/krossfold-LEVEL, LEVEL being that of
# KROSSFOLD_ARCH (v3 of x86-64-v3), and bin/krossfold starts the highest level that is installed and that the processor has.
# tools/package installs the programs of two builds beside one another.
option(KROSSFOLD_LAUNCHER "Install the program as one level of several, and the launcher that chooses among them" OFF)
set(KROSSFOLD_PROGRAM_FOLDER ${CMAKE_INSTALL_BINDIR})
if(KROSSFOLD_LAUNCHER)
  if(NOT KROSSFOLD_ARCH MATCHES "^x86-64-(v[234])$")
    message(FATAL_ERROR "KROSSFOLD_LAUNCHER needs a level of x86-64 (KROSSFOLD_ARCH is '${KROSSFOLD_ARCH}') "
                        "set KROSSFOLD_ARCH to x86-64-v2, x86-64-v3 or x86-64-v4")
  endif()
  set(KROSSFOLD_LEVEL ${CMAKE_MATCH_1})
  set(KROSSFOLD_PROGRAM_FOLDER ${CMAKE_INSTALL_LIBEXECDIR}/krossfold)
endif()
