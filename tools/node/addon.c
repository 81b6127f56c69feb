// The C interface as a Node-API module: one function each, handles as numbers.
//
// What may take long runs on a worker thread and returns a promise. Typed arrays that come in are
// kept and read there, without a copy; those that go out are copies, as JavaScript may write them.
// A failure is an Error whose `code` is the name of the library's code. index.js is made for
// people.
#define NAPI_VERSION 8
#include <node_api.h>
#include <plexus.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { kMostArguments = 12 };

typedef struct Array {
  const void* data;
  size_t length;
} Array;

typedef struct Job Job;
struct Job {
  void (*run)(Job* job);
  napi_value (*answer)(napi_env env, Job* job);
  napi_async_work work;
  napi_deferred deferred;
  napi_ref kept[kMostArguments];  // arrays that the worker reads
  int kept_count;
  char* texts[4];
  size_t lengths[4];
  Array arrays[6];
  uint64_t handle, cancel, numbers[4];
  double real;
  // What came of it.
  plexus_code code;
  char* message;
  plexus_text reply;
  plexus_result* result;
  plexus_counts counts;
};

static napi_value Undefined(napi_env env) {
  napi_value value = NULL;
  napi_get_undefined(env, &value);
  return value;
}

static napi_value MakeError(napi_env env, plexus_code code, const char* message) {
  napi_value name = NULL, text = NULL, error = NULL;
  const char* known = plexus_code_name(code);
  napi_create_string_utf8(env, known ? known : "internal", NAPI_AUTO_LENGTH, &name);
  napi_create_string_utf8(env, message ? message : "", NAPI_AUTO_LENGTH, &text);
  napi_create_error(env, name, text, &error);
  return error;
}

static napi_value Throw(napi_env env, plexus_code code, const char* message) {
  napi_throw(env, MakeError(env, code, message));
  return NULL;
}

// --- reading arguments: false, with an exception, when one has another type

static bool Refuse(napi_env env, const char* name, const char* what) {
  char text[160];
  text[0] = 0;
  strncat(text, name, 60);
  strncat(text, " is not ", 10);
  strncat(text, what, 80);
  Throw(env, PLEXUS_INVALID_ARGUMENT, text);
  return false;
}

static bool IsAbsent(napi_env env, napi_value value) {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, value, &type);
  return type == napi_undefined || type == napi_null;
}

static bool ReadNumber(napi_env env, napi_value value, const char* name, uint64_t* number) {
  int64_t read = 0;
  bool lossless = false;
  napi_valuetype type = napi_undefined;
  napi_typeof(env, value, &type);
  if (type == napi_bigint) {
    if (napi_get_value_bigint_uint64(env, value, number, &lossless) == napi_ok && lossless)
      return true;
  } else if (type == napi_number && napi_get_value_int64(env, value, &read) == napi_ok &&
             read >= 0) {
    *number = (uint64_t)read;
    return true;
  }
  return Refuse(env, name, "a whole number >= 0");
}

// Null: absent.
static bool ReadText(napi_env env, napi_value value, const char* name, char** text,
                     size_t* length) {
  *text = NULL;
  *length = 0;
  if (IsAbsent(env, value)) return true;
  if (napi_get_value_string_utf8(env, value, NULL, 0, length) != napi_ok)
    return Refuse(env, name, "a string");
  *text = (char*)malloc(*length + 1);
  if (!*text) return Refuse(env, name, "small enough for the memory");
  napi_get_value_string_utf8(env, value, *text, *length + 1, length);
  return true;
}

static bool ReadArray(napi_env env, napi_value value, napi_typedarray_type wanted, const char* name,
                      const char* what, Job* job, Array* array) {
  array->data = NULL;
  array->length = 0;
  if (IsAbsent(env, value)) return true;
  bool is_array = false;
  napi_typedarray_type type;
  void* data = NULL;
  napi_is_typedarray(env, value, &is_array);
  if (!is_array ||
      napi_get_typedarray_info(env, value, &type, &array->length, &data, NULL, NULL) != napi_ok ||
      type != wanted)
    return Refuse(env, name, what);
  static const uint64_t nothing = 0;
  array->data = array->length ? data : &nothing;
  return napi_create_reference(env, value, 1, &job->kept[job->kept_count++]) == napi_ok;
}

// --- promises

static void FreeJob(napi_env env, Job* job) {
  for (int i = 0; i < job->kept_count; ++i) napi_delete_reference(env, job->kept[i]);
  for (int i = 0; i < 4; ++i) free(job->texts[i]);
  free(job->message);
  plexus_result_free(job->reply.owner);
  plexus_result_free(job->result);
  if (job->work) napi_delete_async_work(env, job->work);
  free(job);
}

static void Execute(napi_env env, void* data) {
  Job* job = (Job*)data;
  (void)env;
  job->run(job);
  if (job->code != PLEXUS_OK) job->message = strdup(plexus_message());
}

static void Complete(napi_env env, napi_status status, void* data) {
  Job* job = (Job*)data;
  if (status != napi_ok && job->code == PLEXUS_OK) job->code = PLEXUS_CANCELLED;
  napi_value value = job->code == PLEXUS_OK ? job->answer(env, job) : NULL;
  if (value)
    napi_resolve_deferred(env, job->deferred, value);
  else
    napi_reject_deferred(env, job->deferred, MakeError(env, job->code, job->message));
  FreeJob(env, job);
}

static napi_value Begin(napi_env env, Job* job) {
  napi_value promise = NULL, name = NULL;
  napi_create_string_utf8(env, "plexus", NAPI_AUTO_LENGTH, &name);
  if (napi_create_promise(env, &job->deferred, &promise) == napi_ok &&
      napi_create_async_work(env, NULL, name, Execute, Complete, job, &job->work) == napi_ok &&
      napi_queue_async_work(env, job->work) == napi_ok)
    return promise;
  FreeJob(env, job);
  return Throw(env, PLEXUS_RESOURCE_EXHAUSTED, "no worker thread");
}

static Job* NewJob(napi_env env, napi_callback_info info, napi_value* arguments, void (*run)(Job*),
                   napi_value (*answer)(napi_env, Job*)) {
  size_t count = kMostArguments;
  for (int i = 0; i < kMostArguments; ++i) arguments[i] = Undefined(env);
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  Job* job = (Job*)calloc(1, sizeof *job);
  if (!job) {
    Throw(env, PLEXUS_RESOURCE_EXHAUSTED, "no memory");
    return NULL;
  }
  job->run = run;
  job->answer = answer;
  if (ReadNumber(env, arguments[0], "handle", &job->handle)) return job;
  FreeJob(env, job);
  return NULL;
}

// --- answers

static napi_value AnswerText(napi_env env, Job* job) {
  napi_value text = NULL;
  napi_create_string_utf8(env, job->reply.data, job->reply.length, &text);
  return text;
}

static napi_value AnswerNothing(napi_env env, Job* job) {
  (void)job;
  return Undefined(env);
}

static napi_value AnswerSequence(napi_env env, Job* job) {
  napi_value number = NULL;
  napi_create_bigint_uint64(env, job->numbers[2], &number);
  return number;
}

static void SetBigInt(napi_env env, napi_value object, const char* name, uint64_t number) {
  napi_value value = NULL;
  napi_create_bigint_uint64(env, number, &value);
  napi_set_named_property(env, object, name, value);
}

static void SetCount(napi_env env, napi_value object, const char* name, uint64_t number) {
  napi_value value = NULL;
  napi_create_double(env, (double)number, &value);
  napi_set_named_property(env, object, name, value);
}

static napi_value AnswerCounts(napi_env env, Job* job) {
  napi_value object = NULL;
  napi_create_object(env, &object);
  SetBigInt(env, object, "sequence", job->counts.sequence);
  SetCount(env, object, "nodesAdded", job->counts.nodes_added);
  SetCount(env, object, "added", job->counts.added);
  SetCount(env, object, "changed", job->counts.changed);
  SetCount(env, object, "same", job->counts.same);
  return object;
}

// The arrays that the result has, by name.
static napi_value AnswerArrays(napi_env env, Job* job) {
  static const char* const names[] = {"scores", "offsets", "targets", "weights",
                                      "nodes",  "values",  "bytes"};
  static const struct {
    napi_typedarray_type type;
    size_t bytes;
  } types[] = {{napi_uint8_array, 0},     {napi_uint8_array, 1},   {napi_uint32_array, 4},
               {napi_biguint64_array, 8}, {napi_float32_array, 4}, {napi_float64_array, 8}};
  napi_value object = NULL;
  napi_create_object(env, &object);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    plexus_array array;
    if (plexus_result_array(job->result, names[i], &array) != PLEXUS_OK) continue;
    const size_t length = (size_t)(array.rows * array.columns);
    const size_t bytes = length * types[array.type].bytes;
    napi_value buffer = NULL, typed = NULL;
    void* data = NULL;
    if (napi_create_arraybuffer(env, bytes, &data, &buffer) != napi_ok) return NULL;
    if (bytes) memcpy(data, array.data, bytes);
    napi_create_typedarray(env, types[array.type].type, length, buffer, 0, &typed);
    napi_set_named_property(env, object, names[i], typed);
    if (array.columns > 1) SetCount(env, object, "dimensions", array.columns);
  }
  return object;
}

// --- work

static plexus_call_options OptionsOf(Job* job) {
  plexus_call_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.cancel = (plexus_cancel*)(uintptr_t)job->cancel;
  return options;
}

static plexus_graph* GraphOf(Job* job) { return (plexus_graph*)(uintptr_t)job->handle; }
static plexus_snapshot* SnapshotOf(Job* job) { return (plexus_snapshot*)(uintptr_t)job->handle; }

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

static void RunWait(Job* job) {
  job->code =
      plexus_wait(GraphOf(job), job->numbers[0], (int32_t)job->numbers[1], &job->numbers[2]);
}

static void RunClose(Job* job) { job->code = plexus_close(GraphOf(job)); }

static plexus_strings StringsOf(const Array* blob, const Array* offsets) {
  plexus_strings strings;
  strings.bytes = (const char*)blob->data;
  strings.byte_count = blob->length;
  strings.offsets = (const uint64_t*)offsets->data;
  strings.count = offsets->length ? offsets->length - 1 : 0;
  return strings;
}

static void RunEdges(Job* job) {
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

static void RunVectors(Job* job) {
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

static void RunPageRank(Job* job) {
  plexus_pagerank_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.damping = job->real;
  options.iterations = (int32_t)job->numbers[0];
  options.unweighted = (int32_t)job->numbers[1];
  options.cancel = (plexus_cancel*)(uintptr_t)job->cancel;
  job->code = plexus_pagerank(SnapshotOf(job), &options, &job->result);
}

static void RunCsr(Job* job) {
  plexus_csr_options options;
  const char* kind = job->texts[0];
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.kinds = &kind;
  options.kind_count = kind ? 1 : 0;
  options.incoming = (int32_t)job->numbers[0];
  job->code = plexus_csr(SnapshotOf(job), &options, &job->result);
}

static void RunKeys(Job* job) {
  job->code = plexus_keys(SnapshotOf(job), (const uint32_t*)job->arrays[0].data,
                          job->arrays[0].length, &job->result);
}

static void RunSpace(Job* job) {
  job->code = plexus_space(SnapshotOf(job), job->texts[0], &job->result);
}

// --- what JavaScript calls

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
#define PLEXUS_ARRAY(at, i, type, name, what) \
  PLEXUS_READ(ReadArray(env, a[at], type, name, what, job, &job->arrays[i]))

static napi_value Call(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunCall, AnswerText);
  PLEXUS_TEXT(1, 0, "operation");
  PLEXUS_TEXT(2, 1, "request");
  PLEXUS_NUMBER(3, job->cancel, "cancel");
  return Begin(env, job);
}

static napi_value CallSync(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunCall, AnswerText);
  PLEXUS_TEXT(1, 0, "operation");
  PLEXUS_TEXT(2, 1, "request");
  RunCall(job);
  napi_value text =
      job->code == PLEXUS_OK ? AnswerText(env, job) : Throw(env, job->code, plexus_message());
  FreeJob(env, job);
  return text;
}

// An operation on a directory, or without one: (path, operation, request).
static napi_value CallAt(napi_env env, napi_callback_info info) {
  napi_value a[3] = {NULL, NULL, NULL}, text = NULL;
  size_t count = 3;
  char* texts[3] = {NULL, NULL, NULL};
  size_t lengths[3] = {0, 0, 0};
  plexus_text reply = {NULL, 0, NULL};
  napi_get_cb_info(env, info, &count, a, NULL, NULL);
  if (ReadText(env, a[0], "path", &texts[0], &lengths[0]) &&
      ReadText(env, a[1], "operation", &texts[1], &lengths[1]) &&
      ReadText(env, a[2], "request", &texts[2], &lengths[2])) {
    const plexus_code code = plexus_call_at(texts[0], texts[1], texts[2], lengths[2], NULL, &reply);
    if (code == PLEXUS_OK)
      napi_create_string_utf8(env, reply.data, reply.length, &text);
    else
      Throw(env, code, plexus_message());
    plexus_result_free(reply.owner);
  }
  for (int i = 0; i < 3; ++i) free(texts[i]);
  return text;
}

static napi_value Import(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunImport, AnswerText);
  PLEXUS_TEXT(1, 1, "request");
  PLEXUS_ARRAY(2, 0, napi_uint8_array, "content", "a Uint8Array");
  PLEXUS_NUMBER(3, job->cancel, "cancel");
  return Begin(env, job);
}

static napi_value ChangesOf(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunChanges, AnswerText);
  PLEXUS_NUMBER(1, job->numbers[0], "since");
  PLEXUS_NUMBER(2, job->numbers[1], "most");
  return Begin(env, job);
}

static napi_value Wait(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunWait, AnswerSequence);
  PLEXUS_NUMBER(1, job->numbers[0], "since");
  PLEXUS_NUMBER(2, job->numbers[1], "milliseconds");
  if (job->numbers[1] > INT32_MAX) job->numbers[1] = INT32_MAX;
  return Begin(env, job);
}

static napi_value Close(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunClose, AnswerNothing);
  return Begin(env, job);
}

static napi_value CloseSync(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunClose, AnswerNothing);
  RunClose(job);
  if (job->code != PLEXUS_OK) Throw(env, job->code, plexus_message());
  FreeJob(env, job);
  return Undefined(env);
}

static napi_value PutEdges(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunEdges, AnswerCounts);
  PLEXUS_ARRAY(1, 0, napi_uint32_array, "sources", "a Uint32Array");
  PLEXUS_ARRAY(2, 1, napi_uint32_array, "targets", "a Uint32Array");
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
  PLEXUS_ARRAY(1, 0, napi_float32_array, "values", "a Float32Array");
  PLEXUS_NUMBER(2, job->numbers[0], "dimensions");
  PLEXUS_ARRAY(3, 1, napi_uint8_array, "keys", "a Uint8Array");
  PLEXUS_ARRAY(4, 2, napi_biguint64_array, "offsets", "a BigUint64Array");
  PLEXUS_TEXT(5, 0, "space");
  PLEXUS_TEXT(6, 1, "metric");
  PLEXUS_NUMBER(7, job->cancel, "cancel");
  if (job->numbers[0] == 0 || job->arrays[0].length % job->numbers[0] != 0)
    PLEXUS_READ(Refuse(env, "values", "a whole number of rows of so many dimensions"));
  return Begin(env, job);
}

static napi_value Rank(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(RunPageRank, AnswerArrays);
  PLEXUS_READ(napi_get_value_double(env, a[1], &job->real) == napi_ok ||
              Refuse(env, "damping", "a number"));
  PLEXUS_NUMBER(2, job->numbers[0], "iterations");
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

// (path, create, readOnly, lockWaitMs)
static napi_value Open(napi_env env, napi_callback_info info) {
  napi_value a[4] = {NULL, NULL, NULL, NULL};
  size_t count = 4, length = 0;
  char* path = NULL;
  bool create = false, read_only = false;
  plexus_open_options options;
  plexus_graph* graph = NULL;
  napi_get_cb_info(env, info, &count, a, NULL, NULL);
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  if (!ReadText(env, a[0], "path", &path, &length)) return NULL;
  napi_get_value_bool(env, a[1], &create);
  napi_get_value_bool(env, a[2], &read_only);
  napi_get_value_int64(env, a[3], &options.lock_wait_ms);
  options.create = create;
  options.read_only = read_only;
  const plexus_code code = plexus_open(path, &options, &graph);
  free(path);
  return HandleOf(env, code, graph);
}

static napi_value SnapshotNow(napi_env env, napi_callback_info info) {
  PLEXUS_JOB(NULL, NULL);
  plexus_snapshot* snapshot = NULL;
  const plexus_code code = plexus_snapshot_of(GraphOf(job), &snapshot);
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
                   {"wait", Wait},
                   {"sequence", SequenceNow},
                   {"refresh", Refresh},
                   {"putEdges", PutEdges},
                   {"putVectors", PutVectors},
                   {"snapshot", SnapshotNow},
                   {"snapshotFree", SnapshotFree},
                   {"pagerank", Rank},
                   {"csr", Rows},
                   {"keys", Keys},
                   {"space", Space},
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
