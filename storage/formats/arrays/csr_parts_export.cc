// csr-parts: the rows of the selected nodes as arrays by id; see array_file.h.
//
// Ids are those of the graph, which never change, so that what is computed comes back by id. A node
// that was removed or is not selected keeps its place and has no row. Edges of symmetric kinds are
// arcs both ways, parallel edges an arc each: as kernels see them. Three passes over the rows, one
// a section: nothing but the offsets is held.
#include <vector>

#include "engine/out_of_memory.h"
#include "storage/formats/array_file.h"
#include "storage/formats/base/export_selection.h"

namespace plexus::formats {

using namespace internal;

namespace {

class CsrParts {
 public:
  CsrParts(const Snapshot& snapshot, const ExportOptions& options)
      : s_(snapshot),
        options_(options),
        filter_(ArcFilter::Kinds(snapshot.schema(), options.kinds)),
        selected_((snapshot.node_count() + 63) / 64),
        offsets_(std::size_t{snapshot.node_count()} + 1) {}

  // Which nodes, and how many arcs each of them has.
  Status Count(ExportSink& progress) {
    for (NodeId v = 0; v < s_.node_count(); ++v)
      if (Included(s_, options_, v)) {
        selected_[v / 64] |= std::uint64_t{1} << v % 64;
        ++nodes_;
      }
    for (NodeId v = 0; v < s_.node_count(); ++v) {
      PLEXUS_TRY(progress.EndNode());
      offsets_[v + 1] = offsets_[v];
      Row(v, [&](const Arc&) { ++offsets_[v + 1]; });
    }
    return {};
  }

  // A value of each arc, in order.
  template <class T, class Of>
  Status Put(ArrayWriter& out, ExportSink& progress, Of&& of) const {
    std::vector<T> buffer;
    for (NodeId v = 0; v < s_.node_count(); ++v) {
      PLEXUS_TRY(progress.EndNode());
      Row(v, [&](const Arc& arc) { buffer.push_back(of(arc)); });
      if (buffer.size() < kBuffer && v + 1 < s_.node_count()) continue;
      PLEXUS_TRY(out.Put(buffer.data(), buffer.size() * sizeof(T)));
      buffer.clear();
    }
    return out.EndSection();
  }

  std::uint64_t nodes() const { return nodes_; }
  const std::vector<std::uint64_t>& selected() const { return selected_; }
  const std::vector<std::uint64_t>& offsets() const { return offsets_; }

 private:
  static constexpr std::size_t kBuffer = 1 << 16;
  bool Selected(NodeId v) const { return selected_[v / 64] >> v % 64 & 1; }
  template <class Fn>
  void Row(NodeId v, Fn&& fn) const {
    if (!Selected(v)) return;
    s_.ForEachArc(Direction::kOut, v, filter_, [&](const Arc& arc) {
      if (Selected(arc.neighbor)) fn(arc);
    });
  }

  const Snapshot& s_;
  const ExportOptions& options_;
  const ArcFilter filter_;
  std::uint64_t nodes_ = 0;
  std::vector<std::uint64_t> selected_, offsets_;
};

}  // namespace

Status ExportCsrParts(const Snapshot& s, std::ostream& stream, std::uint64_t graph_high,
                      std::uint64_t graph_low, const ExportOptions& options) try {
  ExportSink progress(stream, options.progress, 3 * std::uint64_t{s.node_count()});
  CsrParts parts(s, options);
  PLEXUS_TRY(parts.Count(progress));
  ArrayWriter out(stream, {.kind = ArrayKind::kCsrParts,
                           .graph_high = graph_high,
                           .graph_low = graph_low,
                           .sequence = s.sequence(),
                           .nodes = s.node_count(),
                           .count = parts.offsets().back(),
                           .selected = parts.nodes()});
  for (const auto* words : {&parts.selected(), &parts.offsets()}) {
    PLEXUS_TRY(out.Put(words->data(), words->size() * sizeof(std::uint64_t)));
    PLEXUS_TRY(out.EndSection());
  }
  const auto target = [](const Arc& arc) { return arc.neighbor; };
  const auto weight = [](const Arc& arc) { return arc.weight; };
  PLEXUS_TRY(parts.Put<NodeId>(out, progress, target));
  PLEXUS_TRY(parts.Put<float>(out, progress, weight));
  return out.Finish();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
