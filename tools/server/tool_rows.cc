// The table. Descriptions are for a model: when to use the tool, and one call of it.
#include "tools/server/tool_sets.h"

namespace plexus::tools::server {
namespace {

constexpr std::string_view kEventNames =
    "key=memoryId; events.key=; events.event_id=id; events.props=metadata";

std::vector<ToolRow> MemoryRows() {
  return {
      {"remember",
       "Remember",
       "Store one memory. Use it when you learn something that will matter later; the reply names "
       "what it may contradict or repeat. Example: {\"text\":\"Deploys stop on "
       "Fridays.\",\"tags\":[\"deploy\"]}",
       {{"text", "the text of the memory, in full sentences"},
        {"key", "a short name that stays (default: made of its first words)"},
        {"kind", "memory, decision, concept, ... (default: memory)"},
        {"tags"},
        {"source", "who said it, or where it is written"},
        {"relate", "KIND=KEY, such as supports=m3"},
        {"valid_from"},
        {"valid_until"}},
       {{"", "remember", "text, key, kind, tags, source, relate, valid_from, valid_until"}}},
      {"correct",
       "Correct",
       "A memory was wrong or is out of date: a new one supersedes it, and the past keeps both. "
       "Example: {\"old\":\"m1\",\"text\":\"Deploys stop on Thursdays.\"}",
       {{"old", "key of the memory that no longer holds"},
        {"text", "what holds instead"},
        {"key", "its key (default: made of its first words)"},
        {"tags"},
        {"reason"}},
       {{"", "correct", "old, text, key, tags, reason"}}},
      {"recall",
       "Recall",
       "Find what is known about something before you answer or act. Shows relations, and what "
       "contradicts or supersedes. Example: {\"words\":\"gateway keys\",\"limit\":5}",
       {{"words", "what you look for"},
        {"from", "keys: rank what is near them higher"},
        {"limit", "at most so many memories"},
        {"hops", "relations so many edges away; 0: none"},
        {"kinds", "edge kinds of relations"},
        {"include_superseded", "old states, too"}},
       {{"", "recall", "words, from, limit=top, hops, kinds, include_superseded", "", "", "hits"}},
       false,
       true},
      {"relate",
       "Relate",
       "Add an edge between two memories. Example: "
       "{\"source\":\"m1\",\"kind\":\"supports\",\"target\":\"d1\"}",
       {{"source"},
        {"kind", "supports, contradicts, causes, related, ..."},
        {"target"},
        {"weight"},
        {"label"}},
       {{"", "link", "source, kind, target, weight, label"}}},
      {"forget",
       "Forget",
       "Remove a memory or a relation. The past keeps it; purge erases it for good. "
       "Example: {\"key\":\"m1\"} or {\"action\":\"unlink\",\"key\":\"m1\",\"kind\":\"supports\","
       "\"target\":\"d1\"}",
       {{"key", "the memory; of unlink the source"},
        {"kind", "of unlink: the edge's kind; any: all"},
        {"target", "of unlink"}},
       {{"remove", "remove", "key"},
        {"unlink", "unlink", "key=source, kind, target"},
        {"purge", "purge", "key"}}},
      {"explore",
       "Explore",
       "See what is around memories, or how two belong together. Example: "
       "{\"from\":[\"m1\"],\"hops\":2} or {\"action\":\"path\",\"from\":\"m1\",\"to\":\"m9\"}",
       {{"from", "key, or keys"},
        {"to", "of path: the other end"},
        {"hops", "at most so many edges away"},
        {"kinds", "only these edge kinds"},
        {"direction", "both, out or in"}},
       {{"neighborhood", "neighborhood", "from, hops, kinds, direction", "max_nodes=200"},
        {"path", "path", "from, to, kinds, direction"},
        {"node", "get", "from=key"}},
       false,
       true},
      {"conflicts",
       "Conflicts",
       "See which memories contradict each other, and settle it: supersede one, drop one, or keep "
       "both. Example: {} or "
       "{\"action\":\"resolve\",\"a\":\"k1\",\"b\":\"k2\",\"supersede\":\"k1\"}",
       {{"key", "of this memory"},
        {"limit", "at most so many"},
        {"a", "one side"},
        {"b", "the other side"},
        {"supersede", "key of the side that is superseded"},
        {"drop", "key of the side that is removed"},
        {"keep_both", "both are right"},
        {"note", "why"}},
       {{"list", "conflicts_list", "key, limit=top", "", "", "conflicts"},
        {"candidates", "conflicts_candidates", "key, limit=top", "", "", "candidates"},
        {"resolve", "conflicts_resolve", "a, b, supersede, drop, keep_both, note"}}},
      {"record_use",
       "Record use",
       "Say which memories you used together, and what came of it, so that the ledger learns. "
       "Example: {\"query\":\"why twice\",\"members\":[\"m1:primary\",\"m3\"],\"outcome\":"
       "\"helpful\"}",
       {{"query", "what was asked"},
        {"members", "KEY or KEY:ROLE (primary, supporting, contradicting, superseded, related)"},
        {"outcome", "helpful, dead_end, ... as ledger labels"},
        {"notes", "why"}},
       {{"event", "ledger_record", "query, members=member", "tool=record_use"},
        {"outcome", "ledger_label", "outcome=type, notes"}},
       false,
       false,
       Runs::kThen},
      {"what_next",
       "What next",
       "What is worth a look: conflicts and overdue decisions, memories that were never put "
       "together, and what led nowhere. Example: {\"limit\":5}",
       {{"limit", "at most so many of each"}, {"tags", "of these tags"}},
       {{"queue", "decisions_queue", "limit=top"},
        {"frontier", "frontier", "limit=top, tags", "lens=likely"},
        {"bounty", "bounty", "limit, tags"}},
       false,
       false,
       Runs::kAll},
      {"status",
       "Status",
       "How large the memory is, and of which kinds. Example: {}",
       {},
       {{"", "stats", ""}}},
  };
}

std::vector<ToolRow> LedgerRows() {
  return {
      {"composed_graph",
       "Composed graph",
       "The ledger of what was used together: recent events, one event, a memory's events and "
       "neighbors, pairs never composed, a label for an outcome, and bounties. Example: "
       "{\"action\":\"never_composed\",\"limit\":10}",
       {{"memory_id"},
        {"event_id"},
        {"limit"},
        {"tags"},
        {"cursor"},
        {"outcome_type"},
        {"notes"},
        {"label_source"},
        {"confidence_delta"}},
       {{"recent", "ledger_recent", "limit, tags, cursor", "", kEventNames},
        {"get", "ledger_get", "event_id=event", "",
         "event.key=; event.event_id=id; event.props=metadata; event.outcomes=; "
         "members.key=memory_id; members.props=metadata; outcomes.key=; outcomes.props=metadata"},
        {"memory", "ledger_memory", "memory_id=key, limit, cursor", "", kEventNames},
        {"neighbors", "ledger_neighbors", "memory_id=key, limit, cursor", "",
         "key=memoryId; neighbors.key=memoryId"},
        {"never_composed", "frontier", "tags, limit=top, cursor", "lens=surface",
         "candidates.ids=firstId|secondId; candidates.nodeTypes=; candidates.previews="},
        {"label", "ledger_label",
         "event_id=event, outcome_type=type, notes, label_source=source, confidence_delta", "",
         "event_id=eventId; outcome.key=; outcome.props=metadata"},
        {"bounty_mode", "bounty", "tags, limit", "lens=surface",
         "neverComposedLanes.ids=firstId|secondId; topWeirdCombinations.ids=firstId|secondId; "
         "alreadyComposedLanes.event.event_id=id; closedDoors.event.event_id=id; "
         "duplicateRiskLanes.event.event_id=id; needsPocLanes.event.event_id=id; "
         "alreadyComposedLanes.members.key=memory_id; closedDoors.members.key=memory_id; "
         "duplicateRiskLanes.members.key=memory_id; needsPocLanes.members.key=memory_id"}},
       true},
      {"deep_reference",
       "Deep reference",
       "Recall with evidence, recorded in the ledger. Example: {\"query\":\"gateway keys\"}",
       {{"query"}, {"limit"}},
       {{"", "recall", "query=words, limit=top", "record=true; tool=deep_reference"}}},
  };
}

std::vector<ToolRow> ConceptRows() {
  return {
      {"concept_upsert",
       "Concept",
       "Make a concept. Example: {\"concept\":\"apple\"}",
       {{"concept"}},
       {{"", "concept_upsert", "concept=name"}}},
      {"concept_update_affect",
       "Affect",
       "Add to a concept's valence. Example: {\"concept\":\"apple\",\"valence_delta\":0.4}",
       {{"concept"}, {"valence_delta"}},
       {{"", "concept_affect", "concept=name, valence_delta=delta"}}},
      {"episode_add",
       "Episode",
       "Add what happened. Example: {\"summary\":\"Baked\",\"concepts\":[\"apple\"],"
       "\"valence\":0.6}",
       {{"summary"}, {"concepts"}, {"valence"}},
       {{"", "concept_episode", "summary, concepts, valence"}}},
      {"relation_add",
       "Relation",
       "Relate two concepts. Example: {\"from\":\"apple\",\"to\":\"fruit\",\"type\":\"is-a\"}",
       {{"from"}, {"to"}, {"type"}},
       {{"", "concept_relate", "from=source, to=target, type=kind"}}},
      {"recall_query",
       "Recall",
       "Find what is related to concepts. Example: {\"seeds\":[\"apple\"],\"max_hop\":2}",
       {{"seeds"}, {"max_hop"}},
       {{"", "concept_recall", "seeds, max_hop=hops"}}},
  };
}

std::vector<ToolRow> DecisionRows() {
  return {
      {"linkDecisions",
       "Link decisions",
       "Add an edge between two decisions. Example: "
       "{\"sourceId\":\"d2\",\"targetId\":\"d1\",\"edgeType\":\"depends_on\"}",
       {{"sourceId"}, {"targetId"}, {"edgeType"}, {"weight"}, {"createdBy"}},
       {{"", "link",
         "sourceId=source, targetId=target, edgeType=kind, weight, "
         "createdBy=created_by"}}},
      {"unlinkDecisions",
       "Unlink decisions",
       "Remove edges between two decisions. Example: "
       "{\"sourceId\":\"d2\",\"targetId\":\"d1\"}",
       {{"sourceId"}, {"targetId"}, {"edgeType"}},
       {{"", "decisions_unlink", "sourceId=source, targetId=target, edgeType=kinds"}}},
      {"getGraph",
       "Graph",
       "What is around a decision. Example: {\"nodeId\":\"d1\",\"depth\":2}",
       {{"nodeId"}, {"depth"}, {"edgeTypes"}, {"direction"}},
       {{"", "neighborhood", "nodeId=from, depth=hops, edgeTypes=kinds, direction", "hops=1"}}},
      {"getNeighbors",
       "Neighbors",
       "The edges of a decision, the strongest first. Example: {\"nodeId\":\"d1\"}",
       {{"nodeId"}, {"direction"}, {"edgeType"}, {"limit"}},
       {{"", "neighbors", "nodeId=key, direction, edgeType=kinds, limit=top", "", "",
         "neighbors"}}},
      {"findPath",
       "Path",
       "Find a path between two decisions. Example: {\"fromId\":\"d3\",\"toId\":\"d1\"}",
       {{"fromId"}, {"toId"}},
       {{"", "path", "fromId=from, toId=to", "direction=both"}}},
      {"getAncestors",
       "Ancestors",
       "What a decision depends on. Example: {\"id\":\"d4\"}",
       {{"id"}},
       {{"", "decisions_ancestors", "id=key"}}},
      {"getDescendants",
       "Descendants",
       "What depends on a decision. Example: {\"id\":\"d1\"}",
       {{"id"}},
       {{"", "decisions_descendants", "id=key"}}},
      {"findContradictions",
       "Contradictions",
       "Active decisions that contradict each other. Example: {}",
       {{"limit"}},
       {{"", "decisions_contradictions", "limit=top", "", "", "conflicts"}}},
      {"getBlockedChain",
       "Blocked",
       "What a decision waits for, and the roots of it. Example: {\"id\":[\"d4\"]}",
       {{"id"}},
       {{"", "decisions_blocked", "id=keys"}}},
      {"getHighSalience",
       "Salience",
       "The decisions that others depend on most. Example: {\"limit\":10}",
       {{"limit"}},
       {{"", "decisions_salience", "limit=top", "", "", "nodes"}}},
      {"readyQueue",
       "Queue",
       "List decisions to review next. Example: {\"limit\":10}",
       {{"limit"}},
       {{"", "decisions_queue", "limit=top", "", "", "items"}}},
  };
}

std::vector<ToolRow> RetrievalRows() {
  return {
      {"rag_search",
       "RAG search",
       "Search texts by words, ranked with the graph around the hits. Example: "
       "{\"query\":\"gateway keys\",\"max_hops\":1}",
       {{"query"},
        {"graph_rerank", "whether the graph around the hits counts", true},
        {"max_hops"},
        {"inscription"},
        {"top_k"}},
       {{"", "retrieve",
         "query=words, graph_rerank=graph_boost, max_hops=hops, inscription, top_k=top", "plan=rag",
         "hits=results; hits.key=id; hits.text=content; hits.relevance=; "
         "hits.score=final_score; hits.terms=*"}}}};
}

}  // namespace

const std::vector<ToolRow>& ToolRows() {
  static const std::vector<ToolRow> rows = [] {
    std::vector<ToolRow> all;
    const auto add = [&](std::string_view set, std::vector<ToolRow> made) {
      for (ToolRow& row : made) all.emplace_back(std::move(row)).set = set;
    };
    add("memory", MemoryRows());
    add("ledger", LedgerRows());
    add("concepts", ConceptRows());
    add("decisions", DecisionRows());
    add("retrieval", RetrievalRows());
    return all;
  }();
  return rows;
}

}  // namespace plexus::tools::server
