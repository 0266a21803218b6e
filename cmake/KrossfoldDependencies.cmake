# SPDX-License-Identifier: BSD-3-Clause
# Finds the libraries listed in krossfold_libraries and gives each one name that works everywhere:
#   Kokkos::kokkos  Kokkos::kokkoskernels  LAPACK::LAPACK  MPI::MPI_CXX  krossfold::hdf5  ZLIB::ZLIB  PNG::PNG
#   krossfold::turbojpeg  LibLZMA::LibLZMA  krossfold::random123
# krossfold_find_mode is REQUIRED, QUIET or empty, as for find_package. A library was found if its target exists.
# The installed package (krossfold-config.cmake) uses this file too, so that both see the same targets.

macro(krossfold_find library)
  if("${library}" IN_LIST krossfold_libraries)
    find_package(${ARGN} ${krossfold_find_mode})
  endif()
endmacro()
krossfold_find(Kokkos::kokkos Kokkos)
krossfold_find(Kokkos::kokkoskernels KokkosKernels)
# Kokkos Kernels links a BLAS on the host only if it was built so; the Cholesky factorisations there need LAPACK anyway.
krossfold_find(LAPACK::LAPACK LAPACK)
krossfold_find(MPI::MPI_CXX MPI COMPONENTS C CXX)
krossfold_find(krossfold::hdf5 HDF5 COMPONENTS C)
krossfold_find(ZLIB::ZLIB ZLIB)
krossfold_find(PNG::PNG PNG)
krossfold_find(LibLZMA::LibLZMA LibLZMA)
string(REPLACE QUIET "" krossfold_required "${krossfold_find_mode}")
if("krossfold::turbojpeg" IN_LIST krossfold_libraries)
  find_path(KROSSFOLD_TURBOJPEG_INCLUDE turbojpeg.h ${krossfold_required})
  find_library(KROSSFOLD_TURBOJPEG_LIBRARY turbojpeg ${krossfold_required})
endif()
if("krossfold::random123" IN_LIST krossfold_libraries)
  find_path(KROSSFOLD_RANDOM123_INCLUDE Random123/philox.h ${krossfold_required})
endif()

# Debian's Trilinos packages: Kokkos::kokkos names an include folder that does not exist, and Kokkos Kernels
# exports trilinos_kokkoskernels only. An ordinary Kokkos 4 or 5 needs neither correction.
if(TARGET trilinos_kokkoscore)
  find_path(KROSSFOLD_TRILINOS_INCLUDE Kokkos_Core.hpp PATH_SUFFIXES trilinos REQUIRED)
  foreach(target Kokkos::kokkos trilinos_kokkoscore trilinos_kokkoscontainers trilinos_kokkosalgorithms
                 trilinos_kokkoskernels)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${KROSSFOLD_TRILINOS_INCLUDE})
    endif()
  endforeach()
  if(NOT TARGET Kokkos::kokkos)
    add_library(Kokkos::kokkos INTERFACE IMPORTED)
    set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_LINK_LIBRARIES trilinos_kokkoscore)
  endif()
endif()
if(TARGET trilinos_kokkoskernels AND NOT TARGET Kokkos::kokkoskernels)
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED)
  set_target_properties(Kokkos::kokkoskernels PROPERTIES INTERFACE_LINK_LIBRARIES trilinos_kokkoskernels)
endif()

# The openmp and cuda presets say which backend they are for; a Kokkos without it is an error, not a slow surprise.
foreach(wanted IN LISTS KROSSFOLD_REQUIRE_BACKEND)
  if(NOT "${wanted}" IN_LIST Kokkos_DEVICES)
    message(FATAL_ERROR "the Kokkos in ${Kokkos_DIR} has no ${wanted} backend (it has: ${Kokkos_DEVICES}) "
                        "- set Kokkos_ROOT to one that has")
  endif()
endforeach()
foreach(wanted IN LISTS KROSSFOLD_REQUIRE_ARCH)
  if(NOT "${wanted}" IN_LIST Kokkos_ARCH)
    message(FATAL_ERROR "the Kokkos in ${Kokkos_DIR} was not built for ${wanted} (it was for: ${Kokkos_ARCH}) "
                        "- set Kokkos_ROOT to one that was")
  endif()
endforeach()

if(HDF5_FOUND AND NOT TARGET krossfold::hdf5)
  add_library(krossfold::hdf5 INTERFACE IMPORTED)
  set_target_properties(krossfold::hdf5 PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "${HDF5_C_LIBRARIES}")
endif()
if(KROSSFOLD_TURBOJPEG_LIBRARY AND NOT TARGET krossfold::turbojpeg)
  add_library(krossfold::turbojpeg INTERFACE IMPORTED)
  set_target_properties(krossfold::turbojpeg PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${KROSSFOLD_TURBOJPEG_INCLUDE}
    INTERFACE_LINK_LIBRARIES ${KROSSFOLD_TURBOJPEG_LIBRARY})
endif()
if(KROSSFOLD_RANDOM123_INCLUDE AND NOT TARGET krossfold::random123)
  add_library(krossfold::random123 INTERFACE IMPORTED)
  set_target_properties(krossfold::random123 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${KROSSFOLD_RANDOM123_INCLUDE})
endif()
