// An operation: what a user can ask, declared once and reached through every door.
//
// A row says the name, the parameters with their types, defaults and limits, the shape of the
// reply and how it is laid out as a table, two examples, and the function that answers. Flags,
// help, completion, man pages, JSON Schemas and the reference page are made from it. No door
// knows a kernel, and no operation knows a door.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/error.h"
#include "tools/operations/reply/reply.h"

namespace plexus::tools {

class Request;
class Workspace;

enum class Effect : std::uint8_t {
  kRead,     // changes nothing
  kWrite,    // adds or changes; the past keeps what was
  kDestroy,  // takes away
};

// How the graph must be open for a request.
enum class Access : std::uint8_t {
  kRead,
  kWrite,    // the graph must exist
  kCreate,   // made when it does not
  kNothing,  // the operation works on directories itself
  kPreview,  // read, or an empty graph in RAM where none exists: of a dry run
};

// How much of a graph it is about. What is about more than a scope is refused behind the wall of
// one (WorkspaceOptions::wall), what is about a directory of a graph in RAM, too.
enum class Reach : std::uint8_t {
  kScope,      // such nodes as it is given
  kGraph,      // all nodes
  kDirectory,  // files, or the history in them
};

enum class Type : std::uint8_t {
  kFlag,    // bool
  kCount,   // whole number >= 0
  kNumber,  // finite
  kText,
  kList,  // of texts
};

// What a text or an element of a list names; for completion and descriptions.
enum class Means : std::uint8_t {
  kText,
  kKey,          // of a node
  kWeightedKey,  // KEY or KEY=W
  kEdgeKind,
  kNodeKind,
  kTime,
  kMoment,     // a sequence or a time
  kFile,       // a path that is read
  kContent,    // what a file holds; a command line names the file
  kNumeral,    // a number, kept as it is written
  kPath,       // a path that is written
  kOperation,  // the name of one
};

using Value = std::variant<std::monostate, bool, std::uint64_t, double, std::string,
                           std::vector<std::string>>;

struct Parameter {
  std::string name;  // snake_case
  Type type = Type::kFlag;
  Means means = Means::kText;
  std::string shown;  // represents the value in help, such as KEY
  std::string help;   // without the default, which is next to it
  Value default_value = {};
  std::vector<std::string> choices = {};
  std::optional<double> least = {}, most = {};  // inclusive
  bool required = false;
  bool positional = false;     // on a command line
  bool or_positional = false;  // on a command line its flag may be left out
  bool commas = false;         // on a command line: a list in one word, "A,B"
  bool may_be_empty = false;
  bool lines = false;  // of kContent: a line each; a JSON request may hold a list of them
  std::vector<std::string> literals = {};  // of kContent: on a command line content, not files
  char letter = 0;                         // a short flag
  // Where people read a table and ask for no number: this many.
  std::optional<std::uint64_t> for_people = {};

  Parameter Default(Value value) &&;
  Parameter Between(double from, double to) &&;
  Parameter AtLeast(double from) &&;
  Parameter Named(Means what) &&;
  Parameter Required() &&;
  Parameter Positional() &&;
  Parameter OrPositional() &&;  // required
  Parameter MayBeEmpty() &&;
  Parameter Lines() &&;  // also Named(Means::kContent)
  Parameter Literally(std::vector<std::string> texts) &&;
  Parameter Letter(char c) &&;
  Parameter ForPeople(std::uint64_t count) &&;
};

struct Parameters : std::vector<Parameter> {
  using std::vector<Parameter>::vector;
};
Parameters operator+(Parameters left, const Parameters& right);

Parameter Flag(std::string name, std::string help);
Parameter Count(std::string name, std::string shown, std::string help);
Parameter Number(std::string name, std::string shown, std::string help);
Parameter Text(std::string name, std::string shown, std::string help);
// One of `choices`; the first is the default.
Parameter Choice(std::string name, std::vector<std::string> choices, std::string help);
// Without a default.
Parameter MaybeChoice(std::string name, std::vector<std::string> choices, std::string help);
// Not required: a positional one that may be left out.
Parameter Optional(Parameter parameter);
// "A,B" on a command line; Repeated: one a flag.
Parameter List(std::string name, std::string shown, std::string help);
Parameter Repeated(std::string name, std::string shown, std::string help);

// Columns of a list of edges, for tables (layout.h).
constexpr const char* kEdgeColumns = "weight, source = from, kind, target = to";

struct Example {
  std::string shell;  // a line that a shell takes
  std::string what;
};

struct Operation {
  std::string name = {};   // snake_case; a command line writes it with '-'
  std::string group = {};  // Files, Look, Ask, Change, Care
  std::string title = {};
  std::string summary = {};  // one sentence without its full stop
  Effect effect = Effect::kRead;
  Parameters parameters = {};
  std::string reply = {};           // in the language of shape.h
  std::string tables = {};          // in the language of layout.h
  std::vector<Example> examples = {};  // two or more
  Result<Reply> (*run)(Workspace&, const Request&) = nullptr;
  // How the graph must be open; by default as the effect says.
  Access (*access)(const Request&) = nullptr;
  Reach reach = Reach::kScope;
  bool interruptible = false;  // reading that reports progress, and is asked to stop before it ends

  const Parameter* Find(std::string_view parameter) const;
  Access AccessFor(const Request& request) const;
  // Whether it may apply batches. Answer (workspace.h) then says time_moved.
  bool MayApply() const;
  // The members of its replies: `reply`, and what Answer adds.
  std::string ReplyMembers() const;
};

// Operation::access of what opens no graph, or directories itself.
Access OpensNothing(const Request& request);

}  // namespace plexus::tools
