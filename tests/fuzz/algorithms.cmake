# Fuzzers of what algorithms read from outside. Included by tests/fuzz/CMakeLists.txt.
plexus_fuzzer(pattern_fuzz SOURCES pattern_fuzz.cc LIBRARIES plexus_algorithms plexus_engine CORPUS corpus/pattern)
