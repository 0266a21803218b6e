# SPDX-License-Identifier: BSD-3-Clause
# Installs the build in BUILD into a fresh folder, then configures, builds and runs the project beside this file with it.
set(work ${BUILD}/test/package)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
    -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D Kokkos_DIR=${KOKKOS} -D KokkosKernels_DIR=${KOKKOS_KERNELS}
    -D CMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${work}/prefix/bin/krossfold --version)

# The installed files name none of the source and build folders: they can be moved and packaged.
file(GLOB_RECURSE installed ${work}/prefix/*.cmake ${work}/prefix/*.hpp)
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
foreach(file IN LISTS installed)
  file(READ ${file} content)
  foreach(folder ${source}/src ${source}/include ${BUILD})
    string(FIND "${content}" "${folder}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()
