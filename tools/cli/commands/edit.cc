// link, unlink, remove, purge: one change at a time, durable when the reply comes.
//
// Many changes at once are files for import; these are for hands and small scripts.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/vocabulary.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/properties.h"
#include "tools/cli/arguments.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"

namespace plexus::tools {
namespace {

struct LinkArguments {
  std::string source, kind, target;
  std::string label;
  std::optional<std::string> weight, created_at, created_by, valid_from, valid_until, props;
  std::optional<std::uint64_t> expected;
};

// For what was read at `expected`: the change is made only if nothing was applied since.
WriteBatch BatchFor(const Session& session, std::optional<std::uint64_t> expected) {
  WriteBatch batch(session.now_ms());
  if (expected) batch.ExpectSequence(*expected);
  return batch;
}

// One line for people: "sequence 7: 1 edge new, 2 nodes new".
std::string Summary(const ApplyReport& report) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* noun, const char* what) {
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + noun +
            (count == 1 ? " " : "s ") + what;
  };
  const auto add_all = [&](const ChangeCounts& counts, const char* noun) {
    add(counts.added, noun, "new");
    add(counts.changed, noun, "changed");
    add(counts.removed, noun, "removed");
  };
  add_all(report.edges, "edge");
  add_all(report.nodes, "node");
  add_all(report.index, "index entry");
  return "sequence " + std::to_string(report.sequence) + ": " +
         (text.empty() ? "nothing to change" : text);
}

// Closes the graph, so that every error is heard, and only then answers.
Result<int> Answer(Session& session, const ApplyReport& report) {
  PLEXUS_TRY(session.Close());
  if (session.globals().json) {
    JsonWriter json(Out());
    WriteApplyReport(json, report);
    Out() << '\n';
  } else {
    Out() << Summary(report) << '\n';
  }
  return kDone;
}

// The node that `key` means, or a new one: an index node ("tag:rust") where the edge's kind is
// of the index plane, else a fact. kInvalidArgument: an index node under a kind of facts.
Result<NodeRef> Endpoint(WriteBatch& batch, const Snapshot& snapshot, std::string_view key,
                         const std::string& kind_name, bool index) {
  const Schema& schema = snapshot.schema();
  if (const auto node = MeantNode(snapshot, key); node && snapshot.alive(*node)) {
    if (index || snapshot.is_fact(*node)) return NodeRef::Id(*node);
    std::string why = "'" + std::string(key) + "' is an index node of kind " +
                      schema.node_kind(snapshot.node_kind(*node)).name + ", and '" + kind_name +
                      "' joins facts";
    std::string kinds;
    for (const EdgeKind& kind : schema.edge_kinds())
      if (kind.plane == Plane::kIndex && (kind.source_kind == snapshot.node_kind(*node) ||
                                          kind.target_kind == snapshot.node_kind(*node)))
        kinds += (kinds.empty() ? "" : ", ") + kind.name;
    if (!kinds.empty()) why += "; edges to it are of kind " + kinds;
    return Fail(ErrorCode::kInvalidArgument, why);
  }
  if (!index) return batch.Node(key);
  const std::string stored = StoredKey(schema, key);
  const std::size_t at = stored.find(kIndexSeparator);
  if (at == std::string::npos) return batch.Node(key);
  const auto kind = schema.FindNodeKind(std::string_view(stored).substr(0, at));
  return kind ? batch.IndexNode(*kind, std::string_view(stored).substr(at + 1)) : batch.Node(key);
}

// A misspelt kind would quietly become a new one: say so.
void NoteNewKind(const Session& session, const std::string& kind) {
  if (session.globals().quiet || session.schema().FindEdgeKind(kind)) return;
  PrintNote("note: '" + kind + "' is a new edge kind" +
            DidYouMean(kind, EdgeKindNames(session.schema())));
}

Result<int> RunLink(const Globals& globals, const LinkArguments& given) {
  WriteBatch::EdgeInput edge;
  if (given.weight) {
    const auto weight = text::ReadF32(*given.weight);  // as the formats read it
    if (!weight || text::IsBelowZero(*given.weight))
      return Fail(ErrorCode::kInvalidArgument,
                  "--weight '" + *given.weight + "': a weight is a finite number >= 0");
    edge.weight = *weight + 0.0f;  // -0 becomes 0
  }
  edge.label = given.label;
  const auto time = [](const char* option, const std::optional<std::string>& given_time,
                       std::optional<std::int64_t>& value) -> Status {
    if (!given_time) return {};
    PLEXUS_ASSIGN(value, ParseTime(*given_time));
    WarnOfSeconds(option, *value);
    return {};
  };
  PLEXUS_TRY(time("--created-at", given.created_at, edge.created_at));
  PLEXUS_TRY(time("--valid-from", given.valid_from, edge.valid_from));
  PLEXUS_TRY(time("--valid-until", given.valid_until, edge.valid_until));
  if (given.created_by) edge.created_by = *given.created_by;
  std::string properties;
  if (given.props) {
    PLEXUS_ASSIGN(properties, text::PropertiesFromJson(*given.props));
    edge.properties = properties;
  }
  const Access access = given.expected.value_or(0) > 0 ? Access::kWrite : Access::kCreate;
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, access));
  NoteNewKind(*session, given.kind);
  const auto match = session->schema().FindEdgeKind(given.kind);
  const bool index = match && session->schema().edge_kind(match->kind).plane == Plane::kIndex;
  WriteBatch batch = BatchFor(*session, given.expected);
  PLEXUS_ASSIGN(edge.source, Endpoint(batch, session->snapshot(), given.source, given.kind, index));
  PLEXUS_ASSIGN(edge.target, Endpoint(batch, session->snapshot(), given.target, given.kind, index));
  edge.kind = batch.EdgeKindNamed(given.kind);
  batch.Link(edge);
  PLEXUS_ASSIGN(const ApplyReport report, session->graph().Apply(batch));
  return Answer(*session, report);
}

Result<int> RunUnlink(const Globals& globals, const LinkArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kWrite));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(NodeId source, FindAliveNode(snapshot, given.source));
  PLEXUS_ASSIGN(NodeId target, FindAliveNode(snapshot, given.target));
  PLEXUS_ASSIGN(const auto match, FindEdgeKind(snapshot.schema(), given.kind));
  const auto label = snapshot.state().strings.Find(given.label);
  const bool linked =
      (given.label.empty() || label) &&
      snapshot.FindEdge(match.reversed ? target : source, match.kind,
                        match.reversed ? source : target, given.label.empty() ? 0 : *label);
  if (!linked)
    return Fail(ErrorCode::kNotFound,
                "no edge " + given.source + " " + given.kind + " " + given.target +
                    (given.label.empty() ? "" : " with label '" + given.label + "'"));
  WriteBatch batch = BatchFor(*session, given.expected);
  batch.Unlink(NodeRef::Id(source), batch.EdgeKindNamed(given.kind), NodeRef::Id(target),
               given.label);
  PLEXUS_ASSIGN(const ApplyReport report, session->graph().Apply(batch));
  return Answer(*session, report);
}

Result<int> RunRemove(const Globals& globals, const std::string& key,
                      std::optional<std::uint64_t> expected) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kWrite));
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(session->snapshot(), key));
  WriteBatch batch = BatchFor(*session, expected);
  batch.RemoveNode(NodeRef::Id(node));
  PLEXUS_ASSIGN(const ApplyReport report, session->graph().Apply(batch));
  return Answer(*session, report);
}

Result<int> RunPurge(const Globals& globals, const std::string& key, bool hard) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kWrite));
  PLEXUS_ASSIGN(const NodeId node, FindNode(session->snapshot(), key));
  const NodeId nodes[] = {node};
  const std::string_view stored[] = {session->snapshot().key(node)};
  ApplyReport report;
  if (hard) {
    PLEXUS_TRY(session->database().HardPurge(nodes, session->progress()));
    report.sequence = session->database().snapshot().sequence();
    report.nodes.removed = 1;
  } else {
    PLEXUS_ASSIGN(report,
                  session->database().Purge(stored, session->now_ms(), session->progress()));
  }
  return Answer(*session, report);
}

constexpr const char* kExpectHelp = "only if the graph is at sequence N (else exit code 6)";

}  // namespace

void AddWrite(Cli& cli) {
  static LinkArguments link;
  cli.Add("Change", "link", "Add or update one edge",
          [](const Globals& globals) { return RunLink(globals, link); })
      .Positional("A", link.source, "the source's key; a new node when there is none")
      .Positional("KIND", link.kind, "the edge's kind; an inverse name swaps the ends")
      .Positional("B", link.target, "the target's key")
      .Option("--weight", "W", link.weight, "finite, >= 0 (default: keep, or 1 when new)")
      .Option("--label", "L", link.label, "tells parallel edges apart")
      .MayBeEmpty()
      .Option("--created-at", "TIME", link.created_at, "default: --now")
      .Option("--created-by", "NAME", link.created_by, "who says so")
      .Option("--valid-from", "TIME", link.valid_from, "valid from then on")
      .Option("--valid-until", "TIME", link.valid_until, "valid until just before then")
      .Option("--props", "JSON", link.props, "an object of properties")
      .Option("--expect-sequence", "N", link.expected, kExpectHelp)
      .Example("plexus link --db g alice knows bob --weight 0.8",
               "one edge, durable when it returns")
      .Example("plexus link --db g m2 supersedes m1", "m2 hides m1 from recall and traverse");

  static LinkArguments unlink;
  cli.Add("Change", "unlink", "Take one edge back; the past keeps it",
          [](const Globals& globals) { return RunUnlink(globals, unlink); })
      .Positional("A", unlink.source, "the source's key")
      .Positional("KIND", unlink.kind, "the edge's kind")
      .Positional("B", unlink.target, "the target's key")
      .Option("--label", "L", unlink.label, "of the edge that is meant")
      .MayBeEmpty()
      .Option("--expect-sequence", "N", unlink.expected, kExpectHelp)
      .Example("plexus unlink --db g alice knows bob", "the edge is gone from now on")
      .Example("plexus unlink --db g m2 supersedes m1 --json", "m1 shows again");

  static std::string removed;
  static std::optional<std::uint64_t> remove_expected;
  cli.Add("Change", "remove", "Remove a node with its edges; the past keeps them",
          [](const Globals& globals) { return RunRemove(globals, removed, remove_expected); })
      .Positional("KEY", removed, "the node's key")
      .Option("--expect-sequence", "N", remove_expected, kExpectHelp)
      .Example("plexus remove --db g alice", "alice and her edges are gone from now on")
      .Example("plexus remove --db g m1 --json",
               "many at once: {\"remove\":\"m1\"} lines for import");

  static std::string purged;
  static bool hard = false;
  cli.Add("Change", "purge",
          "Erase what a node holds, from the past too (reads the log; rewrites it when words or "
          "tags were its alone)",
          [](const Globals& globals) { return RunPurge(globals, purged, hard); })
      .Positional("KEY", purged, "the node's key")
      .Flag("--hard", hard, "rewrite the log without its key and edges as well")
      .Example("plexus purge --db g m1",
               "text, words, tags and vectors of m1, at every point in time")
      .Example("plexus purge --db g m1 --hard",
               "the key and the edges too; slow, rewrites the log");
}

}  // namespace plexus::tools
