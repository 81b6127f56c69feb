// embed: a vector for every text, made of its terms, and the vector of a question.
#include <optional>
#include <string>
#include <vector>

#include "algorithms/retrieval/text_vectors.h"
#include "algorithms/retrieval/tokenizer.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/operations/graph_record.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/term_record.h"
#include "tools/operations/text_vectors.h"

namespace plexus::tools {
namespace {

struct EmbedArguments : BudgetOption {
  std::string space = "text";
  std::optional<std::string> query;
  std::optional<std::uint64_t> dimensions, seed;
};

Result<TextVectorOptions> Options(Session& session, const EmbedArguments& given) {
  TextVectorOptions options;
  options.space = given.space;
  // A space that is there says itself how long its vectors are.
  if (const auto space = session.schema().FindSpace(given.space))
    options.dimensions = session.schema().spaces()[*space].dimensions;
  if (given.dimensions) {
    if (*given.dimensions < 1 || *given.dimensions > Limits::kMaxDimensions)
      return Fail(ErrorCode::kInvalidArgument,
                  "--dimensions is 1 to " + std::to_string(Limits::kMaxDimensions));
    options.dimensions = static_cast<std::uint32_t>(*given.dimensions);
  }
  options.seed = given.seed.value_or(options.seed);
  options.now_ms = session.now_ms();
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  options.subset = session.scope();
  options.run.executor = &session.executor();
  options.progress = session.progress();
  return options;
}

Error NoTerms(const Globals& globals) {
  return {ErrorCode::kFailedPrecondition,
          "the graph has no terms yet: run `plexus terms --db " + globals.db + "`"};
}

std::string RecordName(std::string_view space) { return "embed." + std::string(space); }

// Remembers how the vectors of the space were made and that they cover all texts.
Status Remember(Session& session, const TextVectorOptions& options) {
  const Snapshot now = session.graph().snapshot();
  PLEXUS_ASSIGN(const auto before, ReadRecord(now, RecordName(options.space)));
  boost::json::object made;
  made["dimensions"] = static_cast<std::int64_t>(options.dimensions);
  made["seed"] = static_cast<std::int64_t>(options.seed);
  const auto same = [&](const char* name) {
    const auto* value = before->properties.if_contains(name);
    return value && *value == made[name];
  };
  if (before && same("dimensions") && same("seed") &&
      CountNewerTexts(now, before->covers, nullptr) == 0)
    return {};
  WriteBatch batch(options.now_ms);
  PLEXUS_TRY(WriteRecord(batch, RecordName(options.space), std::move(made), before));
  PLEXUS_TRY(session.graph().Apply(batch));
  return {};
}

void WriteReport(Sequence sequence, const TextVectorOptions& options,
                 const TextVectorReport& report) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("sequence", sequence);
  json.Field("truncated", report.truncated);
  json.Field("space", options.space);
  json.Field("dimensions", options.dimensions);
  json.Field("seed", options.seed);
  json.Field("documents", report.documents);
  json.Field("terms", report.terms);
  json.BeginObject("vectors");
  json.Field("new", report.added);
  json.Field("changed", report.changed);
  json.Field("same", report.same);
  json.Field("removed", report.removed);
  json.EndObject();
  json.Field("without", report.without);
  json.EndObject();
  Out() << '\n';
}

void PrintReport(const TextVectorOptions& options, const TextVectorReport& report) {
  Out() << Grouped(report.documents) << " texts of " << Grouped(report.terms)
        << " different terms became " << Grouped(report.added + report.changed + report.same)
        << " vectors of " << options.dimensions << " dimensions in space '"
        << Escaped(options.space) << "': " << Grouped(report.added) << " new, "
        << Grouped(report.changed) << " changed, " << Grouped(report.same) << " same";
  if (report.removed > 0) Out() << ", " << Grouped(report.removed) << " removed";
  Out() << "; " << Grouped(report.without) << " nodes without terms have none\n";
  PrintTruncated(report.truncated, "what was made stays, the same again goes on");
}

Result<int> MakeAll(const Globals& globals, const EmbedArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kWrite));
  PLEXUS_ASSIGN(const TextVectorOptions options, Options(*session, given));
  const auto report =
      MakeTextVectors(session->graph().snapshot(), options, [&](const WriteBatch& batch) -> Status {
        const auto applied = session->graph().Apply(batch);
        if (!applied) return std::unexpected(applied.error());
        return {};
      });
  Status remembered;
  if (report && !report->truncated && !options.subset && report->documents > 0)
    remembered = Remember(*session, options);
  const Sequence sequence = session->graph().snapshot().sequence();
  const Status closed = session->Close();
  if (!report) return std::unexpected(report.error());
  PLEXUS_TRY(remembered);
  PLEXUS_TRY(closed);
  // Vectors of texts that lost all their terms are gone by now, which is an answer.
  if (report->documents == 0 && report->removed == 0 && !report->truncated)
    return std::unexpected(NoTerms(globals));
  if (globals.json)
    WriteReport(sequence, options, *report);
  else
    PrintReport(options, *report);
  return kDone;
}

Result<int> MakeOne(const Globals& globals, const EmbedArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  PLEXUS_ASSIGN(const TextVectorOptions options, Options(*session, given));
  if (given.query->empty()) return Fail(ErrorCode::kInvalidArgument, "--query: no words");
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(session->snapshot()));
  PLEXUS_ASSIGN(const NotIndexed not_indexed,
                CountNotIndexed(session->snapshot(), record, nullptr));
  NoteNotIndexed(globals, not_indexed);
  PLEXUS_ASSIGN(TermSplitter splitter, TermSplitter::Make(record.terms));
  PLEXUS_ASSIGN(const std::vector<TermCount> terms, splitter.Count(*given.query));
  PLEXUS_ASSIGN(const QueryVector query, TextVector(session->snapshot(), terms, options));
  if (query.values.empty() && !query.truncated)
    return Fail(ErrorCode::kNotFound, "no text has a word of '" + *given.query + "'");
  if (query.truncated && !globals.json)  // what reads the numbers would not know
    return Fail(ErrorCode::kResourceExhausted,
                "--max-seconds: the time was up before the vector was made");
  JsonWriter json(Out());
  if (globals.json) {
    json.BeginObject();
    json.Field("space", options.space);
    json.Field("dimensions", options.dimensions);
    json.Field("seed", options.seed);
    json.Field("truncated", query.truncated);
    json.Field("terms", terms.size());
    json.Field("known", query.known);
    json.Key("values");
  }
  json.BeginArray();  // as `rerank --vector` reads it
  for (const float value : query.values) json.Value(value);
  json.EndArray();
  if (globals.json) json.EndObject();
  Out() << '\n';
  return kDone;
}

Result<int> RunEmbed(const Globals& globals, const EmbedArguments& given) {
  return given.query ? MakeOne(globals, given) : MakeAll(globals, given);
}

}  // namespace

Result<std::uint64_t> CountOlderVectors(const Snapshot& snapshot, std::string_view space,
                                        const NodeSubset* subset) {
  PLEXUS_ASSIGN(const auto record, ReadRecord(snapshot, RecordName(space)));
  return record ? CountNewerTexts(snapshot, record->covers, subset) : 0;
}

void AddEmbed(Cli& cli) {
  static EmbedArguments given;
  AddMaxSeconds(
      cli.Add("Change", "embed", "Make a vector of every text, from its terms, for `rerank`",
              [](const Globals& globals) { return RunEmbed(globals, given); }),
      given)
      .Option("--space", "NAME", given.space,
              "the vector space that holds them and nothing else (default: text)")
      .Option("--dimensions", "D", given.dimensions,
              "length of a vector (default: the space's, or 128)")
      .Option("--seed", "S", given.seed,
              "of the random projection, the same for all of a space (default 1)")
      .Option("--query", "WORDS", given.query, "print the vector of these words and change nothing")
      .Example("plexus embed --db g",
               "tf-idf of the terms, projected to 128 dimensions; again after changes")
      .Example(
          "plexus embed --db g --query \"large dog\" | plexus rerank --db g --space text --vector "
          "-",
          "what is most like these words");
}

}  // namespace plexus::tools
