// Errors are values: Result<T> is a std::expected<T, Error> marked [[nodiscard]].
//
// An Error names the offending thing and what was expected. Nothing in the
// library throws across its interface, but for std::bad_alloc, or prints; programmer errors (a kind
// or column that the schema does not have, a column read as another type) are checks that end the
// program. A NodeId below Snapshot::node_count() is the caller's to keep: reads by id look up an
// array. Where memory runs out a Result is kResourceExhausted; what returns none throws.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace plexus {

enum class ErrorCode {
  kInvalidArgument,     // the caller's value is wrong; nothing was changed
  kNotFound,            // no such node, edge, file, sequence
  kAlreadyExists,       // a definition that contradicts an earlier one
  kFailedPrecondition,  // right call, wrong moment (closed, below the history floor)
  kConflict,            // an expectation of a batch does not hold; nothing was changed
  kResourceExhausted,   // a limit or the disk is full
  kIo,                  // a system call failed
  kCorruption,          // damage found; the message names file and offset
  kLocked,              // another process holds the directory
  kReadOnly,            // opened read-only, or made so by a failed write
  kUnsupported,         // a newer format, an absent feature
  kCancelled,           // the caller asked to stop
  kInternal,            // a bug in Plexus
};

// Short stable name, e.g. "invalid_argument".
std::string_view ErrorCodeName(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  // "corruption: checkpoint 3, section 7, offset 12: ..."
  std::string ToString() const;
};

// Ignoring a Result or Status is a compiler warning; (void) says that it is meant.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};
using Status = Result<void>;

// An error for the caller; its message is made of texts, characters and numbers. The functions
// after it are the same with one code each.
template <class... Parts>
std::unexpected<Error> Fail(ErrorCode code, const Parts&... parts) {
  Error error{code, {}};
  const auto append = [&]<class Part>(const Part& part) {
    if constexpr (std::is_same_v<Part, char>)
      error.message += part;
    else if constexpr (std::is_convertible_v<const Part&, std::string_view>)
      error.message += std::string_view(part);
    else
      error.message += std::to_string(part);
  };
  (append(parts), ...);
  return std::unexpected<Error>(std::move(error));
}
template <class... Parts>
std::unexpected<Error> Invalid(const Parts&... parts) {
  return Fail(ErrorCode::kInvalidArgument, parts...);
}
template <class... Parts>
std::unexpected<Error> NotFound(const Parts&... parts) {
  return Fail(ErrorCode::kNotFound, parts...);
}
template <class... Parts>
std::unexpected<Error> FailedPrecondition(const Parts&... parts) {
  return Fail(ErrorCode::kFailedPrecondition, parts...);
}
template <class... Parts>
std::unexpected<Error> Exhausted(const Parts&... parts) {
  return Fail(ErrorCode::kResourceExhausted, parts...);
}
template <class... Parts>
std::unexpected<Error> IoError(const Parts&... parts) {
  return Fail(ErrorCode::kIo, parts...);
}
template <class... Parts>
std::unexpected<Error> Corrupted(const Parts&... parts) {
  return Fail(ErrorCode::kCorruption, parts...);
}
template <class... Parts>
std::unexpected<Error> Unsupported(const Parts&... parts) {
  return Fail(ErrorCode::kUnsupported, parts...);
}
template <class... Parts>
std::unexpected<Error> Cancelled(const Parts&... parts) {
  return Fail(ErrorCode::kCancelled, parts...);
}

// PLEXUS_TRY(expr): returns the error of a Status/Result expression to the caller.
#define PLEXUS_TRY(expr)                                                      \
  do {                                                                        \
    auto&& plexus_try_ = (expr);                                              \
    if (!plexus_try_) return std::unexpected(std::move(plexus_try_).error()); \
  } while (false)

#define PLEXUS_CONCAT_INNER(a, b) a##b
#define PLEXUS_CONCAT(a, b) PLEXUS_CONCAT_INNER(a, b)

// PLEXUS_ASSIGN(auto x, expr): unwraps a Result or returns its error.
#define PLEXUS_ASSIGN(lhs, expr) \
  PLEXUS_ASSIGN_IMPL(PLEXUS_CONCAT(plexus_result_, __COUNTER__), lhs, expr)
#define PLEXUS_ASSIGN_IMPL(tmp, lhs, expr)                  \
  auto tmp = (expr);                                        \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  lhs = *std::move(tmp)

// PLEXUS_SET(x, expr): the same for a variable that is there, as one statement.
#define PLEXUS_SET(lhs, expr) \
  do {                        \
    PLEXUS_ASSIGN(lhs, expr); \
  } while (false)

// PLEXUS_CHECK(cond, why): a programmer error ends the program with its place.
#define PLEXUS_CHECK(cond, why)                              \
  do {                                                       \
    if (!(cond)) [[unlikely]]                                \
      ::plexus::CheckFailed(#cond, why, __FILE__, __LINE__); \
  } while (false)

[[noreturn]] void CheckFailed(const char* condition, const char* why, const char* file, int line);

}  // namespace plexus
