// What jobs do: calls of the library with what was read of JavaScript.
#include "tools/node/work.h"

#include <string.h>

static plexus_call_options OptionsOf(Job* job) {
  plexus_call_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.cancel = (plexus_cancel*)(uintptr_t)job->cancel;
  return options;
}

void RunCall(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  job->code = plexus_call_with(GraphOf(job), job->texts[0], job->texts[1], job->lengths[1],
                               &options, &job->reply);
}

void RunImport(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  job->code = plexus_import(GraphOf(job), job->texts[1], job->lengths[1], job->arrays[0].data,
                            job->arrays[0].length, &options, &job->reply);
}

void RunChanges(Job* job) {
  job->code = plexus_changes(GraphOf(job), job->numbers[0], job->numbers[1], &job->reply);
}

void RunClose(Job* job) { job->code = plexus_close(GraphOf(job)); }

static plexus_strings StringsOf(const Array* blob, const Array* offsets) {
  plexus_strings strings;
  strings.bytes = (const char*)blob->data;
  strings.byte_count = blob->length;
  strings.offsets = (const uint64_t*)offsets->data;
  strings.count = offsets->length ? offsets->length - 1 : 0;
  return strings;
}

void RunEdges(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  plexus_edges edges;
  memset(&edges, 0, sizeof edges);
  edges.size = sizeof edges;
  edges.count = job->arrays[0].length;
  edges.sources = (const uint32_t*)job->arrays[0].data;
  edges.targets = (const uint32_t*)job->arrays[1].data;
  edges.weights = (const float*)job->arrays[2].data;
  edges.keys = StringsOf(&job->arrays[3], &job->arrays[4]);
  edges.ends = (int32_t)job->numbers[0];
  edges.kind = job->texts[0];
  job->counts.size = sizeof job->counts;
  job->code = plexus_put_edges(GraphOf(job), &edges, &options, &job->counts);
}

void RunVectors(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  plexus_vectors vectors;
  memset(&vectors, 0, sizeof vectors);
  vectors.size = sizeof vectors;
  vectors.dimensions = job->numbers[0];
  vectors.count = job->numbers[0] ? job->arrays[0].length / job->numbers[0] : 0;
  vectors.values = (const float*)job->arrays[0].data;
  vectors.keys = StringsOf(&job->arrays[1], &job->arrays[2]);
  vectors.space = job->texts[0];
  vectors.metric = job->texts[1];
  job->counts.size = sizeof job->counts;
  job->code = plexus_put_vectors(GraphOf(job), &vectors, &options, &job->counts);
}

void RunPutColumn(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  plexus_column_values values;
  memset(&values, 0, sizeof values);
  values.size = sizeof values;
  values.column = job->texts[0];
  values.kind = job->texts[1];
  values.keys = StringsOf(&job->arrays[0], &job->arrays[1]);
  values.ids = (const uint32_t*)job->arrays[2].data;
  values.f64 = (const double*)job->arrays[3].data;
  values.i64 = (const int64_t*)job->arrays[4].data;
  values.texts = StringsOf(&job->arrays[5], &job->arrays[6]);
  values.count = job->numbers[0];
  job->counts.size = sizeof job->counts;
  job->code = plexus_put_column(GraphOf(job), &values, &options, &job->counts);
}

void RunPageRank(Job* job) {
  plexus_pagerank_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.damping = job->real;
  options.tolerance = -1;  // the default
  options.iterations = (int32_t)job->numbers[0];
  options.unweighted = (int32_t)job->numbers[1];
  options.cancel = (plexus_cancel*)(uintptr_t)job->cancel;
  job->code = plexus_pagerank(SnapshotOf(job), &options, &job->result);
}

void RunCsr(Job* job) {
  plexus_csr_options options;
  const char* kind = job->texts[0];
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.kinds = &kind;
  options.kind_count = kind ? 1 : 0;
  options.incoming = (int32_t)job->numbers[0];
  job->code = plexus_csr(SnapshotOf(job), &options, &job->result);
}

void RunKeys(Job* job) {
  job->code = plexus_keys(SnapshotOf(job), (const uint32_t*)job->arrays[0].data,
                          job->arrays[0].length, &job->result);
}

void RunColumn(Job* job) {
  job->code = plexus_column(SnapshotOf(job), job->texts[0], &job->result);
}

void RunSpace(Job* job) { job->code = plexus_space(SnapshotOf(job), job->texts[0], &job->result); }
