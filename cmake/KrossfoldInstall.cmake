# SPDX-License-Identifier: BSD-3-Clause
# Installs the layers, their headers and krossfold-config.cmake, for use by find_package(krossfold COMPONENTS ...).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/krossfold)
# One export a component: a project that asks for svm never reads a target that needs MPI.
get_property(layers GLOBAL PROPERTY KROSSFOLD_LAYERS)
foreach(layer IN LISTS layers)
  get_target_property(name ${layer} EXPORT_NAME)
  install(TARGETS ${layer} EXPORT krossfold-${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT krossfold-${name} NAMESPACE krossfold:: DESTINATION ${package_dir})
endforeach()
install(TARGETS krossfold RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/krossfold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
get_property(KROSSFOLD_COMPONENTS GLOBAL PROPERTY KROSSFOLD_COMPONENTS)
configure_package_config_file(cmake/krossfold-config.cmake.in krossfold-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(krossfold-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/krossfold-config.cmake ${PROJECT_BINARY_DIR}/krossfold-config-version.cmake
              cmake/KrossfoldDependencies.cmake DESTINATION ${package_dir})
