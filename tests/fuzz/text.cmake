# Fuzzers of the text formats. Included by tests/fuzz/CMakeLists.txt.
plexus_fuzzer(jsonl_fuzz SOURCES jsonl_fuzz.cc LIBRARIES plexus_storage plexus_engine CORPUS corpus/jsonl)
plexus_fuzzer(csv_fuzz SOURCES csv_fuzz.cc LIBRARIES plexus_storage plexus_engine CORPUS corpus/csv)
plexus_fuzzer(edge_list_fuzz SOURCES edge_list_fuzz.cc LIBRARIES plexus_storage plexus_engine CORPUS corpus/edgelist)
plexus_fuzzer(matrix_market_fuzz SOURCES matrix_market_fuzz.cc LIBRARIES plexus_storage plexus_engine CORPUS corpus/mtx)
plexus_fuzzer(gap_serialized_fuzz SOURCES gap_serialized_fuzz.cc LIBRARIES plexus_storage plexus_engine CORPUS corpus/gapbs)
plexus_fuzzer(graphml_fuzz SOURCES graphml_fuzz.cc LIBRARIES plexus_storage plexus_engine CORPUS corpus/graphml)
plexus_fuzzer(node_link_fuzz SOURCES node_link_fuzz.cc LIBRARIES plexus_storage plexus_engine CORPUS corpus/node_link)
plexus_fuzzer(mcp_memory_fuzz SOURCES mcp_memory_fuzz.cc LIBRARIES plexus_storage plexus_engine CORPUS corpus/mcp_memory)
