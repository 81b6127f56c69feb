// What a call costs, edges from arrays, PageRank, and what 10^6 calls and 10^4 opens leave behind,
// through the C interface alone.
// Usage: c_measure NEW_DIRECTORY [EDGES [GRAPH]]
#define _POSIX_C_SOURCE 199309L
#include <dirent.h>
#include <plexus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Of the processor, so that other programs do not count.
static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void Must(plexus_code code) {
  if (code == PLEXUS_OK) return;
  fprintf(stderr, "%s\n", plexus_message());
  exit(1);
}

static plexus_graph* Open(const char* path) {
  plexus_open_options options;
  plexus_graph* graph = NULL;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.create = 1;
  Must(plexus_open(path, &options, &graph));
  return graph;
}

static plexus_graph* OpenNew(const char* directory, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s-%s", directory, name);
  return Open(path);
}

static void Call(plexus_graph* graph, const char* operation, const char* request) {
  plexus_text reply;
  Must(plexus_call(graph, operation, request, strlen(request), &reply));
  plexus_result_free(reply.owner);
}

static void MeasureCall(plexus_graph* graph, const char* operation, const char* request) {
  const int calls = 20000;
  double best = 1;
  for (int round = 0; round < 9; ++round) {
    const double start = Now();
    for (int i = 0; i < calls; ++i) Call(graph, operation, request);
    if ((Now() - start) / calls < best) best = (Now() - start) / calls;
  }
  printf("%s: %.2f us\n", operation, best * 1e6);
}

static void MeasureRank(plexus_graph* graph) {
  plexus_snapshot* snapshot = NULL;
  Must(plexus_snapshot_of(graph, &snapshot));
  plexus_pagerank_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.iterations = 20;
  options.damping = options.tolerance = -1;  // the defaults
  double best = 1e9;
  uint64_t bits = 0;
  for (int i = 0; i < 9; ++i) {
    plexus_result* rank = NULL;
    plexus_array scores;
    const double start = Now();
    Must(plexus_pagerank(snapshot, &options, &rank));
    if (Now() - start < best) best = Now() - start;
    Must(plexus_result_array(rank, "scores", &scores));
    for (uint64_t n = bits = 0; n < scores.rows; ++n) bits ^= ((const uint64_t*)scores.data)[n];
    plexus_result_free(rank);
  }
  printf("pagerank, 20 iterations: %.4f s, bits %016llx\n", best, (unsigned long long)bits);
  plexus_snapshot_free(snapshot);
}

static void MeasureEdges(plexus_graph* graph, size_t count) {
  uint32_t* ends = (uint32_t*)malloc(2 * count * sizeof *ends);
  for (size_t i = 0; i < 2 * count; ++i) {  // as measure.py makes them
    uint32_t mixed = (uint32_t)i * 2654435761u;
    mixed = (mixed ^ (mixed >> 15)) * 2246822519u;
    ends[i] = (mixed ^ (mixed >> 13)) % (uint32_t)(count / 8);
  }
  plexus_edges edges;
  memset(&edges, 0, sizeof edges);
  edges.size = sizeof edges;
  edges.count = count;
  edges.sources = ends;
  edges.targets = ends + count;
  const double start = Now();
  Must(plexus_put_edges(graph, &edges, NULL, NULL));
  printf("put_edges: %.2f s, %.1f M edges/s\n", Now() - start,
         (double)count / (Now() - start) / 1e6);
  MeasureRank(graph);
  free(ends);
}

// Resident memory and open descriptors of this process.
static void PrintHeld(const char* after) {
  char line[256];
  long resident = 0, descriptors = -3;  // without ".", ".." and the folder's own
  FILE* status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "VmRSS: %ld", &resident) == 1) break;
  if (status) fclose(status);
  DIR* folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) ++descriptors;
  if (folder) closedir(folder);
  printf("%s: %ld kB resident, %ld descriptors\n", after, resident, descriptors);
}

static void MeasureLeaks(const char* directory) {
  const char* const request = "{\"key\":\"m1\"}";
  char path[4096], after[64];
  snprintf(path, sizeof path, "%s-calls", directory);
  plexus_graph* graph = Open(path);
  for (int calls = 1; calls <= 1000000; ++calls) {
    Call(graph, "get", request);
    if (calls != 10000 && calls != 100000 && calls != 1000000) continue;
    snprintf(after, sizeof after, "after %d calls", calls);
    PrintHeld(after);
  }
  Must(plexus_close(graph));
  for (int opens = 1; opens <= 10000; ++opens) {
    graph = Open(path);
    Call(graph, "get", request);
    Must(plexus_close(graph));
    if (opens != 100 && opens != 1000 && opens != 10000) continue;
    snprintf(after, sizeof after, "after %d opens", opens);
    PrintHeld(after);
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  plexus_graph* graph = OpenNew(argv[1], "calls");
  Call(graph, "put", "{\"key\":\"m1\",\"text\":\"a\"}");
  MeasureCall(graph, "get", "{\"key\":\"m1\"}");
  MeasureCall(graph, "conflicts_list", "{}");  // about the least that an operation does
  Must(plexus_close(graph));
  graph = OpenNew(argv[1], "edges");
  MeasureEdges(graph, argc > 2 ? (size_t)atol(argv[2]) : 4000000);
  Must(plexus_close(graph));
  if (argc > 3) {
    graph = Open(argv[3]);
    MeasureRank(graph);
    Must(plexus_close(graph));
  }
  MeasureLeaks(argv[1]);
  return 0;
}
