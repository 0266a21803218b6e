# SPDX-License-Identifier: BSD-3-Clause
# What cmake --install installs (docs/install.md), in two components:
#   runtime      program, shared libraries, tools, batch scripts, documents
#   development  layers, headers and krossfold-config.cmake, for find_package(krossfold COMPONENTS ...)
# and in two more that only packages ask for: level (the program alone) and debian (what Debian's policy wants).
# The tree can be moved: everything finds the rest relative to itself.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/krossfold)
# One export a component of the package: a project that asks for svm never reads a target that needs MPI.
get_property(layers GLOBAL PROPERTY KROSSFOLD_LAYERS)
foreach(layer IN LISTS layers)
  get_target_property(name ${layer} EXPORT_NAME)
  install(TARGETS ${layer} EXPORT krossfold-${name}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT krossfold-${name} NAMESPACE krossfold:: DESTINATION ${package_dir} COMPONENT development)
endforeach()
install(DIRECTORY include/krossfold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
get_property(KROSSFOLD_COMPONENTS GLOBAL PROPERTY KROSSFOLD_COMPONENTS)
configure_package_config_file(cmake/krossfold-config.cmake.in krossfold-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(krossfold-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/krossfold-config.cmake ${PROJECT_BINARY_DIR}/krossfold-config-version.cmake
              cmake/KrossfoldDependencies.cmake DESTINATION ${package_dir} COMPONENT development)

install(TARGETS krossfold RUNTIME DESTINATION ${KROSSFOLD_PROGRAM_FOLDER} COMPONENT runtime)
install(TARGETS krossfold RUNTIME DESTINATION ${KROSSFOLD_PROGRAM_FOLDER} COMPONENT level EXCLUDE_FROM_ALL)
if(KROSSFOLD_LAUNCHER)
  install(TARGETS krossfold_launcher RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()

# The tools keep the names by which documents and messages cite them, tools/NAME and data/NAME, below share/krossfold; the
# commands among them are in the path as krossfold-NAME, with hyphens.
set(shared ${CMAKE_INSTALL_DATADIR}/krossfold)
file(GLOB plots CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} tools/plot_*)
list(REMOVE_ITEM plots tools/plot_peers tools/plot_price tools/plot_roofline)  # of the developers' measurements
set(commands ${plots} tools/fetch-mnist tools/demo tools/scaling_study)
install(PROGRAMS ${commands} DESTINATION ${shared}/tools COMPONENT runtime)
install(DIRECTORY python DESTINATION ${shared} COMPONENT runtime PATTERN __pycache__ EXCLUDE)
install(FILES tools/journal_file.py tools/mpi_environment DESTINATION ${shared}/tools COMPONENT runtime)
install(DIRECTORY tools/plots tools/scaling DESTINATION ${shared}/tools COMPONENT runtime PATTERN __pycache__ EXCLUDE)
file(GLOB batch_scripts CONFIGURE_DEPENDS tools/slurm/*.sbatch)
install(PROGRAMS ${batch_scripts} DESTINATION ${shared}/tools/slurm COMPONENT runtime)
install(FILES tools/slurm/job.sh DESTINATION ${shared}/tools/slurm COMPONENT runtime)
install(FILES data/README.md data/mnist.json DESTINATION ${shared}/data COMPONENT runtime)
file(RELATIVE_PATH shared_from_programs ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/krossfold)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/links)
foreach(command IN LISTS commands)
  cmake_path(GET command FILENAME name)
  string(REPLACE _ - name krossfold-${name})
  file(CREATE_LINK ${shared_from_programs}/${command} ${PROJECT_BINARY_DIR}/links/${name} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/links/${name} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endforeach()

# As in the source tree, so that the documents' links to one another hold.
install(FILES README.md LICENSE CHANGELOG.md SECURITY.md CITATION.cff CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES python/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/python COMPONENT runtime)
install(DIRECTORY python/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}/python COMPONENT runtime)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime
        PATTERN docs/CMakeLists.txt EXCLUDE PATTERN Doxyfile.in EXCLUDE)

# For `module use` of this folder: Lmod reads the first one, Environment Modules the second one.
configure_file(packaging/modulefiles/krossfold.lua.in modulefiles/krossfold/${PROJECT_VERSION}.lua @ONLY)
configure_file(packaging/modulefiles/krossfold.tcl.in modulefiles/krossfold/${PROJECT_VERSION} @ONLY)
install(DIRECTORY ${PROJECT_BINARY_DIR}/modulefiles DESTINATION ${shared} COMPONENT runtime)
