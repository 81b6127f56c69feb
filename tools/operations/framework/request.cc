// Values are few: names are looked up by a linear search.
#include "tools/operations/framework/request.h"

#include <algorithm>
#include <cmath>

#include "tools/operations/framework/arguments.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

const std::string kNoText;
const std::vector<std::string> kNoList;

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kFlag:
      return "true or false";
    case Type::kCount:
      return "a whole number >= 0";
    case Type::kNumber:
      return "a finite number";
    case Type::kText:
      return "a text";
    case Type::kList:
      return "a list of texts";
  }
  return "";
}

std::string Dashes(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  return dashed;
}

}  // namespace

std::string FlagName(std::string_view name) { return "--" + Dashes(name); }

std::span<const CommandFamily> CommandFamilies() {
  static constexpr CommandFamily kFamilies[] = {
      {"concept", "Concepts, episodes and their relations"},
      {"conflicts", "Contradictions between memories, and verdicts on them"},
      {"decisions", "State, dependencies and rules of decisions"},
      {"ledger", "Which memories were used together, with outcomes"}};
  return kFamilies;
}

bool IsCommandFamily(std::string_view word) {
  return std::ranges::find(CommandFamilies(), word, &CommandFamily::word) !=
         CommandFamilies().end();
}

std::string CommandName(std::string_view operation) {
  std::string name = Dashes(operation);
  const std::size_t at = name.find('-');
  if (at != std::string::npos && IsCommandFamily(std::string_view(name).substr(0, at)))
    name[at] = ' ';
  return name;
}

namespace {

Parameter DetailsParameter() {
  Parameter details = tools::List(
      "details", "kind,line,text",
      "JSON and CSV: next to each key the node's kind, the first line of its text, or all of it");
  details.choices = {"kind", "line", "text"};
  return details;
}

}  // namespace

const Parameters& CommonParameters() {
  static const Parameters common = {
      tools::Text("as_of", "SEQ|TIME", "read the graph as it was at that sequence number or time")
          .Named(Means::kMoment),
      tools::Text("event_time", "TIME",
                  "leave out facts, events, outcomes and relations whose own time (created_at, "
                  "labeled_at) is later, also of a history that was imported since. A created_at "
                  "that is only the time of its batch does not count: such an edge is kept if both "
                  "ends are, such a node if something kept refers to it")
          .Named(Means::kTime),
      tools::List("scope", "S[,S]",
                  "only nodes of these scopes: a filter, no access right. A shell or server that "
                  "is started with it sees nothing else"),
      tools::List("node_kinds", "A,B", "only nodes of these kinds").Named(Means::kNodeKind),
      tools::Text("where", "EXPRESSION", "only nodes of which this is true; 'list' shows how"),
      DetailsParameter(),
      tools::List("node_columns", "A,B",
                  "JSON and CSV: next to each key the node's values by these names: a column, a "
                  "property, kind, tags, degree, superseded_by"),
      tools::Choice("times", {"ms", "iso"},
                    "JSON and CSV: times as milliseconds since 1970, or as ISO 8601"),
      tools::Text("now", "TIME",
                  "the current time (default: that of the state asked for, or the clock)")
          .Named(Means::kTime),
      tools::Number("max_seconds", "S",
                    "stop after S seconds: what only reads says truncated, what writes fails and "
                    "writes nothing (default: no limit)")
          .AtLeast(0),
      tools::Count("max_bytes", "N",
                   "end the lists of a reply after N bytes and say truncated; 0 = no limit; where "
                   "all are asked for by a top of 0, 64 MiB; a file of 'export' has none")
          .Default(kReplyBytes)};
  return common;
}

Request::Request(const Operation& operation, Spelling spelling)
    : operation_(&operation),
      spelling_(spelling),
      values_(operation.parameters.size() + CommonParameters().size()),
      sources_(values_.size()) {}

const Parameter& Request::At(std::size_t index) const {
  const std::size_t own = operation_->parameters.size();
  return index < own ? operation_->parameters[index] : CommonParameters()[index - own];
}

std::optional<std::size_t> Request::Index(std::string_view name) const {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (At(i).name == name) return i;
  return std::nullopt;
}

std::string Request::Name(std::string_view name) const {
  if (spelling_ == Spelling::kNames) return std::string(name);
  const auto index = Index(name);
  return index && At(*index).positional ? At(*index).shown : FlagName(name);
}

std::string Request::Name(std::string_view name, std::string_view value) const {
  return Name(name) + " " + std::string(value);
}

std::string Request::Command(std::string_view operation, std::string_view graph,
                             std::string_view subject) const {
  if (spelling_ == Spelling::kNames) return "the operation " + std::string(operation);
  std::string words = "`plexus " + CommandName(operation) + " --db " + ShellWord(graph);
  if (!subject.empty()) words += " " + ShellWord(subject);
  return words + "`";
}

Status Request::CheckChoice(const Parameter& parameter, const std::string& text) const {
  if (parameter.choices.empty() ||
      std::ranges::find(parameter.choices, text) != parameter.choices.end())
    return {};
  std::string choices;
  for (const std::string& choice : parameter.choices)
    choices += (choices.empty() ? "" : "|") + choice;
  return Invalid(Name(parameter.name), ": ", Quoted(text), " is not one of ", choices,
                 DidYouMean(text, parameter.choices));
}

Status Request::Checked(const Parameter& parameter, Value& value) const {
  const auto refuse = [&](const std::string& why) {
    return Invalid(Name(parameter.name), " ", why);
  };
  if (parameter.type == Type::kNumber)
    if (const auto* count = std::get_if<std::uint64_t>(&value)) value = static_cast<double>(*count);
  if (parameter.type == Type::kList)  // only one
    if (const auto* text = std::get_if<std::string>(&value))
      value = std::vector<std::string>{*text};
  if (value.index() != static_cast<std::size_t>(parameter.type) + 1)
    return refuse("is " + std::string(TypeName(parameter.type)));
  std::optional<double> number;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) number = static_cast<double>(*count);
  if (const auto* real = std::get_if<double>(&value)) {
    if (!std::isfinite(*real)) return refuse("is a finite number");
    number = *real;
  }
  const auto& [least, most] = std::pair(parameter.least, parameter.most);
  if (number && ((least && *number < *least) || (most && *number > *most))) {
    const auto shown = [](double limit) {
      return limit == std::floor(limit) && std::abs(limit) < 1e15
                 ? std::to_string(static_cast<std::int64_t>(limit))
                 : tools::Number(limit, 12);
    };
    if (least && most) return refuse("is " + shown(*least) + " to " + shown(*most));
    return refuse(least ? "is " + shown(*least) + " or more" : "is at most " + shown(*most));
  }
  // What a file holds is checked by its reader, which says the line.
  const auto has_nul = [&](const std::string& text) {
    return parameter.means != Means::kContent && text.find('\0') != std::string::npos;
  };
  if (const auto* list = std::get_if<std::vector<std::string>>(&value))
    for (const std::string& element : *list) {
      if (has_nul(element)) return refuse("holds U+0000 (NUL); leave it out");
      PLEXUS_TRY(CheckChoice(parameter, element));
    }
  const auto* text = std::get_if<std::string>(&value);
  if (text && has_nul(*text)) return refuse("holds U+0000 (NUL); leave it out");
  if (text && !parameter.choices.empty()) return CheckChoice(parameter, *text);
  if (text && text->empty() && !parameter.may_be_empty)
    return Invalid(Name(parameter.name), ": is empty; leave it out or give a value");
  return {};
}

Status Request::Set(std::string_view name, Value value) {
  const auto index = Index(name);
  if (!index) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < values_.size(); ++i) names.push_back(At(i).name);
    return Invalid(operation_->name, " has no parameter ", Quoted(name), DidYouMean(name, names));
  }
  PLEXUS_TRY(Checked(At(*index), value));
  values_[*index] = std::move(value);
  return {};
}

Status Request::SetFromText(std::string_view name, std::string_view text) {
  const auto index = Index(name);
  if (!index) return Set(name, std::string(text));
  const Parameter& parameter = At(*index);
  const auto refuse = [&](const std::string& why) { return Invalid(Name(name), ": ", why); };
  switch (parameter.type) {
    case Type::kFlag:
      return Set(name, text != "false");
    case Type::kCount:
      if (const auto count = ParseCount(text)) return Set(name, *count);
      return refuse(Quoted(text) + " is no whole number >= 0");
    case Type::kNumber:
      if (const auto number = ParseNumber(text)) return Set(name, *number);
      return refuse(Quoted(text) + " is no finite number");
    case Type::kText:
      return Set(name, std::string(text));
    case Type::kList: {
      const auto* before = std::get_if<std::vector<std::string>>(&values_[*index]);
      std::vector<std::string> list = before ? *before : std::vector<std::string>();
      if (!parameter.commas) {
        list.emplace_back(text);
        return Set(name, std::move(list));
      }
      if (text.empty()) return refuse("is empty; leave it out or give a value");
      const Result<std::vector<std::string>> items = ParseList(text);
      if (!items) return refuse(items.error().message);
      if (items->empty()) return refuse("is empty; leave it out or give a value");
      list.insert(list.end(), items->begin(), items->end());
      return Set(name, std::move(list));
    }
  }
  return {};
}

Status Request::Inherit(const Request& from, std::string_view name) {
  if (!from.Given(name)) return {};
  return Set(name, from.Get(name));
}

Request Request::Without(std::string_view name) const {
  Request without = *this;
  if (const auto index = Index(name)) without.values_[*index] = {};
  return without;
}

void Request::SetSource(std::string_view name, std::string source) {
  if (const auto index = Index(name)) sources_[*index] = std::move(source);
}

void Request::SetForPeople() { for_people_ = true; }

Status Request::Check() const {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (At(i).required && values_[i].index() == 0) return Invalid(Name(At(i).name), " is required");
  return {};
}

bool Request::Given(std::string_view name) const {
  const auto index = Index(name);
  PLEXUS_CHECK(index, "the row has no such parameter");
  return values_[*index].index() != 0;
}

const Value& Request::Get(std::string_view name) const {
  const auto index = Index(name);
  PLEXUS_CHECK(index, "the row has no such parameter");
  return values_[*index].index() != 0 ? values_[*index] : At(*index).default_value;
}

bool Request::Flag(std::string_view name) const {
  const bool* given = std::get_if<bool>(&Get(name));
  return given && *given;
}
const std::string& Request::Text(std::string_view name) const {
  const auto* given = std::get_if<std::string>(&Get(name));
  return given ? *given : kNoText;
}
const std::vector<std::string>& Request::List(std::string_view name) const {
  const auto* given = std::get_if<std::vector<std::string>>(&Get(name));
  return given ? *given : kNoList;
}
std::optional<std::uint64_t> Request::MaybeCount(std::string_view name) const {
  const std::size_t index = *Index(name);
  if (for_people_ && values_[index].index() == 0 && At(index).for_people)
    return At(index).for_people;
  const auto* given = std::get_if<std::uint64_t>(&Get(name));
  return given ? std::optional(*given) : std::nullopt;
}
std::uint64_t Request::Count(std::string_view name) const {
  const auto given = MaybeCount(name);
  PLEXUS_CHECK(given, "the parameter has neither a value nor a default");
  return *given;
}
std::optional<double> Request::MaybeNumber(std::string_view name) const {
  const auto* given = std::get_if<double>(&Get(name));
  return given ? std::optional(*given) : std::nullopt;
}
double Request::Number(std::string_view name) const {
  const auto given = MaybeNumber(name);
  PLEXUS_CHECK(given, "the parameter has neither a value nor a default");
  return *given;
}
std::optional<std::string> Request::MaybeText(std::string_view name) const {
  const auto* given = std::get_if<std::string>(&Get(name));
  return given ? std::optional(*given) : std::nullopt;
}
const std::string& Request::Source(std::string_view name) const { return sources_[*Index(name)]; }

Status NotTogether(const Request& request, std::string_view one, std::string_view other) {
  if (!request.Given(one) || !request.Given(other)) return {};
  return Invalid(request.Name(one), " cannot go with ", request.Name(other));
}

Status Needs(const Request& request, std::string_view one, std::string_view other) {
  if (!request.Given(one) || request.Given(other)) return {};
  return Invalid(request.Name(one), " needs ", request.Name(other));
}

std::int64_t ClockMs() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Result<std::int64_t> ClockOf(const Request& request) {
  if (!request.Given("now")) return ClockMs();
  return ParseTime(request.Text("now"), ClockMs());
}

}  // namespace plexus::tools
