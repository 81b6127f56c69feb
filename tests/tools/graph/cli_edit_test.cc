// Changes by hand: link, unlink, remove, purge; history and the past.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::object;

class EditCommands : public ProgramTest {};

TEST_F(EditCommands, LinkAddsUpdatesAndReportsIt) {
  const object first = Json({"link", "a", "knows", "b", "--weight", "0.5"});
  EXPECT_EQ(first.at("edges").at("new"), 1);
  EXPECT_EQ(first.at("nodes").at("new"), 2);
  const object again = Json({"link", "a", "knows", "b", "--weight", "0.5"});
  EXPECT_EQ(again.at("edges").at("same"), 1);
  EXPECT_EQ(again.at("sequence"), first.at("sequence"));
  const object changed =
      Json({"link", "a", "knows", "b", "--weight", "0.25", "--props", R"({"why":"x"})"});
  EXPECT_EQ(changed.at("edges").at("changed"), 1);
  EXPECT_EQ(Json({"neighbors", "a"}).at("neighbors").at(0).at("weight").to_number<double>(), 0.25);
}

// As the formats read them (weights_test.cc).
TEST_F(EditCommands, WeightsFollowTheRuleOfTheFormats) {
  for (const char* zero : {"0", "-0", "1e-50", "1e-400"}) {
    Json({"link", "tiny", "knows", "b", "--weight", zero});
    EXPECT_TRUE(Says(Run({"neighbors", "tiny", "--json"}).out, "\"weight\":0,")) << zero;
    Json({"unlink", "tiny", "knows", "b"});
  }
  for (const char* bad : {"-1e-50", "-1e-400", "1e39", "x", ""}) {
    EXPECT_TRUE(Ends(Run({"link", "tiny", "knows", "b", std::string("--weight=") + bad}), 2))
        << bad;
  }
}

TEST_F(EditCommands, OnlyAtTheSequenceExpected) {
  EXPECT_EQ(Run({"link", "a", "knows", "b", "--expect-sequence", "1"}).code, 3);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "g"));
  const auto sequence = [&](Words arguments) {
    return std::to_string(Json(std::move(arguments)).at("sequence").as_int64());
  };
  const std::string first = sequence({"link", "a", "knows", "b", "--expect-sequence", "0"});
  const std::string second = sequence({"link", "b", "knows", "c", "--expect-sequence", first});
  for (const Words& late :
       {Words{"link", "c", "admires", "d"}, {"unlink", "a", "knows", "b"}, {"remove", "a"}}) {
    const Words arguments = With(late, {"--expect-sequence", first});
    const Finished refused = Run(arguments);
    EXPECT_EQ(refused.code, 6) << late[0];
    EXPECT_TRUE(Says(refused.err, "expected sequence " + first + "; the graph is at " + second));
    EXPECT_TRUE(refused.out.empty());
  }
  EXPECT_EQ(Json({"stats"}).at("edges"), 2);
  EXPECT_EQ(Run({"get", "d"}).code, 3);
  EXPECT_EQ(Run({"unlink", "a", "admires", "b"}).code, 2);  // never became a kind
  const std::string third = sequence({"unlink", "a", "knows", "b", "--expect-sequence", second});
  sequence({"remove", "a", "--expect-sequence", third});
  EXPECT_EQ(Run({"link", "a", "knows", "b", "--expect-sequence", "x"}).code, 2);
  EXPECT_EQ(Run({"link", "a", "knows", "b", "--expect-sequence", "-1"}).code, 2);
}

TEST_F(EditCommands, LinkWarnsOfAMisspeltKind) {
  EXPECT_TRUE(Ends(Run({"link", "a", "suports", "b"}), 0, "did you mean 'supports'?"));
}

TEST_F(EditCommands, UnlinkTakesBackWhatIsThereAndNothingElse) {
  Json({"link", "a", "knows", "b"});
  Json({"link", "a", "knows", "b", "--label", "x"});
  EXPECT_EQ(Run({"unlink", "a", "knows", "c"}).code, 3);
  EXPECT_EQ(Run({"unlink", "b", "knows", "a"}).code, 3);
  EXPECT_EQ(Run({"unlink", "a", "knows", "b", "--label", "y"}).code, 3);
  EXPECT_EQ(Run({"unlink", "a", "knowz", "b"}).code, 2);
  Json({"unlink", "a", "knows", "b"});
  EXPECT_EQ(Run({"unlink", "a", "knows", "b"}).code, 3);
  EXPECT_EQ(Json({"stats"}).at("edges"), 1);  // the labelled one
  Json({"unlink", "a", "knows", "b", "--label", "x"});
  EXPECT_EQ(Json({"stats"}).at("edges"), 0);
}

TEST_F(EditCommands, UnlinkTakesBackAllEdgesBetweenTwoNodes) {
  const auto fill = [&] {
    for (const char* label : {"", "x", "y"}) Json({"link", "a", "knows", "b", "--label", label});
    Json({"link", "a", "supports", "b"});
    Json({"link", "b", "contradicts", "a"});
    Json({"link", "b", "supports", "a"});
    Json({"link", "a", "supports", "c"});
  };
  const auto counts = [](const object& reply) {
    std::string text = std::to_string(reply.at("unlinked").as_int64()) + ":";
    for (const auto& kind : reply.at("kinds").as_array())
      text += " " + std::string(kind.at("kind").as_string()) + " " +
              std::to_string(kind.at("edges").as_int64());
    return text;
  };
  fill();
  EXPECT_EQ(counts(Json({"unlink", "a", "any", "b", "--dry-run"})),
            "5: supports 1 contradicts 1 knows 3");
  EXPECT_EQ(Json({"stats"}).at("edges"), 7);
  EXPECT_EQ(counts(Json({"unlink", "a", "knows", "b"})), "1: knows 1");
  EXPECT_EQ(counts(Json({"unlink", "a", "knows", "b", "--all-labels"})), "2: knows 2");
  EXPECT_EQ(Run({"unlink", "a", "knows", "b", "--all-labels"}).code, 3);
  fill();
  const std::int64_t before = Json({"stats"}).at("sequence").as_int64();
  const object all = Json({"unlink", "a", "any", "b"});
  EXPECT_EQ(counts(all), "5: supports 1 contradicts 1 knows 3");
  EXPECT_EQ(all.at("edges").at("removed"), 5);
  EXPECT_EQ(all.at("sequence"), before + 1);  // one batch
  EXPECT_EQ(Json({"stats"}).at("edges"), 2);
  EXPECT_EQ(Run({"unlink", "a", "any", "b"}).code, 3);
  EXPECT_EQ(Run({"unlink", "a", "any", "b", "--label", "x"}).code, 3);
  EXPECT_EQ(Run({"unlink", "a", "knows", "b", "--label", "x", "--all-labels"}).code, 2);
  fill();
  EXPECT_EQ(counts(Json({"unlink", "a", "any", "b", "--label", "x"})), "1: knows 1");
  const Finished shown = Run({"unlink", "a", "any", "b"});
  EXPECT_TRUE(Says(shown.out, ": 4 edges removed: 1 supports, 1 contradicts, 2 knows\n"));
  EXPECT_EQ(counts(Json({"unlink", "b", "any", "a"})), "1: supports 1");
  // A kind of that name is meant.
  fill();
  Json({"link", "a", "any", "b"});
  EXPECT_EQ(counts(Json({"unlink", "a", "any", "b"})), "1: any 1");
}

TEST_F(EditCommands, ALoopPointsTheWayThatIsAskedFor) {
  Json({"link", "a", "knows", "a"});
  for (const auto& [asked, way] : {std::pair{"in", "in"}, {"out", "out"}, {"both", "out"}}) {
    const boost::json::array rows =
        Json({"neighbors", "a", "--direction", asked}).at("neighbors").as_array();
    ASSERT_EQ(rows.size(), 1u) << asked;
    EXPECT_EQ(rows[0].at("direction").as_string(), way) << asked;
  }
}

TEST_F(EditCommands, InverseNamesSwapTheEnds) {
  Json({"link", "effect", "caused_by", "cause"});
  const object row = Json({"neighbors", "cause"}).at("neighbors").at(0).as_object();
  EXPECT_EQ(row.at("kind"), "causes");
  EXPECT_EQ(row.at("direction"), "out");
  Json({"unlink", "effect", "caused_by", "cause"});
  EXPECT_EQ(Json({"stats"}).at("edges"), 0);
}

TEST_F(EditCommands, TheNextQuerySeesAChangeAndThePastStays) {
  Json({"link", "a", "knows", "b", "--now", "2026-01-01"});
  Json({"link", "b", "knows", "c", "--now", "2026-02-01"});
  EXPECT_EQ(Json({"traverse", "--from", "a"}).at("nodes").as_array().size(), 2u);
  EXPECT_EQ(Json({"traverse", "--from", "a", "--as-of", "1"}).at("nodes").as_array().size(), 1u);
  EXPECT_EQ(
      Json({"traverse", "--from", "a", "--as-of", "2026-01-15"}).at("nodes").as_array().size(), 1u);
  EXPECT_EQ(Json({"stats", "--as-of", "2026-02-01T00:00:00Z"}).at("edges"), 2);
  EXPECT_EQ(Run({"get", "c", "--as-of", "1"}).code, 3);
  EXPECT_EQ(Run({"stats", "--as-of", "99"}).code, 3);
  EXPECT_EQ(Run({"stats", "--as-of", "2025-01-01"}).code, 3);
}

TEST_F(EditCommands, RemoveKeepsHistory) {
  Json({"link", "a", "knows", "b"});
  const object reply = Json({"remove", "a"});
  EXPECT_EQ(reply.at("nodes").at("removed"), 1);
  EXPECT_EQ(Run({"get", "a"}).code, 3);
  EXPECT_EQ(Run({"remove", "a"}).code, 3);
  EXPECT_EQ(Json({"stats"}).at("edges"), 0);
  EXPECT_EQ(Run({"get", "a", "--as-of", "1"}).code, 0);
  Words what;
  const object history = Json({"history", "a"});
  for (const auto& entry : history.at("results").as_array())
    what.emplace_back(entry.at("what").as_string());
  ASSERT_FALSE(what.empty());
  EXPECT_EQ(what.front(), "created");
  EXPECT_NE(std::ranges::find(what, "removed"), what.end());
  EXPECT_TRUE(Says(Run({"history", "a"}).out, "removed"));
}

// All or none, and a key that is named twice is one.
TEST_F(EditCommands, PurgeTakesManyKeys) {
  std::string lines;
  for (const char* key : {"a", "b", "c", "d"})
    lines += std::string("{\"node\":\"") + key + "\",\"text\":\"secret of " + key + "\"}\n";
  ASSERT_EQ(Run({"import", "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  EXPECT_EQ(Run({"purge", "a", "nobody"}).code, 3);
  EXPECT_EQ(Run({"get", "a"}).code, 0);
  EXPECT_EQ(Json({"purge", "a", "b", "a"}).at("nodes").at("removed").to_number<int>(), 2);
  EXPECT_EQ(Run({"get", "a"}).code, 3);
  EXPECT_EQ(Run({"get", "b"}).code, 3);
  EXPECT_EQ(Json({"purge", "c", "d", "--hard"}).at("nodes").at("removed").to_number<int>(), 2);
  EXPECT_EQ(Run({"history", "d"}).code, 3);
  EXPECT_EQ(Run({"verify"}).code, 0);
}

TEST_F(EditCommands, PurgeErasesTheTextEverywhere) {
  const std::string secret = "correct horse battery staple";
  ASSERT_EQ(Run({"import", "--format", "jsonl", "-"},
                {.input = "{\"node\":\"m\",\"text\":\"" + secret + "\"}\n"})
                .code,
            0);
  EXPECT_TRUE(Says(Run({"get", "m"}).out, secret));
  EXPECT_EQ(Run({"purge", "nobody"}).code, 3);
  Json({"purge", "m"});
  EXPECT_EQ(Run({"get", "m"}).code, 3);
  EXPECT_FALSE(Says(Run({"get", "m", "--as-of", "1"}).out, secret));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_ / "g")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    EXPECT_FALSE(Says(bytes, secret)) << entry.path();
  }
  EXPECT_EQ(Run({"verify"}).code, 0);
}

TEST_F(EditCommands, KeysAreTakenAsTheyAre) {
  Json({"link", "[a]", "knows", "[b,c]"});
  Json({"link", "x", "knows", "it's \"y\" = 1"});
  EXPECT_EQ(Json({"traverse", "--from", "[a]"}).at("nodes").as_array().size(), 1u);
  EXPECT_EQ(Json({"get", "it's \"y\" = 1"}).at("in_degree"), 1);
  EXPECT_EQ(Json({"remove", "[b,c]"}).at("nodes").at("removed"), 1);
  ASSERT_EQ(Run({"link", "--", "-dash", "knows", "--double"}).code, 0);
  EXPECT_EQ(Run({"get", "-dash"}).code, 2);
  EXPECT_EQ(Run({"get", "--", "-dash"}).code, 0);
}

TEST_F(EditCommands, BadValuesAreRefusedAndChangeNothing) {
  Json({"link", "a", "knows", "b"});
  EXPECT_EQ(Run({"link", "a", "knows", ""}).code, 2);
  EXPECT_EQ(Run({"link", "a", "knows", std::string(2000, 'x')}).code, 2);
  EXPECT_EQ(Run({"link", "a", "knows", "\xff"}).code, 2);
  EXPECT_EQ(Run({"link", "a", "knows", "b", "--valid-from", "soon"}).code, 2);
  EXPECT_EQ(Json({"stats"}).at("sequence"), 1);
}

TEST_F(EditCommands, AnIndexNodeIsNeverHiddenByAFact) {
  const std::string lines =
      "{\"node\":\"n1\",\"tags\":[\"rust\"]}\n{\"node\":\"n2\",\"tags\":[\"rust\"]}\n";
  ASSERT_EQ(Run({"import", "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  EXPECT_TRUE(Ends(Run({"link", "n1", "relates_to", "tag:rust"}), 2,
                   "'tag:rust' is an index node of kind tag, and 'relates_to' joins "
                   "facts; edges to it are of kind has_tag"));
  EXPECT_EQ(Run({"link", "n1", "new_kind", "tag:rust"}).code, 2);
  EXPECT_EQ(Json({"stats"}).at("nodes"), 2);
  Json({"link", "n3", "has_tag", "tag:rust"});
  EXPECT_EQ(Json({"neighbors", "tag:rust"}).at("neighbors").as_array().size(), 3u);

  // Files may bring facts of such keys. Everything stays reachable.
  const std::string both =
      "{\"node\":\"tag:rust\",\"text\":\"oxide\"}\n{\"node\":\"key:tag:rust\",\"text\":\"odd\"}\n";
  ASSERT_EQ(Run({"import", "--format", "jsonl", "-"}, {.input = both}).code, 0);
  EXPECT_EQ(Json({"get", "tag:rust"}).at("kind"), "tag");
  EXPECT_EQ(Json({"get", "key:tag:rust"}).at("text"), "oxide");
  EXPECT_EQ(Json({"get", "key:key:tag:rust"}).at("text"), "odd");
  EXPECT_EQ(Json({"get", "tag\x1frust"}).at("kind"), "tag");
  Json({"link", "n1", "relates_to", "key:tag:rust"});
  EXPECT_EQ(Json({"get", "key:tag:rust"}).at("in_degree"), 1);
  EXPECT_TRUE(Says(Run({"neighbors", "n1"}).out, "key:tag:rust"));
  Json({"unlink", "n1", "relates_to", "key:tag:rust"});
  EXPECT_EQ(Json({"get", "key:tag:rust"}).at("in_degree"), 0);
  Json({"unlink", "n3", "has_tag", "tag:rust"});
  Json({"remove", "tag:rust"});  // the tag
  EXPECT_EQ(Json({"get", "tag:rust"}).at("text"), "oxide");
  // The name was the tag's: what is taken away has to be meant.
  EXPECT_TRUE(Ends(Run({"remove", "tag:rust"}), 2, "key:tag:rust"));
  EXPECT_EQ(Run({"purge", "tag:rust"}).code, 2);
  EXPECT_EQ(Json({"get", "key:tag:rust"}).at("text"), "oxide");
  Json({"remove", "key:tag:rust"});
  EXPECT_EQ(Run({"get", "tag:rust"}).code, 3);
  EXPECT_EQ(Json({"get", "key:key:tag:rust"}).at("text"), "odd");
}

}  // namespace
}  // namespace plexus::testing
