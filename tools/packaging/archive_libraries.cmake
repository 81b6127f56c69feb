# Run by cpack as it installs for a package: an archive gets the libraries that its programs need, in
# lib/plexus, which their run path names. Those of libc and the compiler are the system's: one process
# can have them once only.
if("$ENV{PLEXUS_ARCHIVE}")
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PLEXUS_PROGRAM} LIBRARIES ${PLEXUS_LIBRARY}
    RESOLVED_DEPENDENCIES_VAR needed
    PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so" "^libplexus")
  file(INSTALL ${needed} DESTINATION ${CMAKE_INSTALL_PREFIX}/${PLEXUS_LIBDIR}/plexus
    FOLLOW_SYMLINK_CHAIN)
endif()
