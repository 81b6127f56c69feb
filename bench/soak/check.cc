// Looking at a snapshot: which step it is, counts, and every memory by itself.
#include "bench/soak/check.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "bench/soak/board.h"
#include "engine/vectors/vector_view.h"

namespace plexus::bench::soak {

Step Checker::StepOf(const Snapshot& snapshot) {
  const auto node = snapshot.Find(kControlKey);
  const auto column = snapshot.schema().FindColumn(kStepColumn);
  if (!node || !column) return 0;
  return static_cast<Step>(snapshot.i64(*column, *node).value_or(0));
}

bool Checker::Bad(const Snapshot& snapshot, const std::string& what) const {
  return Wrong(who_ + ", step " + std::to_string(model_.step()) +
               (model_.purged() ? "" : " before its purge") + ", sequence " +
               std::to_string(snapshot.sequence()) + ": " + what);
}

// Whether the purge of the model's step is in the snapshot: all of its victims or none.
bool Checker::PurgeDone(const Snapshot& snapshot) {
  std::size_t gone = 0;
  for (const Number n : model_.due()) {
    const auto node = snapshot.Find(model_.Key(n));
    gone += !node || !snapshot.alive(*node);
  }
  if (gone != 0 && gone != model_.due().size())
    Bad(snapshot, "a purge of " + std::to_string(model_.due().size()) + " is there with " +
                      std::to_string(gone));
  return gone > 0;
}

bool Checker::Look(const Snapshot& snapshot, const Allowed& allowed, bool forward) {
  ++TheBoard().checks;
  const Step step = StepOf(snapshot);
  if (!forward) {
    model_ = Model::At(model_.scenario(), step, false);
  } else if (step < model_.step()) {
    return Bad(snapshot, "the view went back to step " + std::to_string(step));
  } else {
    model_.Advance(step, false);
  }
  if (!model_.purged() && PurgeDone(snapshot)) model_.FinishPurge();
  if (step == 0) return true;
  const std::uint64_t nodes = snapshot.CountNodes(Plane::kFact),
                      edges = snapshot.CountEdges(Plane::kFact);
  const std::uint64_t live = model_.memories().size() + 1;
  if (allowed.victims_gone) {
    if (nodes > live || edges > model_.edge_count())
      return Bad(snapshot, "more nodes or edges than there were");
    return true;
  }
  if (nodes != live)
    return Bad(snapshot, std::to_string(nodes) + " nodes instead of " + std::to_string(live));
  if (edges != model_.edge_count())
    return Bad(snapshot,
               std::to_string(edges) + " edges instead of " + std::to_string(model_.edge_count()));
  return true;
}

bool Checker::Memories(const Snapshot& snapshot, const Allowed& allowed, int count) {
  bool right = true;
  for (int i = 0; i < count && right; ++i)
    if (const Number n = model_.Draw(random_())) right = One(snapshot, n, *model_.Find(n), allowed);
  return right;
}

bool Checker::One(const Snapshot& snapshot, Number n, const Memory& m, const Allowed& allowed) {
  const std::string key = model_.Key(n);
  const auto node = snapshot.Find(key);
  if (!node || !snapshot.alive(*node)) {
    if (allowed.victims_gone && model_.Victim(n)) return true;
    return Bad(snapshot, key + " is not there");
  }
  const NodeId id = *node;
  if (snapshot.key(id) != key) return Bad(snapshot, key + " has another key");
  if (snapshot.node_kind(id) != builtin::kMemory) return Bad(snapshot, key + " is of another kind");
  if (snapshot.i64(builtin::kAccessCount, id).value_or(0) != m.count)
    return Bad(snapshot, key + ": access_count " +
                             std::to_string(snapshot.i64(builtin::kAccessCount, id).value_or(0)) +
                             " instead of " + std::to_string(m.count));
  if (snapshot.f64(builtin::kTrust, id) != m.trust) return Bad(snapshot, key + ": trust");
  if (snapshot.i64(builtin::kCreatedAt, id) != kFirstTimeMs + static_cast<std::int64_t>(m.made))
    return Bad(snapshot, key + ": created_at");
  return Content(snapshot, id, n, m, allowed) && Edges(snapshot, id, n, m, allowed);
}

bool Checker::Content(const Snapshot& snapshot, NodeId node, Number n, const Memory& m,
                      const Allowed& allowed) {
  const std::string key = model_.Key(n);
  if (!allowed.no_texts) {
    const auto text = snapshot.Payload(node, NodeField::kText);
    // While a purge writes the files again no payload can be read, and of the past none that a trim
    // dropped.
    const auto& gone = allowed.trimmed ? allowed.trimmed : allowed.victims;
    const bool renewed =
        !text && text.error().code == ErrorCode::kFailedPrecondition && gone && gone();
    if (!text && !renewed && !(text.error().code == ErrorCode::kNotFound && Missing(n, allowed)))
      return Bad(snapshot, key + ": text: " + text.error().ToString());
    if (text && *text != model_.Text(n, m))
      return Bad(snapshot, key + ": text '" + *text + "' instead of '" + model_.Text(n, m) + "'");
  }
  const auto space = snapshot.schema().FindSpace(kSpace);
  if (!space) return Bad(snapshot, "there is no space");
  const auto vectors = snapshot.vectors(*space);
  if (!vectors && vectors.error().code == ErrorCode::kFailedPrecondition && allowed.trimmed &&
      allowed.trimmed())
    return true;
  if (!vectors) return Bad(snapshot, "vectors: " + vectors.error().ToString());
  VectorBuffer buffer;
  const auto values = (*vectors)->vector(node, buffer);
  const std::vector<float> expected = model_.Vector(n, m);
  if (values.empty() && Missing(n, allowed)) return true;
  if (values.size() != expected.size() ||
      std::memcmp(values.data(), expected.data(), expected.size() * sizeof(float)) != 0)
    return Bad(snapshot, key + (values.empty() ? ": no vector" : ": another vector"));
  return true;
}

bool Checker::Edges(const Snapshot& snapshot, NodeId node, Number n, const Memory& m,
                    const Allowed& allowed) {
  const std::string key = model_.Key(n);
  std::uint64_t out = 0, in = 0;
  bool near_victim = model_.Victim(n);
  for (int slot = 0; slot < kSlots; ++slot) {
    const ModelEdge& edge = m.edges[static_cast<std::size_t>(slot)];
    if (!edge.present) continue;
    ++out;
    in += Model::Symmetric(n, slot);
    near_victim = near_victim || model_.Victim(edge.target);
    const auto target = snapshot.Find(model_.Key(edge.target));
    const auto found =
        target ? snapshot.FindEdge(node, Model::Kind(n, slot), *target) : std::nullopt;
    if (!found && allowed.victims_gone && near_victim) continue;
    if (!found || found->weight != edge.weight)
      return Bad(snapshot, key + ": edge to " + model_.Key(edge.target) +
                               (found ? " has another weight" : " is not there"));
  }
  for (const auto& [source, slot] : m.in) {
    ++in;
    out += Model::Symmetric(source, slot);
    near_victim = near_victim || model_.Victim(source);
  }
  const ArcFilter facts = ArcFilter::Kinds(snapshot.schema(), {});
  if (!(allowed.victims_gone && near_victim) &&
      (snapshot.Degree(Direction::kOut, node, facts) != out ||
       snapshot.Degree(Direction::kIn, node, facts) != in))
    return Bad(snapshot, key + ": more or fewer arcs");
  if (Missing(n, allowed)) return true;
  for (const std::string& tag : model_.Tags(n, m)) {
    const auto to = snapshot.Find(IndexKey("tag", tag));
    if (!to || !snapshot.FindEdge(node, builtin::kHasTag, *to))
      return Bad(snapshot, key + ": no " + tag);
  }
  std::map<std::string, float> frequency;
  for (const std::string& word : model_.Words(n, m.text_version)) ++frequency[word];
  for (const auto& [word, times] : frequency) {
    const auto to = snapshot.Find(IndexKey("term", word));
    const auto found = to ? snapshot.FindEdge(node, builtin::kHasTerm, *to) : std::nullopt;
    if (!found || found->weight != times) return Bad(snapshot, key + ": term " + word);
  }
  return true;
}

bool Checker::Full(const Snapshot& snapshot, const Allowed& allowed) {
  ++TheBoard().full_checks;
  std::uint64_t index_edges = 0;
  std::int64_t sum = 0;
  for (const auto& [n, m] : model_.memories()) {
    if (!One(snapshot, n, m, allowed)) return false;
    std::vector<std::string> words = model_.Words(n, m.text_version);
    std::sort(words.begin(), words.end());
    index_edges +=
        2 + static_cast<std::uint64_t>(std::unique(words.begin(), words.end()) - words.begin());
  }
  if (allowed.victims_gone) return true;
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    sum += snapshot.i64(builtin::kAccessCount, v).value_or(0);
  if (sum != model_.count_sum()) return Bad(snapshot, "the sum of access_count is another");
  if (model_.step() > 0 && snapshot.CountEdges(Plane::kIndex) != index_edges)
    return Bad(snapshot, std::to_string(snapshot.CountEdges(Plane::kIndex)) +
                             " index edges instead of " + std::to_string(index_edges));
  return true;
}

}  // namespace plexus::bench::soak
