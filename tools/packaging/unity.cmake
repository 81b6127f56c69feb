# Whether a source is one of these, or in one of these folders.
function(plexus_is_in result source)
  cmake_path(GET source PARENT_PATH folder)
  string(REGEX REPLACE "/.*" "" top "${folder}")
  set(${result} OFF PARENT_SCOPE)
  if(ARGN AND (source IN_LIST ARGN OR folder IN_LIST ARGN OR top IN_LIST ARGN))
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# plexus_unity(<target> [EXCEPT <folder or source>...]): sources of one folder are compiled together, at most
# twelve at a time. A first build takes about half of the time; names without linkage are unique in a
# folder for it. Sources with options of their own are compiled alone, and so is what EXCEPT names:
# kernels, whose code shall not depend on their neighbours'.
option(PLEXUS_UNITY_BUILD "Compile the sources of a folder together" ${PROJECT_IS_TOP_LEVEL})

function(plexus_unity target)
  if(NOT PLEXUS_UNITY_BUILD)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "EXCEPT" ${ARGN})
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cc$" OR IS_ABSOLUTE "${source}")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    plexus_is_in(alone ${source} ${arg_EXCEPT})
    if(alone)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "root_${folder}" group)
    math(EXPR count "${count_${group}} + 1")
    set(count_${group} ${count})
    math(EXPR part "(${count} - 1) / 12")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # What it tells of a neighbour is no mistake (-Wshadow neither: CMakeLists.txt); a build of each
  # source alone has both.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
