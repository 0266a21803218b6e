# SPDX-License-Identifier: BSD-3-Clause
# The Debian package, which tools/package makes of the builds of the presets package-*: the components runtime and debian of one,
# and the programs of the others.
set(KROSSFOLD_PACKAGE_MAINTAINER "Krossfold <krossfold@package.invalid>" CACHE STRING "Whom the Debian package names")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME krossfold)
set(CPACK_PACKAGE_CONTACT ${KROSSFOLD_PACKAGE_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tunes, trains and evaluates models by cross-validation")
set(CPACK_PACKAGE_DESCRIPTION "Krossfold runs hyperparameter searches of support vector machines and
neural networks as batch jobs on any number of MPI ranks. Searches resume
after a kill, and their results are bitwise identical on any number of ranks.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# mpirun, and the BLAS that the results were measured with; the reference BLAS is many times slower.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin, libopenblas0-pthread | libopenblas0, python3")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-h5py, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What Debian's policy wants of every package.
set(debian ${PROJECT_BINARY_DIR}/debian)
string(TIMESTAMP KROSSFOLD_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(READ LICENSE licence)
string(STRIP "${licence}" licence)
string(REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REPLACE "\n" "\n " KROSSFOLD_LICENCE " ${licence}")
configure_file(packaging/debian/copyright.in ${debian}/copyright @ONLY)
configure_file(packaging/debian/changelog.in ${debian}/changelog.Debian @ONLY)
# What the program links and holds; cpack strips it later.
install(CODE "
  execute_process(COMMAND python3 \"${PROJECT_SOURCE_DIR}/tools/sbom\" \"$<TARGET_FILE:krossfold>\" --build \"${PROJECT_BINARY_DIR}\"
                          --stripped -o \"${debian}/krossfold.spdx.json\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${debian}/krossfold.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian EXCLUDE_FROM_ALL)
find_program(KROSSFOLD_GZIP gzip)
if(KROSSFOLD_GZIP)
  file(COPY_FILE ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${debian}/changelog)
  execute_process(COMMAND ${KROSSFOLD_GZIP} -9nf changelog changelog.Debian WORKING_DIRECTORY ${debian} COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${debian}/changelog.gz ${debian}/changelog.Debian.gz ${debian}/copyright
          DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian EXCLUDE_FROM_ALL)
  # After the component runtime, which has them plain.
  install(CODE "
    file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/*.1\")
    if(pages)
      execute_process(COMMAND \"${KROSSFOLD_GZIP}\" -9nf \${pages} COMMAND_ERROR_IS_FATAL ANY)
    endif()" COMPONENT debian EXCLUDE_FROM_ALL)
endif()
include(CPack)
