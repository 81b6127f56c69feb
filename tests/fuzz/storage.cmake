# Fuzzers of what storage reads back: log records, checkpoints, the anchor.
plexus_fuzzer(log_record_fuzz SOURCES log_record_fuzz.cc LIBRARIES plexus_storage CORPUS corpus/log_record)
plexus_fuzzer(checkpoint_fuzz SOURCES checkpoint_fuzz.cc LIBRARIES plexus_storage CORPUS corpus/checkpoint)
plexus_fuzzer(anchor_fuzz SOURCES anchor_fuzz.cc LIBRARIES plexus_storage CORPUS corpus/anchor)
foreach(name log_record_fuzz checkpoint_fuzz anchor_fuzz)
  target_include_directories(${name} PRIVATE ${PROJECT_BINARY_DIR}/storage/generated)
endforeach()
