// Seeds by names against their definition, on random keys and questions; worked examples. And the
// matches of chosen nodes (Bm25Of) against those of all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/terms.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus {
using namespace builtin;
using namespace retrieval;
namespace {

const std::vector<std::string> kPlanWords = {"amber", "birch", "cedar", "delta", "ember"};

std::string Words(std::mt19937_64& random, std::size_t least, std::size_t most) {
  std::string text;
  for (std::size_t i = 0, n = least + random() % (most - least + 1); i < n; ++i)
    text += (i == 0 ? "" : " ") + kPlanWords[random() % kPlanWords.size()];
  return text;
}

// Nodes of these keys, each with a text.
std::unique_ptr<Graph> Made(const std::map<std::string, std::string>& texts) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  for (const auto& [key, text] : texts)
    batch.SetPayload(batch.UpsertNode(key, NodeKindRef(kMemory)), NodeField::kText, text);
  EXPECT_TRUE(AddTerms(graph->snapshot(), batch));
  EXPECT_TRUE(graph->Apply(batch));
  return graph;
}

RetrievalPlan ByNames() {
  RetrievalPlan plan;
  plan.seeds = {{.by = SeedBy::kNames, .top = 1'000}};
  plan.score[PlanTerm::kPath] = 1;
  plan.top = 1'000;
  return plan;
}

// `said`: the question's text is given, too.
std::map<std::string, double> Named(const Snapshot& s, const std::string& question, bool said) {
  std::map<std::string, double> named;
  const std::vector<std::string> terms = QueryTerms(s, question).value();
  const std::string_view text = said ? std::string_view(question) : std::string_view();
  const auto found = Retrieve(s, ByNames(), {.terms = terms, .text = text});
  EXPECT_TRUE(found) << found.error().ToString();
  for (const RetrieveHit& hit : found->hits) named[std::string(s.key(hit.node))] = hit.score;
  return named;
}

// Whatever a key says outside of brackets, as words.
std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == '(') break;
    if (c != ' ')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// By definition: the longest names first, each at the places that are free.
std::map<std::string, double> Expected(const Snapshot& s, const std::set<std::string>& keys,
                                       const std::string& question) {
  const std::vector<std::string> asked = WordsOf(question);
  const auto bm25 = Bm25(s, question, {.top = 0}).value();
  const auto idf = [&](const std::string& word) {
    for (const QueryTerm& term : bm25.terms)
      if (term.term == word) return term.idf;
    return 0.0;
  };
  double whole = 0;
  for (const std::string& word : asked) whole += idf(word);
  std::vector<std::tuple<std::ptrdiff_t, double, NodeId, std::string>> order;
  for (const std::string& key : keys) {
    double sum = 0;
    for (const std::string& word : WordsOf(key)) sum += idf(word);
    order.emplace_back(-static_cast<std::ptrdiff_t>(WordsOf(key).size()), -sum, *s.Find(key), key);
  }
  std::ranges::sort(order);
  std::map<std::string, double> named;
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (const auto& [length, sum, node, key] : order) {
    const std::vector<std::string> words = WordsOf(key);
    for (std::size_t at = 0; at + words.size() <= asked.size(); ++at) {
      const std::pair span{at, at + words.size()};
      if (!std::equal(words.begin(), words.end(), asked.begin() + static_cast<std::ptrdiff_t>(at)))
        continue;
      if (std::ranges::any_of(taken, [&](const auto& t) {
            return t != span && t.first < span.second && span.first < t.second;
          }))
        continue;
      taken.push_back(span);
      named[key] = std::sqrt(std::min(1.0, -sum / whole));
      if (words.size() == 1)  // of one text of all: ln(1 + (n - 0.5) / 1.5)
        named[key] *= -sum / std::log(1 + (static_cast<double>(bm25.documents) - 0.5) / 1.5);
    }
  }
  return named;
}

TEST(PlanNames, AreTheDefinition) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    std::map<std::string, std::string> texts;
    std::set<std::string> keys;
    for (int i = 0; i < 12; ++i) {
      std::string key = Words(random, 1, 3);
      if (random() % 3 == 0) key += " (" + std::to_string(random() % 9) + ")";
      texts[key] = Words(random, 2, 9);
      keys.insert(key);
    }
    const auto graph = Made(texts);
    const Snapshot s = graph->snapshot();
    for (int round = 0; round < 10; ++round) {
      const std::string question = Words(random, 1, 8);
      const auto want = Expected(s, keys, question);
      const auto got = Named(s, question, round % 2);
      ASSERT_EQ(got.size(), want.size()) << "seed " << seed << ": " << question;
      for (const auto& [key, weight] : want)
        ASSERT_NEAR(got.at(key), weight, 1e-12) << "seed " << seed << ": " << question;
      found += want.size();
    }
  }
  EXPECT_GT(found, 300u);
}

TEST(PlanNames, OfPeopleFilmsAndIdentifiers) {
  const auto graph = Made({{"Move (1970 film)", "A comedy directed by Stuart Rosenberg."},
                           {"Stuart Rosenberg", "A director of film and television."},
                           {"Rosenberg", "A town."},
                           {"deploy-window", "Deploys stop on Fridays."},
                           {"getUserById", "Reads one user."},
                           {"m1", "The film of Rosenberg."}});
  const Snapshot s = graph->snapshot();
  const auto keys = [&](const std::string& question) {
    std::string all;
    const auto named = Named(s, question, true);
    EXPECT_EQ(named, Named(s, question, false)) << question;
    for (const auto& [key, weight] : named) all += (all.empty() ? "" : ", ") + key;
    return all;
  };
  EXPECT_EQ(keys("Who made Move (1970 Film)?"), "Move (1970 film)");
  EXPECT_EQ(keys("Which film did STUART ROSENBERG move to?"), "Move (1970 film), Stuart Rosenberg");
  EXPECT_EQ(keys("Is Rosenberg, Stuart from there?"), "Rosenberg");  // in another order: no name
  EXPECT_EQ(keys("When is the deploy window?"), "deploy-window");
  EXPECT_EQ(keys("What calls getUserById in the film?"), "getUserById");
  EXPECT_EQ(keys("m1 in the film"), "");
  EXPECT_EQ(keys("nobody of that name"), "");
}

// Where the text is known, stop words inside of a key are words of it; at its ends they are not.
TEST(PlanNames, StopWordsInsideOfAKey) {
  const auto graph = Made({{"What it does", "It answers."},
                           {"Lord of the Rings", "A film of three parts."},
                           {"The Matrix", "Another film."},
                           {"To be", "A monologue."},
                           {"Being Human", "A series about human beings and rights."},
                           {"m1", "What does the matrix of lord rings say?"}});
  const Snapshot s = graph->snapshot();
  const auto keys = [&](const std::string& question, bool said) {
    std::string all;
    for (const auto& [key, weight] : Named(s, question, said))
      all += (all.empty() ? "" : ", ") + key;
    return all;
  };
  EXPECT_EQ(keys("what does the door say", false), "What it does");
  EXPECT_EQ(keys("what does the door say", true), "");
  EXPECT_EQ(keys("say what it does", true), "What it does");
  EXPECT_EQ(keys("who wrote the lord of the rings", true), "Lord of the Rings");
  EXPECT_EQ(keys("a lord, rings", true), "");
  EXPECT_EQ(keys("is matrix a film?", true), "The Matrix");
  EXPECT_EQ(keys("is the matrix to be there", true), "The Matrix");
  EXPECT_EQ(keys("human rights", true), "");  // "being" is no stop word, though its stem is one
  EXPECT_EQ(keys("who made being human?", true), "Being Human");
  EXPECT_EQ(Named(s, "the matrix", true), Named(s, "matrix", true));
}

// A node that the question names is walked from, though its text does not answer.
TEST(PlanNames, TheRecallPlanWalksFromThem) {
  auto graph = Made({{"Move", "A comedy."},
                     {"p1", "Born in Brooklyn, directed much."},
                     {"p2", "Move, move, move: where were dancers born?"}});
  WriteBatch link(2);
  link.Link(NodeRef::Id(*graph->snapshot().Find("Move")), kRelatesTo,
            NodeRef::Id(*graph->snapshot().Find("p1")), 1);
  ASSERT_TRUE(graph->Apply(link));
  const Snapshot s = graph->snapshot();
  const std::vector<std::string> terms =
      QueryTerms(s, "Move: where was its director born?").value();
  const auto found = Retrieve(s, FindPlan("recall")->plan, {.terms = terms});
  ASSERT_TRUE(found) << found.error().ToString();
  ASSERT_EQ(found->hits.size(), 3u);
  for (const RetrieveHit& hit : found->hits) {
    EXPECT_EQ(hit.found_by & 1, s.key(hit.node) == "Move") << s.key(hit.node);
    if (s.key(hit.node) != "p1") continue;
    EXPECT_EQ(hit.hops, 1);
    EXPECT_EQ(s.key(hit.seed), "Move");
    EXPECT_GT(hit.score, hit.terms[0].value);  // more than its words
  }
}

TEST(Bm25Of, IsBm25OfChosenNodes) {
  std::mt19937_64 random(7);
  std::map<std::string, std::string> texts;
  for (int i = 0; i < 60; ++i) texts["n" + std::to_string(i)] = Words(random, 1, 12);
  const auto graph = Made(texts);
  const Snapshot s = graph->snapshot();
  std::vector<NodeId> some;
  for (NodeId node = 0; node < s.node_count(); node += 3) some.push_back(node);
  const NodeSubset phrase = NodeSubset::Of(s, some).value();
  const Bm25Phrase phrases[] = {{"\"a phrase\"", &phrase}};
  for (int round = 0; round < 30; ++round) {
    const std::vector<std::string> terms = QueryTerms(s, Words(random, 1, 5)).value();
    const Bm25Options options{.top = 0, .phrases = phrases};
    const auto all = Bm25(s, terms, options).value();
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < s.node_count(); ++node)
      if (random() % 2) nodes.push_back(node);
    std::vector<Bm25Hit> want;
    for (const NodeId node : nodes)
      if (const auto at = std::ranges::find(all.hits, node, &Bm25Hit::node); at != all.hits.end())
        want.push_back(*at);
    const auto got = Bm25Of(s, all, nodes, options).value();
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].node, want[i].node);
      EXPECT_EQ(got[i].score, want[i].score);
      EXPECT_EQ(got[i].length, want[i].length);
      ASSERT_EQ(got[i].shares.size(), want[i].shares.size());
      for (std::size_t t = 0; t < got[i].shares.size(); ++t) {
        EXPECT_EQ(got[i].shares[t].term, want[i].shares[t].term);
        EXPECT_EQ(got[i].shares[t].frequency, want[i].shares[t].frequency);
        EXPECT_EQ(got[i].shares[t].score, want[i].shares[t].score);
      }
    }
  }
  EXPECT_TRUE(Bm25Of(s, {}, some)->empty());
}

}  // namespace
}  // namespace plexus
