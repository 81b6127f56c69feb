// The interface as a host sees it: what "plexus/plexus.h" reaches, and options that are written
// with one member named. That this file compiles is a part of the test: warnings are errors.
#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tidy_tree.h"
#include "tools/packaging/plexus.h"

namespace plexus {
namespace {

void Reach(const std::string& header, std::set<std::string>& reached) {
  if (!reached.insert(header).second) return;
  const tidy::File file = tidy::Read(tidy::Root() / header);
  ASSERT_FALSE(file.lines.empty()) << header;
  constexpr std::string_view kInclude = "#include \"";
  for (const std::string& line : file.lines)
    if (line.starts_with(kInclude))
      Reach(line.substr(kInclude.size(), line.rfind('"') - kInclude.size()), reached);
}

// The never-composed frontier could not be reached.
TEST(PublicInterface, TheOneHeaderReachesEveryPublicOne) {
  std::set<std::string> reached, wanted = tidy::PublicHeaders();
  Reach("tools/packaging/plexus.h", reached);
  wanted.erase("algorithms/boost_graph.h");  // they include third-party headers
  wanted.erase("algorithms/eigen.h");
  ASSERT_GT(wanted.size(), 30u);
  EXPECT_LE(wanted.size(), 45u) << "a new header: which one becomes more general instead?";
  for (const std::string& header : wanted)
    EXPECT_TRUE(reached.contains(header)) << header << " cannot be reached from plexus/plexus.h";
}

// What an editor offers after "plexus::": types, constants and functions, by the way they are
// written here: from the first column on.
TEST(PublicInterface, FewNamesAreOfNoNamespaceOfTheirOwn) {
  const std::regex opens("namespace ([a-z_:]+) \\{.*"), closes("\\}  // namespace.*"),
      type("(?:template <.*> )?(?:struct|class|enum class|enum|using) (\\w+) ?[^;]*(?:[{:=].*)?"),
      constant("(?:inline )?(?:constexpr|const) .*?\\b(k[A-Z]\\w*).*"),
      function("(?:[A-Za-z].*[ *&])?([A-Z]\\w*)\\(.*");
  std::set<std::string> names;
  for (const std::string& header : tidy::PublicHeaders()) {
    std::vector<std::string> spaces;
    std::smatch found;
    const tidy::File file = tidy::Read(tidy::Root() / header);
    for (const std::string& line : file.lines) {
      if (std::regex_match(line, found, opens))
        spaces.push_back(found[1]);
      else if (std::regex_match(line, closes) && !spaces.empty())
        spaces.pop_back();
      else if (spaces == std::vector<std::string>{"plexus"} && !line.starts_with("PLEXUS_") &&
               (std::regex_match(line, found, type) || std::regex_match(line, found, constant) ||
                std::regex_match(line, found, function)))
        names.insert(found[1]);
    }
  }
  ASSERT_GT(names.size(), 100u);
  EXPECT_LE(names.size(), 200u) << "put new ones into the namespace of a family";
}

// -Wextra warns of each member without an initializer that such an expression leaves out, so a host
// with -Werror could not write it. A new struct of options gets a line here.
TEST(PublicInterface, OptionsTakeOneNamedMember) {
  (void)centrality::BetweennessOptions{.samples = {}};
  (void)centrality::ClosenessOptions{.direction = {}};
  (void)centrality::HitsOptions{.tolerance = {}};
  (void)centrality::KatzOptions{.alpha = {}};
  (void)centrality::EigenvectorOptions{.tolerance = {}};
  (void)Budget{.nodes = {}};
  (void)DenseViewOptions{.out = {}};
  (void)EdgeWeighting{.factors = {}};
  (void)GraphFilter{.kinds = {}};
  (void)RunOptions{.budget = {}};
  (void)community::KCoreOptions{.filter = {}};
  (void)community::LabelPropagationOptions{.iterations = {}};
  (void)community::LeidenOptions{.resolution = {}};
  (void)community::TrianglesOptions{.filter = {}};
  (void)community::ClusteringOptions{.directed = {}};
  (void)connectivity::CutPointsOptions{.list_blocks = {}};
  (void)connectivity::ComponentsOptions{.filter = {}};
  (void)connectivity::DominatorsOptions{.direction = {}};
  (void)connectivity::MaxFlowOptions{.unit_capacities = {}};
  (void)connectivity::SpanningForestOptions{.maximum = {}};
  (void)connectivity::TopologicalOrderOptions{.filter = {}};
  (void)memory::ActivateRelatedOptions{.prefix = {}};
  (void)memory::SearchConceptsOptions{.space = {}};
  (void)memory::AddEpisodeOptions{.weight = {}};
  (void)memory::RelateOptions{.reinforce = {}};
  (void)memory::RelationDecay{.kind = {}};
  (void)memory::RecallConceptsOptions{.hops = {}};
  (void)memory::OpenConflictsOptions{.now_ms = {}};
  (void)memory::ResolveOptions{.now_ms = {}};
  (void)memory::ConflictCandidatesOptions{.now_ms = {}};
  (void)memory::NearDuplicatesOptions{.now_ms = {}};
  (void)memory::DecisionOptions{.now_ms = {}};
  (void)memory::BlockedChainsOptions{.decisions = {}};
  (void)memory::TargetCondition{.active = {}};
  (void)memory::GuardrailRule{.name = {}};
  (void)memory::GuardrailOptions{.decisions = {}};
  (void)memory::WorkQueueOptions{.decisions = {}};
  (void)memory::SalienceOptions{.decisions = {}};
  (void)memory::CompactionOptions{.salience = {}};
  (void)memory::SuggestOptions{.decisions = {}};
  (void)memory::EventFilter{.tool = {}};
  (void)memory::EventListOptions{.filter = {}};
  (void)memory::BountyOptions{.tags = {}};
  (void)memory::NewMember{.key = {}};
  (void)memory::NewEvent{.id = {}};
  (void)memory::NewLabel{.type = {}};
  (void)memory::CosineBand{.space = {}};
  (void)memory::NeverComposedOptions{.lens = {}};
  (void)memory::RecallQuery{.terms = {}};
  (void)memory::RecallOptions{.now_ms = {}};
  (void)memory::RelatedOptions{.hops = {}};
  (void)memory::ReinforcementOptions{.now_ms = {}};
  (void)memory::EdgeRecipe{.name = {}};
  (void)memory::BuildOptions{.trajectories = {}};
  (void)memory::VisibleOptions{.include_superseded = {}};
  (void)pagerank::PageRankOptions{.damping = {}};
  (void)pagerank::PageRankPushOptions{.damping = {}};
  (void)paths::DistancesOptions{.cost = {}};
  (void)paths::ShortestPathOptions{.cost = {}};
  (void)retrieval::Bm25Options{.k1 = {}};
  (void)retrieval::NearestOptions{.top = {}};
  (void)retrieval::PhraseOptions{.terms = {}};
  (void)retrieval::PlanSeeds{.by = {}};
  (void)retrieval::PlanExpand{.hops = {}};
  (void)retrieval::PlanFilter{.node_kinds = {}};
  (void)retrieval::PlanScore{.weights = {}};
  (void)retrieval::RetrievalPlan{.seeds = {}};
  (void)retrieval::NamedPlan{.name = {}};
  (void)retrieval::RetrieveQuery{.terms = {}};
  (void)retrieval::NodeValues{.list = {}};
  (void)retrieval::RetrieveOptions{.subset = {}};
  (void)retrieval::RemoveOptions{.now_ms = {}};
  (void)retrieval::TimeToLive{.kind = {}};
  (void)retrieval::RerankOptions{.k = {}};
  (void)retrieval::NodeScan{.kind = {}};
  (void)retrieval::IndexTermsOptions{.terms = {}};
  (void)retrieval::TextVectorOptions{.space = {}};
  (void)retrieval::TermOptions{.stop_words = {}};
  (void)retrieval::VectorIndexOptions{.metric = {}};
  (void)retrieval::IndexNearestOptions{.top = {}};
  (void)retrieval::IndexRecallOptions{.top = {}};
  (void)retrieval::VectorJoinOptions{.top = {}};
  (void)retrieval::WhereOptions{.subset = {}};
  (void)similarity::FrontierOptions{.arity = {}};
  (void)similarity::SimilarityOptions{.measure = {}};
  (void)traversal::BfsOptions{.max_depth = {}};
  (void)traversal::MultiBfsOptions{.max_depth = {}};
  (void)traversal::PatternOptions{.order = {}};
  (void)traversal::TraverseOptions{.hops = {}};
  (void)GraphOptions{.maintenance = {}};
  (void)ApplyOptions{.durability = {}};
  (void)ReplayOptions{.durability = {}};
  (void)PreviewOptions{.now_ms = {}};
  (void)OpenOptions{.create = {}};
  (void)VerifyOptions{.against_replay = {}};
  (void)ChangesOptions{.max_records = {}};
  (void)formats::ExportOptions{.progress = {}};
  (void)formats::FollowBatch{.sequence = {}};
  (void)formats::FollowOptions{.position = {}};
  (void)formats::ImportLimits{.line_bytes = {}};
  (void)formats::ImportOptions{.format = {}};
  (void)formats::VectorInput{.name = {}};
  (void)formats::VectorImportOptions{.format = {}};
  (void)RepairOptions{.executor = {}};
  (void)WriteBatch::EdgeInput{.label = {}};
  (void)NodeWeight{.node = {}};
}

}  // namespace
}  // namespace plexus
