// What is wrong, would be ignored or is misspelt is refused: words, exit code, what is said. And
// what is only noted.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/program/program_test.h"
#include "tests/tools/vault.h"

namespace plexus::testing {
namespace {

class RefusedCommands : public ProgramTest {
 protected:
  void SetUp() override {
    Import(kVault, {"--terms", "--now", "1700000050000"});
    Import(R"({"edge":["alice","bob"],"kind":"knows","weight":0.5}
{"edge":["bob","alice"],"kind":"likes"}
{"node":"alice","text":"The large cat of Asia","props":{"n":2}}
)",
           {"--now", "1700000050000"});
  }
  // Exit code, nothing on standard output but JSON that was asked for, "plexus: error:", no change.
  void ExpectErrors(const std::vector<Refusal>& table) const {
    ExpectRefused(table);
    for (const Refusal& refusal : table) {
      const Finished run = Run(refusal.words);
      EXPECT_TRUE(Says(run.err, "plexus: error: ")) << Line(refusal.words);
      EXPECT_TRUE(run.out.empty() || run.out.starts_with(R"({"error":{"code":")")) << run.out;
    }
  }
};

TEST_F(RefusedCommands, Words) {
  ExpectErrors({
      {{}, 2, "which command?"},
      {{"pagernak"}, 2, "did you mean 'pagerank'?"},
      {{"stats", "--wrong"}, 2, "--wrong"},
      {{"get"}, 2, "KEY"},
      {{"kinds", "extra"}, 2, "'kinds' takes no further words: 'extra' is left over"},
      {{"pagerank", "--tpo", "1"}, 2, "'pagerank' has no option '--tpo'; did you mean '--top'?"},
      {{"pagerank", "--top"}, 2, "--top needs a value"},
      {{"pagerank", "--top", "many"}, 2, "--top"},
      {{"pagerank", "--top", "-1"}, 2, "--top"},
      {{"pagerank", "--top", "1", "--top", "2"}, 2, "--top is given more than once"},
      {{"pagerank", "--top", "a\x1b[31mb"}, 2, "'a\\x1B[31mb'"},
      {{"pagerank", "--damping", "nan"}, 2, "--damping"},
      {{"pagerank", "--damping", "0.5x"}, 2, "--damping"},
      {{"pagerank", "--threads", "many"}, 2, "--threads: 'many' is no whole number from 1"},
      {{"stats", "--threads", "0"}, 2, "--threads"},
      {{"traverse", "--from", "a", "--aggregate", "maxx"}, 2, "did you mean 'max'?"},
      {{"import", "--format", "cvs", "f"}, 2, "did you mean 'csv'?"},
      {{"link", "a", "k", "b", "--weight", "-1"}, 2, "weight"},
      {{"link", "a", "k", "b", "--weight", "nan"}, 2, "weight"},
      {{"link", "a", "k", "b", "--props", "[1]"}, 2, ""},
      {{"link", "a", "k", "b", "--as-of", "3"}, 2, "--as-of"},
      {{"neighbors", "alice", "--kinds", R"("one,two)"}, 2, "a quote that is not closed"},
      // Options stand before the dashes.
      {{"find", "--", "queue", "--json"},
       2,
       "'--json' stands behind '--', where options are words: put it before"},
      {{"get", "--", "m1", "--json"}, 3, "'--json' stands behind '--'"},
      {{"get", "--", "m1", "--top"}, 3, "no node '--top'"},
      {{"ledger", "lable", "c1", "helpful"}, 2, "did you mean 'ledger label'?"},
  });
  EXPECT_FALSE(Says(Run({"get", "--", "m1", "--top"}).err, "behind '--'"));
  for (const Words& words : {Words{"pagerank", "--top", "1", "--top", "2", "--json"},
                             {"pagerank", "--threads", "x", "--json"},
                             {"pagerank", "--format=json", "--wait", "x"}})
    EXPECT_EQ(Run(words).Json().at("error").at("code"), "invalid_argument") << Line(words);
}

TEST_F(RefusedCommands, WhatWouldBeIgnored) {
  ExpectErrors({
      {{"diff", "1", "2", "--as-of", "1"}, 2, "--as-of cannot go with FROM and TO"},
      {{"kinds", "--json", "--format", "csv"}, 2, "--json cannot go with --format csv"},
      {{"list", "--keys", "--columns", "key"}, 2, "--keys cannot go with --columns"},
      {{"list", "--columns", "key,key"}, 2, "names 'key' twice"},
      {{"import", "--scope", "x", dir_.File("a.csv", "key\na\n")},
       2,
       "'import' does not take --scope"},
      {{"stats", "--scope", "x"}, 2, "'stats' does not take --scope"},
      {{"schema", "get", "--scope", "x"}, 2, "'schema' does not take --scope"},
      {{"man", "--scope", "x"}, 2, "'man' does not take --scope"},
      {{"link", "a", "knows", "b", "--valid-from", "2000", "--valid-until", "1000"},
       2,
       "is not before --valid-until"},
      {{"put", "m1", "--set", "trust=0.5", "--set", "trust=0.6"},
       2,
       "--set: column 'trust' is given twice"},
      {{"export", "--json"}, 2, "--output"},
      {{"--format", "csv", "export"}, 2, "--format before 'export'"},
      {{"triangles", "--total", "--directed"}, 2, "--total cannot go with --directed"},
      {{"triangles", "--total", "--top", "5"}, 2, "--total cannot go with --top"},
      {{"closeness", "--of", "alice", "--samples", "1"}, 2, "--of cannot go with --samples"},
      {{"closeness", "--of", "alice", "--seed", "1"}, 2, "--of cannot go with --seed"},
      {{"distances", "--from", "alice", "--within", "-5"}, 2, "--within is 0 or more"},
      {{"bfs", "--from", "alice", "--each", "--top", "1"}, 2, "--each cannot go with --top"},
      {{"bfs", "--from", "alice", "--each", "--resume", "x"}, 2, "--each cannot go with --resume"},
      {{"pagerank", "--kind-weight", "likes=2", "--kinds", "knows"},
       2,
       "edge kind 'likes' is not followed"},
      {{"pagerank", "--kind-weight", "has_tag=2"}, 2, "edge kind 'has_tag' is not followed"},
      {{"pagerank", "--iterations", "3", "--tolerance", "0.1"},
       2,
       "--iterations cannot go with --tolerance"},
      {{"pagerank", "--unweighted", "--decay"}, 2, "--unweighted cannot go with --decay"},
      {{"pagerank", "--push", "0.1", "--seed", "alice", "--precision", "f32"},
       2,
       "--push cannot go with --precision f32"},
      {{"pagerank", "--sets", "-", "--push", "0.1"}, 2, "--sets cannot go with --push"},
      {{"pagerank", "--from-as-of", "1", "--iterations", "3"},
       2,
       "--from-as-of cannot go with --iterations"},
      {{"frontier", "--match", "both"}, 2, "--match both needs --tags"},
      {{"export", "--hops", "2"}, 2, "--hops needs --around"},
      {{"export", "--limit", "2"}, 2, "--limit needs --around"},
      {{"export", "--table", "nodes"}, 2, "--table nodes needs --format csv"},
      {{"export", "--edges-key", "links"}, 2, "--edges-key links needs --format node-link"},
      {{"search", "the of"}, 2, "has no word to search for"},
  });
  EXPECT_EQ(Run({"kinds", "--json", "--format", "json"}).code, 0);
  EXPECT_EQ(Run({"pagerank", "--kind-weight", "has_tag=2", "--kinds", "has_tag,knows"}).code, 0);
}

TEST_F(RefusedCommands, WhatIsGivenAsNothing) {
  const std::string empty = dir_.File("verdicts.jsonl", "");
  ExpectErrors({
      {{"stats", "--as-of", ""}, 2, "is empty"},
      {{"stats", "--now", ""}, 2, "is empty"},
      {{"pagerank", "--scope", ""}, 2, "is empty"},
      {{"trim", "--before", ""}, 2, "is empty"},
      {{"pagerank", "--kinds", ""}, 2, "is empty"},
      {{"path", "--from", "alice", "--to", ""}, 2, "is empty"},
      {{"pagerank", "--valid-at", ""}, 2, "is empty"},
      {{"backup", "--to", ""}, 2, "is empty"},
      {{"conflicts", "resolve", "--from", empty}, 2, "--from: '" + empty + "' is empty"},
      {{"decisions", "check", "--rules", empty, "--proposal", empty},
       2,
       "--rules: '" + empty + "' is empty"},
  });
  EXPECT_EQ(Plexus({"stats", "--db", ""}).code, 2);
  EXPECT_EQ(Run({"link", "a", "knows", "b", "--label", ""}).code, 0);
}

TEST_F(RefusedCommands, Times) {
  ExpectErrors({
      {{"stats", "--as-of", "someday"}, 2, "yesterday"},
      {{"stats", "--now", "later"}, 2, "later"},
      {{"stats", "--as-of", "99"}, 3, "lies in the future"},
      {{"stats", "--as-of", "2999-01-01"}, 3, "'2999-01-01' lies in the future, it is 20"},
      {{"stats", "--as-of", "2023-11-16", "--now", "2023-11-15"}, 3, "lies in the future"},
      {{"log", "--since", "99"}, 3, "lies in the future"},
      {{"log", "--since", "2999-01-01"}, 3, "lies in the future"},
      {{"put", "m1", "--set", "valid_from=99999999999999999"},
       2,
       "--set: column 'valid_from': '99999999999999999' lies outside the years 0 to 9999"},
      {{"link", "m1", "supports", "m2", "--valid-until", "-99999999999999999"},
       2,
       "lies outside the years 0 to 9999"},
      {{"list", "--now", "253402300800000"}, 2, "lies outside the years 0 to 9999"},
      {{"ledger", "recent", "--since", "2025-01-01", "--until", "2024-01-01"},
       2,
       "--since is not before --until"},
  });
  EXPECT_EQ(Run({"log", "--since", "2"}).code, 0);
  EXPECT_EQ(Run({"put", "m1", "--set", "valid_until=253402300799999"}).code, 0);
  EXPECT_EQ(Run({"put", "m1", "--set", "valid_until=9999-12-31"}).code, 0);
  EXPECT_EQ(Run({"stats", "--as-of", "1", "--now", "2023-11-15"}).code, 0);
  // A batch may be a little ahead of the clock; its own time is no future.
  EXPECT_EQ(Run({"stats", "--as-of", "1700000050000", "--now", "1700000049000"}).code, 0);
  ASSERT_EQ(Run({"trim", "--before", "2"}).code, 0);
  ExpectErrors({{{"stats", "--as-of", "1"}, 3, "below the history floor"}});
}

TEST_F(RefusedCommands, ThePastIsNotWritten) {
  for (Words words : {Words{"put", "m1", "--text", "x"},
                      {"link", "m1", "supports", "m2"},
                      {"unlink", "m1", "supersedes", "m6"},
                      {"remove", "m1"},
                      {"import", dir_.File("a.csv", "source,target\na,b\n")},
                      {"ledger", "record", "--member", "m1"},
                      {"ledger", "label", "c1", "helpful"},
                      {"conflicts", "resolve", "m1", "m2", "--supersede", "m1"},
                      {"recall", "payouts", "--record"},
                      {"concept", "upsert", "apple"},
                      {"concept", "affect", "apple", "0.5"}}) {
    words.insert(words.end(), {"--as-of", "1"});
    ExpectRefused({{words, 2, "--as-of reads the past; this command writes"}});
    words.emplace_back("--dry-run");
    ExpectRefused({{words, 2, "and --dry-run shows what it would write now"}});
  }
  ExpectRefused({{{"concept", "recall", "m1", "--commit", "--as-of", "1"}, 2, "--as-of reads"}});
  for (const Words& reads : {Words{"recall", "payouts", "--as-of", "1"},
                             {"concept", "recall", "m1", "--as-of", "1"},
                             {"concept", "recall", "m1", "--dry-run", "--as-of", "1"},
                             {"decisions", "compaction", "--as-of", "1"}})
    EXPECT_TRUE(Ends(Run(reads), 0));
}

// Misspelt or empty: the answer is given, and what may be meant is said.
TEST_F(RefusedCommands, WhatIsOnlyNoted) {
  ExpectRefused({
      {{"list", "--sort", "creatd_at"},
       0,
       "none of these has 'creatd_at'; did you mean 'created_at'?"},
      {{"list", "--columns", "key,turst"}, 0, "none of these has 'turst'; did you mean 'trust'?"},
      {{"list", "--where", "turst > 0.5"},
       0,
       "--where: 'turst' is no column and taken for a property; did you mean 'trust'?"},
      {{"list", "--where", "quite_other = 1"}, 0, "'quite_other' is no column"},
      {{"list", "--sort", "stability"}, 0, "none of these has 'stability'\n"},
      {{"ledger", "recent", "--outcome", "helpfull"},
       0,
       "--outcome: 'helpfull' is no built-in type of outcome; did you mean 'helpful'?"},
      {{"ledger", "memory", "m1", "--tags", "setlement"},
       0,
       "--tags: no tag 'setlement'; did you mean 'settlement'?"},
      {{"bounty", "--tags", "nosuch"}, 0, "--tags: no tag 'nosuch'"},
      {{"frontier", "--lens", "surface", "--tags", "pauze"},
       3,
       "--tags: no tag 'pauze'; did you mean 'pause'?"},
      {{"conflicts", "list"}, 0, "nothing to list"},
  });
  for (const Words& silent : {Words{"list", "--where", "n = 2"},
                              {"frontier", "--lens", "surface", "--tags", "project"},
                              {"ledger", "recent", "--tags", "project"},
                              {"conflicts", "list", "--quiet"},
                              {"conflicts", "list", "--json"}})
    EXPECT_EQ(Run(silent).err, "") << Line(silent);
}

TEST_F(RefusedCommands, HeadersOfTablesAreNamed) {
  const auto table = [&](const char* name, const std::string& header, const Words& more = {}) {
    const Words words = With({"import", dir_.File(name, header + "\n1,2\n")}, more);
    return words;
  };
  ExpectRefused({
      {table("t1.csv", "source,,target"), 1, "t1.csv:1: header: column 2 has no name"},
      {table("t2.csv", "source,target,source"), 1, "column 3: \"source\" stands twice"},
      {table("t3.csv", "a,b"), 1, "expected source and target"},
      {table("t4.csv", "a,b", {"--columns", "source=a,target=c"}), 2,
       "no file has a column or field 'c'"},
      {table("t5.csv", "a,b,", {"--columns", "source=a,target=b"}), 1, "column 3 has no name"},
  });
}

TEST_F(RefusedCommands, LongValuesAreCut) {
  const std::string value(3000, 'x');
  for (const Words& words : {Words{"put", "m1", "--set", value + "=1"},
                             {"put", "m1", "--set", "trust=" + value},
                             {"pagerank", "--top", value},
                             {"pagerank", "--kinds", value},
                             {"pagerank", "--precision", value},
                             {"pagerank", "--threads", value},
                             {"list", "--sort", value},
                             {"get", value},
                             {"stats", "--as-of", value},
                             {value}}) {
    const Finished run = Run(words);
    EXPECT_TRUE(Says(run.err, "xxx...' (3,"));
    EXPECT_LT(run.err.size(), 800u) << run.err;
  }
}

TEST_F(RefusedCommands, JsonIsUtf8WhateverTheWordsHold) {
  const Finished run = Run({"get", "\xff\xc0x", "--json"});
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(Says(std::string(run.Json().at("error").at("message").as_string()), "\xEF\xBF\xBD"));
}

TEST_F(RefusedCommands, AKeyThatLooksLikeAnIndexNode) {
  Import("{\"node\":\"tag:x\"}\n{\"node\":\"n\",\"tags\":[\"x\"]}\n{\"node\":\"key:tag:x\"}\n");
  ASSERT_EQ(Run({"remove", "tag:x"}).code, 0);
  ExpectRefused({{{"remove", "tag:x"}, 2, "the fact of that key is 'key:tag:x'"}});
  EXPECT_EQ(Run({"remove", "key:tag:x"}).code, 0);
  // A kind's prefix alone is what is meant: other colons are of the key.
  ASSERT_EQ(Run({"link", "http://a", "knows", "x:y"}).code, 0);
  EXPECT_EQ(Run({"remove", "x:y"}).code, 0);
  EXPECT_EQ(Run({"remove", "http://a"}).code, 0);
}

TEST_F(RefusedCommands, APageGoesOnInItsOwnState) {
  const auto page = Json({"ledger", "recent", "--limit", "1"});
  const std::string cursor(page.at("next").as_string());
  ASSERT_EQ(Run({"put", "m1", "--text", "new"}).code, 0);
  Words next = {"ledger", "recent", "--limit", "1", "--cursor", cursor};
  EXPECT_EQ(Run(next).code, 0);
  const std::string at = std::to_string(page.at("sequence").as_int64());
  next.insert(next.end(), {"--as-of", at});
  EXPECT_EQ(Run(next).code, 0);
  next.back() = std::to_string(Sequence());
  ExpectRefused(
      {{next, 2, "--cursor goes on in sequence " + at + ", and --as-of names sequence "}});
}

class NoGraph : public ProgramTest {};

TEST_F(NoGraph, IsNotFoundAndNotMade) {
  for (const Words& command : {Words{"stats"},
                               {"kinds"},
                               {"pagerank"},
                               {"components"},
                               {"compact"},
                               {"checkpoint"},
                               {"verify"},
                               {"export"},
                               {"get", "a"},
                               {"terms"},
                               {"import", dir_ / "no.csv"}}) {
    const Words words = With(command, {"--db", dir_ / "none"});
    const Finished run = Plexus(words);
    EXPECT_TRUE(Ends(run, 3, command[0] == "import" ? "no.csv" : "none")) << command[0];
    EXPECT_EQ(run.out, "") << command[0];
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "none"));
  EXPECT_EQ(Plexus({"stats", "--db", dir_ / "none/"}).code, 3);
  EXPECT_TRUE(Ends(Plexus({"stats"}), 2, "--db"));
}

}  // namespace
}  // namespace plexus::testing
