# Read by cpack for each sort of package: an archive holds all components, below its own name, and
# archive_libraries.cmake adds to it.
set(ENV{PLEXUS_ARCHIVE} 0)
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(ENV{PLEXUS_ARCHIVE} 1)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
