// recall: memories that answer words, a vector or both; with --record the event that says so.
#include "algorithms/memory/recall.h"

#include <string>
#include <utility>
#include <vector>

#include "storage/formats/import_vectors.h"
#include "tools/operations/change.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/ledger/recording.h"
#include "tools/operations/names.h"
#include "tools/operations/registry.h"
#include "tools/operations/reply_parts.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/term_record.h"
#include "tools/operations/word_query.h"

namespace plexus::tools {
namespace {

// What a request asks for; spans of it are those of the members.
struct Asked {
  WordQuery words;
  std::vector<Bm25Phrase> phrases;
  std::vector<float> vector;
  RecallQuestion question;
  RecallOptions options;
};

Status ReadWords(Workspace& workspace, const Request& request, const NodeSubset& visible,
                 Asked& asked) {
  const Snapshot& snapshot = workspace.snapshot();
  if (!HasTerms(snapshot))
    return Fail(ErrorCode::kFailedPrecondition, NoTermsYet(workspace, request));
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(snapshot));
  PLEXUS_ASSIGN(asked.words, ReadWordQuery(workspace, request, "words", record.terms, visible));
  PLEXUS_ASSIGN(const NotIndexed not_indexed, CountNotIndexed(snapshot, record, &visible));
  NoteNotIndexed(workspace, request, not_indexed);
  asked.phrases.push_back(asked.words.phrase());
  asked.question.terms = asked.words.terms;
  asked.question.phrases = asked.phrases;
  return {};
}

Status ReadQuestion(Workspace& workspace, const Request& request, const NodeSubset& visible,
                    Asked& asked) {
  asked.options.subset = &visible;
  if (request.Given("words")) {
    PLEXUS_TRY(ReadWords(workspace, request, visible, asked));
    asked.options.subset = &asked.words.subset;
  }
  if (request.Given("vector")) {
    PLEXUS_ASSIGN(asked.question.space, FindSpace(workspace.schema(), request));
    PLEXUS_ASSIGN(asked.vector, ReadVector({request.Source("vector"), request.Text("vector")}));
    asked.question.vector = asked.vector;
  }
  if (asked.question.terms.empty() && asked.vector.empty())
    return Fail(ErrorCode::kInvalidArgument, "recall what? " + request.Name("words") + " or " +
                                                 request.Name("vector") + " or both");
  asked.options.top = static_cast<std::size_t>(request.Count("top"));
  PLEXUS_ASSIGN(asked.options.run.budget, MakeBudget(request));
  asked.options.run.executor = &workspace.executor();
  return {};
}

Result<Reply> Run(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(Needs(request, "dry_run", "record"));
  PLEXUS_TRY(Needs(request, "space", "vector"));
  PLEXUS_ASSIGN(const NodeSubset visible, VisibleInScope(workspace, request));
  Asked asked;
  PLEXUS_TRY(ReadQuestion(workspace, request, visible, asked));
  const Snapshot snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(RecallResult result, Recall(snapshot, asked.question, asked.options));
  result.truncated |= asked.words.truncated;
  std::optional<Recording> recording;
  if (request.Flag("record")) {
    PLEXUS_ASSIGN(const NewEvent event,
                  EventOfRecall(snapshot, result.hits, request.Text("words"), workspace.now_ms()));
    PLEXUS_ASSIGN(recording, RecordInLedger(workspace, request, event));
  }
  std::string closing = result.hits.empty() ? "nothing found\n" : "";
  closing += Truncated(result.truncated, "these are the best of those looked at");
  if (recording)
    closing += std::string(recording->status) +
               (recording->event_id.empty() ? "" : ": event " + recording->event_id) + "\n";
  Reply reply(
      [snapshot, result = std::move(result), recording = std::move(recording)](ReplyWriter& json) {
        json.Field("truncated", result.truncated);
        json.Objects("hits", result.hits, [&](const RecallHit& hit) {
          json.Node("key", snapshot, hit.node);
          json.Field("score", hit.score);
          if (hit.words) json.Field("words", *hit.words);
          if (hit.similarity) json.Field("similarity", *hit.similarity);
          json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(hit.node)).name);
          json.Field("text", TextHead(snapshot, hit.node));
        });
        if (!recording) return;
        if (!recording->event_id.empty()) json.Field("composition_event_id", recording->event_id);
        json.Field("query_hash", recording->query_hash);
        json.Field("compositionWriteStatus", recording->status);
        json.Field("sequence", recording->written.report.sequence);
      });
  reply.closing = std::move(closing);
  return reply;
}

Access RecallAccess(const Request& request) {
  return request.Flag("record") && !request.Flag("dry_run") ? Access::kWrite : Access::kRead;
}

}  // namespace

void AddRecall(Rows& rows) {
  rows.push_back(
      {.name = "recall",
       .group = "Ask",
       .title = "Recall",
       .summary =
           "Memories that answer words, a vector or both; with --record the ledger has who did",
       .parameters =
           Parameters{
               Optional(Text("words", "WORDS", "as search takes them").Positional().MayBeEmpty()),
               Text(
                   "vector", "FILE",
                   "the query as a vector: numbers, a JSON array, .npy, .fvecs or .f32; - is stdin")
                   .Named(Means::kContent)
                   .MayBeEmpty(),
               Text("space", "NAME", "the vector space (default: default, or the only one)"),
               Top(10, "at most K memories; 0 = all"),
               Flag("record", "record them as an event of the ledger, if there are any"),
               DryRunParameter(), MaxSeconds(), IncludeSuperseded()},
       .reply = "truncated:b, hits:[{key:k, score:x, words?:x, similarity?:x, kind:s, text:s}], "
                "composition_event_id?:s, query_hash?:s, compositionWriteStatus?:s, sequence?:n",
       .tables = {{"hits",
                   {{"score", "score", As::kPlain, 4},
                    {"words", "words", As::kPlain, 4},
                    {"similarity", "similarity", As::kPlain, 4},
                    {"key", "", As::kNode}}}},
       .examples = {{"plexus recall --db g \"gateway keys\"", "the ten that answer best"},
                    {"plexus recall --db g \"gateway keys\" --vector query.npy --record --json",
                     "both lists fused, and an event of what they gave"}},
       .run = Run,
       .access = RecallAccess});
}

}  // namespace plexus::tools
