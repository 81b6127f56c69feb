# Install rules: archives, the public headers under include/plexus/ (so that the
# spelling "engine/graph.h" is the same in the tree and installed), and the
# package that find_package(plexus) reads. Checked by tests/install.
include(CMakePackageConfigHelpers)

# Being public is a list in a file; tests/tidy_test.cc keeps it closed and free of
# third-party headers.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/public_headers.txt headers REGEX "^[a-z]")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/public_headers.txt)
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION include/plexus/${folder})
endforeach()

set(package_dir lib/cmake/plexus)
install(TARGETS plexus EXPORT plexus_targets)
install(EXPORT plexus_targets FILE plexusTargets.cmake NAMESPACE plexus:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/plexusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/plexusConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plexusConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plexusConfig.cmake
  ${PROJECT_BINARY_DIR}/plexusConfigVersion.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/plexus)
