// Every document that the preview has otherwise is compared with its terms there.
#include "algorithms/retrieval/internal/batch_documents.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "algorithms/retrieval/internal/document.h"
#include "algorithms/retrieval/internal/term_difference.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval::internal {

namespace {

constexpr std::size_t kGrain = 64;  // documents per task

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

}  // namespace

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

}  // namespace plexus::retrieval::internal
