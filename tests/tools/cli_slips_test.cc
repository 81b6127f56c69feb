// Slips of the hand: what is said twice, in the wrong place, of the future, or under no name.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/run_plexus.h"
#include "tests/tools/vault.h"

namespace plexus::testing {
namespace {

using Words = std::vector<std::string>;

class Slips : public ::testing::Test {
 protected:
  Slips() : db_(dir_ / "g") {
    const Finished run = Plexus({"import", "--db", db_, "--terms", "--now", "1700000050000",
                                 "--quiet", dir_.File("vault.jsonl", kVault)});
    EXPECT_EQ(run.code, 0) << run.err;
  }
  Finished Run(Words words, const RunOptions& options = {}) const {
    words.insert(words.begin(), {"--db", db_});
    return Plexus(words, options);
  }
  std::int64_t Sequence() const {
    return Run({"stats", "--json"}).Json().at("sequence").to_number<std::int64_t>();
  }
  // Ends with this code, says this, and changes nothing.
  void Refused(const Words& words, int code, const std::string& part) const {
    const std::int64_t before = Sequence();
    const Finished run = Run(words);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
    EXPECT_EQ(Sequence(), before);
  }
  void Noted(const Words& words, const std::string& part) const {
    const Finished run = Run(words);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
  }

  TempDir dir_;
  std::string db_;
};

TEST_F(Slips, ThePastIsNotWritten) {
  const std::string file = dir_.File("a.csv", "source,target\na,b\n");
  const std::vector<Words> writes = {{"put", "m1", "--text", "x"},
                                     {"link", "m1", "supports", "m2"},
                                     {"unlink", "m1", "supersedes", "m6"},
                                     {"remove", "m1"},
                                     {"import", file},
                                     {"ledger", "record", "--member", "m1"},
                                     {"ledger", "label", "c1", "helpful"},
                                     {"conflicts", "resolve", "m1", "m2", "--supersede", "m1"},
                                     {"recall", "payouts", "--record"},
                                     {"concept", "upsert", "apple"},
                                     {"concept", "affect", "apple", "0.5"}};
  for (Words words : writes) {
    words.insert(words.end(), {"--as-of", "1"});
    Refused(words, 2, "--as-of reads the past; this command writes");
    words.emplace_back("--dry-run");
    Refused(words, 2, "and --dry-run shows what it would write now");
  }
  Refused({"concept", "recall", "m1", "--commit", "--as-of", "1"}, 2, "--as-of reads the past");
  for (const Words& reads : {Words{"recall", "payouts", "--as-of", "1"},
                             {"concept", "recall", "m1", "--as-of", "1"},
                             {"concept", "recall", "m1", "--dry-run", "--as-of", "1"},
                             {"decisions", "compaction", "--as-of", "1"}})
    EXPECT_EQ(Run(reads).code, 0) << Run(reads).err;
}

TEST_F(Slips, TheFutureIsNotThePast) {
  Refused({"stats", "--as-of", "2999-01-01"}, 3, "'2999-01-01' lies in the future, it is 20");
  Refused({"log", "--since", "2999-01-01"}, 3, "lies in the future");
  Refused({"stats", "--as-of", "2023-11-16", "--now", "2023-11-15"}, 3, "lies in the future");
  EXPECT_EQ(Run({"stats", "--as-of", "2023-11-15", "--now", "2023-11-15"}).code, 0);
  // A batch may be a little ahead of the clock; its own time is no future.
  EXPECT_EQ(Run({"stats", "--as-of", "1700000050000", "--now", "1700000049000"}).code, 0);
}

TEST_F(Slips, NamesThatNothingHasAreNoted) {
  Noted({"ledger", "recent", "--outcome", "helpfull"},
        "--outcome: 'helpfull' is no built-in type of outcome; did you mean 'helpful'?");
  Noted({"ledger", "memory", "m1", "--tags", "setlement"},
        "--tags: no tag 'setlement'; did you mean 'settlement'?");
  Noted({"bounty", "--tags", "nosuch"}, "--tags: no tag 'nosuch'");
  Refused({"frontier", "--lens", "surface", "--tags", "pauze"}, 3,
          "--tags: no tag 'pauze'; did you mean 'pause'?");
  EXPECT_EQ(Run({"frontier", "--lens", "surface", "--tags", "project"}).err, "");
  EXPECT_EQ(Run({"ledger", "recent", "--tags", "project"}).err, "");
  Refused({"ledger", "recent", "--since", "2025-01-01", "--until", "2024-01-01"}, 2,
          "--since is not before --until");
}

TEST_F(Slips, APageGoesOnInItsOwnState) {
  const auto page = Run({"ledger", "recent", "--limit", "1", "--json"}).Json();
  const std::string cursor(page.at("next").as_string());
  ASSERT_EQ(Run({"put", "m1", "--text", "new"}).code, 0);
  EXPECT_EQ(Run({"ledger", "recent", "--limit", "1", "--cursor", cursor}).code, 0);
  const std::string at = std::to_string(page.at("sequence").to_number<int>());
  EXPECT_EQ(Run({"ledger", "recent", "--limit", "1", "--cursor", cursor, "--as-of", at}).code, 0);
  Refused({"ledger", "recent", "--limit", "1", "--cursor", cursor, "--as-of",
           std::to_string(Sequence())},
          2, "--cursor goes on in sequence " + at + ", and --as-of names sequence ");
}

TEST_F(Slips, AColumnIsSetOnce) {
  Refused({"put", "m1", "--set", "trust=0.5", "--set", "trust=0.6"}, 2,
          "--set: column 'trust' is given twice");
  EXPECT_EQ(Run({"put", "m1", "--set", "trust=0.5", "--set", "retention=0.6"}).code, 0);
}

TEST_F(Slips, TimesLieInTheYearsThatCanBeWritten) {
  Refused({"put", "m1", "--set", "valid_from=99999999999999999"}, 2,
          "--set: column 'valid_from': '99999999999999999' lies outside the years 0 to 9999");
  Refused({"link", "m1", "supports", "m2", "--valid-until", "-99999999999999999"}, 2,
          "lies outside the years 0 to 9999");
  Refused({"list", "--now", "253402300800000"}, 2, "lies outside the years 0 to 9999");
  EXPECT_EQ(Run({"put", "m1", "--set", "valid_until=253402300799999"}).code, 0);
  EXPECT_EQ(Run({"put", "m1", "--set", "valid_until=9999-12-31"}).code, 0);
}

TEST_F(Slips, AnEmptyFileIsNamed) {
  const std::string file = dir_.File("verdicts.jsonl", "");
  Refused({"conflicts", "resolve", "--from", file}, 2, "--from: '" + file + "' is empty");
  Refused({"decisions", "check", "--rules", file, "--proposal", file}, 2,
          "--rules: '" + file + "' is empty");
}

TEST_F(Slips, OptionsStandBeforeTheDashes) {
  const std::string why = "'--json' stands behind '--', where options are words: put it before";
  Refused({"get", "--", "m1", "--json"}, 3, why);
  Refused({"find", "--", "queue", "--json"}, 2, why);
  Refused({"get", "--", "m1", "--top"}, 3, "no node '--top'");
  EXPECT_EQ(Run({"get", "--", "m1", "--top"}).err.find("behind '--'"), std::string::npos);
}

TEST_F(Slips, NothingIsSaidToBeNothing) {
  Noted({"conflicts", "list"}, "nothing to list");
  EXPECT_EQ(Run({"conflicts", "list", "--quiet"}).err, "");
  EXPECT_EQ(Run({"conflicts", "list", "--json"}).err, "");
  Noted({"list", "--sort", "stability"}, "none of these has 'stability'\n");
}

TEST_F(Slips, HelpIsACommand) {
  EXPECT_EQ(Run({"help", "get"}).out, Run({"get", "--help"}).out);
  EXPECT_EQ(Plexus({"help", "get"}).out, Plexus({"get", "--help"}).out);
  EXPECT_EQ(Plexus({"help", "ledger", "recent"}).out, Plexus({"ledger", "recent", "--help"}).out);
  EXPECT_EQ(Plexus({"help"}).out, Plexus({"--help"}).out);
}

TEST_F(Slips, LongValuesAreCut) {
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
    EXPECT_NE(run.err.find("xxx...' (3,"), std::string::npos) << run.err;
    EXPECT_LT(run.err.size(), 800u) << run.err;
  }
  const Finished run = Run({"pagerank", "--top", "a\x1b[31mb"});
  EXPECT_NE(run.err.find("'a\\x1B[31mb'"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace plexus::testing
