// The table of recipes that every graph has. BuildEdges: checks what was asked, then the source of
// the recipe, then the last batch.
#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/memory/turns/internal/sources.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {

using namespace internal;

namespace {

constexpr EdgeRecipe kRecipes[] = {
    {.name = "temporal",
     .summary = "a turn and the next one of its session; weight 1 / (1 + hours between them)",
     .source = PairSource::kConsecutive,
     .groups = builtin::kInSession,
     .kind = builtin::kTemporal,
     .weight = PairWeight::kGap},
    {.name = "referential",
     .summary = "turns that mention one file, reader to writer; weight: cosine above 0.3",
     .source = PairSource::kSharing,
     .groups = builtin::kMentions,
     .kind = builtin::kReferential,
     .direction = PairDirection::kReaderToWriter,
     .above = 0.3},
    {.name = "causal",
     .summary = "the first turn of a session that corrects another, and of that one; weight: "
                "reward, or 0.5",
     .source = PairSource::kCorrections,
     .kind = builtin::kCausal,
     .weight = PairWeight::kReward},
    {.name = "categorical",
     .summary = "turns with one inscription; weight: cosine above 0",
     .source = PairSource::kSharing,
     .groups = builtin::kInscribed,
     .kind = builtin::kCategorical,
     .direction = PairDirection::kNone,
     .window = 16},  // there are few inscriptions, and most of what is near is near by chance
    {.name = "trajectory",
     .summary = "the first and the last turn of a session with a reward, which is the weight",
     .source = PairSource::kFirstAndLast,
     .groups = builtin::kInSession,
     .kind = builtin::kTrajectory,
     .weight = PairWeight::kReward},
    {.name = "similar",
     .summary = "each turn and those with the nearest vectors; weight: cosine above 0",
     .source = PairSource::kNearest,
     .kind = builtin::kSimilar,
     .direction = PairDirection::kNone},
    {.name = "co-retrieval",
     .summary = "members of one event that no outcome closed; weight: events with both of those "
                "with either",
     .source = PairSource::kComposed,
     .kind = builtin::kRelatesTo,
     .direction = PairDirection::kNone,
     .weight = PairWeight::kEventShare,
     .label = "co-retrieval"},
};

std::unexpected<Error> Refuse(const EdgeRecipe& recipe, const std::string& why) {
  return Invalid("recipe '", recipe.name, "': ", why);
}

Status CheckRecipe(const Schema& schema, const EdgeRecipe& recipe) {
  const bool grouped = recipe.source == PairSource::kSharing ||
                       recipe.source == PairSource::kConsecutive ||
                       recipe.source == PairSource::kFirstAndLast;
  if (recipe.name.empty()) return Invalid("a recipe has a name");
  if (recipe.kind >= schema.edge_kinds().size() || schema.edge_kind(recipe.kind).name.empty())
    return Refuse(recipe, "there is no such edge kind");
  if (grouped && (recipe.groups >= schema.edge_kinds().size() ||
                  schema.edge_kind(recipe.groups).plane != Plane::kIndex))
    return Refuse(recipe, "groups are of an edge kind of the index plane");
  if (schema.edge_kind(recipe.kind).symmetric != (recipe.direction == PairDirection::kNone))
    return Refuse(recipe, "only a symmetric kind has no direction");
  if (!std::isfinite(recipe.above)) return Refuse(recipe, "the threshold is a finite number");
  if (recipe.weight == PairWeight::kCosine && recipe.above < 0)
    return Refuse(recipe, "the threshold is 0 or more, as weights are");
  if (recipe.window < 1 || recipe.window > EdgeRecipe::kMaxWindow)
    return Refuse(recipe, "the window is 1 to " + std::to_string(EdgeRecipe::kMaxWindow));
  if (recipe.top > 1000) return Refuse(recipe, "top is at most 1000");
  const PairWeight weights[] = {PairWeight::kGap,    PairWeight::kReward, PairWeight::kCosine,
                                PairWeight::kReward, PairWeight::kCosine, PairWeight::kEventShare};
  if (recipe.weight != weights[static_cast<std::size_t>(recipe.source)])
    return Refuse(recipe, "the source of its pairs has no such weight");
  return {};
}

Status CheckOptions(const BuildOptions& options) {
  if (options.batch_edges < 1 || options.batch_edges > std::size_t{1} << 20)
    return Invalid("batch_edges is 1 to 1048576");
  for (const TurnTrajectory& line : options.trajectories)
    if (line.reward && !(*line.reward >= 0 && std::isfinite(static_cast<float>(*line.reward))))
      return Invalid("the reward of '", line.of, "' is not a finite number of 0 or more");
  return {};
}

Status Build(EdgeWriter& writer, const NodeSubset& turns) {
  switch (writer.recipe().source) {
    case PairSource::kConsecutive:
    case PairSource::kFirstAndLast:
      return BuildChains(writer, turns);
    case PairSource::kSharing:
      return BuildSharing(writer, turns);
    case PairSource::kCorrections:
      return BuildCorrections(writer, turns);
    case PairSource::kNearest:
      return BuildNearest(writer, turns);
    case PairSource::kComposed:
      return BuildComposed(writer);
  }
  return {};
}

}  // namespace

std::span<const EdgeRecipe> BuiltinRecipes() { return kRecipes; }

const EdgeRecipe* FindRecipe(std::string_view name) {
  const auto at = std::ranges::find(kRecipes, name, &EdgeRecipe::name);
  return at == std::end(kRecipes) ? nullptr : &*at;
}

Result<BuildReport> BuildEdges(const Snapshot& snapshot, const EdgeRecipe& recipe,
                               const BuildOptions& options, const ApplyBatch& apply) try {
  PLEXUS_TRY(CheckRecipe(snapshot.schema(), recipe));
  PLEXUS_TRY(CheckOptions(options));
  if (recipe.weight == PairWeight::kCosine && !snapshot.space(options.space))
    return Invalid("no vector space ", std::uint64_t{options.space});
  constexpr NodeKindId kTurns[] = {builtin::kTurn};
  const NodeSubset turns = options.turns ? options.turns->Intersect(NodeSubset::Facts(snapshot))
                                         : NodeSubset::OfKinds(snapshot, kTurns);
  BuildReport report;
  EdgeWriter writer(snapshot, recipe, options, apply, report);
  PLEXUS_TRY(Build(writer, turns));
  PLEXUS_TRY(writer.Finish());
  return report;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
