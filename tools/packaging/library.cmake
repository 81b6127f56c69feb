# plexus_library(<folder> SOURCES ... [PUBLIC ...] [PRIVATE ...] [KERNELS <folder or source>...]): one
# library of Plexus. KERNELS: what is compiled alone (unity.cmake), and by a release build at -O3
# whatever the library says. Options that a source gets afterwards take the place of it.
# A host's release build has the level that the host says.
# An archive hides its symbols from whoever links a host that holds it. A shared library
# exports Plexus's own names and no others (exports.map), and finds its neighbours beside it.
if(PLEXUS_INSTALL)
  include(GNUInstallDirs)
endif()
set(PLEXUS_RPATH_OF_PROGRAMS)
if(BUILD_SHARED_LIBS AND PLEXUS_INSTALL AND NOT APPLE)
  file(RELATIVE_PATH PLEXUS_RPATH_OF_PROGRAMS /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set(PLEXUS_RPATH_OF_PROGRAMS $ORIGIN/${PLEXUS_RPATH_OF_PROGRAMS})
endif()

# Libraries that are headers alone: needed to compile Plexus, not to link it, so a
# consumer of the installed package does not have to find them.
set(PLEXUS_HEADER_ONLY Boost::headers Eigen3::Eigen)

# Before 1.0 a change of the minor version may change the interface, so it names the library.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(PLEXUS_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
  set(PLEXUS_SOVERSION ${PROJECT_VERSION_MAJOR})
endif()
set(PLEXUS_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/exports.map)

foreach(level 1 2 3)
  set(PLEXUS_RELEASE_O${level})
  if(PROJECT_IS_TOP_LEVEL)
    set(PLEXUS_RELEASE_O${level} $<$<CONFIG:Release>:-O${level}>)
  endif()
endforeach()

function(plexus_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE;KERNELS" ${ARGN})
  add_library(plexus_${name} ${arg_SOURCES})
  add_library(plexus::${name} ALIAS plexus_${name})
  set(private)
  foreach(library IN LISTS arg_PRIVATE)
    if(library IN_LIST PLEXUS_HEADER_ONLY)
      list(APPEND private $<BUILD_INTERFACE:${library}>)
    else()
      list(APPEND private ${library})
    endif()
  endforeach()
  target_include_directories(plexus_${name} INTERFACE
    $<BUILD_INTERFACE:${PLEXUS_INCLUDE_DIR}> $<INSTALL_INTERFACE:include>)
  add_dependencies(plexus_${name} plexus_headers)
  target_compile_features(plexus_${name} PUBLIC cxx_std_23)
  target_link_libraries(plexus_${name} PUBLIC ${arg_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:plexus_options> ${private})
  plexus_precompile(plexus_${name})
  plexus_unity(plexus_${name} EXCEPT ${arg_KERNELS})
  foreach(source IN LISTS arg_SOURCES)
    plexus_is_in(kernel ${source} ${arg_KERNELS})
    if(kernel)
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${PLEXUS_RELEASE_O3}")
    endif()
  endforeach()
  set_target_properties(plexus_${name} PROPERTIES EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PLEXUS_SOVERSION})
  if(BUILD_SHARED_LIBS)
    set_target_properties(plexus_${name} PROPERTIES CXX_VISIBILITY_PRESET default DEFINE_SYMBOL "")
    # Calls of a library to itself stay inside it, as in an archive.
    target_compile_options(plexus_${name} PRIVATE -fno-semantic-interposition)
    if(NOT APPLE)
      target_link_options(plexus_${name} PRIVATE LINKER:--version-script=${PLEXUS_EXPORTS})
      set_target_properties(plexus_${name} PROPERTIES LINK_DEPENDS ${PLEXUS_EXPORTS} INSTALL_RPATH $ORIGIN)
    endif()
  endif()
  if(PLEXUS_INSTALL)
    install(TARGETS plexus_${name} EXPORT plexus_targets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()
