// terms: the words of texts become term nodes, which search, and pairs that share
// rare terms, are made of.
#include <string>
#include <string_view>
#include <vector>

#include "tools/operations/kernel_options.h"
#include "tools/operations/lines.h"
#include "tools/operations/registry.h"
#include "tools/operations/reply_parts.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/term_record.h"

namespace plexus::tools {
namespace {

Result<std::vector<std::string>> StopWords(const Request& request) {
  std::vector<std::string> words;
  PLEXUS_TRY(ForEachLine(request.Source("stop_words"), request.Text("stop_words"),
                         [&](std::string_view line) -> Status {
                           while (line.ends_with('\r') || line.ends_with(' '))
                             line.remove_suffix(1);
                           if (!line.empty()) words.emplace_back(line);
                           return {};
                         }));
  return words;
}

Result<Reply> Run(Workspace& workspace, const Request& request) {
  IndexTermsOptions options;
  // Without a word about stop words the index stays as it was made.
  const bool none = request.Flag("no_stop_words"), own = request.Given("stop_words");
  const bool as_made = !none && !own && !request.Flag("default_stop_words");
  options.terms.default_stop_words = !none;
  if (own) {
    PLEXUS_ASSIGN(options.terms.stop_words, StopWords(request));
  }
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(workspace.snapshot()));
  if (as_made) options.terms = record.terms;
  options.subset = workspace.scope();
  if (options.subset && HasTerms(workspace.snapshot()) &&
      !SameOptions(options.terms, record.terms))
    return Fail(ErrorCode::kInvalidArgument,
                request.Name("scope") +
                    " cannot go with other stop words than those of the rest of the index");
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  PLEXUS_ASSIGN(const IndexTermsReport report, UpdateTerms(workspace, options));
  const Sequence sequence = workspace.graph().snapshot().sequence();
  Reply reply([sequence, report](ReplyWriter& json) {
    json.Field("sequence", sequence);
    json.Field("truncated", report.truncated);
    WriteTermFields(json, report);
  });
  reply.page = ShownTerms(report) +
               Truncated(report.truncated, "what was indexed stays, the same again goes on");
  return reply;
}

}  // namespace

void AddTerms(Rows& rows) {
  rows.push_back(
      {.name = "terms",
       .group = "Change",
       .title = "Index of words",
       .summary = "Make the words of texts terms, which search looks up",
       .effect = Effect::kWrite,
       .parameters =
           {MaxSeconds(),
            Text("stop_words", "FILE",
                 "words to leave out, one a line, beside the English ones")
                .Named(Means::kContent)
                .MayBeEmpty(),
            Flag("no_stop_words", "keep the English stop words"),
            Flag("default_stop_words",
                 "leave out the English ones alone, again. Without any of the three: as the index "
                 "was made")},
       .reply = "sequence:n, truncated:b, texts:n, changed:n, linked:n, unlinked:n",
       .examples = {{"plexus terms --db g",
                     "index every text; again after changes, it costs what changed"},
                    {"plexus terms --db g --stop-words german.txt",
                     "leave out a language's small words, too"}},
       .run = Run});
}

}  // namespace plexus::tools
