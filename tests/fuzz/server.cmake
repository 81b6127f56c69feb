# Lines of MCP and requests of HTTP, on a graph of a scratch directory that nothing may change.
if(TARGET plexus_server)
  plexus_fuzzer(mcp_line_fuzz SOURCES mcp_line_fuzz.cc LIBRARIES plexus_server CORPUS corpus/mcp_line)
  plexus_fuzzer(http_request_fuzz SOURCES http_request_fuzz.cc LIBRARIES plexus_server CORPUS corpus/http_request)
endif()
