# SPDX-License-Identifier: BSD-3-Clause
# Installs the build in BUILD into a fresh folder, moves that folder, and configures, builds and runs examples/ with it
# where CMake finds neither MPI nor HDF5, then with both; then configures the project beside this file.
set(work ${BUILD}/test/package)
file(REMOVE_RECURSE ${work})
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(configure folder build)
  run(${CMAKE_COMMAND} -S ${folder} -B ${build} -G ${GENERATOR}
      -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
      -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D Kokkos_DIR=${KOKKOS} -D KokkosKernels_DIR=${KOKKOS_KERNELS}
      -D CMAKE_PREFIX_PATH=${work}/prefix ${ARGN})
endfunction()
# Fails if the program loads a library whose path matches: the libraries of other folders and packages.
function(expect_not_loaded pattern program)
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${program} RESOLVED_DEPENDENCIES_VAR loaded)
  list(FILTER loaded INCLUDE REGEX "${pattern}")
  if(loaded)
    message(FATAL_ERROR "${program} loads ${loaded}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/before_the_move)
file(RENAME ${work}/before_the_move ${work}/prefix)
run(${work}/prefix/bin/krossfold --version)
expect_not_loaded("^${BUILD}/(src|bin)/" ${work}/prefix/bin/krossfold)

configure(${source}/examples ${work}/examples -D CMAKE_DISABLE_FIND_PACKAGE_MPI=ON -D CMAKE_DISABLE_FIND_PACKAGE_HDF5=ON)
run(${CMAKE_COMMAND} --build ${work}/examples)
foreach(example train_svm kernels)
  run(${work}/examples/${example})
  expect_not_loaded("libmpi|libhdf5" ${work}/examples/${example})
endforeach()

# With MPI and HDF5 there is the study as well; test/cli/own_study_test.py runs it.
configure(${source}/examples ${work}/study)
run(${CMAKE_COMMAND} --build ${work}/study --target search_neighbours)

configure(${CMAKE_CURRENT_LIST_DIR} ${work}/components)

# The installed files name none of the source and build folders: they can be moved and packaged.
file(GLOB_RECURSE installed ${work}/prefix/*.cmake ${work}/prefix/*.hpp)
foreach(file IN LISTS installed)
  file(READ ${file} content)
  foreach(folder ${source}/src ${source}/include ${BUILD})
    string(FIND "${content}" "${folder}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()
