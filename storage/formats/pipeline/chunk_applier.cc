// Applying parsed pieces: counts, refused records, records that need the graph, as those that
// replace or merge what is stored: tags, members, event attributes.
//
// Parsers run ahead of the graph, so a list that replaces the stored one cannot
// unlink what is missing from it; this is done here, against the snapshot that the
// batch is applied to. The unlinks go first: the batch itself then links what the
// list names. The batch expects the lists and properties of known nodes as they are: when another
// writer was faster it is made again. Within the batch the parser has kept later lines true to
// earlier ones.
#include <algorithm>

#include "storage/formats/base/properties.h"
#include "storage/formats/pipeline/pipeline.h"

namespace plexus::formats::internal {

namespace {

std::uint64_t Rest(std::uint64_t all, std::uint64_t some) { return all > some ? all - some : 0; }

void UnlinkMissing(const Snapshot& snapshot, const ListReplacement& list, WriteBatch& before) {
  const auto id = snapshot.Find(list.node);
  if (!id || !snapshot.alive(*id)) return;
  before.ExpectEdges(NodeRef::Id(*id), list.kind, snapshot, *id);
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), list.kind);
  snapshot.ForEachArc(Direction::kOut, *id, filter, [&](const Arc& arc) {
    const Edge edge = snapshot.edge(arc, *id);
    if (!list.labelled && edge.label != 0) return;
    ListReplacement::Item item{std::string(snapshot.key(arc.neighbor)),
                               std::string(snapshot.string(edge.label))};
    if (std::binary_search(list.items.begin(), list.items.end(), item)) return;
    before.Unlink(NodeRef::Id(*id), list.kind, NodeRef::Id(arc.neighbor), item.label);
  });
}

Status MergeStored(const Snapshot& snapshot, const PropertyPatch& patch, WriteBatch& after) {
  if (patch.fresh) return {};  // what the batch itself sets is all
  const auto id = snapshot.Find(patch.node);
  if (!id || !snapshot.alive(*id)) return {};
  after.ExpectPayload(NodeRef::Id(*id), NodeField::kProperties,
                      snapshot.payload_ref(*id, NodeField::kProperties));
  Result<std::string> stored = snapshot.Payload(*id, NodeField::kProperties);
  if (!stored) {
    if (stored.error().code == ErrorCode::kNotFound) return {};
    return std::unexpected(stored.error());
  }
  std::string base = std::move(*stored);
  if (patch.replaces_rest) PLEXUS_SET(base, KeepReserved(base));
  PLEXUS_ASSIGN(const std::string merged, MergeProperties(base, patch.patch));
  PutPayload(after, NodeRef::Id(*id), NodeField::kProperties, merged);
  return {};
}

// Operations that make a replaced list or a merged map true in `snapshot`: to be put
// before (`before`) and after (`after`) the piece's own.
Status PrepareReplacements(const Snapshot& snapshot, const Piece& piece, WriteBatch& before,
                           WriteBatch& after) {
  if (snapshot.node_count() == 0) return {};
  for (const ListReplacement& list : piece.lists)
    if (snapshot.CountEdges(list.kind) > 0) UnlinkMissing(snapshot, list, before);
  for (const PropertyPatch& patch : piece.patches) PLEXUS_TRY(MergeStored(snapshot, patch, after));
  return {};
}

}  // namespace

void PieceApplier::AddError(std::uint64_t line, std::string reason) {
  run_.AddError(file_, InFile(line), std::move(reason));
}

Piece PieceApplier::Parse(std::string_view text, std::uint64_t first_line) {
  ParseContext context = run_.Context();
  context.max_ops = SIZE_MAX;
  context.lines_before = lines_before_;
  Piece piece = NewPiece(context, first_line);
  piece.text = text;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint64_t line =
        first_line + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    at += parser_.Parse(text.substr(at), line, context, piece);
    if (piece.stopped) break;
  }
  return piece;
}

Result<ApplyReport> PieceApplier::ApplyBatch(Piece& piece) {
  // A check has done so; without one, each record counts by itself, wherever batches are cut.
  if (run_.options.on_error == OnImportError::kSkip)
    PLEXUS_TRY(piece.batch.CheckValues(run_.graph.snapshot()));
  ++run_.report.batches;
  if (!piece.lists.empty() || !piece.patches.empty()) {
    WriteBatch before(run_.options.now_ms), after(run_.options.now_ms);
    PLEXUS_TRY(PrepareReplacements(run_.graph.snapshot(), piece, before, after));
    if (!before.empty() || !after.empty()) {
      before.Append(piece.batch);
      before.Append(after);
      piece.batch = std::move(before);
    }
  }
  Status done;
  if (run_.options.complete) done = run_.options.complete(run_.graph.snapshot(), piece.batch);
  if (done && run_.options.position) {
    const auto lines = static_cast<std::uint64_t>(std::ranges::count(piece.text, '\n'));
    done = run_.options.position(piece.first_line + lines, piece.batch);
  }
  not_the_records_fault_ |= !done;
  PLEXUS_TRY(done);
  return run_.graph.Apply(piece.batch, run_.options.apply);
}

Result<ApplyReport> PieceApplier::DryRun(const Piece& piece) {
  PLEXUS_TRY(piece.batch.CheckValues(run_.start));
  PLEXUS_TRY(run_.check.Take(piece));
  if (run_.options.strict) run_.stubs.Take(file_, lines_, piece, run_.start);
  run_.entries.insert(run_.entries.end(), piece.entries.begin(), piece.entries.end());
  return ApplyReport();
}

Status PieceApplier::Apply(Piece& piece) {
  ApplyReport report;
  if (run_.collector) {
    PLEXUS_TRY(run_.collector->Take(piece));
  } else if (Waits(piece)) {
    return waiting_bytes_ < run_.may_wait ? Status() : ApplyWaiting();
  } else if (run_.checking || !piece.batch.empty()) {
    PLEXUS_TRY(ApplyWaiting());
    if (run_.report.stopped) return {};
    Result<ApplyReport> applied = run_.checking ? DryRun(piece) : ApplyBatch(piece);
    if (!applied && applied.error().code == ErrorCode::kConflict && conflicts_++ < kMaxConflicts) {
      --run_.report.batches;  // another writer was faster: the same again, made of what is there
      Piece again = Parse(piece.text, piece.first_line);
      return Apply(again);
    }
    if (!applied) {
      if (not_the_records_fault_ || !IsRecordError(run_.graph, applied.error()))
        return std::unexpected(applied.error());
      const std::size_t head = parser_.RecordLength(piece.text);
      if (head < piece.text.size()) return BisectRefused(piece);
      AddError(piece.first_line, applied.error().message);
      return {};
    }
    conflicts_ = 0;
    report = *applied;
  }
  if (!run_.checking && !run_.collector)
    BookApplied(report, piece.fact_edges, piece.restated, piece.events);
  RecordCounts(piece, WarningsOf(piece), InFile(piece.first_line), report.edges.changed);
  return {};
}

// Some record of the piece was refused: apply its halves.
Status PieceApplier::BisectRefused(const Piece& piece) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < piece.text.size();) {
    begins.push_back(at);
    at += parser_.RecordLength(piece.text.substr(at));
  }
  const std::size_t middle = begins[begins.size() / 2];
  const std::string_view head = piece.text.substr(0, middle);
  Piece first = Parse(head, piece.first_line);
  PLEXUS_TRY(Apply(first));
  if (run_.report.stopped) return {};
  first = Piece();
  Piece second = Parse(piece.text.substr(middle),
                       piece.first_line + std::count(head.begin(), head.end(), '\n'));
  return Apply(second);
}

void PieceApplier::RecordCounts(const Piece& piece, std::vector<ImportWarning> warnings,
                                std::uint64_t line, std::uint64_t edges_changed) {
  ImportReport& r = run_.report;
  r.records += piece.records;
  if (!run_.checking)
    for (ImportWarning& warning : warnings) AddWarning(r.warnings, std::move(warning));
  if (!run_.checking && !run_.collector) {
    BookRecords(piece);
    // Where the graph had no edges, those that a piece changes are of pieces before it. (Within a
    // piece the parser compares.)
    if (run_.start.CountEdges(Plane::kFact) == 0) run_.WarnOfReplaced(file_, line, edges_changed);
    WarnOfRestatedNodes(piece);
  } else if (run_.collector) {
    run_.restated += piece.restated;
  }
  for (const RecordError& e : piece.errors) AddError(e.line, e.reason);
  r.errors += piece.error_count - piece.errors.size();
  r.stopped |= piece.unreadable;
}

void PieceApplier::BookRecords(const Piece& piece) {
  ImportReport& r = run_.report;
  r.outcomes += piece.outcomes;
  r.vectors += piece.vectors;
  r.self_loops_skipped += piece.self_loops;
  r.pointers += piece.pointers;
  r.unknown += piece.unknown;
  r.reversed_edges += piece.turned;
  r.ambiguous += piece.ambiguous;
  r.passed_over += piece.passed_over;
}

void PieceApplier::BookApplied(const ApplyReport& applied, std::uint64_t fact_edges,
                               std::uint64_t restated, std::uint64_t events) {
  ImportReport& r = run_.report;
  auto book = [](ChangeCounts& to, const ChangeCounts& from, std::uint64_t named) {
    to.added += from.added;
    to.changed += from.changed;
    to.same += Rest(named, from.added + from.changed);
  };
  r.nodes.added += applied.nodes.added;
  run_.nodes_changed += applied.nodes.changed;
  run_.nodes_removed += applied.nodes.removed;
  const std::uint64_t same_before = r.edges.same;
  book(r.edges, applied.edges, fact_edges);
  restated = std::min(restated, r.edges.same - same_before);
  r.edges.changed += restated;
  r.edges.same -= restated;
  book(r.events, applied.events, events);
  r.removed += applied.nodes.removed + applied.edges.removed;
}

std::uint64_t PieceApplier::InFile(std::uint64_t line) const {
  return lines_ && !lines_->empty() ? (*lines_)[line - 1] : line;
}

std::vector<ImportWarning> PieceApplier::WarningsOf(const Piece& piece) const {
  std::vector<ImportWarning> warnings;
  for (const DoubtfulTime& time : piece.doubtful_times) {
    std::int64_t value = time.value;
    if (!time.says.empty() && value > 0)  // the line of the other record
      value = static_cast<std::int64_t>(InFile(static_cast<std::uint64_t>(value)));
    warnings.push_back(
        {file_, InFile(time.line), time.field, value, time.count, time.until, time.says});
  }
  return warnings;
}

void AddWarning(std::vector<ImportWarning>& all, ImportWarning warning) {
  const auto known = std::ranges::find_if(all, [&](const ImportWarning& w) {
    return w.file == warning.file && w.field == warning.field &&
           w.until.has_value() == warning.until.has_value() &&
           w.says.empty() == warning.says.empty();
  });
  if (known != all.end())
    known->count += warning.count;
  else
    all.push_back(std::move(warning));
}

// What records of this piece say of nodes that earlier pieces of the file state otherwise.
void PieceApplier::WarnOfRestatedNodes(const Piece& piece) {
  if (piece.removes) node_values_.Reset();
  std::uint64_t count = 0, first = 0, again = 0;
  for (const auto& [value, said] : piece.node_values) {
    const auto digest = static_cast<std::uint32_t>(said.first ^ said.first >> 32);
    const std::uint64_t line = InFile(said.second);
    const std::uint64_t before = node_values_.Note(value, digest, line);
    if (before == 0 || (count++ > 0 && again <= line)) continue;
    first = before;
    again = line;
  }
  if (count > 0)
    AddWarning(run_.report.warnings,
               {file_, first, "node", static_cast<std::int64_t>(again), count, std::nullopt,
                "the node of this line stands again with other values, which replace these"});
}

void ImportRun::WarnOfReplaced(const std::string& file, std::uint64_t line, std::uint64_t changed) {
  if (changed > 0)
    AddWarning(report.warnings,
               {file,
                line,
                "edge of before",
                0,
                changed,
                {},
                "from here on an edge of an earlier line stands again with other values, which "
                "replace those (a label tells parallel edges apart)"});
}

}  // namespace plexus::formats::internal
