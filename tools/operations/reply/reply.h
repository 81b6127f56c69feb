// What an operation answers.
//
// A reply is one object, whose members are written once, to whatever a door hands in: JSON text, or
// a tree from which tables and CSV are made. It holds the results it writes, so that it outlives
// the call. The other fields are words for people besides that object, which a door may
// show or not; foreign text in them is
// escaped (human_format.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "tools/operations/reply/limited_writer.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// What to know besides an answer.
struct Note {
  enum Level : std::uint8_t {
    kForPeople,  // said only with a table; a reply says it in its members
    kNote,
    kWarning,
    kError,
  };
  std::string text;
  Level level = kNote;
};

struct Reply {
  using Members = std::move_only_function<void(ReplyWriter&)>;
  using Stream = std::move_only_function<Status(std::ostream&)>;

  Reply() = default;
  Reply(Members written) : members(std::move(written)) {}  // NOLINT: a reply is its members

  Members members;

  std::string headline;  // lines before a table
  std::string closing;   // lines after it
  std::string page;      // instead of a table
  // Instead of a table, too; made where it is shown: JSON does not wait for a long one.
  std::move_only_function<std::string()> own_table;
  bool quiet = false;       // people are shown nothing but these words
  bool says_notes = false;  // its members hold what the notes say
  // What was written has a later time than now: the graph's, which never goes back.
  bool time_moved = false;
  // The answer is a failure, too: a cycle, damage, nothing found. Without a message nothing is to
  // be said beyond the reply.
  std::optional<Error> failure;
  // A format of its own, such as an export, instead of the object.
  Stream stream;
  // Set by Answer.
  ReplyLimit limit = {};
  // Whether the answer, or the reply as it was written, is less than all.
  bool truncated = false;
  // Whether the writing left elements out.
  bool cut = false;
};

// The object within its limit, with "truncated" and "time_moved" at its end when they are true (the
// former also when the members say that it is false), and "warnings" when there are any.
void WriteReply(Reply& reply, const std::vector<std::string>& warnings, ReplyWriter& writer);
// {"error":{"code":..,"message":..}}: what every door says of a failure.
void WriteError(const Error& error, ReplyWriter& writer);

}  // namespace plexus::tools
