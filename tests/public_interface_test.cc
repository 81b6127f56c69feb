// The interface as a host sees it: what "plexus/plexus.h" reaches, and options that are written
// with one member named. That this file compiles is a part of the test: warnings are errors.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tools/packaging/plexus.h"

namespace plexus {
namespace {

const std::filesystem::path kRoot = PLEXUS_SOURCE_DIR;

void Reach(const std::string& header, std::set<std::string>& reached) {
  if (!reached.insert(header).second) return;
  std::ifstream in(kRoot / header);
  ASSERT_TRUE(in) << header;
  constexpr std::string_view kInclude = "#include \"";
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(kInclude))
      Reach(line.substr(kInclude.size(), line.rfind('"') - kInclude.size()), reached);
}

// The never-composed frontier could not be reached.
TEST(PublicInterface, TheOneHeaderReachesEveryPublicOne) {
  std::set<std::string> reached, wanted;
  Reach("tools/packaging/plexus.h", reached);
  std::ifstream list(kRoot / "tools/packaging/public_headers.txt");
  for (std::string line; std::getline(list, line);)
    if (!line.empty() && line[0] != '#') wanted.insert(line);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "algorithms")) {
    const std::string path = std::filesystem::relative(entry.path(), kRoot).generic_string();
    if (path.ends_with(".h") && path.find("/internal/") == std::string::npos) wanted.insert(path);
  }
  wanted.erase("algorithms/boost_graph.h");  // they include third-party headers
  wanted.erase("algorithms/eigen.h");
  ASSERT_GT(wanted.size(), 50u);
  for (const std::string& header : wanted)
    EXPECT_TRUE(reached.contains(header)) << header << " cannot be reached from plexus/plexus.h";
}

// -Wextra warns of each member without an initializer that such an expression leaves out, so a host
// with -Werror could not write it. A new struct of options gets a line here.
TEST(PublicInterface, OptionsTakeOneNamedMember) {
  (void)BetweennessOptions{.samples = {}};
  (void)ClosenessOptions{.direction = {}};
  (void)HitsOptions{.tolerance = {}};
  (void)KatzOptions{.alpha = {}};
  (void)EigenvectorOptions{.tolerance = {}};
  (void)Budget{.nodes = {}};
  (void)DenseViewOptions{.out = {}};
  (void)EdgeWeighting{.factors = {}};
  (void)GraphFilter{.kinds = {}};
  (void)RunOptions{.budget = {}};
  (void)KCoreOptions{.filter = {}};
  (void)LabelPropagationOptions{.iterations = {}};
  (void)LeidenOptions{.resolution = {}};
  (void)TrianglesOptions{.filter = {}};
  (void)ClusteringOptions{.directed = {}};
  (void)CutPointsOptions{.list_blocks = {}};
  (void)ComponentsOptions{.filter = {}};
  (void)DominatorsOptions{.direction = {}};
  (void)MaxFlowOptions{.unit_capacities = {}};
  (void)SpanningForestOptions{.maximum = {}};
  (void)TopologicalOrderOptions{.filter = {}};
  (void)ActivateRelatedOptions{.prefix = {}};
  (void)SearchConceptsOptions{.space = {}};
  (void)AddEpisodeOptions{.weight = {}};
  (void)RelateOptions{.reinforce = {}};
  (void)RelationDecay{.kind = {}};
  (void)RecallConceptsOptions{.hops = {}};
  (void)OpenConflictsOptions{.now_ms = {}};
  (void)ResolveOptions{.now_ms = {}};
  (void)ConflictCandidatesOptions{.now_ms = {}};
  (void)NearDuplicatesOptions{.now_ms = {}};
  (void)DecisionOptions{.now_ms = {}};
  (void)BlockedChainsOptions{.decisions = {}};
  (void)TargetCondition{.active = {}};
  (void)GuardrailRule{.name = {}};
  (void)GuardrailOptions{.decisions = {}};
  (void)WorkQueueOptions{.decisions = {}};
  (void)SalienceOptions{.decisions = {}};
  (void)CompactionOptions{.salience = {}};
  (void)SuggestOptions{.decisions = {}};
  (void)EventFilter{.tool = {}};
  (void)EventListOptions{.filter = {}};
  (void)BountyOptions{.tags = {}};
  (void)NewMember{.key = {}};
  (void)NewEvent{.id = {}};
  (void)NewLabel{.type = {}};
  (void)CosineBand{.space = {}};
  (void)NeverComposedOptions{.lens = {}};
  (void)RecallQuery{.terms = {}};
  (void)RecallPlan{.plan = {}};
  (void)RecallOptions{.now_ms = {}};
  (void)RelatedOptions{.now_ms = {}};
  (void)RecallTermOptions{.half_life_ms = {}};
  (void)ReinforcementOptions{.now_ms = {}};
  (void)EdgeRecipe{.name = {}};
  (void)BuildOptions{.trajectories = {}};
  (void)VisibleOptions{.include_superseded = {}};
  (void)PageRankOptions{.damping = {}};
  (void)PageRankPushOptions{.damping = {}};
  (void)DistancesOptions{.cost = {}};
  (void)ShortestPathOptions{.cost = {}};
  (void)Bm25Options{.k1 = {}};
  (void)NearestOptions{.top = {}};
  (void)PhraseOptions{.terms = {}};
  (void)PlanSeeds{.by = {}};
  (void)PlanExpand{.hops = {}};
  (void)PlanFilter{.node_kinds = {}};
  (void)PlanScore{.weights = {}};
  (void)RetrievalPlan{.seeds = {}};
  (void)NamedPlan{.name = {}};
  (void)RetrieveQuery{.terms = {}};
  (void)NodeValues{.list = {}};
  (void)RetrieveOptions{.subset = {}};
  (void)RemoveOptions{.now_ms = {}};
  (void)TimeToLive{.kind = {}};
  (void)RerankOptions{.k = {}};
  (void)NodeScan{.kind = {}};
  (void)IndexTermsOptions{.terms = {}};
  (void)TextVectorOptions{.space = {}};
  (void)TermOptions{.stop_words = {}};
  (void)VectorIndexOptions{.metric = {}};
  (void)IndexNearestOptions{.top = {}};
  (void)IndexRecallOptions{.top = {}};
  (void)VectorJoinOptions{.top = {}};
  (void)WhereOptions{.subset = {}};
  (void)FrontierOptions{.arity = {}};
  (void)SimilarityOptions{.measure = {}};
  (void)BfsOptions{.max_depth = {}};
  (void)MultiBfsOptions{.max_depth = {}};
  (void)PatternOptions{.order = {}};
  (void)TraverseOptions{.hops = {}};
  (void)GraphOptions{.maintenance = {}};
  (void)ApplyOptions{.durability = {}};
  (void)ReplayOptions{.durability = {}};
  (void)PreviewOptions{.now_ms = {}};
  (void)OpenOptions{.create = {}};
  (void)VerifyOptions{.against_replay = {}};
  (void)ChangesOptions{.max_records = {}};
  (void)ExportOptions{.progress = {}};
  (void)FollowBatch{.sequence = {}};
  (void)FollowOptions{.position = {}};
  (void)ImportLimits{.line_bytes = {}};
  (void)ImportOptions{.format = {}};
  (void)VectorInput{.name = {}};
  (void)VectorImportOptions{.format = {}};
  (void)RepairOptions{.executor = {}};
  (void)WriteBatch::EdgeInput{.label = {}};
  (void)NodeWeight{.node = {}};
}

}  // namespace
}  // namespace plexus
