# The target plexus_docs, only on request: pages of the public headers and the C header in docs/html
# of the build tree, by doxygen. A warning fails it. Called by tools/scripts/release.sh.
find_program(PLEXUS_DOXYGEN doxygen)
mark_as_advanced(PLEXUS_DOXYGEN)
configure_file(${CMAKE_CURRENT_LIST_DIR}/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
if(PLEXUS_DOXYGEN)
  add_custom_target(plexus_docs COMMAND ${PLEXUS_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile VERBATIM)
else()
  add_custom_target(plexus_docs COMMAND ${CMAKE_COMMAND} -E echo "plexus_docs needs doxygen"
    COMMAND ${CMAKE_COMMAND} -E false)
endif()
add_dependencies(plexus_docs plexus_headers)
