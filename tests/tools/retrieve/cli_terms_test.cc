// How words are found: accents, identifiers, ideographs, stems, phrases; what the index remembers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "storage/database.h"
#include "tests/support/apply_to.h"
#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

const std::string kLines =
    "{\"node\":\"bar\",\"text\":\"a caf\u00e9 in Paris\"}\n"
    "{\"node\":\"code\",\"text\":\"calls user_login and getUserById\"}\n"
    "{\"node\":\"tokyo\",\"text\":\"\u6771\u4eac\u90fd\u5e81\u306e\u5efa\u7269\"}\n"
    "{\"node\":\"cats\",\"text\":\"Large cats: snow leopards\"}\n"
    "{\"node\":\"snow\",\"text\":\"the leopard walks through snow, a large animal, no cat\"}\n";

class SearchWords : public ProgramTest {
 protected:
  std::string Found(const std::string& query, const std::string& db = "") const {
    const Finished done = Plexus({"search", "--db", db.empty() ? Db() : db, "--json", query});
    return done.code == 3 ? "" : Each(done.Json().at("results"));
  }
  void Do(const Words& words) const { EXPECT_TRUE(Ends(Run(words), 0)) << Line(words); }
};

TEST_F(SearchWords, ANewIndexFindsWhatPeopleExpect) {
  Do({"import", "--terms", "--quiet", dir_.File("l.jsonl", kLines)});
  // What a token is: Terms.AccentsAndEnglishStems, IdentifiersAreTheirPartsToo, PairsOf...
  for (const auto& [query, found] : {std::pair{"CAF\u00c9", "bar"},
                                     {"user", "code"},
                                     {"\u4eac\u90fd", "tokyo"},
                                     {"leopards", "cats, snow"},
                                     {"\"large cats\"", "cats"},
                                     {"\"get user by id\"", "code"},
                                     {"\"cats large\"", ""}})
    EXPECT_EQ(Found(query), found);
  EXPECT_EQ(Json({"search", "\"large cats\" snow"}).at("phrases").at(0), "large cats");
}

TEST_F(SearchWords, SwitchesStayWithTheIndex) {
  Do({"import", "--quiet", dir_.File("l.jsonl", kLines)});
  Do({"terms", "--stem", "english", "--accents", "keep"});
  EXPECT_EQ(Found("leopards"), "cats, snow");
  EXPECT_EQ(Found("cafe"), "");
  EXPECT_EQ(Found("\"large cat\""), "cats");
  // A later import goes on with them.
  Do({"import", "--quiet",
      dir_.File("m.jsonl", "{\"node\":\"m\",\"text\":\"running r\u00e9sum\u00e9s\"}\n")});
  EXPECT_EQ(Found("runs"), "m");
  EXPECT_EQ(Found("resume"), "");
  // And so does indexing again; then all back.
  const auto again = Json({"terms"});
  EXPECT_EQ(again.at("changed"), 0);
  Do({"terms", "--renew", "--stem", "none"});
  EXPECT_EQ(Found("runs"), "");
  EXPECT_EQ(Found("resumes"), "m");
  Do({"terms", "--renew"});
  EXPECT_EQ(Found("runs"), "m");
  EXPECT_TRUE(Ends(Run({"terms", "--stem", "klingon"}), 2, "no stemmer for 'klingon'"));
}

TEST_F(SearchWords, EventsByTheirQueries) {
  const std::string lines =
      kLines +
      "{\"event\":\"e1\",\"query\":\"where is the caf\u00e9\",\"members\":[{\"id\":\"bar\"}]}\n"
      "{\"event\":\"e2\",\"query\":\"large animals\",\"members\":[{\"id\":\"cats\"}]}\n";
  Do({"import", "--terms", "--quiet", dir_.File("l.jsonl", lines)});
  ExpectReplies({
      {{"search", "--events", "cafe"}, "results", "key", "event:e1"},
      {{"search", "--events", "large"}, "results", "key", "event:e2"},
      {{"search", "--events", "--where", "key = 'event:e2'", "large cafe"},
       "results",
       "key",
       "event:e2"},
  });
  EXPECT_EQ(Found("cafe"), "bar");  // facts alone
  EXPECT_EQ(Run({"search", "--events", "zebra"}).code, 3);
  // Facts rank as if there were no events; what was exported comes back.
  const std::string other = dir_ / "h", part = dir_ / "p";
  ASSERT_EQ(
      Plexus({"import", "--db", part, "--terms", "--quiet", dir_.File("k.jsonl", kLines)}).code, 0);
  EXPECT_EQ(Plexus({"search", "--db", part, "--json", "large cat"}).out,
            Run({"search", "--json", "large cat"}).out);
  const Finished exported = Run({"export"});
  ASSERT_EQ(Plexus({"import", "--db", other, "--quiet", dir_.File("x.jsonl", exported.out)}).code,
            0);
  EXPECT_EQ(Plexus({"export", "--db", other}).out, exported.out);
  // Without them again.
  Do({"terms", "--events", "none"});
  EXPECT_EQ(Run({"search", "--events", "cafe"}).code, 1);
}

TEST_F(SearchWords, AnIndexOfAnEarlierVersionStaysAsItWas) {
  Do({"import", "--no-terms", "--quiet", dir_.File("l.jsonl", kLines)});
  {  // indexed without a record and without switches
    auto database = Database::Open(db_);
    ASSERT_TRUE(database);
    retrieval::IndexTermsOptions options;
    options.now_ms = 1;
    ASSERT_TRUE(
        retrieval::IndexTerms((*database)->snapshot(), options, ApplyTo((*database)->graph())));
    ASSERT_TRUE((*database)->Close());
  }
  EXPECT_EQ(Found("caf\u00e9"), "bar");
  EXPECT_EQ(Found("cafe"), "");
  EXPECT_EQ(Found("login"), "");
  ASSERT_EQ(
      Run({"import", "--quiet", dir_.File("m.jsonl", "{\"node\":\"m\",\"text\":\"new_login\"}\n")})
          .code,
      0);
  EXPECT_EQ(Found("login"), "");
  EXPECT_EQ(Found("new_login"), "m");
  Do({"terms", "--renew"});
  EXPECT_EQ(Found("login"), "m, code");
  EXPECT_EQ(Found("cafe"), "bar");
}

// S4's bridge search: decisions by what they do and how they are built, which are properties.
TEST_F(SearchWords, PropertiesAreFoundOnceTheyAreNamed) {
  const std::string lines =
      dir_.File("d.jsonl",
                "{\"node\":\"d1\",\"kind\":\"decision\",\"text\":\"Use one log\",\"props\":"
                "{\"structure_desc\":\"append only, single source of truth\","
                "\"function_desc\":[\"replays payouts\",\"audits\"],\"other\":\"zebra\"}}\n"
                "{\"node\":\"d2\",\"kind\":\"decision\","
                "\"props\":{\"structure_desc\":\"a cache before the truth\"}}\n");
  Do({"import", lines, "--quiet"});
  EXPECT_EQ(Found("truth"), "");
  Do({"terms", "--properties", "structure_desc,function_desc"});
  EXPECT_EQ(Found("truth"), "d2, d1");
  EXPECT_EQ(Found("audit"), "d1");
  EXPECT_EQ(Found("zebra"), "");
  EXPECT_EQ(Found("\"source of truth\""), "d1");
  EXPECT_EQ(Found("\"log append\""), "");  // of two parts
  // Every write keeps them: of properties alone, of a text alone, of both, and of a new fact.
  Do({"put", "d1", "--text", "Use one journal"});
  EXPECT_EQ(Found("journal truth"), "d1, d2");
  EXPECT_EQ(Found("log"), "");
  Do({"put", "d2", "--props", "{\"structure_desc\":\"a queue\"}"});
  EXPECT_EQ(Found("truth"), "d1");
  EXPECT_EQ(Found("queue"), "d2");
  Do({"put", "d2", "--props", "{\"other\":1}"});
  Do({"import", "--quiet",
      dir_.File("e.jsonl", "{\"node\":\"d3\",\"props\":{\"function_desc\":\"rotates keys\"}}\n")});
  EXPECT_EQ(Found("rotate"), "d3");
  Do({"remember", "Keys rotate weekly.", "--key", "k"});
  EXPECT_EQ(Found("rotate"), "d3, k");
  const Finished again = Run({"terms", "--json"});
  EXPECT_EQ(again.Json().at("changed"), 0) << again.out;
  EXPECT_EQ(Run({"search", "rotate"}).err, "");  // nothing is newer than the index
  // An export carries the record and the terms.
  Do({"export", "--output", dir_ / "x.jsonl"});
  const std::string other = dir_ / "other";
  ASSERT_EQ(Plexus({"import", "--db", other, "--quiet", dir_ / "x.jsonl"}).code, 0);
  EXPECT_EQ(Found("rotate", other), "d3, k");
  EXPECT_EQ(Plexus({"terms", "--db", other, "--json"}).Json().at("changed"), 0);
  // A column is none, and the list can be taken back.
  EXPECT_EQ(Run({"terms", "--properties", "trust"}).code, 2);
  Do({"terms", "--properties", "none"});
  EXPECT_EQ(Found("rotate"), "k");
}

TEST_F(SearchWords, FactsWithoutATextAreFoundByTheirKeys) {
  Do({"link", "bob", "knows", "alice-smith"});
  Do({"remember", "Deploys run nightly.", "--key", "deploys"});
  EXPECT_EQ(Found("alice"), "");
  const Finished none = Run({"search", "alice-smith"});
  EXPECT_TRUE(Says(none.err, "with --keys all indexes their keys"));
  Do({"terms", "--keys", "all", "--properties", "name"});
  EXPECT_EQ(Found("alice"), "alice-smith");
  Do({"link", "carol", "knows", "payment-gateway"});
  EXPECT_EQ(Found("gateway"), "payment-gateway");
  Do({"import", "--quiet", dir_.File("e.csv", "source,target\ncarol,erin\n77,78\n"),
      dir_.File("n.jsonl", "{\"node\":\"u1\",\"props\":{\"name\":\"Frank Ocean\"}}\n")});
  EXPECT_EQ(Found("erin"), "erin");
  EXPECT_EQ(Found("ocean"), "u1");
  const Finished last = Run({"search", "carol"});
  EXPECT_EQ(last.code, 0);
  EXPECT_EQ(last.err, "");
  EXPECT_EQ(Json({"terms"}).at("changed"), 0);
  Do({"remove", "erin"});
  EXPECT_EQ(Found("erin"), "");
  Do({"terms", "--keys", "index"});
  EXPECT_EQ(Found("carol"), "");
  EXPECT_EQ(Found("deploys"), "deploys");
}

TEST_F(SearchWords, SwitchesAreKeptBeforeTheFirstText) {
  Do({"link", "a", "knows", "b"});
  EXPECT_EQ(Run({"search", "zebras"}).code, 1);
  Do({"terms", "--properties", "name", "--stem", "none"});
  EXPECT_EQ(Run({"search", "zebras"}).code, 3);  // there is an index now
  Do({"put", "a", "--text", "leopards", "--props", "{\"name\":\"zebras\"}"});
  EXPECT_EQ(Found("zebras"), "a");
  EXPECT_EQ(Found("zebra"), "");  // no stems
  Do({"terms", "--renew"});       // keeps what is indexed
  EXPECT_EQ(Found("zebra"), "a");
}

TEST_F(SearchWords, NamesOfPropertiesAreThoseOfExpressions) {
  const std::string line = "{\"node\":\"a\",\"props\":{\"name\":\"zebra\",\"kind\":\"horse\"}}\n";
  Do({"import", "--quiet", dir_.File("l.jsonl", line)});
  for (const char* name : {"key", "kind", "tags", "text", "scope", "trust", " "})
    EXPECT_EQ(Run({"terms", "--properties", name}).code, 2) << name;
  Do({"terms", "--properties", "name, name,props.kind"});
  EXPECT_EQ(Found("horse"), "a");
  const auto found = Json({"search", "zebra"});
  EXPECT_EQ(found.at("results").at(0).at("terms").at(0).at("tf"), 1);
}

// Terms of an export stay only where the graph's own index would have them.
TEST_F(SearchWords, ImportedTermsAreThoseOfTheIndex) {
  const std::string other = dir_ / "other";
  const std::string lines =
      "{\"node\":\"p\",\"props\":{\"name\":\"zebra\"}}\n{\"node\":\"t\",\"text\":\"apples\"}\n";
  Do({"import", "--quiet", dir_.File("l.jsonl", lines)});
  Do({"terms", "--properties", "name"});
  Do({"export", "--output", dir_ / "x.jsonl"});
  ASSERT_EQ(Plexus({"put", "--db", other, "k", "--text", "pears"}).code, 0);
  ASSERT_EQ(Plexus({"import", "--db", other, "--quiet", dir_ / "x.jsonl"}).code, 0);
  EXPECT_EQ(Found("zebra", other), "");
  EXPECT_EQ(Found("apples", other), "t");
  EXPECT_EQ(Plexus({"terms", "--db", other, "--json"}).Json().at("changed"), 0);
}

// What a host records of nodes that are not there yet is indexed as any fact.
TEST_F(SearchWords, StubsOfTheLedgerAreFoundByTheirKeys) {
  Do({"put", "a", "--text", "apples"});
  Do({"terms", "--keys", "all", "--events", "none"});
  Do({"ledger", "record", "zebra-crossing", "--stubs", "--query", "q"});
  EXPECT_EQ(Found("crossing"), "zebra-crossing");
}

}  // namespace
}  // namespace plexus::testing
