// What a reply says of a never-composed set: its numbers, what its members share, reason, question.
// Private to algorithms/memory.
#pragma once

#include <cstdint>
#include <span>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/surface/surface_pairs.h"
#include "algorithms/memory/frontier/internal/surface/surface_score.h"

namespace plexus::memory::internal {

// A set of the surface lens. REQUIRES two members or more.
NeverComposedSet DescribeSet(const SurfaceScore& score, std::span<const Row> members);
// A page of the surface lens, of a pool with so many members.
NeverComposedPage PageOf(const SurfaceScore& score, std::uint64_t members, const RankedList& list);
// How many sets of `arity` there are; saturates.
std::uint64_t SetsOf(std::uint64_t members, int arity);
// Tags, terms, boundary tags, reason and question; the other lenses have them, too.
void NameShared(const SurfacePool& pool, std::span<const Row> members, NeverComposedSet& set);

}  // namespace plexus::memory::internal
