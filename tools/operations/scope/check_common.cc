// Which operations take which of the common parameters; declared in workspace.h, which reads them.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// Elsewhere a selection would be ignored.
bool SelectsNodes(const Operation& operation) {
  constexpr std::string_view kOthers[] = {"list",  "find",  "neighbors", "export",
                                          "terms", "embed", "build"};
  // A check judges the graph as it is and all of it: less would be a way round its rules.
  // Rules are of the whole graph, too.
  if (operation.name == "decisions_check" || operation.name == "decisions_rules") return false;
  return operation.group == "Ask" ||
         std::ranges::find(kOthers, operation.name) != std::end(kOthers);
}

namespace {

// What answers from a state; what shows the log or files does not.
bool TakesEventTime(const Operation& operation) {
  return SelectsNodes(operation) || operation.name == "get" ||
         operation.name.starts_with("ledger_");
}

}  // namespace

Status CheckCommon(const Request& request) {
  const Operation& operation = request.operation();
  const auto refuse = [&](const char* parameter) {
    return Invalid("'", CommandName(operation.name), "' does not take ", request.Name(parameter));
  };
  for (const char* selects : {"where", "node_kinds", "scope"})
    if (request.Given(selects) && !SelectsNodes(operation)) return refuse(selects);
  // Nor is another time: what is active or blocked now is judged.
  if (request.Given("now") && operation.name == "decisions_check") return refuse("now");
  if (request.Given("event_time") && !TakesEventTime(operation)) return refuse("event_time");
  const char* const past = request.Given("as_of") ? "as_of" : "event_time";
  if (!request.Given(past)) return {};
  if (request.Given("as_of"))
    PLEXUS_TRY(ParseMoment(request.Text("as_of"), 0));  // whether it can be read
  if (operation.name == "decisions_check") return refuse(past);
  // A dry run shows what would be written, which is the present: it is no way to write the past.
  const bool dry = IsDryRun(request);
  const Access access = AccessToWrite(request);
  if (access == Access::kRead) return {};
  if (access == Access::kNothing) return refuse(past);
  return Invalid(request.Name(past), " reads the past; this command writes",
                 (dry ? ", and " + request.Name("dry_run") + " shows what it would write now"
                      : std::string()));
}

}  // namespace plexus::tools
