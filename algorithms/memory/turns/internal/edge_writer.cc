// Compare, count, fill, hand over.
#include "algorithms/memory/turns/internal/edge_writer.h"

#include <utility>

#include "algorithms/memory/ledger/internal/ledger_read.h"

namespace plexus::memory::internal {

void FirstError::Note(std::size_t index, Error error) {
  const std::lock_guard lock(mutex_);
  if (error_ && index_ <= index) return;
  index_ = index;
  error_ = std::move(error);
}

Status FirstError::Take() {
  if (error_) return std::unexpected(*std::move(error_));
  return {};
}

EdgeWriter::EdgeWriter(const Snapshot& snapshot, const EdgeRecipe& recipe,
                       const BuildOptions& options, const ApplyBatch& apply, BuildReport& report)
    : snapshot_(snapshot),
      recipe_(recipe),
      options_(options),
      apply_(apply),
      report_(report),
      executor_(options.run.executor ? *options.run.executor : DefaultExecutor()),
      created_by_("build:" + std::string(recipe.name)),
      owner_(snapshot.FindString(created_by_)),
      batch_(options.now_ms) {}

Result<EdgeWriter::State> EdgeWriter::StateOf(const BuiltEdge& edge) const {
  const auto label = edge.label.empty() ? StringId{0} : snapshot_.FindString(edge.label);
  if (!label) return State::kNew;
  const auto stored = snapshot_.FindEdge(edge.source, recipe_.kind, edge.target, *label);
  if (!stored) return State::kNew;
  if (stored->weight != edge.weight) return State::kChanged;
  if (edge.properties.empty()) return State::kSame;
  if (!stored->properties) return State::kChanged;
  PLEXUS_ASSIGN(const std::string bytes, snapshot_.PayloadOrEmpty(stored->properties));
  return bytes == edge.properties ? State::kSame : State::kChanged;
}

Status EdgeWriter::Add(std::span<const BuiltEdge> edges) {
  std::vector<State> states(edges.size());
  FirstError error;
  ParallelFor(executor_, edges.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Result<State> state = StateOf(edges[i]);
      if (!state) return error.Note(i, std::move(state.error()));
      states[i] = *state;
    }
  });
  PLEXUS_TRY(error.Take());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const BuiltEdge& edge = edges[i];
    if (states[i] == State::kSame) {
      ++report_.same;
      continue;
    }
    ++(states[i] == State::kNew ? report_.added : report_.changed);
    WriteBatch::EdgeInput input;
    input.source = NodeRef::Id(edge.source);
    input.target = NodeRef::Id(edge.target);
    input.kind = recipe_.kind;
    input.label = edge.label;
    input.weight = edge.weight;
    input.created_by = created_by_;
    if (!edge.properties.empty()) input.properties = edge.properties;
    batch_.ExpectNode(input.source);
    batch_.ExpectNode(input.target);
    batch_.Link(input);
    PLEXUS_TRY(FlushWhenFull());
  }
  return {};
}

Status EdgeWriter::Unlink(NodeId source, NodeId target, std::string_view label) {
  ++report_.removed;
  batch_.Unlink(NodeRef::Id(source), recipe_.kind, NodeRef::Id(target), label);
  return FlushWhenFull();
}

Status EdgeWriter::SetProperties(NodeId node, std::string_view bytes) {
  batch_.ExpectNode(NodeRef::Id(node));
  batch_.ExpectPayload(NodeRef::Id(node), NodeField::kProperties,
                       snapshot_.payload_ref(node, NodeField::kProperties));
  batch_.SetPayload(NodeRef::Id(node), NodeField::kProperties, bytes);
  return FlushWhenFull();
}

Status EdgeWriter::FlushWhenFull() {
  return ++in_batch_ < options_.batch_edges ? Status() : Flush();
}

Status EdgeWriter::Flush() {
  if (in_batch_ == 0) return {};
  if (apply_) PLEXUS_TRY(apply_(batch_));
  ++report_.batches;
  batch_.Clear();
  in_batch_ = 0;
  return {};
}

Status EdgeWriter::Finish() { return Flush(); }

bool EdgeWriter::Stopped() {
  if (report_.truncated) return true;
  report_.truncated = options_.run.budget.Interrupted() ||
                      (options_.progress && !options_.progress->Report("building", done_, total_));
  return report_.truncated;
}

}  // namespace plexus::memory::internal
