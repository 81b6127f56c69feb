// The built-in vocabulary: numbers, names, traits and planes of the kinds and
// columns that every graph has. The numbers are part of the file format: never
// renumber, only append. Meaning and direction are next to each.
//
// Behaviour (visibility, recall, decay) lives in algorithms/memory; text formats
// compose batches from these names. Threads: all is constant.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

namespace builtin {

// Node kinds.
inline constexpr NodeKindId kNode{0};  // unspecified; what an edge's unknown endpoint becomes
inline constexpr NodeKindId kMemory{1};
inline constexpr NodeKindId kConcept{2};
inline constexpr NodeKindId kDecision{3};
inline constexpr NodeKindId kTurn{4};
inline constexpr NodeKindId kEpisode{5};
inline constexpr NodeKindId kTag{6};  // from here on: index plane
inline constexpr NodeKindId kTerm{7};
inline constexpr NodeKindId kFile{8};
inline constexpr NodeKindId kSession{9};
inline constexpr NodeKindId kInscription{10};
inline constexpr NodeKindId kEvent{11};
inline constexpr NodeKindId kOutcome{12};
inline constexpr NodeKindId kFirstUserNodeKind{32};  // ids between are reserved

// Edge kinds of the fact plane.
inline constexpr EdgeKindId kLink{0};          // generic directed edge of plain edge lists
inline constexpr EdgeKindId kSupersedes{1};    // new -> old, suppresses old
inline constexpr EdgeKindId kCauses{2};        // cause -> effect; inverse caused_by
inline constexpr EdgeKindId kSupports{3};      // evidence -> claim
inline constexpr EdgeKindId kPromotedFrom{4};  // graduate -> origin
inline constexpr EdgeKindId kDependsOn{5};     // dependent -> needed
inline constexpr EdgeKindId kRefines{6};       // new -> old
inline constexpr EdgeKindId kBlocks{7};        // blocker -> blocked
inline constexpr EdgeKindId kDerivedFrom{8};   // new -> source
inline constexpr EdgeKindId kIsA{9};
inline constexpr EdgeKindId kPartOf{10};
inline constexpr EdgeKindId kEvokes{11};
inline constexpr EdgeKindId kTemporal{12};     // earlier -> later
inline constexpr EdgeKindId kReferential{13};  // reader -> writer
inline constexpr EdgeKindId kCausal{14};       // correction -> original
inline constexpr EdgeKindId kTrajectory{15};   // first -> last
inline constexpr EdgeKindId kContradicts{16};  // symmetric from here to kCategorical
inline constexpr EdgeKindId kRelatesTo{17};
inline constexpr EdgeKindId kDuplicates{18};
inline constexpr EdgeKindId kSimilar{19};
inline constexpr EdgeKindId kAntonym{20};
inline constexpr EdgeKindId kCategorical{21};
// Edge kinds of the index plane.
inline constexpr EdgeKindId kHasTag{32};             // fact -> tag
inline constexpr EdgeKindId kHasTerm{33};            // fact -> term; weight = term frequency
inline constexpr EdgeKindId kMentions{34};           // fact -> file
inline constexpr EdgeKindId kInSession{35};          // turn -> session
inline constexpr EdgeKindId kMember{36};             // event -> memory; label = role
inline constexpr EdgeKindId kLabels{37};             // outcome -> event
inline constexpr EdgeKindId kInscribed{38};          // fact -> inscription
inline constexpr EdgeKindId kFirstUserEdgeKind{64};  // ids between are reserved

// Columns.
inline constexpr ColumnId kTrust{0};
inline constexpr ColumnId kRetention{1};
inline constexpr ColumnId kValence{2};
inline constexpr ColumnId kArousalLevel{3};
inline constexpr ColumnId kAccessedAt{4};
inline constexpr ColumnId kAccessCount{5};
inline constexpr ColumnId kCreatedAt{6};
inline constexpr ColumnId kValidFrom{7};
inline constexpr ColumnId kValidUntil{8};
inline constexpr ColumnId kScope{9};  // interned string; absent means "user"
// Added later: a graph may have had a column of its own of such a name before, or define one of
// another type while none of its nodes has a value here. That one has the name then, and the
// built-in one has none (Schema::ColumnFor finds the one to read).
inline constexpr ColumnId kFirstLaterColumn{10};
inline constexpr ColumnId kCategory{10};         // of a decision; string
inline constexpr ColumnId kStakes{11};           // of a decision; string
inline constexpr ColumnId kConfidence{12};       // f64
inline constexpr ColumnId kDecisionOutcome{13};  // "outcome" of a decision; string
inline constexpr ColumnId kMemoryType{14};       // string
inline constexpr ColumnId kStability{15};        // f64
inline constexpr ColumnId kFirstUserColumn{32};  // ids between are reserved

inline constexpr std::string_view kDefaultScope = "user";

}  // namespace builtin

inline constexpr char kIndexSeparator = '\x1f';

// One of the columns that were built in later.
constexpr bool IsLaterColumn(ColumnId column) {
  return column >= builtin::kFirstLaterColumn && column < builtin::kFirstUserColumn;
}

// The tables behind Schema(); reserved ids have an empty name.
std::span<const NodeKind> BuiltinNodeKinds();
std::span<const EdgeKind> BuiltinEdgeKinds();
std::span<const Column> BuiltinColumns();

// "tag" + U+001F + "rust": the key of an index node, which no user key can meet.
std::string IndexKey(std::string_view kind_name, std::string_view name);
// The part after the separator; the key itself for a fact node.
std::string_view DisplayName(std::string_view key);

// The roles of an event's members and the outcome types that Plexus knows
// (others are accepted as they are).
std::span<const std::string_view> BuiltinRoles();
std::span<const std::string_view> BuiltinOutcomeTypes();

}  // namespace plexus
