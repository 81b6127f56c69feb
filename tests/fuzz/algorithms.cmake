# Fuzzers of what engine and algorithms read from outside. Included by tests/fuzz/CMakeLists.txt.
plexus_fuzzer(properties_fuzz SOURCES properties_fuzz.cc LIBRARIES plexus_engine CORPUS corpus/properties)
plexus_fuzzer(pattern_fuzz
  SOURCES pattern_fuzz.cc
  PARTS
    ../../algorithms/common/internal/node_order.cc
    ../../algorithms/common/internal/selection.cc
    ../../algorithms/common/node_subset.cc
    ../../algorithms/traversal/internal/resume_token.cc
    ../../algorithms/traversal/pattern.cc
    ../../algorithms/traversal/pattern_parser.cc
  OF plexus_algorithms
  LIBRARIES plexus_engine
  CORPUS corpus/pattern)
target_include_directories(pattern_fuzz PRIVATE ${PLEXUS_XXHASH_INCLUDE})
find_package(ICU 70 REQUIRED COMPONENTS uc)
set(where_sources
  ../../algorithms/common/internal/node_order.cc
  ../../algorithms/common/internal/selection.cc
  ../../algorithms/common/node_subset.cc
  ../../algorithms/retrieval/internal/where/where_list.cc
  ../../algorithms/retrieval/internal/where/where_value.cc
  ../../algorithms/retrieval/where.cc
  ../../algorithms/retrieval/internal/where/where_parser.cc
  ../../algorithms/retrieval/internal/word_forms.cc)
plexus_fuzzer(where_fuzz
  SOURCES where_fuzz.cc
  PARTS ${where_sources}
  OF plexus_algorithms
  LIBRARIES plexus_engine ICU::uc stemmer
  CORPUS corpus/where)
plexus_fuzzer(plan_fuzz
  SOURCES plan_fuzz.cc
  PARTS ${where_sources}
    ../../algorithms/retrieval/internal/plan/plan_check.cc
    ../../tools/operations/framework/arguments.cc
    ../../tools/operations/kind_direction.cc
    ../../tools/operations/reply/human_format.cc
    ../../tools/operations/names.cc
    ../../tools/operations/retrieve/plan_json.cc
  OF plexus_operations
  LIBRARIES plexus_formats plexus_engine ICU::uc stemmer
  CORPUS corpus/plan)
