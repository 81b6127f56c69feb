// Equal options and an equal number of edges: then the log says what changed.
#include "tools/operations/memory/build_record.h"

#include <string>
#include <utility>

namespace plexus::tools {
namespace {

// Of what matters in the log since a record; above it the record is rewritten.
constexpr std::size_t kMuchLog = 4096;

std::string RecordName(const memory::EdgeRecipe& recipe) {
  return "build." + std::string(recipe.name);
}

std::int64_t CountMade(const Snapshot& snapshot, const memory::EdgeRecipe& recipe) {
  const auto maker = snapshot.FindString("build:" + std::string(recipe.name));
  if (!maker) return 0;
  std::int64_t count = 0;
  snapshot.ForEachEdge(ArcFilter::Kind(snapshot.schema(), recipe.kind),
                       [&](const Edge& edge) { count += edge.created_by == *maker; });
  return count;
}

boost::json::object Described(const Snapshot& snapshot, const memory::EdgeRecipe& recipe,
                              const std::string& space) {
  boost::json::object made;
  made["edges"] = CountMade(snapshot, recipe);
  if (recipe.weight == memory::PairWeight::kCosine) {
    made["above"] = recipe.above;
    made["space"] = space;
  }
  if (recipe.source == memory::PairSource::kNearest)
    made["top"] = static_cast<std::int64_t>(recipe.top);
  if (recipe.source == memory::PairSource::kSharing ||
      recipe.source == memory::PairSource::kComposed)
    made["window"] = static_cast<std::int64_t>(recipe.window);
  return made;
}

bool SameBut(boost::json::object stored, boost::json::object now, bool edges) {
  for (boost::json::object* object : {&stored, &now}) {
    object->erase("runs");
    if (!edges) object->erase("edges");
  }
  return stored == now;
}

bool OfKind(const StateChanges& changes, EdgeKindId kind) {
  for (const StateChanges::Edge& edge : changes.edges)
    if (edge.kind == kind) return true;
  return false;
}

// Without what a recipe does not look at, above all the edges that other recipes make.
void KeepRelevant(const memory::EdgeRecipe& recipe, StateChanges& changes) {
  const bool events = recipe.source == memory::PairSource::kComposed;
  std::erase_if(changes.edges, [&](const StateChanges::Edge& edge) {
    return edge.kind != recipe.kind && edge.kind != recipe.groups &&
           !(events && (edge.kind == builtin::kMember || edge.kind == builtin::kLabels));
  });
  std::erase_if(changes.columns,
                [](const auto& change) { return change.column != builtin::kCreatedAt; });
  std::erase_if(changes.payloads, [&](const auto& change) {
    return recipe.weight != memory::PairWeight::kReward || change.field != NodeField::kProperties;
  });
  if (recipe.weight != memory::PairWeight::kCosine) changes.vectors.clear();
}

// What the log says since `covers`; nullopt: too much, or it cannot be read.
std::optional<StateChanges> ChangesAfter(Workspace& workspace, const Snapshot& snapshot,
                                         const memory::EdgeRecipe& recipe, Sequence covers) {
  if (!workspace.has_database() || covers > snapshot.sequence()) return std::nullopt;
  StateChanges changes;
  changes.first_new = snapshot.node_count();
  const std::size_t most = std::max<std::size_t>(kMuchLog, snapshot.node_count() / 4);
  for (Sequence at = covers; at < snapshot.sequence();) {
    const Result<Changes> some = workspace.database().ChangesSince(at);
    if (!some || some->next <= at) return std::nullopt;
    for (const Record& record : some->records) {
      StateChanges one;
      one.first_new = changes.first_new;
      one.Add(record);
      KeepRelevant(recipe, one);
      changes.Add(one);
    }
    if (changes.size() > most) return std::nullopt;
    at = some->next;
  }
  changes.Sort();
  return changes;
}

}  // namespace

Result<BuildRecord> ReadBuildRecord(Workspace& workspace, const Snapshot& snapshot,
                                    const memory::EdgeRecipe& recipe, const std::string& space) {
  BuildRecord record;
  PLEXUS_ASSIGN(record.stored, ReadRecord(snapshot, RecordName(recipe)));
  if (!record.stored) return record;
  const boost::json::object now = Described(snapshot, recipe, space);
  if (!SameBut(record.stored->properties, now, false)) return record;
  record.changes = ChangesAfter(workspace, snapshot, recipe, record.stored->covers);
  // Edges that went or came otherwise than through the log: a hard purge, another graph's record.
  const bool fits = record.changes && (OfKind(*record.changes, recipe.kind) ||
                                       SameBut(record.stored->properties, now, true));
  if (!fits) record.changes.reset();
  return record;
}

Status WriteBuildRecord(Workspace& workspace, const memory::EdgeRecipe& recipe,
                        const std::string& space, const BuildRecord& before,
                        const memory::BuildReport& report, Sequence sequence) {
  const Snapshot now = workspace.graph().snapshot();
  if (now.sequence() != sequence) return {};
  const bool edges = report.added + report.changed + report.removed > 0;
  boost::json::object made = Described(now, recipe, space);
  const bool nothing = !before.stored && made.at("edges").as_int64() == 0;
  const bool short_log =
      !workspace.has_database() || (before.changes && before.changes->size() <= kMuchLog);
  const bool fits =
      !edges && before.stored && short_log && SameBut(before.stored->properties, made, true);
  if (nothing || fits) return {};
  WriteBatch batch(workspace.now_ms());
  batch.ExpectSequence(sequence);
  PLEXUS_TRY(WriteRecord(batch, RecordName(recipe), std::move(made), before.stored));
  const Result<ApplyReport> applied = workspace.graph().Apply(batch);
  if (!applied && applied.error().code != ErrorCode::kConflict)
    return std::unexpected(applied.error());
  return {};
}

}  // namespace plexus::tools
