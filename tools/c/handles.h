// Handles of the C interface: numbers that a table turns into objects.
//
// A handle is a number in the shape of a pointer. It is looked up, never dereferenced, and no
// number is used twice, so a closed or foreign handle is an error. An object lives until its handle
// is taken out of the table and the calls that found it have ended. The table is never destroyed:
// at exit Database closes what is open. In a child of fork it can be used; objects that the parent
// owns are known by the number of the process.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "tools/c/plexus.h"

namespace plexus::c {

class Object {
 public:
  virtual ~Object() = default;
};

// A number of this process: another one in every child of fork.
std::uint64_t ProcessNumber();

// Throws std::bad_alloc.
void* AddHandle(std::shared_ptr<Object> object);
// Null when there is no such handle. `take`: it is none from then on.
std::shared_ptr<Object> FindHandle(const void* handle, bool take);

// kInvalidArgument: null, or of another sort; kFailedPrecondition: closed.
template <class T>
Result<std::shared_ptr<T>> Find(const void* handle, bool take = false) {
  const std::string name(T::kName);
  if (!handle) return Invalid(name, " is null");
  const std::shared_ptr<Object> found = FindHandle(handle, take);
  if (!found) return FailedPrecondition(name, " is closed, or no handle");
  auto object = std::dynamic_pointer_cast<T>(found);
  if (!object) return Invalid(name, " is a handle of something else");
  return object;
}

// Ends the handle. A handle of another sort stays.
template <class T>
Result<std::shared_ptr<T>> Take(const void* handle) {
  PLEXUS_TRY(Find<T>(handle));
  return Find<T>(handle, true);
}

// The handle of a new object, as the interface has it.
template <class Handle>
Handle* HandOut(std::shared_ptr<Object> object) {
  return static_cast<Handle*>(AddHandle(std::move(object)));
}

inline plexus_code CodeOf(ErrorCode code) { return static_cast<plexus_code>(code) + 1; }

// Keeps the message for plexus_message().
plexus_code Report(ErrorCode code, const char* message) noexcept;

// Runs what a function of the interface does; nothing is thrown past it.
template <class Fn>
plexus_code Guarded(Fn&& fn) noexcept {
  try {
    const Status done = fn();
    return done ? PLEXUS_OK : Report(done.error().code, done.error().message.c_str());
  } catch (const std::bad_alloc&) {
    return Report(ErrorCode::kResourceExhausted, "no memory");
  } catch (const std::exception& error) {
    return Report(ErrorCode::kInternal, error.what());
  } catch (...) {
    return Report(ErrorCode::kInternal, "an unknown exception");
  }
}

// What frees a handle; null is none.
template <class T>
plexus_code Free(const void* handle) noexcept {
  if (!handle) return PLEXUS_OK;
  return Guarded([&]() -> Status {
    PLEXUS_TRY(Take<T>(handle));
    return {};
  });
}

inline Status NotNull(const void* pointer, const char* name) {
  if (pointer) return {};
  return Invalid(name, " is null");
}

inline constexpr std::uint64_t kMostStructBytes = 4096;

// What the caller's struct says, of whichever version; what it lacks is as in `read`.
template <class T>
Result<T> ReadStruct(const T* given, const char* name, T read = {}) {
  if (!given) return read;
  if (given->size < sizeof(std::uint64_t) || given->size > kMostStructBytes)
    return Invalid(name, ".size is not the size of the struct");
  const auto size = static_cast<std::size_t>(given->size);
  std::memcpy(&read, given, std::min(size, sizeof(T)));
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0) return Unsupported(name, " has a field that this version does not know");
  return read;
}

// Fills as much of the caller's struct as it has.
template <class T>
Status WriteStruct(T values, T* out, const char* name) {
  PLEXUS_TRY(ReadStruct(out, name));
  const std::uint64_t size = out->size;
  values.size = size;
  std::memcpy(out, &values, std::min<std::size_t>(static_cast<std::size_t>(size), sizeof(T)));
  return {};
}

// A reply, or arrays by name with what keeps them in memory.
class ResultObject final : public Object {
 public:
  static constexpr const char* kName = "result";
  std::string text;
  plexus_code code = PLEXUS_OK;
  std::string message;

  struct Named {
    std::string name;
    plexus_array array;
    std::shared_ptr<const void> owner;
  };
  std::vector<Named> arrays;

  void Add(std::string name, std::int32_t type, const void* data, std::uint64_t rows,
           std::uint64_t columns, std::shared_ptr<const void> owner) {
    plexus_array array = {rows > 0 ? data : nullptr, rows, columns, type, 0};
    arrays.push_back({std::move(name), array, std::move(owner)});
  }
  // An array of its own.
  template <class T>
  void Add(std::string name, std::int32_t type, std::vector<T> values, std::uint64_t columns = 1) {
    auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    const T* data = kept->data();
    const std::uint64_t rows = columns == 0 ? 0 : kept->size() / columns;
    Add(std::move(name), type, data, rows, columns, std::move(kept));
  }
};

class CancelObject final : public Object {
 public:
  static constexpr const char* kName = "cancel";
  std::atomic<bool> flag = false;
};

// The flag of a handle that may be null, kept as long as the pointer. Null: there is no flag.
inline Result<std::shared_ptr<CancelObject>> FlagOf(plexus_cancel* cancel) {
  if (!cancel) return std::shared_ptr<CancelObject>();
  return Find<CancelObject>(cancel);
}

}  // namespace plexus::c
