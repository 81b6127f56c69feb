// embed: a vector for every text, made of its terms, and the vector of a question.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/graph.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/graph_record.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/retrieve/word_query.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/text_vectors.h"

namespace plexus::tools {
namespace {

Result<retrieval::TextVectorOptions> Options(const Workspace& workspace, const Request& request) {
  retrieval::TextVectorOptions options;
  options.space = request.Text("space");
  // A space that is there says itself how long its vectors are.
  if (const auto space = workspace.schema().FindSpace(options.space))
    options.dimensions = workspace.schema().spaces()[*space].dimensions;
  if (const auto dimensions = request.MaybeCount("dimensions"))
    options.dimensions = static_cast<std::uint32_t>(*dimensions);
  options.prefilter = ReadPrefilter(request);
  options.element = ReadElement(request);
  options.seed = request.Count("seed");
  options.now_ms = workspace.now_ms();
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  options.subset = workspace.scope();
  options.run.executor = &workspace.executor();
  options.progress = workspace.progress();
  return options;
}

std::string RecordName(std::string_view space) { return "embed." + std::string(space); }

// Of a space of which not all is made yet: a run ended early, or was of some nodes.
std::string BegunName(std::string_view space) { return "embed_begun." + std::string(space); }

// Whether what is in the space may be replaced: nothing is, or vectors of an earlier run.
Result<bool> IsOwn(const Snapshot& snapshot, const std::string& space) {
  const auto id = snapshot.schema().FindSpace(space);
  const VectorView* const vectors = id ? snapshot.space(*id) : nullptr;
  if (!vectors || vectors->live_count() == 0) return true;
  PLEXUS_ASSIGN(const auto whole, ReadRecord(snapshot, RecordName(space)));
  PLEXUS_ASSIGN(const auto begun, ReadRecord(snapshot, BegunName(space)));
  return whole || begun;
}

// Remembers that there are such vectors in the space.
Status RememberBegun(Workspace& workspace, const retrieval::TextVectorOptions& options) {
  const Snapshot now = workspace.graph().snapshot();
  PLEXUS_ASSIGN(const auto whole, ReadRecord(now, RecordName(options.space)));
  PLEXUS_ASSIGN(const auto begun, ReadRecord(now, BegunName(options.space)));
  if (whole || begun) return {};
  WriteBatch batch(options.now_ms);
  PLEXUS_TRY(WriteRecord(batch, BegunName(options.space), {}, begun));
  PLEXUS_TRY(workspace.graph().Apply(batch));
  return {};
}

// Remembers how the vectors of the space were made and that they cover all texts.
Status Remember(Workspace& workspace, const retrieval::TextVectorOptions& options) {
  const Snapshot now = workspace.graph().snapshot();
  PLEXUS_ASSIGN(const auto before, ReadRecord(now, RecordName(options.space)));
  PLEXUS_ASSIGN(const retrieval::TermRecord index, retrieval::ReadTermRecord(now));
  boost::json::object made;
  made["dimensions"] = static_cast<std::int64_t>(options.dimensions);
  made["seed"] = static_cast<std::int64_t>(options.seed);
  const auto same = [&](const char* name) {
    const auto* value = before->properties.if_contains(name);
    return value && *value == made[name];
  };
  if (before && same("dimensions") && same("seed") &&
      retrieval::CountNewerTexts(now, before->covers, nullptr, index.terms) == 0)
    return {};
  WriteBatch batch(options.now_ms);
  PLEXUS_TRY(WriteRecord(batch, RecordName(options.space), std::move(made), before));
  PLEXUS_TRY(workspace.graph().Apply(batch));
  return {};
}

std::string Page(const retrieval::TextVectorOptions& options,
                 const retrieval::TextVectorReport& report) {
  std::string page = Grouped(report.documents) + " texts of " + Grouped(report.terms) +
                     " different terms became " +
                     Grouped(report.added + report.changed + report.same) + " vectors of " +
                     std::to_string(options.dimensions) + " dimensions in space '" +
                     Escaped(options.space) + "': " + Grouped(report.added) + " new, " +
                     Grouped(report.changed) + " changed, " + Grouped(report.same) + " same";
  if (report.removed > 0) page += ", " + Grouped(report.removed) + " removed";
  return page + "; " + Grouped(report.without) + " nodes without terms have none\n" +
         Truncated(report.truncated, "what was made stays, the same command continues");
}

Result<Reply> MakeAll(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(const retrieval::TextVectorOptions options, Options(workspace, request));
  const bool dry = IsDryRun(request);
  Graph& graph = workspace.graph();
  PLEXUS_ASSIGN(const bool own, IsOwn(graph.snapshot(), options.space));
  if (!own && !request.Flag("replace"))
    return FailedPrecondition(
        "space ", Quoted(options.space), " has vectors that embed did not make: name ", "another ",
        request.Name("space"), ", or ", request.Name("replace"), " takes them away");
  PLEXUS_ASSIGN(
      const retrieval::TextVectorReport report,
      retrieval::MakeTextVectors(graph.snapshot(), options, [&](const WriteBatch& batch) -> Status {
        if (!dry) PLEXUS_TRY(graph.Apply(batch));
        return {};
      }));
  if (!dry && !report.truncated && !options.subset && report.documents > 0)
    PLEXUS_TRY(Remember(workspace, options));
  else if (!dry && report.added + report.changed + report.same > 0)
    PLEXUS_TRY(RememberBegun(workspace, options));
  // Vectors of texts that lost all their terms are gone by now, which is an answer.
  if (report.documents == 0 && report.removed == 0 && !report.truncated)
    return FailedPrecondition(NoTermsYet(workspace, request));
  const Sequence sequence = graph.snapshot().sequence();
  Reply reply([sequence, dry, report, space = options.space, dimensions = options.dimensions,
               seed = options.seed](ReplyWriter& json) {
    json.Field("sequence", sequence);
    if (dry) json.Field("dry_run", true);
    json.Field("truncated", report.truncated);
    json.Field("space", space);
    json.Field("dimensions", dimensions);
    json.Field("seed", seed);
    json.Field("documents", report.documents);
    json.Field("terms", report.terms);
    json.BeginObject("vectors");
    json.Field("new", report.added);
    json.Field("changed", report.changed);
    json.Field("same", report.same);
    json.Field("removed", report.removed);
    json.EndObject();
    json.Field("without", report.without);
  });
  reply.page = Page(options, report) + DryRunClosing(request);
  return reply;
}

Result<Reply> MakeOne(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const retrieval::TextVectorOptions options, Options(workspace, request));
  PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(snapshot));
  PLEXUS_ASSIGN(const retrieval::NotIndexed not_indexed,
                retrieval::CountNotIndexed(snapshot, record, nullptr));
  NoteNotIndexed(workspace, request, not_indexed);
  PLEXUS_ASSIGN(retrieval::TermSplitter splitter, retrieval::TermSplitter::Make(record.terms));
  PLEXUS_ASSIGN(const std::vector<retrieval::TermCount> terms,
                splitter.Count(request.Text("query")));
  PLEXUS_ASSIGN(retrieval::QueryVector query, retrieval::TextVector(snapshot, terms, options));
  if (query.values.empty() && !query.truncated)
    return NotFound("no text has a word of ", Quoted(request.Text("query")), "; ",
                    OtherWays(workspace, request, request.Text("query"), record.terms));
  Reply::Stream numbers;
  if (query.truncated)  // what reads the numbers would not know
    numbers = [name = request.Name("max_seconds")](std::ostream&) -> Status {
      return Exhausted(name, ": the time was up before the vector was made");
    };
  else
    numbers = [values = query.values](std::ostream& out) -> Status {
      JsonWriter json(out);  // as rerank reads it
      json.BeginArray();
      for (const float value : values) json.Value(value);
      json.EndArray();
      out << '\n';
      return {};
    };
  Reply reply([space = options.space, dimensions = options.dimensions, seed = options.seed,
               count = terms.size(), query = std::move(query)](ReplyWriter& json) {
    json.Field("space", space);
    json.Field("dimensions", dimensions);
    json.Field("seed", seed);
    json.Field("truncated", query.truncated);
    json.Field("terms", count);
    json.Field("known", query.known);
    json.Values("values", query.values);
  });
  reply.stream = std::move(numbers);
  return reply;
}

Result<Reply> RunEmbed(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(NotTogether(request, "query", "dry_run"));
  PLEXUS_TRY(NotTogether(request, "query", "replace"));
  return request.Given("query") ? MakeOne(workspace, request) : MakeAll(workspace, request);
}

Access EmbedAccess(const Request& request) {
  return request.Given("query") ? Access::kRead : ChangesGraph(request);
}

// As the space's vectors were made.
Result<retrieval::TextVectorOptions> OptionsOf(const Workspace& workspace, const Request& request,
                                               const VectorSpace& space,
                                               const GraphRecord& record) {
  retrieval::TextVectorOptions options;
  options.space = space.name;
  options.dimensions = space.dimensions;
  const auto* seed = record.properties.if_contains("seed");
  if (seed && seed->is_int64()) options.seed = static_cast<std::uint64_t>(seed->get_int64());
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  options.run.executor = &workspace.executor();
  return options;
}

// The terms that the node has in the index.
std::vector<retrieval::TermCount> IndexedTerms(const Snapshot& snapshot, NodeId node) {
  std::vector<retrieval::TermCount> terms;
  snapshot.ForEachArc(Direction::kOut, node, ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm),
                      [&](const Arc& arc) {
                        terms.push_back({std::string(DisplayName(snapshot.key(arc.neighbor))),
                                         static_cast<std::uint32_t>(arc.weight)});
                      });
  std::ranges::sort(terms, {}, &retrieval::TermCount::term);
  return terms;
}

}  // namespace

Result<std::optional<std::vector<float>>> VectorOfTerms(const Workspace& workspace,
                                                        const Request& request, SpaceId space,
                                                        std::span<const std::string> terms) {
  const VectorSpace& of = workspace.schema().spaces()[space];
  PLEXUS_ASSIGN(const auto record, ReadRecord(workspace.snapshot(), RecordName(of.name)));
  if (!record) return std::nullopt;
  PLEXUS_ASSIGN(const retrieval::TextVectorOptions options,
                OptionsOf(workspace, request, of, *record));
  std::vector<retrieval::TermCount> counts;
  std::vector<std::string> sorted(terms.begin(), terms.end());
  std::ranges::sort(sorted);
  for (std::string& term : sorted) {
    if (counts.empty() || counts.back().term != term) counts.push_back({std::move(term), 0});
    ++counts.back().count;
  }
  PLEXUS_ASSIGN(retrieval::QueryVector vector,
                retrieval::TextVector(workspace.snapshot(), counts, options));
  return std::move(vector.values);
}

Result<std::size_t> AddTextVectors(const Workspace& workspace, const Request& request,
                                   WriteBatch& batch, NodeRef node, std::string_view key) {
  std::size_t made = 0;
  std::optional<Snapshot> after;
  for (const VectorSpace& space : workspace.schema().spaces()) {
    PLEXUS_ASSIGN(const auto record, ReadRecord(workspace.snapshot(), RecordName(space.name)));
    if (!record) continue;
    if (!after) {
      PLEXUS_ASSIGN(PreviewResult preview, Preview(workspace.snapshot(), batch));
      after = std::move(preview.snapshot);
    }
    const auto id = after->Find(key);
    if (!id) return made;
    PLEXUS_ASSIGN(const retrieval::TextVectorOptions options,
                  OptionsOf(workspace, request, space, *record));
    const std::vector<retrieval::TermCount> terms = IndexedTerms(*after, *id);
    PLEXUS_ASSIGN(const retrieval::QueryVector vector,
                  retrieval::TextVector(*after, terms, options));
    if (vector.values.empty()) continue;
    batch.SetVector(node, batch.SpaceNamed(space.name), vector.values);
    ++made;
  }
  return made;
}

Result<std::uint64_t> NoteOlderVectors(Workspace& workspace, const Request& request, SpaceId space,
                                       const NodeSubset* subset) {
  const Snapshot& snapshot = workspace.snapshot();
  const std::string& name = workspace.schema().spaces()[space].name;
  PLEXUS_ASSIGN(const auto record, ReadRecord(snapshot, RecordName(name)));
  // Of terms, so of all that they are made of; vectors of others are held to be of the text.
  retrieval::TermOptions terms;
  if (record) {
    PLEXUS_ASSIGN(const retrieval::TermRecord index, retrieval::ReadTermRecord(snapshot));
    terms = index.terms;
  }
  const ArcFilter has_term = ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm);
  const VectorView* const vectors = snapshot.space(space);
  std::uint64_t older = 0;
  bool cleared = false;
  for (NodeId node = 0; node < snapshot.node_count(); ++node) {
    const Sequence newest = retrieval::NewestText(snapshot, node, terms);
    if (!snapshot.alive(node) || !snapshot.is_fact(node)) continue;
    if (subset && !subset->contains(node)) continue;
    const bool has = vectors && vectors->has(node);
    if (newest == 0) {  // the text that the vector is of is gone
      if (has && record) ++older, cleared = true;
      continue;
    }
    if (!has && !record) continue;
    // Properties of which nothing is indexed make no vector.
    if (!has && !snapshot.payload_ref(node, NodeField::kText) &&
        snapshot.Degree(Direction::kOut, node, has_term) == 0)
      continue;
    // Vectors that a later `embed` found right are as new as it.
    const Sequence made =
        std::max(record ? record->covers : 0, has ? vectors->ref(node).sequence() : Sequence{0});
    older += newest > made;
  }
  if (older == 0) return older;
  workspace.notes().push_back(
      {Grouped(older) + (older == 1 ? " fact has" : " facts have") +
           " a text that is newer than its vector" + (cleared ? ", or none any more" : "") +
           (record ? ": " + request.Command("embed", workspace.directory()) + " makes them anew"
                   : " in space " + Quoted(name) + "; give it the vectors of the new texts"),
       Note::kNote});
  return older;
}

void AddEmbed(Rows& rows) {
  rows.push_back(
      {.name = "embed",
       .group = "Change",
       .title = "Vectors of texts",
       .summary = "Make a vector of every text, from its terms, for `rerank`",
       .effect = Effect::kWrite,
       .parameters = {Text("space", "NAME", "the vector space, which holds nothing else")
                          .Default(std::string("text")),
                      Count("dimensions", "D", "length of a vector (default: the space's, or 128)")
                          .Between(1, Limits::kMaxDimensions),
                      Count("seed", "S", "of the random projection, the same for all of a space")
                          .Default(std::uint64_t{1}),
                      PrefilterParameter("what questions of a new space read first (default none)"),
                      ElementParameter("what a new space keeps of a value: f32 (the default) or "
                                       "f16, half the memory and the disk, rounded to 11 bits"),
                      Text("query", "WORDS", "print the vector of these words and change nothing"),
                      Flag("replace", "take away vectors of the space that embed did not make"),
                      DryRunParameter()},
       .reply = "sequence?:n, dry_run?:b, truncated:b, space:s, dimensions:n, seed:n, "
                "documents?:n, terms:n, "
                "vectors?:{new:n, changed:n, same:n, removed:n}, without?:n, known?:n, "
                "values?:[x]",
       .examples = {{"plexus embed --db g",
                     "tf-idf of the terms, projected to 128 dimensions; again after changes"},
                    {"plexus embed --db g --query \"large dog\" | plexus rerank --db g --space "
                     "text --vector -",
                     "what is most like these words"}},
       .run = RunEmbed,
       .access = EmbedAccess,
       .reach = Reach::kGraph});
}

}  // namespace plexus::tools
