// undo: the graph is again what it was before the batch, whatever the batch was.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

class Undo : public ProgramTest {
 protected:
  void SetUp() override { always_ = {"--quiet"}; }
  // All of it, without what says when it was written.
  std::string All() { return Run({"export"}).out; }
  std::string Last() { return std::to_string(Json({"stats"}).at("sequence").to_number<int>()); }
  void Do(const Words& words) {
    const auto result = Run(words);
    ASSERT_EQ(result.code, 0) << result.err;
  }
  // A write, its undo, and the undo of that, which is taken back unless it is to stay.
  void DoesAndUndoes(const Words& words, bool stays = false) {
    SCOPED_TRACE(words[0] + " " + words[1]);
    const std::string before = All(), sequence = Last();
    Do(words);
    const std::string done = Last(), after = All();
    if (done == sequence) return;  // it changed nothing
    Do({"undo", done, "--dry-run"});
    EXPECT_EQ(Last(), done);
    Do({"undo", done});
    EXPECT_EQ(All(), before);
    const std::string undone = Last();
    Do({"undo", undone});
    EXPECT_EQ(All(), after);
    if (stays) return;
    Do({"undo"});  // the last one
    EXPECT_EQ(All(), before);
  }
};

TEST_F(Undo, EveryWrite) {
  Do({"put", "a", "--kind", "memory", "--text", "the ledger of payouts", "--tags", "money,books",
      "--set", "trust=0.5"});
  Do({"put", "b", "--kind", "memory", "--text", "another text of payouts"});
  Do({"put", "d", "--kind", "decision", "--text", "use a ledger"});
  DoesAndUndoes({"link", "a", "supports", "b", "--weight", "0.25", "--label", "why", "--created-by",
                 "me", "--valid-from", "2026-01-01", "--props", R"({"p":1})"});
  Do({"link", "a", "supports", "b", "--label", "why"});
  DoesAndUndoes({"link", "a", "supports", "b", "--weight", "0.75", "--label", "why"});
  DoesAndUndoes({"link", "new one", "refines", "a"});
  DoesAndUndoes({"unlink", "a", "supports", "b", "--label", "why"});
  DoesAndUndoes({"put", "a", "--text", "a text that is another", "--set", "trust=0.9"});
  DoesAndUndoes({"put", "c", "--kind", "memory", "--text", "brand new words", "--tags", "fresh"});
  DoesAndUndoes({"link", "a", "contradicts", "b"});
  Do({"link", "a", "contradicts", "b"});
  DoesAndUndoes({"conflicts", "resolve", "a", "b", "--supersede", "a"});
  DoesAndUndoes({"conflicts", "resolve", "a", "b", "--drop", "b"});
  DoesAndUndoes({"conflicts", "resolve", "a", "b", "--keep-both"});
  DoesAndUndoes({"remove", "a"});
  EXPECT_TRUE(Says(Run({"find", "ledger of payouts"}).out, "a"));
  Do({"ledger", "record", "--id", "e1", "--query", "what pays", "--member", "a", "--member", "b"});
  DoesAndUndoes({"ledger", "label", "e1", "helpful"});
  DoesAndUndoes({"remove", "b"});
}

TEST_F(Undo, ManyWritesByLot) {
  std::mt19937 random(5);
  const auto key = [&] { return "k" + std::to_string(random() % 8); };
  const Words kinds = {"supports", "similar", "next", "supersedes"};
  Do({"put", "k0", "--kind", "memory", "--text", "first"});
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    Words words;
    const std::string a = key(), b = key();
    switch (random() % 4) {
      case 0:
        words = {"put", a, "--kind", "memory", "--text", "words of " + b, "--tags", b + ",all"};
        break;
      case 1:
        if (Run({"get", a}).code != 0) continue;
        words = {"remove", a};
        break;
      default:
        if (Run({"get", a}).code != 0 || Run({"get", b}).code != 0) continue;
        words = {"link", a,          kinds[random() % kinds.size()],
                 b,      "--weight", std::to_string(random() % 9)};
    }
    DoesAndUndoes(words, /*stays=*/true);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST_F(Undo, RefusesWhatWasChangedSince) {
  Do({"put", "a", "--kind", "memory", "--text", "one"});
  Do({"put", "a", "--text", "two"});
  const std::string second = Last();
  Do({"link", "a", "supports", "b"});
  const std::string third = Last();
  Do({"undo", second, "--dry-run"});  // another edge does not matter
  Do({"put", "a", "--text", "three"});
  const std::string before = All();
  const auto refused = Run({"undo", second});
  EXPECT_EQ(refused.code, 6) << refused.err;
  EXPECT_TRUE(Says(refused.err, "'a'"));
  EXPECT_TRUE(Says(refused.err, "changed after batch " + second));
  Do({"link", "b", "supports", "c"});
  EXPECT_EQ(Run({"undo", third}).code, 6) << "b has got another edge";
  Do({"unlink", "b", "supports", "c"});
  Do({"link", "a", "supports", "b", "--weight", "0.5"});
  EXPECT_EQ(Run({"undo", third}).code, 6) << "the edge is another";
  EXPECT_NE(All(), before);
  EXPECT_EQ(Run({"undo", "99"}).code, 3);
  EXPECT_EQ(Run({"undo", "0"}).code, 2);
  EXPECT_EQ(Run({"undo", Last(), "--expect-sequence", "1"}).code, 6);
  Do({"purge", "b"});
  EXPECT_NE(Run({"undo", Last()}).code, 0) << "what is purged is gone";
}

TEST_F(Undo, RefusesWhatIsGone) {
  Do({"put", "a", "--text", "one text"});
  Do({"put", "b", "--text", "another text"});
  const std::string made = Last();
  Do({"put", "b", "--text", "yet another text"});
  const std::string changed = Last();
  Do({"purge", "b", "--hard"});
  const std::string all = All(), purged = Last();
  for (const std::string& gone : {made, changed, purged}) {
    const auto refused = Run({"undo", gone});
    EXPECT_EQ(refused.code, 1) << gone;
    EXPECT_TRUE(Says(refused.err, "batch " + gone + " has nothing to take back"));
  }
  EXPECT_EQ(Last(), purged);
  EXPECT_EQ(All(), all);
  Do({"undo", "1", "--dry-run"});
  Do({"trim", "--before", purged});
  EXPECT_TRUE(Ends(Run({"undo", "1"}), 3, "below the history floor"));
}

TEST_F(Undo, LaterUsesAndAnIndexOfAll) {
  Do({"put", "a", "--text", "the first text"});
  const std::string first = Last();
  Do({"put", "b", "--text", "quite another text"});
  Do({"undo", first});  // the index of terms was written by both
  EXPECT_EQ(Run({"get", "a"}).code, 3);
  Do({"put", "c"});
  const std::string made = Last();
  Do({"put", "c", "--tags", "x"});
  EXPECT_EQ(Run({"undo", made}).code, 6) << "a tag was put on it";
  Do({"ledger", "record", "--member", "b", "--id", "e1", "--query", "why"});
  const std::string recorded = Last();
  Do({"ledger", "label", "e1", "helpful"});
  EXPECT_EQ(Run({"undo", recorded}).code, 6) << "the event has an outcome";
  Do({"link", "b", "causes", "d"});
  Do({"unlink", "b", "causes", "d"});
  const std::string unlinked = Last();
  Do({"remove", "d"});
  EXPECT_EQ(Run({"undo", unlinked}).code, 6);
}

// The same bytes that are stored once more are no change.
TEST_F(Undo, ABackAndForthIsNoChange) {
  for (const Words& of : {Words{"put", "t"}, Words{"link", "s", "causes", "u"}}) {
    const auto with = [&](const char* props) {
      Words words = of;
      words.insert(words.end(), {"--props", props});
      Do(words);
    };
    with(R"({"n":1})");
    const std::string first = Last();
    with(R"({"n":2})");
    Do({"undo"});
    const auto changes = Json({"diff", first, Last()});
    EXPECT_EQ(changes.at("results").as_array().size(), 0u) << boost::json::serialize(changes);
    Do({"undo", first});
  }
}

}  // namespace
}  // namespace plexus::testing
