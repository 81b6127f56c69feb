// The options that a graph keeps of its terms: stored at first use, used by every later batch and
// question, never mixed with others.
#include "algorithms/retrieval/terms.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/recall/recall.h"
#include "engine/graph.h"
#include "engine/properties/properties.h"
#include "engine/state.h"
#include "engine/vocabulary.h"

namespace plexus {
using namespace builtin;
using namespace memory;
using namespace retrieval;
namespace {

void Ok(const auto& result) { ASSERT_TRUE(result.has_value()) << result.error().ToString(); }

WriteBatch TextBatch(const std::vector<std::pair<const char*, const char*>>& texts) {
  WriteBatch batch(1);
  for (const auto& [key, text] : texts)
    batch.SetPayload(batch.UpsertNode(key, NodeKindRef(kMemory)), NodeField::kText, text);
  return batch;
}

struct TermRecordTest : ::testing::Test {
  Snapshot now() const { return graph->snapshot(); }
  void Apply(const WriteBatch& batch) { Ok(graph->Apply(batch)); }
  Status Index(const IndexTermsOptions& options, int* batches = nullptr) {
    const auto report = IndexTerms(now(), options, [&](const WriteBatch& batch) -> Status {
      if (batches) ++*batches;
      PLEXUS_TRY(graph->Apply(batch));
      return {};
    });
    return report ? Status() : std::unexpected(report.error());
  }
  TermRecord Read() const { return ReadTermRecord(now()).value(); }
  std::vector<std::string> Found(std::string_view text) const {
    std::vector<std::string> keys;
    const auto found = Bm25(now(), text);
    Ok(found);
    for (const Bm25Hit& match : found->hits) keys.emplace_back(now().key(match.node));
    return keys;
  }
  std::unique_ptr<Graph> graph = Graph::InMemory();
};
using Keys = std::vector<std::string>;

TEST_F(TermRecordTest, IsMadeAtFirstUse) {
  WriteBatch first = TextBatch({{"a", "a café"}, {"b", "get_user_by_id"}});
  Ok(AddTerms(now(), first));
  Apply(first);
  EXPECT_TRUE(SameOptions(Read().terms, TermOptions::Recommended()));
  EXPECT_EQ(Read().covers(), 1u);
  EXPECT_EQ(Found("CAFE"), Keys{"a"});
  EXPECT_EQ(Found("user"), Keys{"b"});
  WriteBatch second = TextBatch({{"c", "another café"}});
  Ok(AddTerms(now(), second));
  Apply(second);
  EXPECT_EQ(Read().runs, 1);
  EXPECT_EQ(Found("cafe"), (Keys{"a", "c"}));
}

TEST_F(TermRecordTest, OtherOptionsAreRefusedByName) {
  TermOptions own;
  own.stemmer = "english";
  own.stop_words = {"zebra", "apple"};
  own.max_term_bytes = 20;
  WriteBatch first = TextBatch({{"a", "running zebras"}});
  Ok(AddTerms(now(), own, first));
  Apply(first);
  EXPECT_TRUE(SameOptions(Read().terms, own));
  EXPECT_EQ(Found("runs"), Keys{"a"});
  const std::pair<const char*, void (*)(TermOptions&)> others[] = {
      {"stemmer", [](TermOptions& o) { o.stemmer = ""; }},
      {"stop_words", [](TermOptions& o) { o.stop_words.pop_back(); }},
      {"default_stop_words", [](TermOptions& o) { o.default_stop_words = false; }},
      {"max_term_bytes", [](TermOptions& o) { o.max_term_bytes = 128; }},
      {"fold_accents", [](TermOptions& o) { o.fold_accents = true; }},
      {"split_identifiers", [](TermOptions& o) { o.split_identifiers = true; }},
      {"cjk_bigrams", [](TermOptions& o) { o.cjk_bigrams = true; }},
      {"event_queries", [](TermOptions& o) { o.event_queries = true; }}};
  for (const auto& [name, change] : others) {
    TermOptions other = own;
    change(other);
    WriteBatch batch = TextBatch({{"b", "words"}});
    const auto refused = AddTerms(now(), other, batch);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_NE(refused.error().message.find(std::string("another ") + name), std::string::npos)
        << refused.error().message;
    const Snapshot since = now();
    EXPECT_EQ(Index({.terms = other, .since = &since}).error().code,
              ErrorCode::kFailedPrecondition);
  }
  std::swap(own.stop_words[0], own.stop_words[1]);
  WriteBatch same = TextBatch({{"b", "words"}});
  Ok(AddTerms(now(), own, same));
}

TEST_F(TermRecordTest, SaysWhatTheIndexLacks) {
  Apply(TextBatch({{"a", "an apple"}}));
  WriteBatch batch = TextBatch({{"b", "a bear"}});
  Ok(AddTerms(now(), batch));
  Apply(batch);
  EXPECT_EQ(Read().covers(), 0u);
  EXPECT_EQ(CountNotIndexed(now(), Read(), nullptr)->facts, 1u);
  Ok(Index({.terms = Read().terms}));
  EXPECT_EQ(Read().covers(), now().sequence());
  EXPECT_TRUE(CountNotIndexed(now(), Read(), nullptr)->none());
  int batches = 0;
  Ok(Index({.terms = Read().terms}, &batches));
  EXPECT_EQ(batches, 0);
  EXPECT_EQ(Found("apple"), Keys{"a"});
}

// Counted on a graph that keeps what is in doubt, and on a copy that keeps nothing.
TEST_F(TermRecordTest, WhatIsInDoubtFollowsEveryBatch) {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto key = [&] { return "n" + std::to_string(below(40)); };
  const auto word = [&] { return "word" + std::to_string(below(9)); };
  std::uint64_t in_doubt = 0;
  for (int step = 0; step < 300; ++step) {
    WriteBatch batch(1);
    for (std::uint64_t i = 0; i <= below(3); ++i) {
      const NodeRef node = batch.UpsertNode(key(), NameRef(below(9) ? kMemory : kTurn));
      if (below(5)) batch.SetPayload(node, NodeField::kText, word() + " " + word());
      if (!below(6)) batch.ClearPayload(node, NodeField::kText);
      if (!below(9)) batch.RemoveNode(node);
    }
    if (below(8)) Ok(AddTerms(now(), batch));
    Apply(batch);
    if (!below(40)) Ok(Index({.terms = Read().terms}));
    const Snapshot copy(std::make_shared<const FrozenState>(GraphState(now().state())));
    const TermRecord record = Read();
    const NodeSubset memories = NodeSubset::OfKinds(copy, std::vector{kMemory});
    for (const NodeSubset* subset : {static_cast<const NodeSubset*>(nullptr), &memories}) {
      const auto kept = CountNotIndexed(now(), record, subset);
      const auto made = CountNotIndexed(copy, record, subset);
      Ok(kept);
      Ok(made);
      EXPECT_EQ(kept->facts, made->facts) << step;
      EXPECT_EQ(kept->not_compared, made->not_compared) << step;
      in_doubt += kept->facts;
      for (const Sequence covers : {Sequence{0}, record.covers(), Sequence{50}}) {
        std::uint64_t newer = 0;
        for (NodeId v = 0; v < copy.node_count(); ++v)
          newer += copy.alive(v) && copy.is_fact(v) && (!subset || subset->contains(v)) &&
                   copy.payload_ref(v, NodeField::kText).sequence() > covers;
        EXPECT_EQ(CountNewerTexts(now(), covers, subset), newer) << step << " " << covers;
      }
    }
  }
  EXPECT_GT(in_doubt, 100u);
}

// All texts indexed anew may have other options; who prepared a batch before must do it again.
TEST_F(TermRecordTest, IsExpectedByBatches) {
  WriteBatch first = TextBatch({{"a", "running"}});
  Ok(AddTerms(now(), first));
  WriteBatch beside = TextBatch({{"b", "walking"}});
  TermOptions stems;
  stems.stemmer = "english";
  Ok(AddTerms(now(), stems, beside));  // first, too
  Apply(first);
  EXPECT_EQ(graph->Apply(beside).error().code, ErrorCode::kConflict);
  WriteBatch stale = TextBatch({{"c", "flying"}});
  Ok(AddTerms(now(), stale));
  Ok(Index({.terms = stems}));
  EXPECT_EQ(Read().terms, stems);
  EXPECT_EQ(graph->Apply(stale).error().code, ErrorCode::kConflict);
  EXPECT_EQ(Found("run"), Keys{"a"});
}

// Of a batch that has no text other options may index something. So may they of one that comes
// between the snapshot and the first batch of indexing anew.
TEST_F(TermRecordTest, OtherOptionsMissNoBatch) {
  WriteBatch first = TextBatch({{"a", "apple"}});
  Ok(AddTerms(now(), first));
  Apply(first);
  const auto named = [&](const char* key, const char* name) {
    WriteBatch batch(1);
    batch.SetPayload(batch.UpsertNode(key, NodeKindRef(kMemory)), NodeField::kProperties,
                     PropertyMapBuilder().String("name", name).Finish().value());
    Ok(AddTerms(now(), batch));
    return batch;
  };
  IndexTermsOptions options;
  options.terms = Read().terms;
  options.terms.properties = {"name"};
  const WriteBatch stale = named("b", "bear"), between = named("c", "cat");
  bool once = false;
  const auto refused = IndexTerms(now(), options, [&](const WriteBatch& batch) -> Status {
    if (!std::exchange(once, true)) Apply(between);
    PLEXUS_TRY(graph->Apply(batch));
    return {};
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  const auto done = IndexTerms(now(), options, [&](const WriteBatch& batch) -> Status {
    PLEXUS_TRY(graph->Apply(batch));
    EXPECT_EQ(graph->Apply(stale).error().code, ErrorCode::kConflict);
    Apply(named("d", "dog"));
    return {};
  });
  Ok(done);
  EXPECT_EQ(Read().covers(), now().sequence());
  EXPECT_EQ(Found("cat"), Keys{"c"});
  EXPECT_EQ(Found("dog"), Keys{"d"});
  EXPECT_EQ(Found("apple"), Keys{"a"});
}

// As versions before wrote it, and one that is none.
TEST_F(TermRecordTest, IsReadAsItWasWritten) {
  const auto write = [&](const std::string& bytes) {
    WriteBatch batch(1);
    const NodeRef node = TermRecordNode(batch);
    batch.UpsertNode(node);
    batch.SetPayload(node, NodeField::kProperties, bytes);
    Apply(batch);
  };
  PropertyMapBuilder map;
  map.Bool("default_stop_words", false).BeginList("stop_words").String("und").End();
  map.Bool("fold_accents", true).String("stemmer", "german").Int("runs", 7);
  write(map.Finish().value());
  TermOptions expected;
  expected.default_stop_words = false;
  expected.stop_words = {"und"};
  expected.fold_accents = true;
  expected.stemmer = "german";
  EXPECT_EQ(Read().terms, expected);
  EXPECT_EQ(Read().runs, 7);
  EXPECT_EQ(Read().covers(), 1u);
  map.Bool("cjk_bigrams", true).Int("split_identifiers", 1);
  write(map.Finish().value());
  EXPECT_EQ(ReadTermRecord(now()).error().code, ErrorCode::kCorruption);
}

TEST_F(TermRecordTest, TextsAreAskedWithIt) {
  EXPECT_EQ(Bm25(now(), "apple").error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(Recall(now(), {.text = "apple"}).error().code, ErrorCode::kFailedPrecondition);
  WriteBatch batch = TextBatch({{"a", "an épée"}, {"b", "two épées and an apple"}});
  Ok(AddTerms(now(), batch));
  Apply(batch);
  EXPECT_EQ(Bm25(now(), "the, and").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Recall(now(), {.text = "the, and"}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Found("Epee"), (Keys{"a", "b"}));
  const auto recalled = Recall(now(), {.text = "the EPEE"});
  Ok(recalled);
  ASSERT_EQ(recalled->hits.size(), 2u);
  EXPECT_EQ(now().key(recalled->hits[0].node), "a");
  const std::string apple[] = {"apple"};
  EXPECT_EQ(Recall(now(), {.text = "epee", .terms = apple})->hits.size(), 2u);
}

}  // namespace
}  // namespace plexus
