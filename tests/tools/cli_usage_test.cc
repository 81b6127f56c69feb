// Help, wrong usage, and the words the program finds for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

// Commands as --help lists them.
std::vector<std::string> Commands() {
  std::istringstream help(Plexus({"--help"}).out);
  std::vector<std::string> commands;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line == "Files:" || line == "Look:" || line == "Ask:" || line == "Change:" ||
        line == "Care:" || line == "Help:")
      listed = true;
    else if (line.empty())
      listed = false;
    else if (listed && line.starts_with("  ") && line[2] != ' ')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Usage, HelpListsEveryCommandOfTheContract) {
  const auto commands = Commands();
  const std::set<std::string> listed(commands.begin(), commands.end());
  for (const char* name :
       {"import",     "export",  "get",        "neighbors", "link",      "unlink",      "remove",
        "purge",      "history", "kinds",      "stats",     "pagerank",  "traverse",    "match",
        "path",       "compact", "checkpoint", "verify",    "trim",      "backup",      "restore",
        "components", "bfs",     "find",       "frontier",  "ancestors", "descendants", "distances",
        "triangles",  "kcore",   "betweenness"})
    EXPECT_TRUE(listed.contains(name)) << name;
}

TEST(Usage, EveryCommandHasTwoWorkedExamples) {
  const auto commands = Commands();
  ASSERT_GE(commands.size(), 23u);
  for (const std::string& name : commands) {
    const Finished help = Plexus({name, "--help"});
    EXPECT_EQ(help.code, 0) << name;
    EXPECT_EQ(help.err, "") << name;
    EXPECT_GE(Count(help.out, "\n  plexus " + name), 2u) << help.out;
  }
}

// Options that contradict each other, or need one that is missing, are refused by name.
TEST(Usage, ContradictionsAreRefused) {
  const TempDir dir;
  const std::string lines = R"({"node":"a","tags":["t"]})"
                            "\n"
                            R"({"edge":["a","b"],"kind":"knows"})"
                            "\n"
                            R"({"edge":["b","a"],"kind":"likes"})"
                            "\n";
  ASSERT_EQ(Plexus({"import", "--db", dir / "g", "--format", "jsonl", "-"}, {.input = lines}).code,
            0);
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--db", dir / "g"});
    return Plexus(words);
  };
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, std::string>> all = {
      {{"triangles", "--total", "--directed"}, "--total cannot go with --directed"},
      {{"triangles", "--total", "--top", "5"}, "--total cannot go with --top"},
      {{"closeness", "--of", "a", "--samples", "1"}, "--of cannot go with --samples"},
      {{"closeness", "--of", "a", "--seed", "1"}, "--of cannot go with --seed"},
      {{"distances", "--from", "a", "--within", "-5"}, "--within is 0 or more"},
      {{"bfs", "--from", "a", "--each", "--top", "1"}, "--each cannot go with --top"},
      {{"bfs", "--from", "a", "--each", "--resume", "x"}, "--each cannot go with --resume"},
      {{"pagerank", "--kind-weight", "likes=2", "--kinds", "knows"},
       "edge kind 'likes' is not followed"},
      {{"pagerank", "--kind-weight", "has_tag=2"}, "edge kind 'has_tag' is not followed"},
      {{"pagerank", "--iterations", "3", "--tolerance", "0.1"},
       "--iterations cannot go with --tolerance"},
      {{"pagerank", "--unweighted", "--decay"}, "--unweighted cannot go with --decay"},
      {{"pagerank", "--push", "0.1", "--seed", "a", "--precision", "f32"},
       "--push cannot go with --precision f32"},
      {{"pagerank", "--sets", "-", "--push", "0.1"}, "--sets cannot go with --push"},
      {{"pagerank", "--from-as-of", "1", "--iterations", "3"},
       "--from-as-of cannot go with --iterations"},
      {{"frontier", "--match", "both"}, "--match both needs --tags"},
      {{"export", "--hops", "2"}, "--hops needs --around"},
      {{"export", "--limit", "2"}, "--limit needs --around"},
      {{"export", "--table", "nodes"}, "--table nodes needs --format csv"},
      {{"export", "--edges-key", "links"}, "--edges-key links needs --format node-link"}};
  for (const auto& [words, why] : all) {
    const Finished run = ask(words);
    EXPECT_EQ(run.code, 2) << why;
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
  }
  EXPECT_EQ(ask({"pagerank", "--kind-weight", "has_tag=2", "--kinds", "has_tag,knows"}).code, 0);
}

TEST(Usage, ListsTakeNamesWithCommas) {
  const TempDir dir;
  const std::string lines = R"({"node":"a","scope":"x,y"})"
                            "\n"
                            R"({"edge":["a","b"],"kind":"one,two"})"
                            "\n"
                            R"({"edge":["a","c"],"kind":"one"})"
                            "\n";
  ASSERT_EQ(Plexus({"import", "--db", dir / "g", "--format", "jsonl", "-"}, {.input = lines}).code,
            0);
  const auto edges = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--json", "--db", dir / "g"});
    const Finished run = Plexus(words);
    return run.code == 0 ? Count(run.out, R"("kind":"one)") : 100;
  };
  EXPECT_EQ(edges({"neighbors", "a", "--kinds", R"("one,two")"}), 1u);
  EXPECT_EQ(edges({"neighbors", "a", "--kinds", R"("one,two",one)"}), 2u);
  EXPECT_EQ(edges({"neighbors", "a", "--kinds", R"("one,two")", "--kinds", "one"}), 2u);
  const auto nodes = [&](const std::string& scopes) {
    return Count(Plexus({"pagerank", "--scope", scopes, "--json", "--db", dir / "g"}).out,
                 R"("key":)");
  };
  EXPECT_EQ(nodes(R"("x,y")"), 1u);
  EXPECT_EQ(nodes(R"("x,y",user)"), 3u);
  const Finished open = Plexus({"neighbors", "a", "--kinds", R"("one,two)", "--db", dir / "g"});
  EXPECT_EQ(open.code, 2);
  EXPECT_NE(open.err.find("a quote that is not closed"), std::string::npos) << open.err;
}

TEST(Usage, VersionIsOneLine) {
  const Finished version = Plexus({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("plexus ")) << version.out;
  EXPECT_EQ(Count(version.out, "\n"), 1u);
}

// Wrong usage: exit code 2, nothing on stdout, "plexus: error:" on stderr.
void ExpectUsageError(const std::vector<std::string>& arguments, const std::string& words) {
  std::string line;
  for (const std::string& argument : arguments) line += argument + " ";
  SCOPED_TRACE(line);
  const Finished run = Plexus(arguments);
  EXPECT_EQ(run.code, 2) << run.err;
  if (std::ranges::find(arguments, "--json") == arguments.end()) {
    EXPECT_EQ(run.out, "");
  } else {
    EXPECT_TRUE(run.out.starts_with(R"({"error":{"code":"invalid_argument",)")) << run.out;
  }
  EXPECT_TRUE(run.err.starts_with("plexus: error: ")) << run.err;
  EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
}

TEST(Usage, WrongCommandLinesExitWith2) {
  ExpectUsageError({}, "which command?");
  ExpectUsageError({"pagernak"}, "did you mean 'pagerank'?");
  ExpectUsageError({"stats", "--db", "x", "--wrong"}, "--wrong");
  ExpectUsageError({"stats"}, "--db");
  ExpectUsageError({"get", "--db", "x"}, "KEY");
  ExpectUsageError({"traverse", "--db", "x"}, "--from");
  ExpectUsageError({"traverse", "--db", "x", "--from", "a", "--aggregate", "maxx"},
                   "did you mean 'max'?");
  ExpectUsageError({"pagerank", "--db", "x", "--top", "many"}, "--top");
  ExpectUsageError({"pagerank", "--db", "x", "--top", "-1"}, "--top");
  ExpectUsageError({"pagerank", "--db", "x", "--damping", "nan"}, "--damping");
  ExpectUsageError({"pagerank", "--db", "x", "--damping", "0.5x"}, "--damping");
  ExpectUsageError({"stats", "--db", "x", "--threads", "0"}, "--threads");
  ExpectUsageError({"stats", "--db", "x", "--as-of", "someday"}, "yesterday");
  ExpectUsageError({"stats", "--db", "x", "--now", "later"}, "later");
  ExpectUsageError({"link", "--db", "x", "a", "k", "b", "--as-of", "3"}, "--as-of");
  ExpectUsageError({"link", "--db", "x", "a", "k", "b", "--weight", "-1"}, "weight");
  ExpectUsageError({"link", "--db", "x", "a", "k", "b", "--weight", "nan"}, "weight");
  ExpectUsageError({"link", "--db", "x", "a", "k", "b", "--props", "[1]"}, "");
  ExpectUsageError({"export", "--db", "x", "--json"}, "--output");
  ExpectUsageError({"import", "--db", "x", "--format", "cvs", "f"}, "did you mean 'csv'?");
}

TEST(Usage, AGraphThatIsNotThereIsNotFoundAndNotMade) {
  const TempDir dir;
  for (const char* command :
       {"stats", "kinds", "pagerank", "components", "compact", "checkpoint", "verify", "export"}) {
    const Finished run = Plexus({command, "--db", dir / "none"});
    EXPECT_EQ(run.code, 3) << command << ": " << run.err;
    EXPECT_EQ(run.out, "") << command;
    EXPECT_NE(run.err.find("none"), std::string::npos) << run.err;
  }
  EXPECT_EQ(Plexus({"import", "--db", dir / "none", dir / "no.csv"}).code, 3);
  EXPECT_EQ(Plexus({"get", "--db", dir / "none", "a"}).code, 3);
  EXPECT_EQ(Plexus({"stats", "--db", dir / "none/"}).code, 3);
  EXPECT_FALSE(Plexus({"stats", "--db", dir / "none"}).err.empty());
}

TEST(Usage, GlobalOptionsMayStandOnEitherSide) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"link", "a", "knows", "b", "--db", db, "--quiet"}).code, 0);
  EXPECT_EQ(Plexus({"--db", db, "--json", "stats"}).Json().at("edges").to_number<int>(), 1);
  EXPECT_EQ(Plexus({"stats", "--json", "--db", db}).Json().at("edges").to_number<int>(), 1);
}

}  // namespace
}  // namespace plexus::testing
