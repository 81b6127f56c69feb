// A request: typed values for the parameters of one operation, checked against its row.
//
// Besides its own parameters every operation takes the common ones (as_of, scope, node_kinds,
// where, now and others). An unknown name is an error that names the nearest one; a value of
// another type, out of its limits or not among the choices is refused. Messages spell parameters as
// the door does (--top or top). Reading a parameter that the row does not have is a programmer's
// error. Not thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "tools/operations/framework/operation.h"

namespace plexus::tools {

enum class Spelling : std::uint8_t {
  kNames,  // top
  kFlags,  // --top
};

// Bytes of a reply, unless the request says another number.
inline constexpr std::uint64_t kReplyBytes = std::uint64_t{1} << 20;

// as_of, event_time, scope, node_kinds, where, now, details, max_seconds, max_bytes: which state,
// which nodes, what time it is, what a reply says with a key, how long it may take and become.
const Parameters& CommonParameters();

class Request {
 public:
  explicit Request(const Operation& operation, Spelling spelling = Spelling::kNames);

  // kInvalidArgument: no such parameter, another type, beyond its limits, no such choice, empty.
  // Whole numbers serve where numbers are asked for.
  Status Set(std::string_view name, Value value);
  // As in a command line; a list takes one more text, or several between commas.
  Status SetFromText(std::string_view name, std::string_view text);
  // Takes over what the other request has, of a parameter that both have.
  Status Inherit(const Request& from, std::string_view name);
  // The same request as if this had not been given.
  Request Without(std::string_view name) const;
  // For Means::kContent: where the text came from, as messages name it.
  void SetSource(std::string_view name, std::string source);
  // kInvalidArgument: a required parameter is missing.
  Status Check() const;
  // The rows of a table without a number asked for are few.
  void SetForPeople();

  // Answer takes it now: max_seconds count from here, and `cancel`, which may be null, ends it.
  void Begin(const std::atomic<bool>* cancel) const {
    begun_ = std::chrono::steady_clock::now();
    cancel_ = cancel;
  }
  const std::atomic<bool>* cancel() const { return cancel_; }
  // Now before that.
  std::chrono::steady_clock::time_point begun() const {
    return begun_.value_or(std::chrono::steady_clock::now());
  }

  const Operation& operation() const { return *operation_; }
  Spelling spelling() const { return spelling_; }
  // What was asked for, defaults aside.
  bool Given(std::string_view name) const;
  bool Has(std::string_view name) const { return Index(name).has_value(); }

  // The value given, or the default; without a default false, "" and an empty list.
  bool Flag(std::string_view name) const;
  const std::string& Text(std::string_view name) const;
  const std::vector<std::string>& List(std::string_view name) const;
  std::uint64_t Count(std::string_view name) const;  // there must be a value or a default
  double Number(std::string_view name) const;
  std::optional<std::uint64_t> MaybeCount(std::string_view name) const;
  std::optional<double> MaybeNumber(std::string_view name) const;
  std::optional<std::string> MaybeText(std::string_view name) const;
  const std::string& Source(std::string_view name) const;

  // The parameter as this door spells it: "--max-nodes", "KEY" or "max_nodes".
  std::string Name(std::string_view name) const;
  // A parameter with its value: "--table nodes", "table nodes".
  std::string Name(std::string_view name, std::string_view value) const;
  // An operation as the door spells it, to be run on the same graph; `subject` is its first word.
  std::string Command(std::string_view operation, std::string_view graph,
                      std::string_view subject = {}) const;

 private:
  std::optional<std::size_t> Index(std::string_view name) const;
  const Parameter& At(std::size_t index) const;
  const Value& Get(std::string_view name) const;
  Status CheckChoice(const Parameter& parameter, const std::string& text) const;
  Status Checked(const Parameter& parameter, Value& value) const;

  const Operation* operation_;
  Spelling spelling_;
  std::vector<Value> values_;  // of the operation's parameters, then of the common ones
  std::vector<std::string> sources_;
  bool for_people_ = false;
  mutable std::optional<std::chrono::steady_clock::time_point> begun_ = {};
  mutable const std::atomic<bool>* cancel_ = nullptr;
};

// "ONE cannot go with OTHER" when both are given. A pair may carry the value that counts.
Status NotTogether(const Request& request, std::string_view one, std::string_view other);
// "ONE needs OTHER" when the one is given without the other.
Status Needs(const Request& request, std::string_view one, std::string_view other);

// What time it is, in milliseconds since 1970.
std::int64_t ClockMs();
// The clock of a request: its `now`, or the time that it is.
Result<std::int64_t> ClockOf(const Request& request);

// --top-of-page and top_of_page.
std::string FlagName(std::string_view name);
// pagerank_refresh as a command: pagerank-refresh; ledger_get, of a family: ledger get.
std::string CommandName(std::string_view operation);
// Commands of two words, by the first one.
struct CommandFamily {
  std::string_view word, summary;
};
std::span<const CommandFamily> CommandFamilies();
bool IsCommandFamily(std::string_view word);

}  // namespace plexus::tools
