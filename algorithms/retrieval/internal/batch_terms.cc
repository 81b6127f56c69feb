// The terms of the texts that a batch writes, in the same batch; see terms.h. In an index of more
// than texts every document that the preview has otherwise is compared with its terms there.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "algorithms/common/internal/selection.h"
#include "algorithms/retrieval/internal/document.h"
#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/out_of_memory.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus::retrieval {

namespace {

using namespace internal;

constexpr std::size_t kGrain = 64;  // texts per task

// What becomes of one node's text.
struct Written {
  NodeRef node;         // one of its names
  NodeId id = kNoNode;  // kNoNode: new
  bool set = false;     // it has a text in the end
  std::string_view text;
  std::vector<StoredTerm> own;  // has_term edges as the batch leaves them: weight < 0 is unlinked
  TermDifference difference;
  bool changed = false;  // the text is not the stored one
};

class BatchTerms {
 public:
  BatchTerms(const Snapshot& snapshot, const TermOptions& terms, WriteBatch& batch,
             Executor& executor)
      : s_(snapshot),
        batch_(batch),
        executor_(executor),
        has_term_(ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm)),
        events_(terms.event_queries),
        pool_(terms) {}

  Result<IndexTermsReport> Run() {
    PLEXUS_TRY(batch_.CheckRefs());
    PLEXUS_ASSIGN(TermSplitter first, pool_.Acquire());  // fails here, once, or never
    pool_.Release(std::move(first));
    CollectTexts();
    if (written_.empty()) return IndexTermsReport();
    CollectEdges();
    PLEXUS_TRY(CompareAll());
    IndexTermsReport report;
    for (const Written& w : written_) {
      report.texts += w.set && w.changed;
      // What it was compared with. A removal takes with it whatever is there.
      if (!Removal(w.node, w.id)) batch_.ExpectEdges(w.node, builtin::kHasTerm, s_, w.id);
      FillTerms(batch_, w.node, w.difference, report);
    }
    return report;
  }

 private:
  NodeId Id(NodeRef node) const {
    if (!node.local()) return static_cast<NodeId>(node.index());
    return s_.Find(batch_.key(node)).value_or(kNoNode);
  }
  // A fact, or an event whose text is indexed.
  bool IsDocument(NodeRef node, NodeId id) const {
    if (id == kNoNode) {
      const std::string_view key = batch_.key(node);
      const std::size_t kind = key.find(kIndexSeparator);
      return kind == std::string_view::npos ||
             (events_ && key.substr(0, kind) == s_.schema().node_kind(builtin::kEvent).name);
    }
    return id < s_.node_count() &&  // an id beyond is for Apply to refuse
           (s_.is_fact(id) || (events_ && s_.node_kind(id) == builtin::kEvent));
  }

  // Edge operations before the last removal of the node: those edges and the stored ones are gone.
  // nullopt: it is not removed.
  std::optional<std::size_t> Removal(NodeRef node, NodeId id) const {
    if (id != kNoNode) {
      const auto at = removed_ids_.find(id);
      return at == removed_ids_.end() ? std::nullopt : std::optional(at->second);
    }
    const auto at = removed_keys_.find(batch_.key(node));
    return at == removed_keys_.end() ? std::nullopt : std::optional(at->second);
  }
  void NoteRemoval(NodeRef node, NodeId id, std::size_t edges_before) {
    if (id == kNoNode) {
      removed_keys_[batch_.key(node)] = edges_before;
      return;
    }
    removed_ids_[id] = edges_before;
    term_removed_ |= id < s_.node_count() && s_.node_kind(id) == builtin::kTerm;
  }

  // Where the node's text is written down; null: nowhere.
  Written* Find(NodeRef node, NodeId id) {
    if (id != kNoNode) {
      const auto at = by_id_.find(id);
      return at == by_id_.end() ? nullptr : &written_[at->second];
    }
    const auto at = by_key_.find(batch_.key(node));
    return at == by_key_.end() ? nullptr : &written_[at->second];
  }
  Written& Make(NodeRef node, NodeId id) {
    if (Written* there = Find(node, id)) return *there;
    const auto at = static_cast<std::uint32_t>(written_.size());
    if (id != kNoNode)
      by_id_.emplace(id, at);
    else
      by_key_.emplace(batch_.key(node), at);
    Written& made = written_.emplace_back();
    made.node = node;
    made.id = id;
    return made;
  }

  void CollectTexts() {
    batch_.ForEachTextChange([&](NodeRef node, WriteBatch::TextChange change, std::string_view text,
                                 std::size_t edges_before) {
      const NodeId id = Id(node);
      if (change == WriteBatch::TextChange::kRemoveNode)
        NoteRemoval(node, id, edges_before);  // of a term, too
      if (!IsDocument(node, id)) return;
      if (id == kNoNode && change != WriteBatch::TextChange::kSet && !Find(node, id))
        return;  // none exists
      Written& w = Make(node, id);
      w.set = change == WriteBatch::TextChange::kSet;
      w.text = text;
    });
  }

  bool IsHasTerm(EdgeKindRef kind) const {
    if (!kind.local()) return kind.id() == builtin::kHasTerm;
    const auto match = s_.schema().FindEdgeKind(batch_.edge_kind_name(kind));
    return match && match->kind == builtin::kHasTerm && !match->reversed;
  }

  // has_term edges that the batch writes or takes back for these nodes, and that no removal of an
  // end takes with it.
  void CollectEdges() {
    std::size_t at = 0;
    batch_.ForEachEdge(0, [&](NodeRef source, EdgeKindRef kind, NodeRef target,
                              std::optional<float> weight, std::string_view label) {
      const std::size_t edge = at++;
      if (!IsHasTerm(kind) || !label.empty()) return;
      Written* const w = Find(source, Id(source));
      const NodeId id = Id(target);
      if (!w || edge < Removal(w->node, w->id).value_or(0) ||
          edge < Removal(target, id).value_or(0))
        return;
      const std::string_view key = target.local()         ? batch_.key(target)
                                   : id < s_.node_count() ? s_.key(id)
                                                          : std::string_view();
      w->own.push_back({DisplayName(key), target, weight ? (*weight >= 0 ? *weight : 0) : -1});
    });
  }

  Status CompareAll() {
    const auto compare = [&](std::size_t begin, std::size_t end, TermSplitter& splitter) -> Status {
      for (std::size_t i = begin; i < end; ++i) PLEXUS_TRY(Compare(written_[i], splitter));
      return {};
    };
    return pool_.ForBlocks(executor_, written_.size(), kGrain, compare);
  }

  Status Compare(Written& w, TermSplitter& splitter) const {
    const bool removed = Removal(w.node, w.id).has_value();
    const bool was_there = w.id != kNoNode && s_.alive(w.id) && !removed;
    w.changed = true;
    if (was_there && w.set) {
      PLEXUS_ASSIGN(w.changed, IsOther(w.id, w.text));
      if (!w.changed && w.own.empty() && !term_removed_) return {};
    }
    if (!w.set && removed) return {};  // its edges went with it
    std::vector<TermCount> wanted;
    if (w.set) PLEXUS_SET(wanted, splitter.CountDocument(w.text, KeyOf(w)));
    std::vector<StoredTerm> stored;
    if (was_there) stored = StoredTerms(s_, w.id, has_term_);
    if (term_removed_)
      std::erase_if(stored, [&](const StoredTerm& there) {
        return removed_ids_.contains(there.node.index());
      });
    for (const StoredTerm& own : w.own) {  // in order: the last one counts
      std::erase_if(stored, [&](const StoredTerm& there) { return there.term == own.term; });
      if (own.weight >= 0) stored.push_back(own);
    }
    w.difference = DifferenceOf(std::move(wanted), std::move(stored));
    return {};
  }
  // Words of an event's key are no terms.
  std::string_view KeyOf(const Written& w) const {
    const std::string_view key = w.id == kNoNode ? batch_.key(w.node) : s_.key(w.id);
    return key.find(kIndexSeparator) == key.npos ? key : std::string_view();
  }
  // The stored text is another one, or none exists.
  Result<bool> IsOther(NodeId node, std::string_view text) const {
    const PayloadRef ref = s_.payload_ref(node, NodeField::kText);
    if (!ref) return true;
    const Result<std::string> stored = s_.Payload(ref);
    if (stored) return *stored != text;
    if (stored.error().code == ErrorCode::kNotFound) return true;  // purged
    return std::unexpected(stored.error());
  }

  const Snapshot& s_;
  WriteBatch& batch_;
  Executor& executor_;
  const ArcFilter has_term_;
  const bool events_;
  SplitterPool pool_;
  std::vector<Written> written_;
  boost::unordered_flat_map<NodeId, std::uint32_t> by_id_;
  boost::unordered_flat_map<std::string_view, std::uint32_t> by_key_;      // of new nodes
  boost::unordered_flat_map<NodeId, std::size_t> removed_ids_;             // Removal, of all nodes
  boost::unordered_flat_map<std::string_view, std::size_t> removed_keys_;  // of new nodes
  bool term_removed_ = false;                                              // one of the graph's
};

// --- an index of more than texts

struct Changed {
  TermDifference difference;
  bool has_content = false;
};

// Nodes whose parts, key or terms the batch writes, and that may have terms; ascending.
std::vector<NodeId> ChangedDocuments(const PreviewResult& preview, const TermOptions& terms) {
  const StateChanges& changes = preview.changes;
  std::vector<NodeId> nodes = changes.nodes;
  for (const StateChanges::Payload& payload : changes.payloads)
    if (payload.field == NodeField::kText || !terms.properties.empty())
      nodes.push_back(payload.node);
  for (const StateChanges::Edge& edge : changes.edges)
    if (edge.kind == builtin::kHasTerm) nodes.push_back(edge.source);
  for (NodeId v = changes.first_new; v < preview.snapshot.node_count(); ++v) nodes.push_back(v);
  std::ranges::sort(nodes);
  const auto repeated = std::ranges::unique(nodes);
  nodes.erase(repeated.begin(), repeated.end());
  std::erase_if(nodes, [&](NodeId node) {
    return !preview.snapshot.alive(node) || !IsIndexed(preview.snapshot, node, terms);
  });
  return nodes;
}

Result<std::vector<Changed>> Compare(const Snapshot& after, const std::vector<NodeId>& nodes,
                                     const TermOptions& terms, Executor& executor) {
  SplitterPool pool(terms);
  PLEXUS_ASSIGN(TermSplitter first, pool.Acquire());  // fails here, once, or never
  pool.Release(std::move(first));
  const ArcFilter has_term = ArcFilter::Kind(after.schema(), builtin::kHasTerm);
  std::vector<Changed> compared(nodes.size());
  const auto compare = [&](std::size_t begin, std::size_t end, TermSplitter& splitter) -> Status {
    for (std::size_t i = begin; i < end; ++i) {
      PLEXUS_ASSIGN(Document document, DocumentOf(after, nodes[i], terms, splitter));
      compared[i].has_content = document.has_content;
      compared[i].difference =
          DifferenceOf(std::move(document.terms), StoredTerms(after, nodes[i], has_term));
    }
    return {};
  };
  PLEXUS_TRY(pool.ForBlocks(executor, nodes.size(), kGrain, compare));
  return compared;
}

// A node of the preview, as the batch names it.
NodeRef InBatch(const Snapshot& before, const Snapshot& after, NodeId node, WriteBatch& batch) {
  if (node < before.node_count()) return NodeRef::Id(node);
  if (after.is_fact(node)) return batch.Node(after.key(node));
  return batch.IndexNode(after.node_kind(node), DisplayName(after.key(node)));
}

// As AddTerms, without the record, where properties or all keys are indexed: a document is then
// made of what the batch writes and of what the graph has, so the batch is looked at through its
// preview. A batch that the graph would refuse gets no terms; Apply says why.
Result<IndexTermsReport> AddDocumentTerms(const Snapshot& snapshot, const TermOptions& terms,
                                          WriteBatch& batch, Executor& executor) {
  PLEXUS_TRY(batch.CheckRefs());
  const Result<PreviewResult> preview = Preview(snapshot, batch, {.executor = &executor});
  if (!preview && preview.error().code == ErrorCode::kResourceExhausted)
    return std::unexpected(preview.error());
  if (!preview) return IndexTermsReport();
  const Snapshot& after = preview->snapshot;
  const std::vector<NodeId> nodes = ChangedDocuments(*preview, terms);
  PLEXUS_ASSIGN(std::vector<Changed> compared, Compare(after, nodes, terms, executor));
  IndexTermsReport report;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeId node = nodes[i];
    TermDifference& difference = compared[i].difference;
    for (NodeRef& term : difference.unlink)
      term = InBatch(snapshot, after, static_cast<NodeId>(term.index()), batch);
    ++(compared[i].has_content ? report.texts : report.without);
    const NodeRef ref = InBatch(snapshot, after, node, batch);
    // What it was compared with. A removal takes with it whatever is there.
    if (node >= snapshot.node_count()) {
      batch.ExpectEdges(ref, builtin::kHasTerm, snapshot, kNoNode);
    } else if (!std::ranges::binary_search(preview->removed, node)) {
      batch.ExpectEdges(ref, builtin::kHasTerm, snapshot, node);
      for (const NodeField field : {NodeField::kText, NodeField::kProperties})
        batch.ExpectPayload(ref, field, snapshot.payload_ref(node, field));
    }
    FillTerms(batch, ref, difference, report);
  }
  return report;
}

// With the options of the record, which the batch expects or writes.
Result<IndexTermsReport> AddTermsOf(const Snapshot& snapshot, const TermRecord& record,
                                    WriteBatch& batch, Executor* executor) {
  Executor& threads = common_internal::Pick(executor);
  PLEXUS_ASSIGN(const IndexTermsReport report,
                IndexesMore(record.terms)
                    ? AddDocumentTerms(snapshot, record.terms, batch, threads)
                    : BatchTerms(snapshot, record.terms, batch, threads).Run());
  const bool indexes = report.texts + report.without > 0;
  // Nothing is indexed of other batches either only because the options say so.
  if (batch.empty() || (!indexes && !record.stored)) return report;
  if (record.stored) {
    batch.ExpectPayload(TermRecordNode(batch), NodeField::kProperties, record.stored);
  } else {
    // The first text has a record also when it has no word.
    const bool others =
        HasTerms(snapshot) || CountNewerTexts(snapshot, 0, nullptr, record.terms) > 0;
    if (!others || HasTerms(snapshot) || report.linked > 0)
      PLEXUS_TRY(WriteTermRecord(batch, record, record.terms, others));
  }
  return report;
}

}  // namespace

Result<IndexTermsReport> AddTerms(const Snapshot& snapshot, WriteBatch& batch,
                                  Executor* executor) try {
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(snapshot));
  return AddTermsOf(snapshot, record, batch, executor);
}
PLEXUS_CATCH_NO_MEMORY

Result<IndexTermsReport> AddTerms(const Snapshot& snapshot, const TermOptions& terms,
                                  WriteBatch& batch, Executor* executor) try {
  PLEXUS_ASSIGN(TermRecord record, ReadTermRecord(snapshot));
  PLEXUS_TRY(CheckOptions(record, terms));
  record.terms = terms;
  return AddTermsOf(snapshot, record, batch, executor);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
