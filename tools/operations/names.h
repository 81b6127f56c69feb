// From names to ids and back: keys, kinds, and the words shown with a key.
//
// Errors name what was given and the nearest name there is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "tools/operations/reply/reply.h"

namespace plexus::tools {

// The node that a text means, alive or not. "tag:rust" means the index node rust of kind tag
// while there is one, else the node of that very key. A fact of that very key is meant by
// "key:tag:rust" wherever there is or was such an index node, and an index node always by its
// stored key (with U+001F). kNotFound, with a suggestion.
Result<NodeId> FindNode(const Snapshot& snapshot, std::string_view key);
// The same, and nothing where none exists: no search for a suggestion. A few look-ups.
std::optional<NodeId> MeantNode(const Snapshot& snapshot, std::string_view key);
// The same, and kNotFound when it was removed.
Result<NodeId> FindAliveNode(const Snapshot& snapshot, std::string_view key);
// Nodes that are alive, by key.
Result<std::vector<NodeId>> FindAliveNodes(const Snapshot& snapshot,
                                           std::span<const std::string> keys);
// "KEY" or "KEY=W" each (arguments.h, SplitWeight), as nodes that are alive with weights.
Result<std::vector<NodeWeight>> FindSeeds(const Snapshot& snapshot,
                                          std::span<const std::string> texts);
// "tag:rust" -> IndexKey(tag, rust) when "tag" is an index kind; else the text itself.
std::string StoredKey(const Schema& schema, std::string_view key);

// An edge kind by name or inverse name. kInvalidArgument, with a suggestion.
Result<Schema::EdgeKindMatch> FindEdgeKind(const Schema& schema, const std::string& name);
// Edge kinds by name or inverse name, each once: a set, which has no direction (kind_direction.h
// tells it). kInvalidArgument: no such kind. No names, no list.
Result<EdgeKinds> FindEdgeKinds(const Schema& schema, std::span<const std::string> names);
// Names of all edge (node) kinds, inverse names included.
std::vector<std::string> EdgeKindNames(const Schema& schema);
std::vector<std::string> NodeKindNames(const Schema& schema);

// Of tags that are looked for by name, or as the beginning of one with ':' behind it: which there
// is not, with a suggestion; "" where all are known. O(nodes) if one is no tag by itself.
std::string UnknownTag(const Snapshot& snapshot, std::span<const std::string> tags);

// The node kinds of these names. kInvalidArgument.
Result<std::vector<NodeKindId>> FindNodeKinds(const Schema& schema,
                                              std::span<const std::string> names);

// Notes that an index node which was named as an end meets nothing, as none of `kinds` is of its
// plane. Nothing for nodes that are facts.
void NoteIndexNodes(std::vector<Note>& notes, const Snapshot& snapshot,
                    std::span<const NodeId> nodes, const EdgeKinds& kinds);

// The key as people read it and as FindNode takes it: "tag:rust" for an index node,
// "key:tag:rust" for a fact of the key that an index node is shown by. Not escaped.
std::string ShownKey(const Snapshot& snapshot, NodeId node);
// The first line of the node's text, at most 256 bytes of it; "" when it has none
// or it cannot be read.
std::string TextHead(const Snapshot& snapshot, NodeId node);
// TextHead, or the key where there is no text.
std::string ShownName(const Snapshot& snapshot, NodeId node);
// ShownName up to its first comma, at most 40 columns: for paths, where many names share a line.
std::string ShortName(const Snapshot& snapshot, NodeId node);

}  // namespace plexus::tools
