// The C interface in use: a graph of decisions is written, asked and ranked. C11 and C++.
#include <plexus.h>
#include <stdio.h>
#include <string.h>

static int Failed(const char* what, plexus_code code) {
  fprintf(stderr, "%s: %s: %s\n", what, plexus_code_name(code), plexus_message());
  return 1;
}

// Prints the keys of a snapshot with their scores.
static plexus_code PrintRanks(plexus_snapshot* snapshot) {
  plexus_result *rank = NULL, *keys = NULL;
  plexus_array scores, offsets, bytes;
  plexus_code code = plexus_pagerank(snapshot, NULL, &rank);
  if (code == PLEXUS_OK) code = plexus_keys(snapshot, NULL, 0, &keys);
  if (code == PLEXUS_OK) code = plexus_result_array(rank, "scores", &scores);
  if (code == PLEXUS_OK) code = plexus_result_array(keys, "offsets", &offsets);
  if (code == PLEXUS_OK) code = plexus_result_array(keys, "bytes", &bytes);
  if (code == PLEXUS_OK) {
    const uint64_t* at = (const uint64_t*)offsets.data;
    for (uint64_t i = 0; i < scores.rows; ++i)
      printf("%.*s %.4f\n", (int)(at[i + 1] - at[i]), (const char*)bytes.data + at[i],
             ((const double*)scores.data)[i]);
  }
  plexus_result_free(keys);
  plexus_result_free(rank);
  return code;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  plexus_open_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.create = 1;
  plexus_graph* graph = NULL;
  plexus_code code = plexus_open(argv[1], &options, &graph);
  if (code != PLEXUS_OK) return Failed("open", code);

  const char* lines =
      "{\"node\":\"d1\",\"kind\":\"decision\",\"text\":\"Use one writer\"}\n"
      "{\"node\":\"d2\",\"kind\":\"decision\",\"text\":\"Readers take snapshots\"}\n"
      "{\"edge\":[\"d2\",\"d1\"],\"kind\":\"depends_on\",\"weight\":0.9}\n";
  plexus_text reply;
  code = plexus_import(graph, "{\"format\":\"jsonl\"}", 18, lines, strlen(lines), NULL, &reply);
  plexus_result_free(reply.owner);
  if (code != PLEXUS_OK) return Failed("import", code);

  const char* request = "{\"words\":\"snapshots\",\"top\":1}";
  code = plexus_call(graph, "recall", request, strlen(request), &reply);
  if (code == PLEXUS_OK) printf("%s\n", reply.data);
  plexus_result_free(reply.owner);
  if (code != PLEXUS_OK) return Failed("recall", code);

  plexus_snapshot* snapshot = NULL;
  code = plexus_snapshot_of(graph, &snapshot);
  if (code == PLEXUS_OK) code = PrintRanks(snapshot);
  plexus_snapshot_free(snapshot);
  if (code != PLEXUS_OK) return Failed("rank", code);
  code = plexus_close(graph);
  return code == PLEXUS_OK ? 0 : Failed("close", code);
}
