# The public headers as users include them, "plexus/engine/graph.h": copies under the build
# tree's include/plexus/, whose includes of one another are spelled in the same way. Users
# of add_subdirectory get that directory, and the install rules copy it, so a host writes
# the same includes either way and its own "engine/graph.h" never meets ours.
# The target plexus_headers keeps the copies up to date; every library depends on it.

# Being public is a list in a file, and in algorithms/ it is to lie outside of internal/; plexus.h,
# which lies beside this file, includes them all;
# tests/tidy_test.cc keeps it closed and free of third-party headers.
set(PLEXUS_PUBLIC_HEADERS_FILE ${CMAKE_CURRENT_LIST_DIR}/public_headers.txt)
file(STRINGS ${PLEXUS_PUBLIC_HEADERS_FILE} PLEXUS_PUBLIC_HEADERS REGEX "^[a-z]")
file(GLOB_RECURSE kernels RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/algorithms/*.h)
list(FILTER kernels EXCLUDE REGEX "/internal/")
list(APPEND PLEXUS_PUBLIC_HEADERS ${kernels} plexus.h)
# All of them, one a line; written when it changes.
list(JOIN PLEXUS_PUBLIC_HEADERS "\n" listed)
set(PLEXUS_ALL_PUBLIC_HEADERS ${PROJECT_BINARY_DIR}/public_headers.txt)
file(CONFIGURE OUTPUT ${PLEXUS_ALL_PUBLIC_HEADERS} CONTENT "${listed}\n")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PLEXUS_PUBLIC_HEADERS_FILE})
set(PLEXUS_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)

set(copies ${PLEXUS_PUBLIC_HEADERS})
list(TRANSFORM copies PREPEND ${PLEXUS_INCLUDE_DIR}/plexus/)
set(originals ${PLEXUS_PUBLIC_HEADERS})
list(TRANSFORM originals REPLACE "^plexus\\.h$" "tools/packaging/plexus.h")
list(TRANSFORM originals PREPEND ${PROJECT_SOURCE_DIR}/)
set(copied ${PROJECT_BINARY_DIR}/public_headers.copied)
add_custom_command(
  OUTPUT ${copied}
  BYPRODUCTS ${copies}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DTARGET=${PLEXUS_INCLUDE_DIR}/plexus
    -DLIST=${PLEXUS_ALL_PUBLIC_HEADERS} -P ${CMAKE_CURRENT_LIST_DIR}/copy_headers.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${copied}
  DEPENDS ${originals} ${PLEXUS_ALL_PUBLIC_HEADERS} ${CMAKE_CURRENT_LIST_DIR}/copy_headers.cmake
  COMMENT "Copying the public headers to include/plexus"
  VERBATIM)
add_custom_target(plexus_headers DEPENDS ${copied})
