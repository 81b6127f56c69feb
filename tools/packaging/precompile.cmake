# plexus_precompile(<target>...): the headers that nearly every source includes are compiled
# once, for libraries and for programs (position-independent code differs). A library with heavy
# headers of its own sets PLEXUS_OWN_HEADERS before. Sources name what they include all the same:
# a build with PLEXUS_PRECOMPILED_HEADERS=OFF is part of CI.
option(PLEXUS_PRECOMPILED_HEADERS "Compile the common headers once" ${PROJECT_IS_TOP_LEVEL})
if(BUILD_SHARED_LIBS)  # Libraries have other flags then.
  set(PLEXUS_PRECOMPILED_HEADERS OFF)
endif()

set(PLEXUS_COMMON_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <cstddef> <cstdint> <cstring> <functional> <limits> <map> <memory>
  <mutex> <numeric> <optional> <set> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility>
  <variant> <vector> ${PROJECT_SOURCE_DIR}/engine/snapshot.h ${PROJECT_SOURCE_DIR}/engine/write_batch.h)

# Owners of the two: nothing links them.
if(PLEXUS_PRECOMPILED_HEADERS)
  file(WRITE ${PROJECT_BINARY_DIR}/precompile/library.cc "")
  add_library(plexus_library_headers OBJECT ${PROJECT_BINARY_DIR}/precompile/library.cc)
  target_compile_features(plexus_library_headers PUBLIC cxx_std_23)
  target_link_libraries(plexus_library_headers PRIVATE plexus_options)
  target_precompile_headers(plexus_library_headers PRIVATE ${PLEXUS_COMMON_HEADERS})
endif()

# g++ forgets that a precompiled header is a system's and warns of std::string's own code there
# (GCC bug 105651); the build without tells what is meant.
function(plexus_precompile)
  if(PLEXUS_PRECOMPILED_HEADERS)
    foreach(target IN LISTS ARGN)
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
      endif()
      get_target_property(type ${target} TYPE)
      if(type STREQUAL EXECUTABLE)
        target_precompile_headers(${target} REUSE_FROM plexus_program_headers)
      elseif(PLEXUS_OWN_HEADERS)
        target_precompile_headers(${target} PRIVATE ${PLEXUS_COMMON_HEADERS} ${PLEXUS_OWN_HEADERS})
      else()
        target_precompile_headers(${target} REUSE_FROM plexus_library_headers)
      endif()
    endforeach()
  endif()
endfunction()
