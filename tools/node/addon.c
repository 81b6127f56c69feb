// The C interface as a Node-API module: one function each, handles as numbers.
//
// What may take long runs on a worker thread (Run...) and returns a promise. Typed arrays are
// copied on their way in, as JavaScript may write, resize or transfer them meanwhile, and on their
// way out. A failure is an Error whose `code` is the name of the library's code. index.js is made
// for people.
#include <stdlib.h>
#include <string.h>

#include "tools/node/job.h"

// --- what jobs do on their threads: calls of the library with what was read of JavaScript

static plexus_graph* GraphOf(const Job* job) { return (plexus_graph*)(uintptr_t)job->handle; }
static plexus_snapshot* SnapshotOf(const Job* job) {
  return (plexus_snapshot*)(uintptr_t)job->handle;
}
static plexus_cancel* CancelOf(const Job* job) { return (plexus_cancel*)(uintptr_t)job->cancel; }
static plexus_call_options OptionsOf(Job* job) {
  return (plexus_call_options){.size = sizeof(plexus_call_options), .cancel = CancelOf(job)};
}

static void RunCall(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  job->code = plexus_call_with(GraphOf(job), job->texts[0], job->texts[1], job->lengths[1],
                               &options, &job->reply);
}

static void RunImport(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  job->code = plexus_import(GraphOf(job), job->texts[1], job->lengths[1], job->arrays[0].data,
                            job->arrays[0].length, &options, &job->reply);
}

static void RunChanges(Job* job) {
  job->code = plexus_changes(GraphOf(job), job->numbers[0], job->numbers[1], &job->reply);
}

static void RunClose(Job* job) { job->code = plexus_close(GraphOf(job)); }

static plexus_strings StringsOf(const Array* blob, const Array* offsets) {
  return (plexus_strings){.bytes = (const char*)blob->data,
                          .byte_count = blob->length,
                          .offsets = (const uint64_t*)offsets->data,
                          .count = offsets->length ? offsets->length - 1 : 0};
}

static void RunEdges(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  const plexus_edges edges = {.size = sizeof edges,
                              .count = job->arrays[0].length,
                              .sources = (const uint32_t*)job->arrays[0].data,
                              .targets = (const uint32_t*)job->arrays[1].data,
                              .weights = (const float*)job->arrays[2].data,
                              .keys = StringsOf(&job->arrays[3], &job->arrays[4]),
                              .ends = (int32_t)job->numbers[0],
                              .kind = job->texts[0]};
  job->code = plexus_put_edges(GraphOf(job), &edges, &options, &job->counts);
}

static void RunVectors(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  const plexus_vectors vectors = {.size = sizeof vectors,
                                  .dimensions = job->numbers[0],
                                  .count = job->arrays[0].length / job->numbers[0],
                                  .values = (const float*)job->arrays[0].data,
                                  .keys = StringsOf(&job->arrays[1], &job->arrays[2]),
                                  .space = job->texts[0],
                                  .metric = job->texts[1]};
  job->code = plexus_put_vectors(GraphOf(job), &vectors, &options, &job->counts);
}

static void RunPutColumn(Job* job) {
  const plexus_call_options options = OptionsOf(job);
  const plexus_column_values values = {.size = sizeof values,
                                       .column = job->texts[0],
                                       .kind = job->texts[1],
                                       .keys = StringsOf(&job->arrays[0], &job->arrays[1]),
                                       .ids = (const uint32_t*)job->arrays[2].data,
                                       .f64 = (const double*)job->arrays[3].data,
                                       .i64 = (const int64_t*)job->arrays[4].data,
                                       .texts = StringsOf(&job->arrays[5], &job->arrays[6]),
                                       .count = job->numbers[0]};
  job->code = plexus_put_column(GraphOf(job), &values, &options, &job->counts);
}

static void RunPageRank(Job* job) {
  const plexus_pagerank_options options = {.size = sizeof options,
                                           .damping = job->real,
                                           .tolerance = -1,  // the default
                                           .iterations = (int32_t)job->numbers[0],
                                           .unweighted = (int32_t)job->numbers[1],
                                           .cancel = CancelOf(job)};
  job->code = plexus_pagerank(SnapshotOf(job), &options, &job->result);
}

static void RunCsr(Job* job) {
  const char* const kind = job->texts[0];
  const plexus_csr_options options = {.size = sizeof options,
                                      .kinds = &kind,
                                      .kind_count = kind ? 1 : 0,
                                      .incoming = (int32_t)job->numbers[0]};
  job->code = plexus_csr(SnapshotOf(job), &options, &job->result);
}

static void RunKeys(Job* job) {
  job->code = plexus_keys(SnapshotOf(job), (const uint32_t*)job->arrays[0].data,
                          job->arrays[0].length, &job->result);
}

static void RunColumn(Job* job) {
  job->code = plexus_column(SnapshotOf(job), job->texts[0], &job->result);
}

static void RunSpace(Job* job) {
  job->code = plexus_space(SnapshotOf(job), job->texts[0], &job->result);
}

// --- the functions of the module

// Ends a function that could not read its arguments.
#define PLEXUS_READ(read) \
  do {                    \
    if (!(read)) {        \
      FreeJob(env, job);  \
      return NULL;        \
    }                     \
  } while (false)
#define PLEXUS_JOB(run, answer)                 \
  napi_value a[kMostArguments];                 \
  Job* job = NewJob(env, info, a, run, answer); \
  if (!job) return NULL
#define PLEXUS_TEXT(at, i, name) \
  PLEXUS_READ(ReadText(env, a[at], name, &job->texts[i], &job->lengths[i]))
#define PLEXUS_NUMBER(at, where, name) PLEXUS_READ(ReadNumber(env, a[at], name, &(where)))
// Reads an array that must be there.
#define PLEXUS_GIVEN(at, i, type, name, what)                    \
  do {                                                           \
    PLEXUS_ARRAY(at, i, type, name, what);                       \
    PLEXUS_READ(job->arrays[i].data || Refuse(env, name, what)); \
  } while (false)
#define PLEXUS_ARRAY(at, i, type, name, what) \
  PLEXUS_READ(ReadArray(env, a[at], type, name, what, &job->arrays[i]))

static napi_value Call(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunCall, AnswerText);
  PLEXUS_TEXT(1, 0, "operation");
  PLEXUS_TEXT(2, 1, "request");
  PLEXUS_NUMBER(3, job->cancel, "cancel");
  PLEXUS_READ(ReadFlag(env, a[4], "bytes", &job->numbers[3]));
  return Begin(env, job);
}

// Call on this thread. A short text lies on the stack; *longer is of one that does not.
static const char* ShortText(napi_env env, napi_value value, const char* name, char* buffer,
                             size_t size, char** longer, size_t* length) {
  if (napi_get_value_string_utf8(env, value, buffer, size, length) == napi_ok &&
      *length + 4 < size && !memchr(buffer, 0, *length))
    return buffer;
  if (!ReadText(env, value, name, longer, length)) return NULL;
  if (!*longer) Refuse(env, name, "a string");
  return *longer;
}

static napi_value ReplyOf(napi_env env, plexus_code code, plexus_text* reply, uint64_t bytes) {
  napi_value value = code == PLEXUS_OK ? TextOf(env, reply, bytes != 0) : NULL;
  if (code != PLEXUS_OK)
    Throw(env, code, plexus_message());
  else if (!value)
    Throw(env, PLEXUS_RESOURCE_EXHAUSTED, kTooLarge);
  plexus_result_free(reply->owner);
  return value;
}

// (graph, operation, request, bytes)
static napi_value CallSync(napi_env env, napi_callback_info info) {
  napi_value a[4] = {NULL, NULL, NULL, NULL}, value = NULL;
  char operation_buffer[64], request_buffer[1024];
  char* longer[2] = {NULL, NULL};
  size_t count = 4, lengths[2] = {0, 0};
  uint64_t handle = 0, bytes = 0;
  plexus_text reply = {NULL, 0, NULL};
  napi_get_cb_info(env, info, &count, a, NULL, NULL);
  const char *operation = NULL, *request = NULL;
  if (ReadNumber(env, a[0], "handle", &handle) && ReadFlag(env, a[3], "bytes", &bytes) &&
      (operation = ShortText(env, a[1], "operation", operation_buffer, sizeof operation_buffer,
                             &longer[0], &lengths[0])) != NULL &&
      (request = ShortText(env, a[2], "request", request_buffer, sizeof request_buffer, &longer[1],
                           &lengths[1])) != NULL) {
    const plexus_code code =
        plexus_call((plexus_graph*)(uintptr_t)handle, operation, request, lengths[1], &reply);
    value = ReplyOf(env, code, &reply, bytes);
  }
  free(longer[0]);
  free(longer[1]);
  return value;
}

// An operation on a directory, or without one: (path, operation, request, bytes).
static napi_value CallAt(napi_env env, napi_callback_info info) {
  napi_value a[4] = {NULL, NULL, NULL, NULL}, value = NULL;
  size_t count = 4;
  uint64_t bytes = 0;
  char* texts[3] = {NULL, NULL, NULL};
  size_t lengths[3] = {0, 0, 0};
  plexus_text reply = {NULL, 0, NULL};
  napi_get_cb_info(env, info, &count, a, NULL, NULL);
  if (ReadText(env, a[0], "path", &texts[0], &lengths[0]) &&
      ReadText(env, a[1], "operation", &texts[1], &lengths[1]) &&
      ReadText(env, a[2], "request", &texts[2], &lengths[2]) &&
      ReadFlag(env, a[3], "bytes", &bytes)) {
    const plexus_code code = plexus_call_at(texts[0], texts[1], texts[2], lengths[2], NULL, &reply);
    value = ReplyOf(env, code, &reply, bytes);
  }
  for (int i = 0; i < 3; ++i) free(texts[i]);
  return value;
}

static napi_value Import(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunImport, AnswerText);
  PLEXUS_TEXT(1, 1, "request");
  PLEXUS_GIVEN(2, 0, napi_uint8_array, "content", "a Uint8Array");
  PLEXUS_NUMBER(3, job->cancel, "cancel");
  return Begin(env, job);
}

static napi_value ChangesOf(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunChanges, AnswerText);
  PLEXUS_NUMBER(1, job->numbers[0], "since");
  PLEXUS_NUMBER(2, job->numbers[1], "most");
  return Begin(env, job);
}

// A thread of JavaScript that ends with an open graph closes it, as its handle goes with it.
static void CloseLeft(void* graph) { plexus_close((plexus_graph*)graph); }

static napi_value Close(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunClose, AnswerNothing);
  napi_remove_env_cleanup_hook(env, CloseLeft, GraphOf(job));
  return Begin(env, job);
}

static napi_value CloseSync(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunClose, AnswerNothing);
  napi_remove_env_cleanup_hook(env, CloseLeft, GraphOf(job));
  RunClose(job);
  if (job->code != PLEXUS_OK) Throw(env, job->code, plexus_message());
  FreeJob(env, job);
  return Undefined(env);
}

static napi_value PutEdges(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunEdges, AnswerCounts);
  PLEXUS_GIVEN(1, 0, napi_uint32_array, "sources", "a Uint32Array");
  PLEXUS_GIVEN(2, 1, napi_uint32_array, "targets", "a Uint32Array");
  PLEXUS_NUMBER(3, job->numbers[0], "ends");
  PLEXUS_ARRAY(4, 2, napi_float32_array, "weights", "a Float32Array");
  PLEXUS_ARRAY(5, 3, napi_uint8_array, "keys", "a Uint8Array");
  PLEXUS_ARRAY(6, 4, napi_biguint64_array, "offsets", "a BigUint64Array");
  PLEXUS_TEXT(7, 0, "kind");
  PLEXUS_NUMBER(8, job->cancel, "cancel");
  if (job->arrays[1].length != job->arrays[0].length)
    PLEXUS_READ(Refuse(env, "targets", "as long as sources"));
  if (job->arrays[2].data && job->arrays[2].length != job->arrays[0].length)
    PLEXUS_READ(Refuse(env, "weights", "as long as sources"));
  return Begin(env, job);
}

static napi_value PutVectors(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunVectors, AnswerCounts);
  PLEXUS_GIVEN(1, 0, napi_float32_array, "values", "a Float32Array");
  PLEXUS_NUMBER(2, job->numbers[0], "dimensions");
  PLEXUS_ARRAY(3, 1, napi_uint8_array, "keys", "a Uint8Array");
  PLEXUS_ARRAY(4, 2, napi_biguint64_array, "offsets", "a BigUint64Array");
  PLEXUS_TEXT(5, 0, "space");
  PLEXUS_TEXT(6, 1, "metric");
  PLEXUS_NUMBER(7, job->cancel, "cancel");
  if (job->numbers[0] == 0 || job->arrays[0].length % job->numbers[0] != 0)
    PLEXUS_READ(Refuse(env, "values", "a whole number of rows of so many dimensions"));
  if (job->arrays[2].data && job->arrays[2].length != job->arrays[0].length / job->numbers[0] + 1)
    PLEXUS_READ(Refuse(env, "keys", "as long as values"));
  return Begin(env, job);
}

static napi_value PutColumn(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunPutColumn, AnswerCounts);
  PLEXUS_TEXT(1, 0, "column");
  PLEXUS_NUMBER(2, job->numbers[0], "count");
  PLEXUS_ARRAY(3, 0, napi_uint8_array, "keys", "a Uint8Array");
  PLEXUS_ARRAY(4, 1, napi_biguint64_array, "offsets", "a BigUint64Array");
  PLEXUS_ARRAY(5, 2, napi_uint32_array, "ids", "a Uint32Array");
  PLEXUS_ARRAY(6, 3, napi_float64_array, "values", "a Float64Array");
  PLEXUS_ARRAY(7, 4, napi_bigint64_array, "values", "a BigInt64Array");
  PLEXUS_ARRAY(8, 5, napi_uint8_array, "texts", "a Uint8Array");
  PLEXUS_ARRAY(9, 6, napi_biguint64_array, "offsets", "a BigUint64Array");
  PLEXUS_TEXT(10, 1, "kind");
  PLEXUS_NUMBER(11, job->cancel, "cancel");
  for (int i = 2; i < 5; ++i)
    if (job->arrays[i].data && job->arrays[i].length != job->numbers[0])
      PLEXUS_READ(Refuse(env, i == 2 ? "ids" : "values", "as long as values"));
  if (job->arrays[1].data && job->arrays[1].length != job->numbers[0] + 1)
    PLEXUS_READ(Refuse(env, "keys", "as long as values"));
  return Begin(env, job);
}

static napi_value Rank(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunPageRank, AnswerArrays);
  PLEXUS_READ((napi_get_value_double(env, a[1], &job->real) == napi_ok && job->real >= 0) ||
              Refuse(env, "damping", "a number >= 0"));
  PLEXUS_NUMBER(2, job->numbers[0], "iterations");
  PLEXUS_READ(job->numbers[0] <= INT32_MAX || Refuse(env, "iterations", "below 2^31"));
  PLEXUS_NUMBER(3, job->numbers[1], "unweighted");
  PLEXUS_NUMBER(4, job->cancel, "cancel");
  return Begin(env, job);
}

static napi_value Rows(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunCsr, AnswerArrays);
  PLEXUS_TEXT(1, 0, "kind");
  PLEXUS_NUMBER(2, job->numbers[0], "incoming");
  return Begin(env, job);
}

static napi_value Keys(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunKeys, AnswerArrays);
  PLEXUS_ARRAY(1, 0, napi_uint32_array, "ids", "a Uint32Array");
  return Begin(env, job);
}

static napi_value Column(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunColumn, AnswerArrays);
  PLEXUS_TEXT(1, 0, "column");
  return Begin(env, job);
}

static napi_value Space(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunSpace, AnswerArrays);
  PLEXUS_TEXT(1, 0, "space");
  return Begin(env, job);
}

static napi_value HandleOf(napi_env env, plexus_code code, const void* handle) {
  napi_value number = NULL;
  if (code != PLEXUS_OK) return Throw(env, code, plexus_message());
  napi_create_double(env, (double)(uintptr_t)handle, &number);
  return number;
}

// (path, create, readOnly, lockWaitMs, isWorker); without a path in RAM
static napi_value Open(napi_env env, napi_callback_info info) {
  napi_value a[5] = {NULL, NULL, NULL, NULL, NULL};
  size_t count = 5, length = 0;
  char* path = NULL;
  bool create = false, read_only = false, is_worker = false;
  plexus_open_options options = {.size = sizeof options};
  plexus_graph* graph = NULL;
  napi_get_cb_info(env, info, &count, a, NULL, NULL);
  if (!ReadText(env, a[0], "path", &path, &length)) {
    free(path);
    return NULL;
  }
  napi_get_value_bool(env, a[1], &create);
  napi_get_value_bool(env, a[2], &read_only);
  napi_get_value_int64(env, a[3], &options.lock_wait_ms);
  napi_get_value_bool(env, a[4], &is_worker);
  options.create = create;
  options.read_only = read_only;
  options.in_memory = !path;
  const plexus_code code = plexus_open(path, &options, &graph);
  free(path);
  if (code == PLEXUS_OK && is_worker) napi_add_env_cleanup_hook(env, CloseLeft, graph);
  return HandleOf(env, code, graph);
}

// (graph, asOf)
static napi_value SnapshotNow(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(NULL, NULL);
  plexus_snapshot* snapshot = NULL;
  PLEXUS_TEXT(1, 0, "asOf");
  const plexus_code code = job->texts[0]
                               ? plexus_snapshot_at(GraphOf(job), job->texts[0], &snapshot)
                               : plexus_snapshot_of(GraphOf(job), &snapshot);
  FreeJob(env, job);
  return HandleOf(env, code, snapshot);
}

static napi_value SequenceNow(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(NULL, NULL);
  napi_value number = NULL;
  const plexus_code code = plexus_sequence(GraphOf(job), &job->numbers[2]);
  if (code == PLEXUS_OK)
    number = AnswerSequence(env, job);
  else
    Throw(env, code, plexus_message());
  FreeJob(env, job);
  return number;
}

static napi_value CancelNew(napi_env env, napi_callback_info info) {
  plexus_cancel* cancel = NULL;
  (void)info;
  const plexus_code code = plexus_cancel_new(&cancel);
  return HandleOf(env, code, cancel);
}

// Functions of one handle that only say how it went.
#define PLEXUS_SIMPLE(Name, call)                                     \
  static napi_value Name(napi_env env, napi_callback_info info) {     \
    PLEXUS_JOB(NULL, NULL);                                           \
    const plexus_code code = call;                                    \
    FreeJob(env, job);                                                \
    if (code != PLEXUS_OK) return Throw(env, code, plexus_message()); \
    return Undefined(env);                                            \
  }
PLEXUS_SIMPLE(CancelSet, plexus_cancel_set((plexus_cancel*)(uintptr_t)job->handle))
PLEXUS_SIMPLE(CancelFree, plexus_cancel_free((plexus_cancel*)(uintptr_t)job->handle))
PLEXUS_SIMPLE(SnapshotFree, plexus_snapshot_free(SnapshotOf(job)))
PLEXUS_SIMPLE(Refresh, plexus_refresh(GraphOf(job)))

NAPI_MODULE_INIT() {
  static const struct {
    const char* name;
    napi_callback function;
  } functions[] = {{"open", Open},
                   {"close", Close},
                   {"closeSync", CloseSync},
                   {"call", Call},
                   {"callSync", CallSync},
                   {"callAt", CallAt},
                   {"importBytes", Import},
                   {"changes", ChangesOf},
                   {"sequence", SequenceNow},
                   {"refresh", Refresh},
                   {"putEdges", PutEdges},
                   {"putVectors", PutVectors},
                   {"putColumn", PutColumn},
                   {"snapshot", SnapshotNow},
                   {"snapshotFree", SnapshotFree},
                   {"pagerank", Rank},
                   {"csr", Rows},
                   {"keys", Keys},
                   {"space", Space},
                   {"column", Column},
                   {"cancelNew", CancelNew},
                   {"cancelSet", CancelSet},
                   {"cancelFree", CancelFree}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    napi_value function = NULL;
    napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL,
                         &function);
    napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}
