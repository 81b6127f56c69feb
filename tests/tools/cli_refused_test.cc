// What would be ignored, or is misspelt, is refused or named; and what attacks found once.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class RefusedCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run({"link", "alice", "knows", "bob", "--weight", "0.5"}).code, 0);
    ASSERT_EQ(Run({"put", "alice", "--text", "The large cat of Asia", "--props",
                   R"({"map":{"a":[1,2]},"list":["x",null],"n":2})"})
                  .code,
              0);
  }
  Finished Run(std::vector<std::string> arguments, const RunOptions& options = {}) {
    arguments.insert(arguments.begin(), {"--db", dir_ / "g"});
    return Plexus(arguments, options);
  }
  void Refused(const std::vector<std::string>& arguments, int code, const std::string& why) {
    const Finished run = Run(arguments);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
  }
  const TempDir dir_;
};

TEST_F(RefusedCommands, WhatWouldBeIgnored) {
  Refused({"diff", "1", "2", "--as-of", "1"}, 2, "--as-of cannot go with FROM and TO");
  Refused({"kinds", "--json", "--format", "csv"}, 2, "--json cannot go with --format csv");
  EXPECT_EQ(Run({"kinds", "--json", "--format", "json"}).code, 0);
  Refused({"list", "--keys", "--columns", "key"}, 2, "--keys cannot go with --columns");
  Refused({"import", "--scope", "x", dir_.File("a.csv", "key\na\n")}, 2,
          "'import' does not take --scope");
  Refused({"stats", "--scope", "x"}, 2, "'stats' does not take --scope");
  Refused({"link", "a", "knows", "b", "--valid-from", "2000", "--valid-until", "1000"}, 2,
          "is not before --valid-until");
}

TEST_F(RefusedCommands, OneRuleForWhatIsNotThere) {
  Refused({"stats", "--as-of", "99"}, 3, "lies in the future");
  Refused({"log", "--since", "99"}, 3, "lies in the future");
  EXPECT_EQ(Run({"log", "--since", "2"}).code, 0);
  ASSERT_EQ(Run({"compact"}).code, 0);
  ASSERT_EQ(Run({"trim", "--before", "2"}).code, 0);
  Refused({"stats", "--as-of", "1"}, 3, "below the history floor");
  EXPECT_EQ(Run({"get", "nobody"}).code, 3);
  EXPECT_EQ(Plexus({"stats", "--db", dir_ / "none"}).code, 3);
}

TEST_F(RefusedCommands, MisspeltNamesAreNamed) {
  const auto noted = [&](const std::vector<std::string>& arguments, const std::string& what) {
    const Finished run = Run(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.err.find(what), std::string::npos) << run.err;
  };
  noted({"list", "--sort", "creatd_at"},
        "none of these has 'creatd_at'; did you mean 'created_at'?");
  noted({"list", "--columns", "key,turst"}, "none of these has 'turst'; did you mean 'trust'?");
  noted({"list", "--where", "turst > 0.5"},
        "--where: 'turst' is no column and taken for a property; did you mean 'trust'?");
  noted({"list", "--where", "quite_other = 1"}, "'quite_other' is no column");
  EXPECT_EQ(Run({"list", "--where", "n = 2"}).err, "");
}

TEST_F(RefusedCommands, MapsAndListsOfPropertiesAreShown) {
  const Finished run =
      Run({"list", "--json", "--columns", "key,props.map,props.list,props.map.a", "--top", "1"});
  const object reply = run.Json();
  const object& node = reply.at("results").as_array()[0].as_object();
  EXPECT_EQ(node.at("props.map"), (object{{"a", array{1, 2}}}));
  EXPECT_EQ(node.at("props.list"), (array{"x", nullptr}));
  EXPECT_EQ(node.at("props.map.a"), (array{1, 2}));
}

TEST_F(RefusedCommands, WordsOfTheCommandLine) {
  Refused({"pagerank", "--top", "1", "--top", "2"}, 2, "--top is given more than once");
  Refused({"pagerank", "--top"}, 2, "--top needs a value");
  Refused({"pagerank", "--threads", "many"}, 2, "--threads: 'many' is no whole number from 1");
  Refused({"pagerank", "--tpo", "1"}, 2, "'pagerank' has no option '--tpo'; did you mean '--top'?");
  Refused({"kinds", "extra"}, 2, "'kinds' takes no further words: 'extra' is left over");
}

TEST_F(RefusedCommands, Queries) {
  ASSERT_EQ(Run({"terms"}).code, 0);
  Refused({"search", "the of"}, 2, "has no word to search for");
  ASSERT_EQ(Run({"put", "tokyo", "--text", "東京都の天気"}).code, 0);
  ASSERT_EQ(Run({"put", "kyoto", "--text", "京都"}).code, 0);
  for (const char* character : {"東", "京", "気"}) {
    const Finished run = Run({"search", "--json", character});
    ASSERT_EQ(run.code, 0) << character << run.err;
    bool tokyo = false;
    const object reply = run.Json();
    for (const auto& result : reply.at("results").as_array())
      tokyo |= result.as_object().at("key") == "tokyo";
    EXPECT_TRUE(tokyo) << character;
  }
}

TEST_F(RefusedCommands, HeadersOfTablesAreNamed) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& header,
                           const std::string& why) {
    std::vector<std::string> words = {"import", dir_.File("t.csv", header + "\n1,2\n")};
    words.insert(words.end(), more.begin(), more.end());
    Refused(words, 1, "t.csv:1: header: " + why);
  };
  refused({}, "source,,target", "column 2 has no name");
  refused({}, "source,target,source", "column 3: \"source\" stands twice");
  refused({}, "a,b", "expected source and target");
  Refused({"import", dir_.File("t.csv", "a,b\n1,2\n"), "--columns", "source=a,target=c"}, 2,
          "no file has a column or field 'c'");
  refused({"--columns", "source=a,target=b"}, "a,b,", "column 3 has no name");
}

// --- what attacks found

TEST_F(RefusedCommands, ACommandThatOpensNoGraphTakesNoScope) {
  Refused({"schema", "get", "--scope", "x"}, 2, "'schema' does not take --scope");
  Refused({"man", "--scope", "x"}, 2, "'man' does not take --scope");
}

TEST_F(RefusedCommands, AKeyThatLooksLikeAnIndexNode) {
  ASSERT_EQ(Run({"import", dir_.File("n.jsonl",
                                     "{\"node\":\"tag:x\"}\n{\"node\":\"n\","
                                     "\"tags\":[\"x\"]}\n{\"node\":\"key:tag:x\"}\n")})
                .code,
            0);
  ASSERT_EQ(Run({"remove", "tag:x"}).code, 0);
  Refused({"remove", "tag:x"}, 2, "the fact of that key is 'key:tag:x'");
  EXPECT_EQ(Run({"remove", "key:tag:x"}).code, 0);
  // A kind's prefix alone is what is meant: other colons are of the key.
  ASSERT_EQ(Run({"link", "http://a", "knows", "x:y"}).code, 0);
  EXPECT_EQ(Run({"remove", "x:y"}).code, 0);
  EXPECT_EQ(Run({"remove", "http://a"}).code, 0);
}

TEST_F(RefusedCommands, DetailsFollowTheKeysOfList) {
  const Finished run =
      Run({"list", "--json", "--columns", "key", "--top", "1", "--details", "kind,line"});
  const object reply = run.Json();
  const object& node = reply.at("results").as_array()[0].as_object();
  EXPECT_EQ(node.at("node_kind"), "node");
  EXPECT_EQ(node.at("node_line"), "The large cat of Asia");
  Refused({"list", "--columns", "key,key"}, 2, "names 'key' twice");
}

TEST_F(RefusedCommands, CsvHasItsHeaderAndEmptyCells) {
  EXPECT_EQ(
      Run({"list", "--where", "key = 'nobody'", "--format", "csv", "--columns", "key,trust"}).out,
      "key,trust\n");
  EXPECT_EQ(
      Run({"list", "--top", "1", "--format", "csv", "--columns", "key,trust", "--details", "kind"})
          .out,
      "key,node_kind,trust\nalice,node,\n");
}

TEST_F(RefusedCommands, AFormatBeforeExportIsNamed) {
  Refused({"--format", "csv", "export"}, 2, "--format before 'export'");
}

TEST_F(RefusedCommands, ErrorsOfTheCommandLineAreJsonToo) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"pagerank", "--top", "1", "--top", "2", "--json"},
        {"pagerank", "--threads", "x", "--json"},
        {"pagerank", "--format=json", "--wait", "x"}}) {
    const Finished run = Run(words);
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.Json().at("error").as_object().at("code"), "invalid_argument");
  }
}

TEST_F(RefusedCommands, JsonIsUtf8WhateverTheWordsHold) {
  const Finished run = Run({"get", "\xff\xc0x", "--json"});
  EXPECT_EQ(run.code, 3);
  const std::string message(run.Json().at("error").as_object().at("message").as_string());
  EXPECT_NE(message.find("\xEF\xBF\xBD"), std::string::npos) << message;
}

TEST_F(RefusedCommands, CompletionNeverRunsWhatAKindIsCalled) {
  const std::string trap = dir_ / "trap";
  ASSERT_EQ(Run({"link", "a", "$(touch " + trap + ")", "b"}).code, 0);
  ASSERT_EQ(Run({"link", "a", "`touch " + trap + "`", "b"}).code, 0);
  const std::string script = dir_.File("complete.bash", Plexus({"completion", "bash"}).out);
  const std::string program = std::filesystem::path(PLEXUS_PROGRAM_FILE).parent_path();
  const auto complete = [&](const std::string& words, int at) {
    const std::string run = dir_.File(
        "run.bash", "PATH=" + program + ":$PATH\n. " + script + "\nCOMP_WORDS=(" + words +
                        ")\nCOMP_CWORD=" + std::to_string(at) +
                        "\n_plexus\nprintf '%s\\n' \"${COMPREPLY[@]}\" > " + (dir_ / "out"));
    EXPECT_EQ(std::system(("bash " + run).c_str()), 0);
    std::ifstream out(dir_ / "out");
    return std::string(std::istreambuf_iterator<char>(out), {});
  };
  const std::string db = dir_ / "g";
  EXPECT_NE(complete("plexus bfs --db " + db + " --kinds k", 5).find("knows"), std::string::npos);
  EXPECT_NE(complete("plexus bfs --db = " + db + " --kinds k", 6).find("knows"), std::string::npos);
  EXPECT_NE(
      complete("plexus list --db " + db + " --node-kinds memory,co", 5).find("memory,concept"),
      std::string::npos);
  EXPECT_NE(complete("plexus list --details kind,l", 3).find("kind,line"), std::string::npos);
  EXPECT_NE(complete("plexus schema pager", 2).find("pagerank"), std::string::npos);
  EXPECT_NE(complete("plexus man sea", 2).find("search"), std::string::npos);
  EXPECT_EQ(complete("plexus get --db " + db + " ali", 4), "alice\n");
  EXPECT_EQ(complete("plexus pagerank --db " + db + " --seed ali", 5), "alice\n");
  (void)complete("plexus bfs --db " + db + " --kinds ''", 5);
  EXPECT_FALSE(std::filesystem::exists(trap));
}

}  // namespace
}  // namespace plexus::testing
