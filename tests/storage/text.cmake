# Tests of storage/formats. Included by tests/storage/CMakeLists.txt.
plexus_test(storage_text_test
  SOURCES
    text_all_or_nothing_test.cc
    text_csv_test.cc
    text_documents_test.cc
    text_edge_list_test.cc
    text_export_test.cc
    text_gap_test.cc
    text_graphml_test.cc
    text_json_test.cc
    text_load_test.cc
    text_matrix_test.cc
    text_memory_test.cc
    text_node_link_test.cc
    text_outcomes_test.cc
    text_parallel_test.cc
    text_properties_test.cc
    text_refusal_documents_test.cc
    text_refusal_test.cc
    text_round_trip_test.cc
    text_times_test.cc
    text_vectors_test.cc
    text_weights_test.cc
    text_wordnet_test.cc
  LIBRARIES plexus_formats plexus_storage plexus_engine)
