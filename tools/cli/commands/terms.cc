// terms: the words of texts become term nodes, which search, and pairs that share
// rare terms, are made of.
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/term_record.h"

namespace plexus::tools {
namespace {

struct TermsArguments : BudgetOption {
  std::string stop_words;
  bool no_stop_words = false, default_stop_words = false;
  std::string accents, identifiers, cjk, stem, events;
  bool renew = false;
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

// What the index is made with: as it was made, but for what is asked for.
Result<TermOptions> Asked(const TermsArguments& given, const TermOptions& as_made) {
  TermOptions terms = given.renew ? TermOptions::Recommended() : as_made;
  if (given.no_stop_words || given.default_stop_words || !given.stop_words.empty()) {
    terms.default_stop_words = !given.no_stop_words;
    terms.stop_words.clear();
  }
  if (!given.stop_words.empty()) {
    PLEXUS_ASSIGN(terms.stop_words, Lines(given.stop_words));
  }
  if (!given.accents.empty()) terms.fold_accents = given.accents == "fold";
  if (!given.identifiers.empty()) terms.split_identifiers = given.identifiers == "split";
  if (!given.cjk.empty()) terms.cjk_bigrams = given.cjk == "bigrams";
  if (!given.events.empty()) terms.event_queries = given.events == "index";
  if (!given.stem.empty()) terms.stemmer = given.stem == "none" ? "" : given.stem;
  return terms;
}

Result<int> RunTerms(const Globals& globals, const TermsArguments& given) {
  IndexTermsOptions options;
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kWrite));
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(session->snapshot()));
  PLEXUS_ASSIGN(options.terms, Asked(given, record.terms));
  options.subset = session->scope();
  if (options.subset && HasTerms(session->snapshot()) && !SameOptions(options.terms, record.terms))
    return Fail(ErrorCode::kInvalidArgument,
                "--scope and --where cannot go with other stop words or switches than those of the "
                "rest of the index");
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
  Graph& graph = session.graph();
  const auto apply = [&](const WriteBatch& batch) -> Status {
    const auto applied = graph.Apply(batch);
    if (!applied) return std::unexpected(applied.error());
    return {};
  };
  options.now_ms = session.now_ms();
  options.executor = &session.executor();
  options.progress = session.progress();
  auto report = IndexTerms(graph.snapshot(), options, apply);
  session.EndProgress();
  if (!report || report->truncated || options.subset) return report;
  const Snapshot now = graph.snapshot();
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(now));
  if (!HasTerms(now)) return report;
  if (record.covers() > 0 && SameOptions(record.terms, options.terms) &&
      CountNewerTexts(now, record.covers(), nullptr) == 0)
    return report;
  WriteBatch batch(options.now_ms);
  PLEXUS_TRY(WriteTermRecord(batch, record, options.terms));
  PLEXUS_TRY(apply(batch));
  return report;
}

Result<TermKeeper> TermKeeper::Make(Session& session, bool asked) {
  const Snapshot& before = session.snapshot();
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(before));
  TermKeeper keeper(session, record.terms);
  keeper.on_ = asked || HasTerms(before);
  if (!keeper.on_) return keeper;
  if (HasTerms(before) && record.covers() > 0) {
    PLEXUS_ASSIGN(const NotIndexed missed, CountNotIndexed(before, record, nullptr));
    keeper.complete_ = missed.none();
  } else {
    keeper.complete_ = CountNewerTexts(before, 0, nullptr) == 0;
  }
  return keeper;
}

Status TermKeeper::Complete(const Snapshot& snapshot, WriteBatch& batch) {
  Settle(snapshot);
  PLEXUS_ASSIGN(pending_, AddTerms(snapshot, terms_, batch, &session_->executor()));
  completed_at_ = snapshot.sequence();
  if (!complete_ || pending_.texts == 0) return {};
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(snapshot));
  return WriteTermRecord(batch, record, terms_);
}

void TermKeeper::Settle(const Snapshot& now) {
  if (now.sequence() > completed_at_) Add(pending_);
  pending_ = {};
}

void TermKeeper::Add(const IndexTermsReport& more) {
  report_.texts += more.texts;
  report_.changed += more.changed;
  report_.linked += more.linked;
  report_.unlinked += more.unlinked;
}

Result<IndexTermsReport> TermKeeper::Finish() {
  const Snapshot now = session_->graph().snapshot();
  Settle(now);
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(now));
  if (complete_ && (!HasTerms(now) || (SameOptions(record.terms, terms_) &&
                                       CountNewerTexts(now, record.covers(), nullptr) == 0)))
    return report_;
  IndexTermsOptions options;
  options.terms = terms_;
  PLEXUS_ASSIGN(const IndexTermsReport rest, UpdateTerms(*session_, options));
  Add(rest);
  report_.truncated = rest.truncated;
  return report_;
}

void NoteNotIndexed(const Globals& globals, const NotIndexed& count) {
  if (globals.quiet) return;
  const auto have = [](std::uint64_t facts) {
    return Grouped(facts) + (facts == 1 ? " fact has" : " facts have");
  };
  if (count.facts > 0)
    PrintNote(have(count.facts) +
              " a text that is newer than the index of terms: `plexus terms --db " + globals.db +
              "` brings it up to date");
  if (count.not_compared > 0)
    PrintNote(have(count.not_compared) +
              " terms that were not compared with a text newer than the index's record: `plexus "
              "terms --db " +
              globals.db + "` compares them, and remembers");
}

void WriteTermFields(JsonWriter& json, const IndexTermsReport& report) {
  json.Field("texts", report.texts);
  json.Field("changed", report.changed);
  json.Field("linked", report.linked);
  json.Field("unlinked", report.unlinked);
}

void PrintTerms(const IndexTermsReport& report) {
  Out() << Grouped(report.texts) << " texts read, " << Grouped(report.changed)
        << " nodes brought up to date: " << Grouped(report.linked) << " terms linked, "
        << Grouped(report.unlinked) << " unlinked\n";
}

void AddTerms(Cli& cli) {
  static TermsArguments given;
  AddMaxSeconds(cli.Add("Change", "terms", "Make the words of texts terms, which search looks up",
                        [](const Globals& globals) { return RunTerms(globals, given); }),
                given)
      .Option("--stop-words", "FILE", given.stop_words,
              "words to leave out, one a line, beside the English ones")
      .Flag("--no-stop-words", given.no_stop_words, "keep the English stop words")
      .Flag("--default-stop-words", given.default_stop_words,
            "leave out the English ones alone, again. Without any of the three: as the index was "
            "made")
      .Choice("--accents", given.accents, {"fold", "keep"},
              "fold: cafe finds caf\u00e9 (a new index does)")
      .Choice("--identifiers", given.identifiers, {"split", "whole"},
              "split: user finds get_user_by_id and getUserById (a new index does)")
      .Choice("--cjk", given.cjk, {"bigrams", "words"},
              "bigrams: \u6771\u4eac finds every text that holds it, however a dictionary cuts it\n"
              "(a new index does)")
      .Choice("--events", given.events, {"index", "none"},
              "index: the queries of events, for search --events (a new index does)")
      .Option("--stem", "LANGUAGE|none", given.stem,
              "words by their stems, as english: leopards finds leopard (a new index does not)")
      .Flag("--renew", given.renew,
            "as a new index is made; an index of an earlier version stays as it is without this")
      .Example("plexus terms --db g",
               "index every text; again after changes, it costs what changed")
      .Example("plexus terms --db g --stop-words german.txt",
               "leave out a language's small words, too")
      .Example("plexus terms --db g --stem english",
               "find plurals; the index stays so, also in later imports");
}

}  // namespace plexus::tools
