# Lines of MCP and requests of HTTP, on a graph of a scratch directory that nothing may change. As
# fuzzers they need every operation compiled with sanitizers: on request.
option(PLEXUS_FUZZ_SERVER "With the fuzzers also those of the server" OFF)
if(TARGET plexus_server AND (NOT PLEXUS_BUILD_FUZZERS OR PLEXUS_FUZZ_SERVER))
  plexus_fuzzer(mcp_line_fuzz SOURCES mcp_line_fuzz.cc LIBRARIES plexus_server CORPUS corpus/mcp_line)
  plexus_fuzzer(http_request_fuzz SOURCES http_request_fuzz.cc LIBRARIES plexus_server CORPUS corpus/http_request)
endif()
