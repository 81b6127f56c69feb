// conflicts resolve: verdicts of a person or a model, one or a file of them, as one batch.
#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/conflicts/conflicts.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/lines.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kMaxVerdicts = 100'000;

// A removed side is left to Resolve, which says what became of it.
Status TakeSides(const Snapshot& snapshot, const std::string& a, const std::string& b,
                 memory::Verdict& verdict) {
  PLEXUS_ASSIGN(verdict.a, FindNode(snapshot, a));
  PLEXUS_ASSIGN(verdict.b, FindNode(snapshot, b));
  return {};
}

Result<memory::Verdict> FromFlags(const Snapshot& snapshot, const Request& request) {
  memory::Verdict verdict;
  PLEXUS_TRY(TakeSides(snapshot, request.Text("a"), request.Text("b"), verdict));
  int given = request.Flag("keep_both") ? 1 : 0;
  for (const char* name : {"supersede", "drop", "verdict"}) given += request.Given(name) ? 1 : 0;
  if (given != 1)
    return Invalid("one of ", request.Name("supersede"), " KEY, ", request.Name("drop"), " KEY, ",
                   request.Name("keep_both"), " and ", request.Name("verdict"), " WORD says how");
  for (const auto& [name, kind] : {std::pair{"supersede", memory::VerdictKind::kSupersede},
                                   std::pair{"drop", memory::VerdictKind::kDrop}})
    if (request.Given(name)) {
      verdict.kind = kind;
      PLEXUS_ASSIGN(verdict.removed, FindNode(snapshot, request.Text(name)));
    }
  if (request.Flag("keep_both")) verdict.kind = memory::VerdictKind::kKeepBoth;
  if (request.Given("verdict")) verdict.kind = *memory::VerdictNamed(request.Text("verdict"));
  verdict.note = request.Text("note");
  return verdict;
}

// {"a":KEY,"b":KEY,"verdict":WORD,"goes":KEY,"note":TEXT}
Result<memory::Verdict> FromLine(const Snapshot& snapshot, std::string_view line) {
  boost::system::error_code failed;
  const boost::json::value value = boost::json::parse(line, failed);
  if (failed || !value.is_object()) return Invalid("it is no JSON object");
  PLEXUS_TRY(CheckJson("a verdict", line));
  std::string a, b, word, goes, note;
  const std::pair<std::string_view, std::string*> members[] = {
      {"a", &a}, {"b", &b}, {"verdict", &word}, {"goes", &goes}, {"note", &note}};
  for (const auto& [name, member] : value.get_object()) {
    const auto at =
        std::ranges::find(members, std::string_view(name), [](const auto& m) { return m.first; });
    if (at == std::end(members)) return Invalid("'", name, "' is no member of a verdict");
    if (!member.is_string()) return Invalid("'", name, "' is no text");
    *at->second = std::string(member.get_string());
  }
  if (a.empty() || b.empty() || word.empty()) return Invalid("a, b and verdict are needed");
  const auto kind = memory::VerdictNamed(word);
  if (!kind)
    return Invalid("'", word,
                   "' is no verdict: agrees, contradicts, refines, unrelated, supersede, "
                   "keep_both, drop");
  memory::Verdict verdict;
  verdict.kind = *kind;
  verdict.note = std::move(note);
  PLEXUS_TRY(TakeSides(snapshot, a, b, verdict));
  if (!goes.empty()) PLEXUS_SET(verdict.removed, FindNode(snapshot, goes));
  return verdict;
}

Result<std::vector<memory::Verdict>> ReadVerdicts(const Snapshot& snapshot,
                                                  const Request& request) {
  std::vector<memory::Verdict> verdicts;
  if (!request.Given("from")) {
    if (!request.Given("a") || !request.Given("b"))
      return Invalid(request.Name("a"), " and ", request.Name("b"), ", or ", request.Name("from"),
                     " FILE, are needed");
    PLEXUS_ASSIGN(const memory::Verdict verdict, FromFlags(snapshot, request));
    verdicts.push_back(verdict);
    return verdicts;
  }
  for (const char* name : {"a", "supersede", "drop", "keep_both", "verdict", "note"})
    PLEXUS_TRY(NotTogether(request, "from", name));
  PLEXUS_TRY(ForEachLine(request.Source("from"), request.Text("from"),
                         [&](std::string_view line) -> Status {
                           if (line.find_first_not_of(" \t") == std::string_view::npos) return {};
                           if (verdicts.size() == kMaxVerdicts)
                             return Invalid("more than ", kMaxVerdicts, " verdicts");
                           PLEXUS_ASSIGN(memory::Verdict verdict, FromLine(snapshot, line));
                           verdicts.push_back(std::move(verdict));
                           return {};
                         }));
  return verdicts;
}

Result<Reply> RunConflictsResolve(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const std::vector<memory::Verdict> verdicts, ReadVerdicts(snapshot, request));
  memory::ResolveOptions options;
  options.now_ms = workspace.now_ms();
  options.created_by = request.Text("created_by");
  PLEXUS_ASSIGN(const memory::ResolveResult resolution,
                memory::Resolve(snapshot, verdicts, options));
  WriteBatch batch = MakeBatch(workspace, request);
  batch.Append(resolution.batch);
  PLEXUS_ASSIGN(const PreviewResult changed, ApplyOrPreview(workspace, request, batch));
  Reply change = ChangeReply(request, changed.report);
  Reply reply([count = verdicts.size(), linked = resolution.linked, ended = resolution.ended,
               removed = resolution.removed,
               members = std::move(change.members)](ReplyWriter& json) mutable {
    json.Field("verdicts", count);
    json.Field("linked", linked);
    json.Field("ended", ended);
    json.Field("dropped", removed);
    members(json);
  });
  reply.page = std::move(change.page);
  return reply;
}

}  // namespace

void AddConflictsResolve(Rows& rows) {
  rows.push_back(
      {.name = "conflicts_resolve",
       .group = "Change",
       .title = "Resolve conflicts",
       .summary = "Write verdicts on conflicts: supersede, keep both or drop",
       .effect = Effect::kWrite,
       .parameters =
           {Optional(Text("a", "A", "one side").Named(Means::kKey).Positional()),
            Optional(Text("b", "B", "the other side").Named(Means::kKey).Positional()),
            Text("supersede", "KEY", "the other side supersedes this one").Named(Means::kKey),
            Text("drop", "KEY", "this side is removed; the past keeps it").Named(Means::kKey),
            Flag("keep_both", "end the conflict and keep both"),
            MaybeChoice("verdict", {"agrees", "contradicts", "refines", "unrelated"},
                        "for any pair: A supports B, A contradicts B, A refines B, or no edge; "
                        "ends an open conflict, but for contradicts"),
            Text("note", "TEXT", "why; kept with the edge that ends or is made").MayBeEmpty(),
            Text("from", "FILE",
                 "a verdict a line: {\"a\":KEY,\"b\":KEY,\"verdict\":WORD,\"goes\":KEY,"
                 "\"note\":TEXT}, all as one change")
                .Lines(),
            Text("created_by", "NAME", "who decided it; on an edge that ends it is resolved_by")
                .MayBeEmpty(),
            DryRunParameter(), ExpectSequenceParameter()},
       .reply = std::string("verdicts:n, linked:n, ended:n, dropped:n, ") + kChangeShape,
       .examples = {{"plexus conflicts resolve --db g k1 k2 --supersede k1",
                     "k2 supersedes k1, which is hidden from now on"},
                    {"plexus conflicts resolve --db g --from verdicts.jsonl --dry-run --json",
                     "what a file of verdicts would change"}},
       .run = RunConflictsResolve,
       .access = ChangesGraph});
}

}  // namespace plexus::tools
