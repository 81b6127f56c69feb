// terms: the words of texts become term nodes, which search, and pairs that share
// rare terms, are made of.
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "tools/budget_option.h"
#include "tools/cli.h"
#include "tools/exit_code.h"
#include "tools/format.h"
#include "tools/output.h"
#include "tools/terms.h"

namespace plexus::tools {
namespace {

struct TermsArguments : BudgetOption {
  std::string stop_words;
  bool no_stop_words = false;
};

Result<std::vector<std::string>> Lines(const std::string& path) {
  std::ifstream in(path);
  if (!in) return Fail(ErrorCode::kNotFound, "no file '" + path + "'");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    while (line.ends_with('\r') || line.ends_with(' ')) line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

Result<int> RunTerms(const Globals& globals, const TermsArguments& given) {
  IndexTermsOptions options;
  options.terms.default_stop_words = !given.no_stop_words;
  if (!given.stop_words.empty()) {
    PLEXUS_ASSIGN(options.terms.stop_words, Lines(given.stop_words));
  }
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kWrite));
  options.subset = session->scope();
  PLEXUS_ASSIGN(options.budget, MakeBudget(given));
  const Result<IndexTermsReport> report = UpdateTerms(*session, options);
  const Sequence sequence = session->graph().snapshot().sequence();
  const Status closed = session->Close();
  if (!report) return std::unexpected(report.error());
  PLEXUS_TRY(closed);
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("sequence", sequence);
    json.Field("truncated", report->truncated);
    WriteTermFields(json, *report);
    json.EndObject();
    Out() << '\n';
  } else {
    PrintTerms(*report);
    PrintTruncated(report->truncated, "what was indexed stays, the same again goes on");
  }
  return kDone;
}

}  // namespace

Result<IndexTermsReport> UpdateTerms(Session& session, IndexTermsOptions options) {
  options.now_ms = session.now_ms();
  options.executor = &session.executor();
  options.progress = session.progress();
  auto report = IndexTerms(session.graph().snapshot(), options, [&](const WriteBatch& batch) -> Status {
    const auto applied = session.graph().Apply(batch);
    if (!applied) return std::unexpected(applied.error());
    return {};
  });
  session.EndProgress();
  return report;
}

void WriteTermFields(JsonWriter& json, const IndexTermsReport& report) {
  json.Field("texts", report.texts);
  json.Field("changed", report.changed);
  json.Field("linked", report.linked);
  json.Field("unlinked", report.unlinked);
}

void PrintTerms(const IndexTermsReport& report) {
  Out() << Grouped(report.texts) << " texts read, " << Grouped(report.changed) << " nodes brought up to date: "
        << Grouped(report.linked) << " terms linked, " << Grouped(report.unlinked) << " unlinked\n";
}

void AddTerms(Cli& cli) {
  static TermsArguments given;
  AddMaxSeconds(cli.Add("Change", "terms", "Make the words of texts terms, which search looks up",
                        [](const Globals& globals) { return RunTerms(globals, given); }),
                given)
      .Option("--stop-words", "FILE", given.stop_words, "words to leave out, one a line, beside the English ones")
      .Flag("--no-stop-words", given.no_stop_words, "keep the English stop words")
      .Example("plexus terms --db g", "index every text; again after changes, it costs what changed")
      .Example("plexus terms --db g --stop-words german.txt", "leave out a language's small words, too");
}

}  // namespace plexus::tools
