// Reading arguments, promises, and values of JavaScript for what the library replied.
#include "tools/node/job.h"

#include <stdlib.h>
#include <string.h>
#include <uchar.h>

const char kTooLarge[] = "the reply is too large for JavaScript";

napi_value Undefined(napi_env env) {
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

napi_value Throw(napi_env env, plexus_code code, const char* message) {
  napi_throw(env, MakeError(env, code, message));
  return NULL;
}

// --- reading arguments: false, with an exception, when one has another type

bool Refuse(napi_env env, const char* name, const char* what) {
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

bool ReadNumber(napi_env env, napi_value value, const char* name, uint64_t* number) {
  double read = 0;
  bool lossless = false;
  if (napi_get_value_double(env, value, &read) == napi_ok) {
    if (read >= 0 && read <= 9007199254740991.0 && read == (double)(uint64_t)read) {
      *number = (uint64_t)read;
      return true;
    }
  } else if (napi_get_value_bigint_uint64(env, value, number, &lossless) == napi_ok && lossless) {
    return true;
  }
  return Refuse(env, name, "a whole number >= 0");
}

bool ReadFlag(napi_env env, napi_value value, const char* name, uint64_t* flag) {
  return IsAbsent(env, value) || ReadNumber(env, value, name, flag);
}

// Half a surrogate pair becomes U+FFFD in UTF-8.
static bool IsWellFormed(napi_env env, napi_value value, const char* text, size_t length) {
  size_t units = 0;
  if (!memmem(text, length, "\xef\xbf\xbd", 3)) return true;
  if (napi_get_value_string_utf16(env, value, NULL, 0, &units) != napi_ok) return false;
  char16_t* read = (char16_t*)malloc((units + 1) * sizeof *read);
  bool good = read && napi_get_value_string_utf16(env, value, read, units + 1, &units) == napi_ok;
  for (size_t i = 0; good && i < units; ++i) {
    if ((read[i] & 0xf800) != 0xd800) continue;
    good = read[i] < 0xdc00 && i + 1 < units && (read[i + 1] & 0xfc00) == 0xdc00;
    ++i;
  }
  free(read);
  return good;
}

// Null: absent.
bool ReadText(napi_env env, napi_value value, const char* name, char** text, size_t* length) {
  *text = NULL;
  *length = 0;
  if (IsAbsent(env, value)) return true;
  if (napi_get_value_string_utf8(env, value, NULL, 0, length) != napi_ok)
    return Refuse(env, name, "a string");
  *text = (char*)malloc(*length + 1);
  if (!*text) return Refuse(env, name, "small enough for the memory");
  napi_get_value_string_utf8(env, value, *text, *length + 1, length);
  // The library would read the text to there.
  if (memchr(*text, 0, *length)) return Refuse(env, name, "a string without NUL");
  return IsWellFormed(env, value, *text, *length) || Refuse(env, name, "well-formed Unicode");
}

static const size_t kElementBytes[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8};  // by napi_typedarray_type

bool ReadArray(napi_env env, napi_value value, napi_typedarray_type wanted, const char* name,
               const char* what, Array* array) {
  array->data = NULL;
  array->length = 0;
  if (IsAbsent(env, value)) return true;
  bool is_array = false, is_detached = false;
  napi_typedarray_type type;
  napi_value buffer = NULL;
  void* data = NULL;
  napi_is_typedarray(env, value, &is_array);
  if (!is_array ||
      napi_get_typedarray_info(env, value, &type, &array->length, &data, &buffer, NULL) !=
          napi_ok ||
      type != wanted)
    return Refuse(env, name, what);
  if (napi_is_detached_arraybuffer(env, buffer, &is_detached) == napi_ok && is_detached)
    return Refuse(env, name, "attached: its buffer was transferred");
  const size_t bytes = array->length * kElementBytes[wanted];
  array->data = malloc(bytes ? bytes : 1);
  if (!array->data) return Refuse(env, name, "small enough for the memory");
  if (bytes) memcpy(array->data, data, bytes);
  return true;
}

// --- promises

void FreeJob(napi_env env, Job* job) {
  for (size_t i = 0; i < sizeof job->texts / sizeof *job->texts; ++i) free(job->texts[i]);
  for (size_t i = 0; i < sizeof job->arrays / sizeof *job->arrays; ++i) free(job->arrays[i].data);
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
  else if (job->code == PLEXUS_OK)
    napi_reject_deferred(env, job->deferred,
                         MakeError(env, PLEXUS_RESOURCE_EXHAUSTED, kTooLarge));
  else
    napi_reject_deferred(env, job->deferred, MakeError(env, job->code, job->message));
  FreeJob(env, job);
}

napi_value Begin(napi_env env, Job* job) {
  napi_value promise = NULL, name = NULL;
  napi_create_string_utf8(env, "plexus", NAPI_AUTO_LENGTH, &name);
  if (napi_create_promise(env, &job->deferred, &promise) == napi_ok &&
      napi_create_async_work(env, NULL, name, Execute, Complete, job, &job->work) == napi_ok &&
      napi_queue_async_work(env, job->work) == napi_ok)
    return promise;
  FreeJob(env, job);
  return Throw(env, PLEXUS_RESOURCE_EXHAUSTED, "no worker thread");
}

Job* NewJob(napi_env env, napi_callback_info info, napi_value* arguments, void (*run)(Job*),
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
  job->counts.size = sizeof job->counts;
  if (ReadNumber(env, arguments[0], "handle", &job->handle)) return job;
  FreeJob(env, job);
  return NULL;
}

// --- answers

static bool IsAscii(const char* bytes, size_t length) {
  unsigned char any = 0;
  for (size_t i = 0; i < length; ++i) any |= (unsigned char)bytes[i];
  return any < 128;
}

napi_value TextOf(napi_env env, const plexus_text* reply, bool bytes) {
  napi_value text = NULL;
  if (bytes)
    napi_create_buffer_copy(env, reply->length, reply->data, NULL, &text);
  else if (IsAscii(reply->data, reply->length))  // half the time
    napi_create_string_latin1(env, reply->data, reply->length, &text);
  else
    napi_create_string_utf8(env, reply->data, reply->length, &text);
  return text;
}

napi_value AnswerText(napi_env env, Job* job) { return TextOf(env, &job->reply, job->numbers[3] != 0); }

napi_value AnswerNothing(napi_env env, Job* job) {
  (void)job;
  return Undefined(env);
}

napi_value AnswerSequence(napi_env env, Job* job) {
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

napi_value AnswerCounts(napi_env env, Job* job) {
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
napi_value AnswerArrays(napi_env env, Job* job) {
  static const char* const names[] = {"scores", "offsets", "targets", "weights",
                                      "nodes",  "values",  "bytes"};
  static const struct {
    napi_typedarray_type type;
    size_t bytes;
  } types[] = {{napi_uint8_array, 0},     {napi_uint8_array, 1},   {napi_uint32_array, 4},
               {napi_biguint64_array, 8}, {napi_float32_array, 4}, {napi_float64_array, 8},
               {napi_bigint64_array, 8}};
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
