// The filter of a plan: one expression for EvaluateWhere, and the carriers of an inscription.
#include <string>

#include "algorithms/retrieval/internal/plan/plan_run.h"
#include "algorithms/retrieval/scan.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval::internal {

namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

void Add(std::string& expression, const std::string& test) {
  if (!expression.empty()) expression += " and ";
  expression += test;
}

template <class List, class Name>
void AddIn(std::string& expression, const char* field, const List& list, Name&& name) {
  if (list.empty()) return;
  std::string test = std::string(field) + " in (";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) test += ", ";
    test += Quoted(name(list[i]));
  }
  Add(expression, test + ")");
}

// All parts but the inscription; "" when there are none.
std::string Expression(const Schema& schema, const PlanFilter& filter) {
  std::string all;
  if (filter.node_kinds.given() && filter.node_kinds.empty())  // of no kind: no node
    Add(all, "kind = 'node' and kind != 'node'");
  const auto same = [](const std::string& name) -> std::string_view { return name; };
  AddIn(all, "kind", filter.node_kinds,
        [&](NodeKindId kind) -> std::string_view { return schema.node_kind(kind).name; });
  AddIn(all, "tag", filter.tags, same);
  AddIn(all, "scope", filter.scopes, same);
  if (filter.since != 0) Add(all, "created_at >= " + std::to_string(filter.since));
  if (filter.until != 0) Add(all, "created_at < " + std::to_string(filter.until));
  if (filter.valid_at != kNoTime) {
    const std::string at = std::to_string(filter.valid_at);
    Add(all, "(not exists valid_from or valid_from <= " + at + ")");
    Add(all, "(not exists valid_until or valid_until > " + at + ")");
  }
  if (!filter.where.empty()) Add(all, "(" + filter.where + ")");
  return all;
}

// Facts with an edge to the inscription of that name. O(carriers).
Result<NodeSubset> Inscribed(const Snapshot& snapshot, const std::string& name) {
  std::vector<NodeId> carriers;
  const std::optional<NodeId> node =
      snapshot.Find(IndexKey(snapshot.schema().node_kind(builtin::kInscription).name, name));
  if (node && snapshot.alive(*node)) {
    snapshot.ForEachArc(Direction::kIn, *node,
                        ArcFilter::Kind(snapshot.schema(), builtin::kInscribed),
                        [&](const Arc& arc) { carriers.push_back(arc.neighbor); });
  }
  return NodeSubset::Of(snapshot, carriers);
}

}  // namespace

Result<bool> FilterStage(PlanRun& run) {
  const PlanFilter& filter = run.plan.filter;
  StageClock clock(run.result, "filter");
  if (!filter.where.empty()) {
    // By itself first: in parentheses, half an expression could become a whole one.
    const auto alone =
        WhereExpression::Compile(filter.where, run.snapshot.schema(), run.options.now_ms);
    if (!alone) return Fail(alone.error().code, "filter.where: " + alone.error().message);
  }
  std::optional<NodeSubset> subset;
  if (!filter.inscription.empty()) {
    PLEXUS_ASSIGN(subset, Inscribed(run.snapshot, filter.inscription));
    if (run.options.subset) subset = subset->Intersect(*run.options.subset);
  }
  if (const std::string expression = Expression(run.snapshot.schema(), filter);
      !expression.empty()) {
    const NodeSubset* within = subset ? &*subset : run.options.subset;
    Result<WhereResult> found =
        EvaluateWhere(run.snapshot, expression,
                      {.subset = within, .now_ms = run.options.now_ms, .run = run.options.run});
    if (!found && found.error().code == ErrorCode::kCancelled) {
      clock.stage.truncated = true;
      clock.Done();
      return false;
    }
    if (!found) return Fail(found.error().code, "filter: " + found.error().message);
    clock.stage.read = found->looked_at;
    subset = std::move(found->nodes);
  }
  run.filtered = std::move(subset);
  PLEXUS_ASSIGN(run.findable,
                common_internal::Select(run.snapshot, GraphFilter{.subset = run.found_subset()}));
  if (run.found_subset())
    clock.stage.kept = run.found_subset()->count();
  else
    clock.stage.kept = run.snapshot.CountNodes(Plane::kFact);
  clock.Done();
  return true;
}

}  // namespace plexus::retrieval::internal
