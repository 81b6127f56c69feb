// Hard purge: the log rewritten into a new generation, as if some nodes had never
// said anything. A soft purge does so with the terms and tags that only purged nodes had.
//
// Node ids are permanent, so a hard-purged node stays as a dead node under a
// placeholder key; its edges, columns, payloads and vectors, and those of the events
// it was a member of and of their outcomes, and the terms that nobody else is
// known to have had, are left out of every record. The new
// generation is complete and synced before the anchor switches to it; a crash
// before that leaves the old one, after it the old one is deleted at the next open.
#include <algorithm>
#include <set>

#include <rocksdb/write_batch.h>

#include "engine/no_memory.h"
#include "engine/vocabulary.h"
#include "storage/checkpoint.h"
#include "storage/database_impl.h"
#include "storage/log_scope.h"
#include "storage/mask.h"
#include "storage/orphan_terms.h"
#include "storage/referenced.h"

namespace plexus::storage {

namespace {

using NodeSet = std::set<NodeId>;

// Events that ever had a node of `nodes` as a member, and outcomes of those.
void AddFollowers(const std::vector<EdgeChange>& edges, KindId kind, const NodeSet& nodes,
                  NodeSet& found) {
  for (const EdgeChange& e : edges)
    if (e.kind == kind && nodes.contains(e.target)) found.insert(e.source);
}

class Rewriter {
 public:
  Rewriter(Database::Impl& db, NodeSet nodes, const Snapshot& now)
      : db_(db), nodes_(std::move(nodes)), now_(now) {}

  Status FindFollowers();
  Status FindTerms();
  void Add(NodeSet words) { nodes_.merge(words); }
  bool empty() const { return nodes_.empty(); }
  // Fills `to` (new, empty); returns the new log's end.
  Result<LogPoint> Rewrite(const std::shared_ptr<Rocks>& to, Progress* progress);

 private:
  template <class Fn>
  Status ForEachEdgeList(Fn&& fn);
  std::string Placeholder(NodeId node, KindId kind) const;
  Result<GraphState> CleanFloor() const;
  void Clean(DecodedRecord& decoded, NodeSet& dropped) const;
  Status CopyPayloads(const DecodedRecord& decoded, const NodeSet& dropped,
                      const std::shared_ptr<Rocks>& to, rocksdb::WriteBatch& batch) const;
  bool Gone(NodeId node) const { return nodes_.contains(node); }

  Database::Impl& db_;
  NodeSet nodes_;
  const Snapshot& now_;
};

template <class Fn>
Status Rewriter::ForEachEdgeList(Fn&& fn) {
  if (db_.floor().sequence > 0) {
    LoadRequest request = db_.Request();
    request.target = db_.floor().sequence;
    PLEXUS_ASSIGN(const Loaded floor, LoadState(db_.rocks, request));
    fn(ListEdges(*floor.state->base, *floor.state->schema).edges);
  }
  LogCursor cursor(db_.rocks, db_.floor());
  for (;;) {
    PLEXUS_ASSIGN(const bool more, cursor.Next());
    if (!more) return {};
    fn(cursor.record().record.edges);
  }
}

Status Rewriter::FindFollowers() {
  NodeSet events, outcomes;
  PLEXUS_TRY(ForEachEdgeList([&](const std::vector<EdgeChange>& edges) {
    AddFollowers(edges, kMember, nodes_, events);
  }));
  if (!events.empty())
    PLEXUS_TRY(ForEachEdgeList([&](const std::vector<EdgeChange>& edges) {
      AddFollowers(edges, kLabels, events, outcomes);
    }));
  PLEXUS_TRY(FindTerms());
  nodes_.merge(events);
  nodes_.merge(outcomes);
  return {};
}

// Terms that no other node is known to have had: their keys are words of the purged texts
// alone, or of texts replaced before the history floor, whoever had those.
Status Rewriter::FindTerms() {
  NodeSet terms;
  for (NodeId v = 0; v < now_.node_count(); ++v)
    if (now_.node_kind(v) == kTerm) terms.insert(v);
  if (terms.empty()) return {};
  PLEXUS_TRY(ForEachEdgeList([&](const std::vector<EdgeChange>& edges) {
    for (const EdgeChange& e : edges) {
      if (!Gone(e.source)) terms.erase(e.target);
      if (!Gone(e.target)) terms.erase(e.source);
    }
  }));
  nodes_.merge(terms);
  return {};
}

std::string Rewriter::Placeholder(NodeId node, KindId kind) const {
  std::string name = "purged-" + std::to_string(node), key;
  do {
    const NodeKind& traits = now_.schema().node_kind(kind);
    key = traits.plane == Plane::kIndex ? IndexKey(traits.name, name) : name;
    name += "-";
  } while (now_.Find(key));
  return key;
}

void Rewriter::Clean(DecodedRecord& decoded, NodeSet& dropped) const {
  Record& r = decoded.record;
  auto drop = [&](PayloadRef ref) {
    if (ref && ref.sequence() == r.sequence) dropped.insert(ref.ordinal());
  };
  std::erase_if(r.node_changes, [&](const NodeChange& c) { return Gone(c.node); });
  std::erase_if(r.columns, [&](const ColumnChange& c) { return Gone(c.node); });
  std::erase_if(r.payload_changes, [&](const PayloadChange& c) {
    if (Gone(c.node)) drop(c.ref);
    return Gone(c.node);
  });
  std::erase_if(r.vectors, [&](const VectorChange& c) {
    if (Gone(c.node)) drop(c.ref);
    return Gone(c.node);
  });
  FilterEdges(r.edges, r.edge_extras, [&](const EdgeChange& e, EdgeExtra* extra) {
    const bool gone = Gone(e.source) || Gone(e.target);
    if (gone && extra) drop(extra->properties);
    return gone;
  });
  std::string bytes;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<NodeChange> born_dead;
  for (std::size_t i = 0; i < r.node_kinds.size(); ++i) {
    const NodeId node = r.first_node + static_cast<NodeId>(i);
    if (Gone(node)) {
      bytes += Placeholder(node, r.node_kinds[i]);
      born_dead.push_back({node, NodeChange::kPurge, 0});
    } else {
      bytes.append(r.key_bytes, r.key_offsets[i], r.key_offsets[i + 1] - r.key_offsets[i]);
    }
    offsets.push_back(bytes.size());
  }
  if (r.node_kinds.empty()) return;
  r.key_bytes = std::move(bytes);
  r.key_offsets = std::move(offsets);
  r.node_changes.insert(r.node_changes.begin(), born_dead.begin(), born_dead.end());
}

Status Rewriter::CopyPayloads(const DecodedRecord& decoded, const NodeSet& dropped,
                              const std::shared_ptr<Rocks>& to, rocksdb::WriteBatch& batch) const {
  for (std::uint32_t i = 0; i < decoded.payloads.size(); ++i) {
    const std::string key = PayloadKey(decoded.head.sequence, i);
    rocksdb::PinnableSlice value;
    if (!dropped.contains(i))
      PLEXUS_TRY(Check(db_.rocks->db()->Get(ScanOptions(), db_.rocks->payload(), key, &value),
                       "payload (" + std::to_string(decoded.head.sequence) + ", " +
                           std::to_string(i) + ")"));
    batch.Put(to->payload(), key, value).PermitUncheckedError();
  }
  return {};
}

// The state at the history floor without the nodes.
Result<GraphState> Rewriter::CleanFloor() const {
  LoadRequest request = db_.Request();
  request.target = db_.floor().sequence;
  PLEXUS_ASSIGN(const Loaded floor, LoadState(db_.rocks, request));
  GraphState state = *floor.state;
  StringTable keys;
  PagedArray<std::uint8_t> flags(std::move(state.node_flags), 0);
  std::vector<NodeId> gone;
  for (NodeId v = 0; v < floor.state->keys.size(); ++v) {
    if (!Gone(v)) {
      keys.Insert(floor.state->keys[v]);
      continue;
    }
    gone.push_back(v);
    keys.Insert(Placeholder(v, state.node_kinds[v]));
    if (flags[v] & kAlive) --state.nodes_by_kind[state.node_kinds[v]];
    flags.Set(v, kPurged);
  }
  state.keys = keys.Publish();
  state.node_flags = flags.Publish();
  for (std::size_t c = 0; c < state.columns.size(); ++c) {
    const std::uint64_t absent = AbsentBits(state.schema->columns()[c].type);
    PagedArray<std::uint64_t> column(std::move(state.columns[c]), absent);
    for (NodeId v : gone)
      if (v < column.size()) column.Set(v, absent);
    state.columns[c] = column.Publish();
  }
  PLEXUS_ASSIGN(state, PurgeMask(gone).Apply(std::move(state), db_.executor()));
  EdgeList list = ListEdges(*state.base, *state.schema);
  FilterEdges(list.edges, list.extras, [&](const EdgeChange& e, EdgeExtra*) {
    const bool drop = Gone(e.source) || Gone(e.target);
    if (drop) --state.edges_by_kind[e.kind];
    return drop;
  });
  PLEXUS_ASSIGN(state.base, BuildCsr(state.base->node_count, list.edges, list.extras,
                                     *state.schema, state.base->sequence, db_.executor()));
  return state;
}

Result<LogPoint> Rewriter::Rewrite(const std::shared_ptr<Rocks>& to, Progress* progress) {
  rocksdb::WriteOptions unlogged;  // flushed and synced as a whole at the end
  unlogged.disableWAL = true;
  if (db_.floor().sequence > 0) {
    // Payloads that the floor still needs without what is purged: neither the nodes' own
    // nor those of events and edges that go with them.
    PLEXUS_ASSIGN(GraphState state, CleanFloor());
    const std::vector<std::uint64_t> needed = ReferencedBy(state);
    std::unique_ptr<rocksdb::Iterator> it(
        db_.rocks->db()->NewIterator(ScanOptions(), db_.rocks->payload()));
    const std::string end = PayloadKey(db_.floor().sequence + 1, 0);
    for (it->SeekToFirst(); it->Valid() && it->key().compare(end) < 0; it->Next()) {
      Sequence sequence = 0;
      std::uint32_t ordinal = 0;
      if (!ParsePayloadKey(it->key(), &sequence, &ordinal))
        return Fail(ErrorCode::kCorruption, db_.rocks->path() + ", payload: a key that is none");
      if (std::binary_search(needed.begin(), needed.end(), PayloadRef::Make(sequence, ordinal).bits))
        PLEXUS_TRY(Check(to->db()->Put(unlogged, to->payload(), it->key(), it->value()), to->path()));
    }
    PLEXUS_TRY(Check(it->status(), db_.rocks->path()));
    PLEXUS_TRY(WriteCheckpoint(to, Snapshot(std::make_shared<const GraphState>(std::move(state))),
                               db_.anchor.graph_id, 1, db_.floor().hash,
                               db_.scratch_path("checkpoint"), db_.executor(), progress));
  }
  LogPoint point = db_.floor();
  LogCursor cursor(db_.rocks, db_.floor());
  for (;;) {
    PLEXUS_ASSIGN(const bool more, cursor.Next());
    if (!more) break;
    DecodedRecord& decoded = cursor.record();
    NodeSet dropped;
    Clean(decoded, dropped);
    for (std::uint32_t ordinal : dropped)
      if (ordinal < decoded.payloads.size()) decoded.payloads[ordinal] = {};
    PLEXUS_ASSIGN(const EncodedRecord encoded,
                  EncodeRecord(decoded.record, decoded.payloads, point.hash));
    point = {decoded.head.sequence, encoded.running_hash};
    rocksdb::WriteBatch batch;
    PLEXUS_TRY(CopyPayloads(decoded, dropped, to, batch));
    batch.Put(to->log(), LogKey(point.sequence), encoded.bytes).PermitUncheckedError();
    PLEXUS_TRY(Check(to->db()->Write(unlogged, &batch), to->path()));
    if (progress && !progress->Report("rewriting", point.sequence, now_.sequence()))
      return Fail(ErrorCode::kCancelled, "rewriting the log was stopped; nothing was rewritten");
  }
  for (const auto& [node, sequence] : db_.Purged()) {
    if (Gone(node)) continue;
    std::string value(8, '\0');
    for (int i = 0; i < 8; ++i) value[static_cast<std::size_t>(i)] = static_cast<char>(sequence >> (8 * i));
    PLEXUS_TRY(Check(to->db()->Put(unlogged, to->meta(), NodeMetaKey(kPurgedPrefix, node), value),
                     to->path()));
  }
  PLEXUS_TRY(to->FlushAll());
  return point;
}

}  // namespace

Status Database::HardPurge(std::span<const NodeId> nodes, Progress* progress) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Writable());
  LogScope log(d.options.graph.on_log, "hard_purge");
  const Snapshot now = snapshot();
  for (NodeId node : nodes)
    if (node >= now.node_count())
      return Fail(ErrorCode::kNotFound, "there is no node " + std::to_string(node));
  // The soft purge first: it removes the nodes from the live graph with all checks,
  // and erases what payloads they still have.
  WriteBatch batch(now.time_ms());
  for (NodeId node : nodes)
    if (now.alive(node)) batch.PurgeNode(NodeRef::Id(node));
  for (const NodeId term : OrphanTerms(now, NodeSet(nodes.begin(), nodes.end())))
    batch.RemoveNode(NodeRef::Id(term));
  if (!batch.empty()) PLEXUS_TRY(graph().Apply(batch));
  std::lock_guard guard(d.maintenance);
  PLEXUS_TRY(d.journal->FlushBulk());
  PLEXUS_TRY(d.ScrubNow(progress));
  PLEXUS_TRY(d.RewriteWithout(NodeSet(nodes.begin(), nodes.end()), progress));
  return log.Done(d.CheckpointNow(progress));
} catch (const std::bad_alloc&) {
  return OutOfMemory();
}

Status Database::Impl::RewriteWithout(std::set<NodeId> nodes, Progress* progress) {
  PLEXUS_TRY(journal->FlushBulk());
  PLEXUS_TRY(journal->WaitDurable(journal->position().sequence));
  std::set<NodeId> words;
  if (words_wait) {
    PLEXUS_ASSIGN(words, FindPurgedWords());
  }
  Anchor next = anchor;
  {
    const Snapshot now = graph->snapshot();
    Rewriter rewriter(*this, std::move(nodes), now);
    if (!rewriter.empty()) PLEXUS_TRY(rewriter.FindFollowers());
    rewriter.Add(std::move(words));
    if (rewriter.empty()) {
      words_wait = false;
      return DropScrubMarks();
    }
    ++next.generation;
    next.checkpoint_id = 0;
    next.checkpoint_sequence = 0;
    next.checkpoint_digest = 0;
    const std::string path = GenerationPath(directory, next.generation);
    PLEXUS_TRY(files->RemoveTree(path));
    PLEXUS_ASSIGN(const std::shared_ptr<Rocks> to, Rocks::Open(path, Rocks::Mode::kCreate, files));
    PLEXUS_ASSIGN(const LogPoint end, rewriter.Rewrite(to, progress));
    next.sequence = end.sequence;
    next.log_hash = end.hash;
    PLEXUS_TRY(to->Close());
  }
  ReachPoint(options.hooks, "hard_purge.before_switch");
  // From here on the old generation is history.
  const std::unique_lock renewing(renewal);
  PLEXUS_TRY(journal->Close());
  store->Attach(nullptr);
  store->ForgetCache();
  store->NoteTrim(floor().sequence);  // the new generation has what the present needs
  auto finish = [&]() -> Status {
    PLEXUS_TRY(rocks->Close());
    rocks.reset();
    PLEXUS_TRY(WriteAnchor(directory, next, *files));
    anchor = next;
    NoteFloor();
    ReachPoint(options.hooks, "hard_purge.switched");
    const OpenReport opened = report;  // tells of the open, not of this look
    auto loaded_or = LookAndLoad(false);
    report = opened;
    PLEXUS_ASSIGN(const Loaded loaded, std::move(loaded_or));
    PLEXUS_TRY(AttachWriter(loaded));
    StartGraph(loaded, journal);
    std::lock_guard past_guard(past_mutex);
    past.clear();
    words_wait = false;
    return {};
  };
  // What it throws, too: closing would mark the new generation with the old one's end.
  Status status = OrNoMemory(finish);
  if (!status) {  // nothing more can be done with this object
    closed = true;
    (void)journal->Close();
    store->Attach(nullptr);
    if (rocks) (void)rocks->Close();
    rocks.reset();
    lock.Release();
  }
  return status;
}

}  // namespace plexus::storage
