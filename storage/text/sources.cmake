# The sources of storage/text, relative to storage/. Included by storage/CMakeLists.txt,
# which links Boost::json and expat for them.
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(EXPAT REQUIRED)
set(PLEXUS_STORAGE_TEXT_SOURCES
  text/apply_piece.cc
  text/batch_builder.cc
  text/block_reader.cc
  text/csv.cc
  text/csv_row.cc
  text/decimal.cc
  text/edge_lines.cc
  text/edge_list.cc
  text/event_keys.cc
  text/export_matrix.cc
  text/export_mcp_memory.cc
  text/export_node_link.cc
  text/export_tables.cc
  text/export_xml.cc
  text/gap_serialized.cc
  text/graphml.cc
  text/graphml_key.cc
  text/import.cc
  text/import_check.cc
  text/import_documents.cc
  text/import_vectors.cc
  text/json_definitions.cc
  text/json_element_records.cc
  text/json_event_records.cc
  text/json_export_definitions.cc
  text/json_export_events.cc
  text/json_exporter.cc
  text/json_graph_records.cc
  text/json_lines.cc
  text/json_tree.cc
  text/json_writer.cc
  text/linked_kind.cc
  text/load_edges.cc
  text/matrix_market.cc
  text/mcp_memory.cc
  text/node_link.cc
  text/npy_header.cc
  text/pipeline.cc
  text/properties.cc
  text/replacements.cc
  text/sniff.cc
  text/spool.cc
  text/times.cc
  text/vector_file.cc
  text/vector_keys.cc
  text/wordnet.cc)
# FlexBuffers can turn strings into numbers by the C locale, for which its compiled
# library would be needed; we never ask for that.
set_source_files_properties(${PLEXUS_STORAGE_TEXT_SOURCES} PROPERTIES
  COMPILE_DEFINITIONS FLATBUFFERS_LOCALE_INDEPENDENT=0)
