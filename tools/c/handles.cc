// One mutex; a look-up holds it for some nanoseconds. fork() takes it, so that no child finds it
// locked for ever.
#include "tools/c/handles.h"

#include <pthread.h>

#include <mutex>
#include <unordered_map>

#include "tools/version.h"

namespace plexus::c {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects;
  std::uintptr_t last = 0;
  std::uint64_t process = 1;
};

Table& TheTable() {
  static Table& table = *[] {
    auto* made = new Table();
    pthread_atfork([] { TheTable().mutex.lock(); }, [] { TheTable().mutex.unlock(); },
                   [] {
                     ++TheTable().process;
                     TheTable().mutex.unlock();
                   });
    return made;
  }();
  return table;
}

thread_local std::string last_message;
thread_local bool message_is_lost = false;  // there was no memory for it

}  // namespace

std::uint64_t ProcessNumber() {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  return table.process;
}

void* AddHandle(std::shared_ptr<Object> object) {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  const std::uintptr_t handle = table.last + 1;
  table.objects.emplace(handle, std::move(object));
  table.last = handle;
  return reinterpret_cast<void*>(handle);
}

std::shared_ptr<Object> FindHandle(const void* handle, bool take) {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  const auto found = table.objects.find(reinterpret_cast<std::uintptr_t>(handle));
  if (found == table.objects.end()) return nullptr;
  std::shared_ptr<Object> object = found->second;
  if (take) table.objects.erase(found);
  return object;
}

plexus_code Report(ErrorCode code, const char* message) noexcept {
  try {
    last_message = message;
    message_is_lost = false;
  } catch (...) {
    message_is_lost = true;
  }
  return CodeOf(code);
}

}  // namespace plexus::c

using namespace plexus::c;  // NOLINT: the functions below are the interface
using plexus::ErrorCode;
using plexus::Fail;
using plexus::Status;

const char* plexus_code_name(plexus_code code) {
  if (code == PLEXUS_OK) return "ok";
  if (code < PLEXUS_INVALID_ARGUMENT || code > PLEXUS_INTERNAL) return nullptr;
  return plexus::ErrorCodeName(static_cast<ErrorCode>(code - 1)).data();
}

const char* plexus_message(void) { return message_is_lost ? "no memory" : last_message.c_str(); }

const char* plexus_version(void) { return plexus::tools::Version(); }

plexus_code plexus_result_array(plexus_result* handle, const char* name, plexus_array* array) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(name, "name"));
    PLEXUS_TRY(NotNull(array, "array"));
    PLEXUS_ASSIGN(const auto result, Find<ResultObject>(handle));
    std::string names;
    for (const auto& named : result->arrays) {
      if (named.name == name) {
        *array = named.array;
        return {};
      }
      names += (names.empty() ? "" : ", ") + named.name;
    }
    return plexus::NotFound("the result has no array '", name, "'",
                            (names.empty() ? "; it is a text" : "; it has " + names));
  });
}

plexus_code plexus_reply_code(plexus_result* reply) {
  return Guarded([&]() -> Status {
    PLEXUS_ASSIGN(const auto result, Find<ResultObject>(reply));
    if (result->code == PLEXUS_OK) return {};
    return Fail(static_cast<ErrorCode>(result->code - 1), result->message);
  });
}

plexus_code plexus_result_free(plexus_result* result) { return Free<ResultObject>(result); }

plexus_code plexus_cancel_new(plexus_cancel** cancel) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(cancel, "cancel"));
    *cancel = HandOut<plexus_cancel>(std::make_shared<CancelObject>());
    return {};
  });
}

plexus_code plexus_cancel_set(plexus_cancel* cancel) {
  return Guarded([&]() -> Status {
    PLEXUS_ASSIGN(const auto found, Find<CancelObject>(cancel));
    found->flag = true;
    return {};
  });
}

plexus_code plexus_cancel_free(plexus_cancel* cancel) { return Free<CancelObject>(cancel); }
