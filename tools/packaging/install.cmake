# Install rules: libraries, the public headers under include/plexus/ (copies of headers.cmake),
# the package that find_package(plexus) reads, plexus.pc for pkg-config, and the documents.
# Checked by tests/install.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

foreach(header IN LISTS PLEXUS_PUBLIC_HEADERS)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PLEXUS_INCLUDE_DIR}/plexus/${header} DESTINATION include/plexus/${folder})
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/plexus)
install(TARGETS plexus EXPORT plexus_targets)
install(EXPORT plexus_targets FILE plexusTargets.cmake NAMESPACE plexus:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/plexusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/plexusConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plexusConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plexusConfig.cmake
  ${PROJECT_BINARY_DIR}/plexusConfigVersion.cmake DESTINATION ${package_dir})

# Archives need their libraries at every link, so plexus.pc names them in public and
# `pkg-config --libs` is right with and without --static. Shared libraries name their own.
# Boost has no file for pkg-config.
set(pc_requires)
set(pc_libs)
if(NOT BUILD_SHARED_LIBS)
  set(pc_requires "rocksdb, tbb, expat, zlib, icu-uc")
  set(pc_libs " -lboost_json -lstemmer -pthread")
endif()
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix /${pc_dir} /)  # the tree can be moved: all paths start here
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/plexus.pc.in ${PROJECT_BINARY_DIR}/plexus.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/plexus.pc DESTINATION ${pc_dir})

# Documents keep their folders, so that their links to each other work: what one of them links to
# is installed, too. The component doc: documents alone.
set(folders algorithms bench engine storage tools third_party)
list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.md" OUTPUT_VARIABLE patterns)
file(GLOB top RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.md)
file(GLOB_RECURSE documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${patterns})
list(FILTER documents EXCLUDE REGEX "/node_modules/")
foreach(document
    .ci/run LICENSE bench/ratios.svg tools/web/explorer.png tests/README.md tests/install/consumer.cc
    tests/tools/c/example.c tests/tools/c/exported_symbols.txt tools/c/plexus.h
    tools/python/examples/agent_loop.py tools/python/examples/decisions.py
    tools/python/examples/graph_stores.py tools/python/plexus/networkx_backend.py
    tests/tools/python/networkx.sh
    tools/node/examples/agent_loop.js tools/node/examples/decisions.js tools/node/examples/graph_stores.js
    tools/scripts/packages.txt ${top} ${documents})
  cmake_path(GET document PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${document} DESTINATION share/doc/plexus/${folder}
    COMPONENT doc)
endforeach()
