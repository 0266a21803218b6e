# SPDX-License-Identifier: BSD-3-Clause
# Installs the layers, their headers and krossfold-config.cmake, for use by find_package(krossfold).
include(CMakePackageConfigHelpers)
get_property(layers GLOBAL PROPERTY KROSSFOLD_LAYERS)
install(TARGETS ${layers} EXPORT krossfold-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS krossfold RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/krossfold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/krossfold)
install(EXPORT krossfold-targets NAMESPACE krossfold:: DESTINATION ${package_dir})
configure_package_config_file(cmake/krossfold-config.cmake.in krossfold-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(krossfold-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/krossfold-config.cmake ${PROJECT_BINARY_DIR}/krossfold-config-version.cmake
              cmake/KrossfoldDependencies.cmake DESTINATION ${package_dir})
