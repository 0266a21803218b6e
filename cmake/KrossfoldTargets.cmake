# SPDX-License-Identifier: BSD-3-Clause
# krossfold_add_layer(NAME SOURCES ... [JSON ...] [LAYERS ...] [LIBRARIES ...]): one layer of docs/architecture.md as one
# library krossfold::NAME, static unless BUILD_SHARED_LIBS is on. JSON are the sources that use nlohmann::json, LAYERS the
# only layers it may link; test/structure/check_layers.py proves the same from the include lines.

add_library(krossfold_flags INTERFACE)
target_compile_features(krossfold_flags INTERFACE cxx_std_20)
# No -ffast-math, ever: it removes the NaN checks. These four flags are what the vectorised loops need.
target_compile_options(krossfold_flags INTERFACE
  -fno-math-errno -fno-trapping-math -fopenmp-simd
  $<$<AND:$<CONFIG:Release,RelWithDebInfo>,$<NOT:$<BOOL:$<TARGET_PROPERTY:KROSSFOLD_LITTLE_OPTIMIZED>>>>:-O3>
  -Wall -Wextra $<$<BOOL:${KROSSFOLD_WARNINGS_AS_ERRORS}>:-Werror>)
# GCC 12 warns of overlaps inside std::string that cannot happen (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(krossfold_flags INTERFACE -Wno-restrict)
endif()
include(CheckCXXCompilerFlag)
if(KROSSFOLD_ARCH)
  target_compile_options(krossfold_flags INTERFACE -march=${KROSSFOLD_ARCH})
  check_cxx_compiler_flag(-mprefer-vector-width=512 KROSSFOLD_HAVE_VECTOR_WIDTH)
  if(KROSSFOLD_HAVE_VECTOR_WIDTH)
    target_compile_options(krossfold_flags INTERFACE -mprefer-vector-width=512)
  endif()
endif()
# For AMD's processors GCC fuses a multiplication and an addition in some loops and not in others: results that must be bitwise
# identical, such as those of two forms of a kernel, would then differ.
check_cxx_compiler_flag(--param=avoid-fma-max-bits=0 KROSSFOLD_HAVE_FMA_CHAINS)
if(KROSSFOLD_HAVE_FMA_CHAINS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(krossfold_flags INTERFACE --param=avoid-fma-max-bits=0)
endif()
# nvcc needs its relaxed lambda rules; Kokkos hands on --extended-lambda itself.
if(Kokkos_ENABLE_CUDA OR "CUDA" IN_LIST Kokkos_DEVICES)
  set(KROSSFOLD_CUDA ON)
  target_compile_options(krossfold_flags INTERFACE --expt-relaxed-constexpr)
endif()

add_library(krossfold_hardening INTERFACE)
target_link_libraries(krossfold_flags INTERFACE krossfold_hardening)
if(KROSSFOLD_HARDENED)
  include(CheckCXXSourceCompiles)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  target_compile_options(krossfold_hardening INTERFACE -fstack-protector-strong -fstack-clash-protection)
  target_link_options(krossfold_hardening INTERFACE LINKER:-z,relro LINKER:-z,now)
  check_cxx_compiler_flag(-fcf-protection KROSSFOLD_HAVE_CF_PROTECTION)
  if(KROSSFOLD_HAVE_CF_PROTECTION)
    target_compile_options(krossfold_hardening INTERFACE -fcf-protection)
  endif()
  # Older compilers know level 2 alone, and none checks anything without optimisation.
  set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -Werror")
  check_cxx_source_compiles("#include <cstring>\nint main() { return 0; }" KROSSFOLD_HAVE_FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  target_compile_options(krossfold_hardening INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=$<IF:$<BOOL:${KROSSFOLD_HAVE_FORTIFY_3}>,3,2>>)
  # The assertions lead GCC to values that it takes for uninitialized ones.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(krossfold_hardening INTERFACE -Wno-maybe-uninitialized)
  endif()
  if(NOT KROSSFOLD_CUDA)  # assertions of the host's library cannot run on a GPU
    target_compile_definitions(krossfold_hardening INTERFACE _GLIBCXX_ASSERTIONS)
  endif()
endif()

# Sources that use CLI11 or nlohmann::json include no Kokkos header and are compiled by the host compiler alone.
function(krossfold_host_only)
  if(KROSSFOLD_CUDA)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "--host-only")
  endif()
endfunction()

function(krossfold_add_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;JSON;LAYERS;LIBRARIES" ${ARGN})
  add_library(krossfold_${name} ${arg_SOURCES})
  add_library(krossfold::${name} ALIAS krossfold_${name})
  set_target_properties(krossfold_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} DEFINE_SYMBOL "")
  # Sources that compute are compiled one by one: what a compiler puts together may round otherwise.
  if(KROSSFOLD_UNITY AND NOT KROSSFOLD_CUDA AND NOT name MATCHES "^(core|data|measures|kernels|svm|nn|ensemble|parallel|training)$")
    set_target_properties(krossfold_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  target_include_directories(krossfold_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(krossfold_${name} PUBLIC cxx_std_20)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE folder)
  set_target_properties(krossfold_${name} PROPERTIES KROSSFOLD_FOLDER ${folder})
  if(arg_JSON)
    krossfold_host_only(${arg_JSON})
    find_package(nlohmann_json REQUIRED)
    target_link_libraries(krossfold_${name} PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
  endif()
  # What the installed package must know of this component, see krossfold-config.cmake.in.
  set(libraries ${arg_LIBRARIES})
  list(FILTER libraries INCLUDE REGEX "::")
  set_property(GLOBAL APPEND_STRING PROPERTY KROSSFOLD_COMPONENTS
    "krossfold_component(${name} LAYERS ${arg_LAYERS} LIBRARIES ${libraries})\n")
  list(TRANSFORM arg_LAYERS PREPEND krossfold_)
  target_link_libraries(krossfold_${name} PUBLIC ${arg_LAYERS} ${arg_LIBRARIES} PRIVATE $<BUILD_INTERFACE:krossfold_flags>)
  set_property(GLOBAL APPEND PROPERTY KROSSFOLD_LAYERS krossfold_${name})
endfunction()
