// A call of a function: its arguments, what it does on a worker thread, and what came of it.
#pragma once

#define NAPI_VERSION 8
#include <node_api.h>
#include <plexus.h>
#include <stdbool.h>
#include <stddef.h>

enum { kMostArguments = 12 };

typedef struct Array {
  void* data;
  size_t length;
} Array;

typedef struct Job Job;
struct Job {
  void (*run)(Job* job);
  napi_value (*answer)(napi_env env, Job* job);
  napi_async_work work;
  napi_deferred deferred;
  char* texts[4];
  size_t lengths[4];
  Array arrays[7];
  uint64_t handle, cancel, numbers[4];
  double real;
  // What came of it.
  plexus_code code;
  char* message;
  plexus_text reply;
  plexus_result* result;
  plexus_counts counts;
};

napi_value Undefined(napi_env env);
// An exception of that code; returns null.
napi_value Throw(napi_env env, plexus_code code, const char* message);
// "NAME is not WHAT", as an exception. False.
bool Refuse(napi_env env, const char* name, const char* what);
// A whole number or BigInt. False, with an exception, when it is another; so the next ones.
bool ReadNumber(napi_env env, napi_value value, const char* name, uint64_t* number);
// Absent: 0.
bool ReadFlag(napi_env env, napi_value value, const char* name, uint64_t* flag);
// Null: absent. The job frees it.
bool ReadText(napi_env env, napi_value value, const char* name, char** text, size_t* length);
// Copies it. No data: absent. The job frees it.
bool ReadArray(napi_env env, napi_value value, napi_typedarray_type wanted, const char* name,
               const char* what, Array* array);
void FreeJob(napi_env env, Job* job);
// Runs the job on a worker thread; returns the promise.
napi_value Begin(napi_env env, Job* job);
// Reads the arguments and the handle, which comes first. Null, with an exception.
Job* NewJob(napi_env env, napi_callback_info info, napi_value* arguments, void (*run)(Job*),
            napi_value (*answer)(napi_env, Job*));
extern const char kTooLarge[];
// A string, or a Buffer. Null where it is too large.
napi_value TextOf(napi_env env, const plexus_text* reply, bool bytes);
// What a promise is resolved with: the reply, nothing, a sequence, counts, arrays by name.
napi_value AnswerText(napi_env env, Job* job);
napi_value AnswerNothing(napi_env env, Job* job);
napi_value AnswerSequence(napi_env env, Job* job);
napi_value AnswerCounts(napi_env env, Job* job);
napi_value AnswerArrays(napi_env env, Job* job);
