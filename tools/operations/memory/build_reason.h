// Why a recipe found no pair: what the graph lacks for it, in a sentence.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "algorithms/memory/turns/turns.h"
#include "engine/snapshot.h"

namespace plexus::tools {

// "" where the graph has what the recipe reads. `space`: of its vectors, if there is one. O(nodes).
std::string WhyNoPairs(const Snapshot& snapshot, const memory::EdgeRecipe& recipe,
                       std::span<const memory::TurnTrajectory> lines, std::optional<SpaceId> space);

}  // namespace plexus::tools
