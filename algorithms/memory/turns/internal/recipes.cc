// The table of recipes that every graph has.
#include <algorithm>

#include "algorithms/memory/turns/turns.h"

namespace plexus::memory {
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

}  // namespace

std::span<const EdgeRecipe> BuiltinRecipes() { return kRecipes; }

const EdgeRecipe* FindRecipe(std::string_view name) {
  const auto at = std::ranges::find(kRecipes, name, &EdgeRecipe::name);
  return at == std::end(kRecipes) ? nullptr : &*at;
}

}  // namespace plexus::memory
