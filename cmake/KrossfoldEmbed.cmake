# SPDX-License-Identifier: BSD-3-Clause
# Small data sets are embedded in the library as arrays, so that the program can be tried without any data file.
# krossfold_embed(FILE LAYER ARRAY): data/FILE as krossfold::LAYER::ARRAY, in the generated source ARRAY.cpp.
function(krossfold_embed file layer array)
  set(path ${PROJECT_SOURCE_DIR}/data/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
  file(CONFIGURE OUTPUT ${array}.cpp @ONLY CONTENT [[// Written by CMake from data/@file@.
#include <cstddef>

namespace krossfold::@layer@ {
extern const unsigned char @array@[];
extern const std::size_t @array@_size;
const unsigned char @array@[] = {
@bytes@
};
const std::size_t @array@_size = sizeof(@array@);
}  // namespace krossfold::@layer@
]])
endfunction()
