// recall: memories that answer words, a vector, keys, or all of them, and what is around them.
//
// It reads. --commit writes the use of what it gave, --record the event that says so, both in one
// batch.
#include "algorithms/memory/recall/recall.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/formats/base/properties.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/ledger/recording.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/reply/text_field.h"
#include "tools/operations/retrieve/matching_line.h"
#include "tools/operations/retrieve/plan_source.h"
#include "tools/operations/retrieve/recall_request.h"

namespace plexus::tools {
namespace {

// What a recall writes, or would.
struct Outcome {
  memory::ReinforcementResult use;
  memory::NewEvent event;  // What a record says.
  bool committed = false;
  bool dry_run = false;
  std::optional<Recording> recording;
  std::optional<Sequence> sequence;  // Where something was, or would be, written.
};

Result<memory::ReinforcementResult> ProposeUse(const Workspace& workspace, const Request& request,
                                               const AskedRecall& asked,
                                               const memory::RecallResult& result) {
  std::vector<NodeId> nodes;
  for (const memory::RecallHit& hit : result.hits) nodes.push_back(hit.node);
  memory::ReinforcementOptions options;
  options.now_ms = workspace.now_ms();
  options.reinforce = request.Number("reinforce");
  options.run.budget = asked.options.run.budget;
  return memory::ProposeReinforcement(workspace.snapshot(), nodes, options);
}

Result<memory::NewEvent> EventOf(const Workspace& workspace, const Request& request,
                                 const AskedRecall& asked, const memory::RecallResult& result) {
  memory::EvidenceOptions options;
  options.tool = request.Text("tool");
  options.mode = request.Text("mode");
  options.min_share = request.Number("least_evidence");
  options.terms = asked.words.terms;
  options.analyzed = result.planned.candidates;
  for (const memory::RecallHit& hit : result.hits) options.expanded += hit.related.size();
  if (request.Given("props"))
    PLEXUS_SET(options.props, formats::internal::PropertiesFromJson(request.Text("props")));
  return memory::EventOfRecall(workspace.snapshot(), result.hits, request.Text("words"),
                               workspace.now_ms(), options);
}

Result<Outcome> WriteWhatIsAsked(Workspace& workspace, const Request& request,
                                 const AskedRecall& asked, const memory::RecallResult& result) {
  Outcome outcome;
  PLEXUS_ASSIGN(outcome.use, ProposeUse(workspace, request, asked, result));
  outcome.dry_run = IsDryRun(request);
  const bool record = request.Flag("record"), commit = request.Flag("commit");
  if ((record || commit) && !outcome.dry_run && (result.truncated || outcome.use.stopped))
    return FailedPrecondition(
        "the answer was cut short by its limits, so nothing of it is written");
  outcome.committed = commit && !outcome.dry_run && !result.hits.empty();
  const auto write = [&]() -> Status {
    if (record) {
      PLEXUS_ASSIGN(outcome.event, EventOf(workspace, request, asked, result));
      PLEXUS_ASSIGN(outcome.recording, RecordInLedger(workspace, request, outcome.event,
                                                      commit ? outcome.use.batch : WriteBatch()));
      outcome.sequence = outcome.recording->written.report.sequence;
    } else if ((commit || outcome.dry_run) && !outcome.use.batch.empty()) {
      PLEXUS_ASSIGN(const PreviewResult written,
                    ApplyOrPreview(workspace, request, outcome.use.batch));
      outcome.sequence = written.report.sequence;
    } else if (commit || outcome.dry_run) {
      outcome.sequence = workspace.snapshot().sequence();
    }
    return {};
  };
  if (const Status status = write(); !status)
    return Fail(status.error().code, "nothing was written: " + status.error().message);
  return outcome;
}

struct PlanUsed {
  std::string name;  // "": lists, of whose stages nothing is said.
  retrieval::RetrievalPlan plan;
  EdgeProperties properties;  // Of the walks.
  std::optional<std::uint64_t> max_chars;
  std::optional<MatchingLine> line;  // of a question in words
};

// What a plan knows of its hit. The path term is "path", so its edges are the "walk".
void WritePlanned(ReplyWriter& json, const Snapshot& snapshot, const PlanUsed& used,
                  const retrieval::RetrieveHit& hit) {
  json.Field("relevance", hit.relevance);
  WriteFoundBy(json, used.plan, hit);
  if (hit.seed == kNoNode) return;
  json.Field("hops", hit.hops);
  json.Node("seed", snapshot, hit.seed);
  WritePath(json, "walk", snapshot, hit.path, used.properties);
}

void WriteHit(ReplyWriter& json, const Snapshot& snapshot, const memory::RecallHit& hit,
              const PlanUsed& used) {
  json.Node("key", snapshot, hit.node);
  json.Field("score", hit.score);
  if (hit.measured.words) json.Field("words", *hit.measured.words);
  if (hit.measured.similarity) json.Field("similarity", *hit.measured.similarity);
  if (hit.measured.path) json.Field("path", *hit.measured.path);
  json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(hit.node)).name);
  const std::string text = WholeText(snapshot, hit.node);
  WriteText(json, text, used.max_chars);
  if (used.line) used.line->Write(json, text);
  json.Field("why", hit.why);
  json.Objects("terms", hit.terms, [&](const retrieval::ScoreTerm& term) {
    json.Field("name", term.name);
    json.Field("value", term.value);
    json.Field("weight", term.weight);
  });
  if (!used.name.empty()) WritePlanned(json, snapshot, used, hit);
  json.Objects("related", hit.related, [&](const memory::Relation& relation) {
    json.Node("key", snapshot, relation.node);
    json.Field("relation", snapshot.schema().edge_kind(relation.kind).name);
    WriteDirection(json, snapshot.schema(), relation.kind, relation.direction);
    json.Field("hop", relation.hop);
    json.Node("from", snapshot, relation.from);
    json.Field("weight", relation.weight);
    if (relation.label != 0) json.Field("label", snapshot.string(relation.label));
    json.Field("text", relation.text);
  });
  if (hit.related_truncated) json.Field("related_truncated", true);
  if (hit.superseded_by && *hit.superseded_by != kNoNode)
    json.Node("superseded_by", snapshot, *hit.superseded_by);
  if (!hit.contradicted_by.empty()) json.Nodes("contradicted_by", snapshot, hit.contradicted_by);
  if (hit.near_duplicate_of.empty()) return;
  json.Objects("near_duplicate_of", hit.near_duplicate_of, [&](const memory::NearDuplicate& pair) {
    json.Node("key", snapshot, pair.superseded);
    if (pair.superseded_by != kNoNode) json.Node("superseded_by", snapshot, pair.superseded_by);
    json.Field("jaccard", pair.jaccard);
    if (pair.cosine) json.Field("cosine", *pair.cosine);
  });
}

// What the record says of the answer as a whole, and who is in it.
void WriteEvidence(ReplyWriter& json, const memory::NewEvent& event) {
  if (event.confidence) json.Field("confidence", *event.confidence);
  if (!event.status.empty()) json.Field("status", event.status);
  json.Objects("evidence", event.members, [&](const memory::NewMember& member) {
    json.Field("key", member.key);
    json.Field("role", member.role);
  });
}

void WriteOutcome(ReplyWriter& json, const Outcome& outcome) {
  json.BeginObject("use");
  json.Field("memories", outcome.use.memories);
  json.Field("edges", outcome.use.edges);
  json.Field("committed", outcome.committed);
  json.EndObject();
  if (outcome.recording) {
    if (!outcome.recording->event_id.empty())
      json.Field("composition_event_id", outcome.recording->event_id);
    json.Field("query_hash", outcome.recording->query_hash);
    json.Field("compositionWriteStatus", outcome.recording->status);
    WriteEvidence(json, outcome.event);
  }
  if (outcome.sequence) json.Field("sequence", *outcome.sequence);
}

// What is said to people below the tables.
std::string Closing(const memory::RecallResult& result, const Outcome& outcome) {
  std::string text = result.hits.empty() ? "nothing found\n" : "";
  text += Truncated(result.truncated, "these are the best of those looked at");
  if (result.excluded > 0)
    text += Grouped(result.excluded) + " left out because others contradict them\n";
  bool cut = false;
  for (const memory::RecallHit& hit : result.hits) cut = cut || hit.related_truncated;
  if (cut) text += "not all relations are listed (--related, --related-edges)\n";
  if (result.duplicates_truncated) text += "not all near-duplicates were looked for\n";
  if (result.conflicts_truncated) text += "not all conflicts were looked at\n";
  if (outcome.recording)
    text += std::string(outcome.recording->status) +
            (outcome.recording->event_id.empty() ? "" : ": event " + outcome.recording->event_id) +
            "\n";
  if (outcome.committed || outcome.dry_run)
    text += Grouped(outcome.use.memories) + " used, " + Grouped(outcome.use.edges) +
            (outcome.use.edges == 1 ? " edge" : " edges") + " among them reinforced" +
            (outcome.dry_run ? ": a dry run, nothing was written\n" : "\n");
  return text;
}

Result<Reply> RunRecall(Workspace& workspace, const Request& request) {
  for (const char* name : {"tool", "mode", "props", "least_evidence"})
    PLEXUS_TRY(Needs(request, name, "record"));
  AskedRecall asked;
  PLEXUS_TRY(ReadRecall(workspace, request, asked));
  const Snapshot snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(memory::RecallResult result,
                memory::Recall(snapshot, asked.question, asked.options));
  result.truncated |= asked.words.truncated;
  PLEXUS_ASSIGN(Outcome outcome, WriteWhatIsAsked(workspace, request, asked, result));
  result.truncated |= outcome.use.stopped;
  PlanUsed used;
  used.max_chars = request.MaybeCount("max_chars");
  if (!asked.words.terms.empty())
    PLEXUS_SET(used.line, MatchingLine::Make(snapshot, asked.words.terms));
  if (asked.plan.name != memory::kListsPlan) used.name = asked.plan.name;
  used.plan = asked.plan.plan;
  if (!used.name.empty())
    for (const memory::RecallHit& hit : result.hits)
      PLEXUS_TRY(used.properties.Read(snapshot, hit.path));
  NoteLeftOut(workspace, result.planned);
  std::string closing = Closing(result, outcome);
  Reply reply([snapshot, result = std::move(result), used = std::move(used),
               outcome = std::move(outcome)](ReplyWriter& json) {
    if (!used.name.empty()) json.Field("plan", used.name);
    json.Field("truncated", result.truncated);
    json.Objects("hits", result.hits,
                 [&](const memory::RecallHit& hit) { WriteHit(json, snapshot, hit, used); });
    json.Objects("conflicts", result.conflicts, [&](const memory::Conflict& conflict) {
      json.Node("a", snapshot, conflict.a);
      json.Node("b", snapshot, conflict.b);
      json.Time("since", conflict.since);
    });
    json.Field("candidates", result.planned.candidates);
    if (result.excluded > 0) json.Field("excluded", result.excluded);
    if (result.conflicts_truncated) json.Field("conflicts_truncated", true);
    if (result.duplicates_truncated) json.Field("duplicates_truncated", true);
    if (!used.name.empty()) {
      json.Field("fuse", retrieval::FusionName(used.plan.fuse));
      json.Field("without_vector", result.planned.without_vector);
      json.Field("without_term", result.planned.left_out);
      WriteStages(json, result.planned);
    }
    WriteOutcome(json, outcome);
  });
  reply.closing = std::move(closing);
  return reply;
}

Access RecallAccess(const Request& request) {
  const bool writes = request.Flag("record") || request.Flag("commit");
  return writes && !request.Flag("dry_run") ? Access::kWrite : Access::kRead;
}

}  // namespace

void AddRecall(Rows& rows) {
  rows.push_back(
      {.name = "recall",
       .group = "Ask",
       .title = "Recall",
       .summary =
           "Find memories that answer words, a vector or keys, with what relates to them and "
           "what contradicts them",
       .parameters =
           RecallParameters() +
           Parameters{
               MaxCharsParameter(),
               Flag("commit", "write the use: count it, set the time, reinforce edges"),
               Number("reinforce", "A",
                      "a used edge's weight w becomes 1 - (1 - w)(1 - A); 0: unchanged")
                   .Between(0, 1)
                   .Default(0.2),
               Flag("record",
                    "record the hits, if any, as an event of the ledger, with roles, confidence "
                    "and status"),
               Text("tool", "NAME", "of the event").Default(std::string("recall")),
               Text("mode", "NAME", "of the event").Default(std::string(memory::kDefaultEventMode)),
               Text("props", "JSON", "an object: other properties of the event"),
               Number(
                   "least_evidence", "X",
                   "hits below X times the best score are no evidence and no members of the event")
                   .Between(0, 1)
                   .Default(0.5),
               DryRunParameter()},
       .reply =
           "plan?:s, truncated:b, hits:[{key:k, score:x, words?:x, similarity?:x, path?:x, kind:s, "
           "text:s, text_cut?:b, line?:s, why:s, terms:[{name:s, value:x, weight:x}], "
           "relevance?:x, found_by?:[s], "
           "hops?:n, "
           "seed?:k, walk?:[E], related:[{key:k, relation:s, direction:s, "
           "hop:n, from:k, weight:x, label?:s, text:s, inverse?:s}], related_truncated?:b, "
           "superseded_by?:k, "
           "contradicted_by?:[k], "
           "near_duplicate_of?:[{key:k, superseded_by?:k, jaccard:x, cosine?:x}]}], "
           "conflicts:[{a:k, b:k, since:t}], candidates:n, excluded?:n, conflicts_truncated?:b, "
           "duplicates_truncated?:b, fuse?:s, without_vector?:n, without_term?:n, "
           "stages?:[{stage:s, read:n, kept:n, skipped:b, truncated:b}], stage_ms?:[x], "
           "use:{memories:n, edges:n, committed:b}, "
           "composition_event_id?:s, query_hash?:s, compositionWriteStatus?:s, confidence?:x, "
           "status?:s, evidence?:[{key:s, role:s}], sequence?:n",
       .tables = "hits: score.4, key, why, related related; conflicts: since, a node, "
                 "b node" +
                 std::string(kStagesTable),
       .examples =
           {{"plexus recall --db g \"gateway keys\"", "the ten that answer best"},
            {"plexus recall --db g \"gateway keys\" --weight words=0.6,recency=0.4 --commit",
             "recent ones rise; the hits count as used"},
            {"plexus recall --db g \"gateway keys\" --vector query.npy --record --json",
             "both lists fused, and recorded as an event"},
            {"plexus recall --db g \"gateway keys\" --vector query.npy --plan dual --commit",
             "a plan finds and ranks; relations, marks and use stay the same"},
            {"plexus recall --db g --from incident-7 --hops 2 --json",
             "what is near a node, with relations two edges deep"}},
       .run = RunRecall,
       .access = RecallAccess});
}

}  // namespace plexus::tools
