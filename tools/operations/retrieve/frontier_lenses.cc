// From a request to NeverComposedOptions, from a page to a reply.
#include "tools/operations/retrieve/frontier_lenses.h"

#include <utility>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/retrieval/terms.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/candidate_reply.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

Result<memory::NeverComposedOptions> ReadOptions(Workspace& workspace, const Request& request) {
  memory::NeverComposedOptions options;
  options.lens = memory::LensNamed(request.Text("lens")).value();
  options.arity = static_cast<int>(request.Count("arity"));
  options.top = request.Count("top") == 0 ? memory::kMaxNeverComposedTop : request.Count("top");
  options.include_superseded = request.Flag("include_superseded");
  options.tags = request.List("tags");
  options.match =
      request.Text("match") == "both" ? memory::TagMatch::kBoth : memory::TagMatch::kAny;
  options.terms =
      request.Text("terms") == "ascii" ? memory::TermRule::kAscii : memory::TermRule::kUnicode;
  options.trust =
      request.Text("trust") == "weakest" ? memory::TrustRule::kWeakest : memory::TrustRule::kMean;
  if (const std::string& level = request.Text("level"); level != "any")
    options.level = level == "open"      ? memory::SetLevel::kOpen
                    : level == "partial" ? memory::SetLevel::kPartial
                                         : memory::SetLevel::kClosedWedge;
  for (const char* of_band : {"band_least", "band_below", "band_limit"})
    PLEXUS_TRY(Needs(request, of_band, "band"));
  if (request.Given("band")) {
    options.band.emplace();
    options.band->space = request.Text("band");
    options.band->least = request.Number("band_least");
    options.band->below = request.Number("band_below");
    options.band->pool_limit = static_cast<NodeId>(request.Count("band_limit"));
  }
  PLEXUS_ASSIGN(options.kinds, FindEdgeKinds(workspace.schema(), request.List("kinds")));
  options.structural_fit = request.Flag("structural_fit");
  options.structural_fit_weight = request.Number("structural_fit_weight");
  options.min_structural_fit = request.Number("min_structural_fit");
  options.likely.half_life = static_cast<double>(request.Count("half_life"));
  options.likely.outcome_weight = request.Number("outcome_weight");
  options.cursor = request.Text("cursor");
  if (const auto asked = memory::TimeOfCursor(options.cursor); asked && !request.Given("now"))
    workspace.SetNow(*asked);  // a page continues from the time of the first one
  options.now_ms = workspace.now_ms();
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  options.run.executor = &workspace.executor();
  if (const auto compared = request.MaybeCount("max_compared"))
    options.run.budget.edges = *compared;
  return options;
}

constexpr const char* kClaim =
    "Never composed means worth investigating: not true, not novel, not reportable.";

}  // namespace

Parameters LensParameters() {
  return Parameters{
      Choice("lens", {"auto", "likely", "rare", "surface", "bridge", "divergent"},
             "likely: what the events so far let expect next; rare: shared by few others; surface: "
             "tags, terms and outcomes; bridge: near by recorded edges; divergent: different "
             "positions in the structure; auto: likely of 50 events and more, else rare; what the "
             "other options need comes first"),
      Count("half_life", "N",
            "of the lens likely: an event N events older counts half; 0: a tenth of the ledger")
          .Between(0, 1e12)
          .Default(std::uint64_t{0}),
      Number("outcome_weight", "W", "of the lens likely: what good and bad ends count for")
          .Between(0, 1000)
          .Default(0.25),
      Choice("level", {"any", "open", "partial", "closed_wedge"},
             "for sets of three and more: no pair composed, some pairs, or all pairs but never all "
             "together"),
      Choice("trust", {"mean", "weakest"}, "of a pair: the mean, or the least of its members"),
      Choice("terms", {"unicode", "ascii"},
             "words of the index of terms, or the ASCII words of the texts"),
      Text("band", "SPACE", "also pairs whose vectors in SPACE have a cosine in the band"),
      Number("band_least", "X", "the band's least cosine").Between(-1, 1).Default(0.45),
      Number("band_below", "X", "the band's cosines are below it").Between(-1, 2).Default(0.85),
      Count("band_limit", "N", "compare the vectors of the first N memories")
          .Between(2, 4e9)
          .Default(std::uint64_t{50'000}),
      Flag("structural_fit", "report how similar the members' positions among edges are"),
      Number("structural_fit_weight", "W", "add W times the structural fit to the score")
          .Between(-1000, 1000)
          .Default(0.0),
      Number("min_structural_fit", "X", "leave out sets of a lower structural fit")
          .Between(-1, 1)
          .Default(-1.0),
      Text("cursor", "CURSOR", "continue behind a page: its member 'next'")};
}

Result<bool> AsksRare(Workspace& workspace, const Request& request) {
  const std::string& lens = request.Text("lens");
  if (lens != "auto") return lens == "rare";
  if (request.Given("mask") || request.Given("kinds")) return true;
  for (const Parameter& parameter : LensParameters())
    if (parameter.name != "lens" && request.Given(parameter.name)) return false;
  PLEXUS_ASSIGN(const bool likely, memory::HasLikelyEvents(workspace.snapshot(), workspace.scope(),
                                                           &workspace.executor()));
  return !likely && request.Count("arity") <= 3;
}

Status CheckRare(const Request& request) {
  for (const Parameter& parameter : LensParameters())
    if (parameter.name != "lens" && request.Given(parameter.name))
      return Invalid(request.Name(parameter.name), " is of another lens than rare; name one with ",
                     request.Name("lens"));
  return {};
}

std::string_view LensReplyShape() {
  return "pool?:n, pruned?:n, pool_cut?:b, evidenceStatus?:s, claimBoundary?:s, next?:s";
}

Result<Reply> AskLens(Workspace& workspace, const Request& request) {
  if (request.Given("mask")) return Invalid(request.Name("mask"), " is of the lens rare");
  PLEXUS_ASSIGN(memory::NeverComposedOptions options, ReadOptions(workspace, request));
  if (const std::string unknown = UnknownTag(workspace.snapshot(), options.tags); !unknown.empty())
    return NotFound(request.Name("tags"), ": ", unknown);
  PLEXUS_ASSIGN(const NodeSubset pool, MemoriesInScope(workspace, request));
  options.pool = &pool;
  options.inside = workspace.scope();
  const Snapshot& snapshot = workspace.snapshot();
  if (options.terms == memory::TermRule::kUnicode && retrieval::HasTerms(snapshot)) {
    PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(snapshot));
    PLEXUS_ASSIGN(const retrieval::NotIndexed not_indexed,
                  retrieval::CountNotIndexed(snapshot, record, &pool));
    NoteNotIndexed(workspace, request, not_indexed);
  }
  auto found = memory::NeverComposed(snapshot, options);
  if (!found && found.error().code == ErrorCode::kUnsupported)  // of this lens: wrong usage
    return Invalid(found.error().message);
  PLEXUS_ASSIGN(memory::NeverComposedPage page, std::move(found));
  std::string closing;
  if (page.sets.empty() && !page.why_empty.empty()) closing = page.why_empty + "\n";
  if (page.pool_cut)
    closing += "Vectors were compared of the first " + std::to_string(options.band->pool_limit) +
               " memories alone.\n";
  closing += Truncated(page.truncated, "the best of what was compared");
  if (!page.sets.empty()) closing += std::string(kClaim) + "\n";
  Reply reply([snapshot, page = std::move(page)](ReplyWriter& json) {
    json.Field("truncated", page.truncated);
    json.Field("lens", memory::LensName(page.lens));
    json.Objects("candidates", page.sets,
                 [&](const memory::NeverComposedSet& set) { WriteCandidate(json, snapshot, set); });
    json.Field("pool", page.pool);
    json.Field("compared", page.compared);
    json.Field("scored", page.scored);
    json.Field("pruned", page.pruned);
    if (page.pool_cut) json.Field("pool_cut", true);
    json.Field("evidenceStatus", "hypothesis");
    json.Field("claimBoundary", kClaim);
    if (!page.next.empty() && !json.cut()) json.Field("next", page.next);
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace plexus::tools
