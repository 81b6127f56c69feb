// concept upsert, affect, episode, relate, dampen: one change at a time to what is known.
#include "algorithms/memory/concepts/concepts.h"

#include <string>
#include <utility>

#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

// Applies what a function proposed, or asks what it would do. What was indexed once stays so.
Result<PreviewResult> Settle(Workspace& workspace, const Request& request,
                             const WriteBatch& proposed) {
  WriteBatch batch = MakeBatch(workspace, request);
  batch.Append(proposed);
  PLEXUS_TRY(KeepTerms(workspace, batch));
  return ApplyOrPreview(workspace, request, batch);
}

// Settles what `result` proposes. The reply that `write` begins of it, with the sequence at its
// end.
template <class Proposed, class Write>
Result<Reply> Settled(Workspace& workspace, const Request& request, Proposed result, Write write) {
  PLEXUS_ASSIGN(const PreviewResult settled, Settle(workspace, request, result.batch));
  const bool dry = request.Flag("dry_run");
  result.batch = WriteBatch();
  Reply reply([result = std::move(result), write, dry,
               sequence = settled.report.sequence](ReplyWriter& json) {
    write(json, result);
    json.Field("sequence", sequence);
    if (dry) json.Field("dry_run", true);
  });
  if (dry) reply.closing = "a dry run: nothing was written\n";
  return reply;
}

// A name that an index node is shown by ("tag:rust") would make a fact next to it. One that a
// concept has already means the concept.
Status CheckName(const Snapshot& snapshot, const std::string& name) {
  if (const auto fact = snapshot.Find(name); fact && snapshot.alive(*fact)) return {};
  const auto node = MeantNode(snapshot, name);
  if (!node || !snapshot.alive(*node) || snapshot.is_fact(*node)) return {};
  return Invalid("'", name, "' is an index node of kind ",
                 snapshot.schema().node_kind(snapshot.node_kind(*node)).name,
                 ", which no concept can be");
}

Result<std::int64_t> Tau(const Request& request) { return ParseDuration(request.Text("tau")); }

Result<Reply> RunUpsert(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(auto result, memory::UpsertConcept(workspace.snapshot(), request.Text("name"),
                                                   workspace.now_ms()));
  PLEXUS_TRY(CheckName(workspace.snapshot(), result.concept_id));
  return Settled(workspace, request, std::move(result), [](ReplyWriter& json, const auto& made) {
    json.Field("concept_id", made.concept_id);
    json.Field("created", made.created);
  });
}

Result<Reply> RunAffect(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(const std::int64_t tau, Tau(request));
  PLEXUS_ASSIGN(auto result,
                memory::UpdateAffect(workspace.snapshot(), request.Text("name"),
                                     request.Number("delta"), workspace.now_ms(), tau));
  PLEXUS_TRY(CheckName(workspace.snapshot(), result.concept_id));
  return Settled(workspace, request, std::move(result), [](ReplyWriter& json, const auto& made) {
    json.Field("concept_id", made.concept_id);
    json.Field("valence", made.valence);
    json.Field("arousal", made.arousal);
    json.Time("accessed_at", made.accessed_at);
    json.Field("created", made.created);
    json.Field("clamped", made.clamped);
    json.Field("changed", made.changed);
  });
}

Result<Reply> RunEpisode(Workspace& workspace, const Request& request) {
  memory::AddEpisodeOptions options;
  options.weight = request.Number("weight");
  PLEXUS_ASSIGN(auto result, memory::AddEpisode(workspace.snapshot(), request.Text("summary"),
                                                request.List("concepts"), request.Number("valence"),
                                                workspace.now_ms(), options));
  for (const std::string& name : result.linked_concepts)
    PLEXUS_TRY(CheckName(workspace.snapshot(), name));
  return Settled(workspace, request, std::move(result), [](ReplyWriter& json, const auto& made) {
    json.Field("episode_id", made.episode_id);
    json.Values("linked_concepts", made.linked_concepts);
    json.Field("created", made.created);
    json.Field("valence", made.valence);
    json.Field("clamped", made.clamped);
  });
}

Result<Reply> RunRelate(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(Needs(request, "first_weight", "reinforce"));
  PLEXUS_TRY(Needs(request, "rate", "reinforce"));
  memory::RelateOptions options;
  options.reinforce = request.Flag("reinforce");
  options.first_weight = request.Number("first_weight");
  options.rate = request.Number("rate");
  PLEXUS_ASSIGN(auto result,
                memory::Relate(workspace.snapshot(), request.Text("source"), request.Text("kind"),
                               request.Text("target"), workspace.now_ms(), options));
  PLEXUS_TRY(CheckName(workspace.snapshot(), result.from));
  PLEXUS_TRY(CheckName(workspace.snapshot(), result.to));
  return Settled(workspace, request, std::move(result), [](ReplyWriter& json, const auto& made) {
    json.Field("relation_id", made.from + " " + made.kind + " " + made.to);
    json.Field("from", made.from);
    json.Field("type", made.kind);
    json.Field("to", made.to);
    json.Field("weight", static_cast<float>(made.weight));
    json.Field("created", made.created);
    json.Field("concepts", made.concepts);
    json.Field("changed", made.changed);
  });
}

Result<Reply> RunDampen(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(const std::int64_t tau, Tau(request));
  PLEXUS_ASSIGN(auto result,
                memory::DampenConcept(workspace.snapshot(), request.Text("name"),
                                      request.Number("ratio"), workspace.now_ms(), tau));
  return Settled(workspace, request, std::move(result), [](ReplyWriter& json, const auto& made) {
    json.Field("concept_id", made.concept_id);
    json.Field("arousal", made.arousal);
    json.Field("clamped", made.clamped);
    json.Field("changed", made.changed);
  });
}

Parameter Name() {
  return Text("name", "CONCEPT", "its text, which is also its key").Named(Means::kKey).Positional();
}
Parameter Share(const char* name, const char* shown, const char* help, double value) {
  return Number(name, shown, help).Between(0, 1).Default(value);
}

}  // namespace

void AddConcepts(Rows& rows) {
  rows.push_back(
      {.name = "concept_upsert",
       .group = "Change",
       .title = "Add a concept",
       .summary = "Make a concept with arousal 0.5; an existing one stays as it is",
       .effect = Effect::kWrite,
       .parameters = {Name(), ExpectSequenceParameter(), DryRunParameter()},
       .reply = "concept_id:s, created:b, sequence:n, dry_run?:b",
       .examples = {{"plexus concept upsert --db g apple", "made, or found"},
                    {"plexus concept upsert --db g \"cold fusion\" --now 1700000000000 --json",
                     "a name may have blanks; it is accessed at that time"}},
       .run = RunUpsert,
       .access = MakesGraph});
  rows.push_back(
      {.name = "concept_affect",
       .group = "Change",
       .title = "Change a concept's valence",
       .summary = "Add to a concept's valence; a strong change raises its arousal",
       .effect = Effect::kWrite,
       .parameters = {Name(),
                      Number("delta", "DELTA", "added to the valence, -1 to 1; beyond is clamped")
                          .Positional(),
                      TauParameter(), ExpectSequenceParameter(), DryRunParameter()},
       .reply = "concept_id:s, valence:x, arousal:x, accessed_at:t, created:b, clamped:b, "
                "changed:b, sequence:n, dry_run?:b",
       .examples = {{"plexus concept affect --db g apple 0.8", "its valence rises by 0.8"},
                    {"plexus concept affect --db g apple -0.3 --json",
                     "its valence falls by 0.3; its arousal stays when it is higher than 0.3"}},
       .run = RunAffect,
       .access = MakesGraph});
  rows.push_back(
      {.name = "concept_episode",
       .group = "Change",
       .title = "Add an episode",
       .summary = "Add an episode, with edges to it from the concepts that evoke it",
       .effect = Effect::kWrite,
       .parameters =
           {Text("summary", "SUMMARY", "what happened").Positional(),
            Repeated("concepts", "CONCEPT", "a concept that evokes it; made if needed")
                .Named(Means::kKey)
                .Positional(),
            Number("valence", "V", "its valence, -1 to 1; beyond is clamped").Default(0.0),
            Share("weight", "W", "of the edges to it", 1), ExpectSequenceParameter(),
            DryRunParameter()},
       .reply = "episode_id:s, linked_concepts:[s], created:n, valence:x, clamped:b, sequence:n, "
                "dry_run?:b",
       .examples = {{"plexus concept episode --db g \"Baked with grandma\" apple pie --valence 0.6",
                     "apple and pie evoke it"},
                    {"plexus concept episode --db g \"The oracle restarted\" oracle --dry-run",
                     "the key that the episode would have"}},
       .run = RunEpisode,
       .access = MakesGraph});
  rows.push_back(
      {.name = "concept_relate",
       .group = "Change",
       .title = "Relate two concepts",
       .summary = "Relate two concepts by is-a, part-of or evokes; the same again changes nothing",
       .effect = Effect::kWrite,
       .parameters =
           {Text("source", "A", "a concept; made if needed").Named(Means::kKey).Positional(),
            Text("kind", "KIND", "is-a, part-of or evokes").Named(Means::kEdgeKind).Positional(),
            Text("target", "B", "a concept, or for evokes an episode's key")
                .Named(Means::kKey)
                .Positional(),
            Flag("reinforce", "weights grow: a repeat moves w towards 1 by the rate"),
            Share("first_weight", "W", "with reinforce, of a new relation", 0.25),
            Share("rate", "R", "with reinforce, of a repeat", 0.2), ExpectSequenceParameter(),
            DryRunParameter()},
       .reply = "relation_id:s, from:s, type:s, to:s, weight:x, created:b, concepts:n, changed:b, "
                "sequence:n, dry_run?:b",
       .examples = {{"plexus concept relate --db g apple is-a fruit", "both are made where needed"},
                    {"plexus concept relate --db g pie evokes grandma --reinforce",
                     "stronger each time"}},
       .run = RunRelate,
       .access = MakesGraph});
  rows.push_back(
      {.name = "concept_dampen",
       .group = "Change",
       .title = "Lower a concept's arousal",
       .summary = "Lower a concept's arousal by a share",
       .effect = Effect::kWrite,
       .parameters = {Name(),
                      Number("ratio", "RATIO", "the share, 0 to 1; beyond is clamped").Positional(),
                      TauParameter(), ExpectSequenceParameter(), DryRunParameter()},
       .reply = "concept_id:s, arousal:x, clamped:b, changed:b, sequence:n, dry_run?:b",
       .examples = {{"plexus concept dampen --db g apple 0.5", "half of what is left"},
                    {"plexus concept dampen --db g apple 1 --json", "no arousal left"}},
       .run = RunDampen,
       .access = ChangesGraph});
}

}  // namespace plexus::tools
