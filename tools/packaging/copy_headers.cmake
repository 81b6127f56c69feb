# Copies the headers that LIST names from SOURCE to TARGET; `#include "engine/...` becomes
# `#include "plexus/engine/...`. Leaves a copy alone when it would not change, so that users'
# sources are not compiled again, and removes copies of headers that LIST no longer names.
# Run by headers.cmake: cmake -DSOURCE=DIR -DTARGET=DIR -DLIST=FILE -P copy_headers.cmake
cmake_minimum_required(VERSION 3.25)
file(STRINGS ${LIST} headers REGEX "^[a-z]")
foreach(header IN LISTS headers)
  file(READ ${SOURCE}/${header} text)
  string(REGEX REPLACE "(^|\n)([ \t]*#[ \t]*include[ \t]*\")" "\\1\\2plexus/" text "${text}")
  set(old "")
  if(EXISTS ${TARGET}/${header})
    file(READ ${TARGET}/${header} old)
  endif()
  if(NOT text STREQUAL old)
    file(WRITE ${TARGET}/${header} "${text}")
  endif()
endforeach()
file(GLOB_RECURSE copies RELATIVE ${TARGET} ${TARGET}/*.h)
if(headers)
  list(REMOVE_ITEM copies ${headers})
endif()
foreach(stale IN LISTS copies)
  file(REMOVE ${TARGET}/${stale})
endforeach()
