# The version as each of its readers spells it, of the one in CMakeLists.txt: 1.0.0-rc.1 as semver.org
# and npm write it, 1.0.0~rc1 as Debian and pkg-config do, before 1.0.0. CMake's own packages have
# the numbers alone. Python's package asks the library; npm's is written in tools/node/package.json.
set(PLEXUS_VERSION ${PROJECT_VERSION})
set(PLEXUS_DEBIAN_VERSION ${PROJECT_VERSION})
if(PLEXUS_PRERELEASE)
  string(APPEND PLEXUS_VERSION -${PLEXUS_PRERELEASE})
  string(REPLACE . "" tag ${PLEXUS_PRERELEASE})
  string(APPEND PLEXUS_DEBIAN_VERSION ~${tag})
endif()
