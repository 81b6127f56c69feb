// Each reads one kind of parameter, or says what is wrong with it.
#include "tools/operations/framework/given_values.h"

#include "engine/vocabulary.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {

void NoteNewNodeKind(Workspace& workspace, const std::string& kind) {
  if (kind.empty() || workspace.schema().FindNodeKind(kind)) return;
  workspace.notes().push_back({"note: " + Quoted(kind) + " is a new node kind" +
                               DidYouMean(kind, NodeKindNames(workspace.schema()))});
}

void NoteNewEdgeKind(Workspace& workspace, const std::string& kind) {
  if (workspace.schema().FindEdgeKind(kind)) return;
  workspace.notes().push_back({"note: " + Quoted(kind) + " is a new edge kind" +
                               DidYouMean(kind, EdgeKindNames(workspace.schema()))});
}

Result<std::optional<std::int64_t>> GivenTime(Workspace& workspace, const Request& request,
                                              const char* name) {
  if (!request.Given(name)) return std::nullopt;
  PLEXUS_ASSIGN(const std::int64_t time, ParseTime(request.Text(name), workspace.now_ms()));
  WarnOfSeconds(workspace, request.Name(name), time);
  return time;
}

Status CheckValidTimes(const Request& request, const std::optional<std::int64_t>& from,
                       const std::optional<std::int64_t>& until, const char* never) {
  if (!from || !until || *from < *until) return {};
  return Invalid(request.Name("valid_from", request.Text("valid_from")), " is not before ",
                 request.Name("valid_until", request.Text("valid_until")), ": ", never);
}

Status CheckTags(const Request& request) {
  for (const std::string& tag : request.List("tags"))
    if (tag.empty() || tag.find(kIndexSeparator) != std::string::npos)
      return Invalid(request.Name("tags"), ": a tag is a name without U+001F");
  return {};
}

}  // namespace plexus::tools
