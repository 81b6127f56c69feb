// How words are found: accents, identifiers, ideographs, stems, phrases; what the index remembers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithms/retrieval/term_index.h"
#include "storage/database.h"
#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

const std::string kLines =
    "{\"node\":\"bar\",\"text\":\"a caf\u00e9 in Paris\"}\n"
    "{\"node\":\"code\",\"text\":\"calls user_login and getUserById\"}\n"
    "{\"node\":\"tokyo\",\"text\":\"\u6771\u4eac\u90fd\u5e81\u306e\u5efa\u7269\"}\n"
    "{\"node\":\"cats\",\"text\":\"Large cats: snow leopards\"}\n"
    "{\"node\":\"snow\",\"text\":\"the leopard walks through snow, a large animal, no cat\"}\n";

std::string Found(const std::string& db, const std::string& query) {
  const Finished done = Plexus({"search", "--db", db, "--json", query});
  if (done.code == 3) return "";
  std::string keys;
  const auto reply = done.Json();
  for (const auto& node : reply.at("results").as_array())
    keys += (keys.empty() ? "" : " ") + std::string(node.at("key").as_string());
  return keys;
}

void Ask(const std::string& db, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--db", db});
  const Finished done = Plexus(arguments);
  EXPECT_EQ(done.code, 0) << done.err;
}

TEST(SearchWords, ANewIndexFindsWhatPeopleExpect) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"import", "--db", db, "--terms", "--quiet", dir.File("l.jsonl", kLines)}).code,
            0);
  EXPECT_EQ(Found(db, "cafe"), "bar");
  EXPECT_EQ(Found(db, "CAF\u00c9"), "bar");
  EXPECT_EQ(Found(db, "login"), "code");
  EXPECT_EQ(Found(db, "user_login"), "code");
  EXPECT_EQ(Found(db, "user"), "code");
  EXPECT_EQ(Found(db, "\u6771\u4eac"), "tokyo");
  EXPECT_EQ(Found(db, "\u4eac\u90fd"), "tokyo");
  EXPECT_EQ(Found(db, "leopards"), "cats snow");
  EXPECT_EQ(Found(db, "large snow"), "cats snow");
  EXPECT_EQ(Found(db, "\"large cats\""), "cats");
  EXPECT_EQ(Found(db, "\"snow, a large\" cat"), "snow");
  EXPECT_EQ(Found(db, "\"get user by id\""), "code");
  EXPECT_EQ(Found(db, "\"cats large\""), "");
  const auto reply = Plexus({"search", "--db", db, "--json", "\"large cats\" snow"}).Json();
  EXPECT_EQ(reply.at("phrases").at(0).as_string(), "large cats");
}

TEST(SearchWords, SwitchesStayWithTheIndex) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", dir.File("l.jsonl", kLines)}).code, 0);
  ASSERT_EQ(Plexus({"terms", "--db", db, "--stem", "english", "--accents", "keep"}).code, 0);
  EXPECT_EQ(Found(db, "leopards"), "cats snow");
  EXPECT_EQ(Found(db, "cafe"), "");
  EXPECT_EQ(Found(db, "\"large cat\""), "cats");
  // A later import goes on with them.
  ASSERT_EQ(
      Plexus({"import", "--db", db, "--quiet",
              dir.File("m.jsonl", "{\"node\":\"m\",\"text\":\"running r\u00e9sum\u00e9s\"}\n")})
          .code,
      0);
  EXPECT_EQ(Found(db, "runs"), "m");
  EXPECT_EQ(Found(db, "resume"), "");
  // And so does indexing again; then all back.
  const auto again = Plexus({"terms", "--db", db, "--json"}).Json();
  EXPECT_EQ(again.at("changed").to_number<int>(), 0);
  ASSERT_EQ(Plexus({"terms", "--db", db, "--renew", "--stem", "none"}).code, 0);
  EXPECT_EQ(Found(db, "runs"), "");
  EXPECT_EQ(Found(db, "resumes"), "m");
  ASSERT_EQ(Plexus({"terms", "--db", db, "--renew"}).code, 0);
  EXPECT_EQ(Found(db, "runs"), "m");
  const Finished unknown = Plexus({"terms", "--db", db, "--stem", "klingon"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("no stemmer for 'klingon'"), std::string::npos) << unknown.err;
}

TEST(SearchWords, EventsByTheirQueries) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      kLines +
      "{\"event\":\"e1\",\"query\":\"where is the caf\u00e9\",\"members\":[{\"id\":\"bar\"}]}\n"
      "{\"event\":\"e2\",\"query\":\"large animals\",\"members\":[{\"id\":\"cats\"}]}\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--terms", "--quiet", dir.File("l.jsonl", lines)}).code,
            0);
  const auto events = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"search", "--db", db, "--json", "--events"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::string keys;
    const auto reply = Plexus(arguments).Json();
    for (const auto& node : reply.at("results").as_array())
      keys += std::string(node.at("key").as_string()) + " ";
    return keys;
  };
  EXPECT_EQ(events({"cafe"}),
            "event\x1f"
            "e1 ");
  EXPECT_EQ(events({"large"}),
            "event\x1f"
            "e2 ");
  EXPECT_EQ(events({"--where", "key = 'event:e2'", "large cafe"}),
            "event\x1f"
            "e2 ");
  EXPECT_EQ(Found(db, "cafe"), "bar");  // facts alone
  EXPECT_EQ(Plexus({"search", "--db", db, "--events", "zebra"}).code, 3);
  // Facts rank as if there were no events; what was exported comes back.
  const std::string other = dir / "h", part = dir / "p";
  ASSERT_EQ(
      Plexus({"import", "--db", part, "--terms", "--quiet", dir.File("k.jsonl", kLines)}).code, 0);
  EXPECT_EQ(Plexus({"search", "--db", part, "--json", "large cat"}).out,
            Plexus({"search", "--db", db, "--json", "large cat"}).out);
  const Finished exported = Plexus({"export", "--db", db});
  ASSERT_EQ(Plexus({"import", "--db", other, "--quiet", dir.File("x.jsonl", exported.out)}).code,
            0);
  EXPECT_EQ(Plexus({"export", "--db", other}).out, exported.out);
  // Without them again.
  ASSERT_EQ(Plexus({"terms", "--db", db, "--events", "none"}).code, 0);
  EXPECT_EQ(Plexus({"search", "--db", db, "--events", "cafe"}).code, 1);
}

TEST(SearchWords, AnIndexOfAnEarlierVersionStaysAsItWas) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(
      Plexus({"import", "--db", db, "--no-terms", "--quiet", dir.File("l.jsonl", kLines)}).code, 0);
  {  // indexed without a record and without switches
    auto database = Database::Open(db);
    ASSERT_TRUE(database);
    const auto apply = [&](const WriteBatch& batch) -> Status {
      const auto applied = (*database)->graph().Apply(batch);
      return applied ? Status() : std::unexpected(applied.error());
    };
    IndexTermsOptions options;
    options.now_ms = 1;
    ASSERT_TRUE(IndexTerms((*database)->snapshot(), options, apply));
    ASSERT_TRUE((*database)->Close());
  }
  EXPECT_EQ(Found(db, "caf\u00e9"), "bar");
  EXPECT_EQ(Found(db, "cafe"), "");
  EXPECT_EQ(Found(db, "login"), "");
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet",
                    dir.File("m.jsonl", "{\"node\":\"m\",\"text\":\"new_login\"}\n")})
                .code,
            0);
  EXPECT_EQ(Found(db, "login"), "");
  EXPECT_EQ(Found(db, "new_login"), "m");
  ASSERT_EQ(Plexus({"terms", "--db", db, "--renew"}).code, 0);
  EXPECT_EQ(Found(db, "login"), "m code");
  EXPECT_EQ(Found(db, "cafe"), "bar");
}

// S4's bridge search: decisions by what they do and how they are built, which are properties.
TEST(SearchWords, PropertiesAreFoundOnceTheyAreNamed) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      dir.File("d.jsonl",
               "{\"node\":\"d1\",\"kind\":\"decision\",\"text\":\"Use one log\",\"props\":"
               "{\"structure_desc\":\"append only, single source of truth\","
               "\"function_desc\":[\"replays payouts\",\"audits\"],\"other\":\"zebra\"}}\n"
               "{\"node\":\"d2\",\"kind\":\"decision\","
               "\"props\":{\"structure_desc\":\"a cache before the truth\"}}\n");
  Ask(db, {"import", lines, "--quiet"});
  EXPECT_EQ(Found(db, "truth"), "");
  Ask(db, {"terms", "--properties", "structure_desc,function_desc"});
  EXPECT_EQ(Found(db, "truth"), "d2 d1");
  EXPECT_EQ(Found(db, "audit"), "d1");
  EXPECT_EQ(Found(db, "zebra"), "");
  EXPECT_EQ(Found(db, "\"source of truth\""), "d1");
  EXPECT_EQ(Found(db, "\"log append\""), "");  // of two parts
  // Every write keeps them: of properties alone, of a text alone, of both, and of a new fact.
  Ask(db, {"put", "d1", "--text", "Use one journal"});
  EXPECT_EQ(Found(db, "journal truth"), "d1 d2");
  EXPECT_EQ(Found(db, "log"), "");
  Ask(db, {"put", "d2", "--props", "{\"structure_desc\":\"a queue\"}"});
  EXPECT_EQ(Found(db, "truth"), "d1");
  EXPECT_EQ(Found(db, "queue"), "d2");
  Ask(db, {"put", "d2", "--props", "{\"other\":1}"});
  Ask(db,
      {"import", "--quiet",
       dir.File("e.jsonl", "{\"node\":\"d3\",\"props\":{\"function_desc\":\"rotates keys\"}}\n")});
  EXPECT_EQ(Found(db, "rotate"), "d3");
  Ask(db, {"remember", "Keys rotate weekly.", "--key", "k"});
  EXPECT_EQ(Found(db, "rotate"), "d3 k");
  const Finished again = Plexus({"terms", "--db", db, "--json"});
  EXPECT_EQ(again.Json().at("changed").as_int64(), 0) << again.out;
  EXPECT_EQ(Plexus({"search", "--db", db, "rotate"}).err, "");  // nothing is newer than the index
  // An export carries the record and the terms.
  Ask(db, {"export", "--output", dir / "x.jsonl"});
  const std::string other = dir / "other";
  ASSERT_EQ(Plexus({"import", "--db", other, "--quiet", dir / "x.jsonl"}).code, 0);
  EXPECT_EQ(Found(other, "rotate"), "d3 k");
  EXPECT_EQ(Plexus({"terms", "--db", other, "--json"}).Json().at("changed").as_int64(), 0);
  // A column is none, and the list can be taken back.
  EXPECT_EQ(Plexus({"terms", "--db", db, "--properties", "trust"}).code, 2);
  Ask(db, {"terms", "--properties", "none"});
  EXPECT_EQ(Found(db, "rotate"), "k");
}

TEST(SearchWords, FactsWithoutATextAreFoundByTheirKeys) {
  const TempDir dir;
  const std::string db = dir / "g";
  Ask(db, {"link", "bob", "knows", "alice-smith"});
  Ask(db, {"remember", "Deploys run nightly.", "--key", "deploys"});
  EXPECT_EQ(Found(db, "alice"), "");
  const Finished none = Plexus({"search", "--db", db, "alice-smith"});
  EXPECT_NE(none.err.find("with --keys all indexes their keys"), std::string::npos) << none.err;
  Ask(db, {"terms", "--keys", "all", "--properties", "name"});
  EXPECT_EQ(Found(db, "alice"), "alice-smith");
  Ask(db, {"link", "carol", "knows", "payment-gateway"});
  EXPECT_EQ(Found(db, "gateway"), "payment-gateway");
  Ask(db, {"import", "--quiet", dir.File("e.csv", "source,target\ncarol,erin\n77,78\n"),
           dir.File("n.jsonl", "{\"node\":\"u1\",\"props\":{\"name\":\"Frank Ocean\"}}\n")});
  EXPECT_EQ(Found(db, "erin"), "erin");
  EXPECT_EQ(Found(db, "ocean"), "u1");
  const Finished last = Plexus({"search", "--db", db, "carol"});
  EXPECT_EQ(last.code, 0);
  EXPECT_EQ(last.err, "");
  EXPECT_EQ(Plexus({"terms", "--db", db, "--json"}).Json().at("changed").as_int64(), 0);
  Ask(db, {"remove", "erin"});
  EXPECT_EQ(Found(db, "erin"), "");
  Ask(db, {"terms", "--keys", "index"});
  EXPECT_EQ(Found(db, "carol"), "");
  EXPECT_EQ(Found(db, "deploys"), "deploys");
}

// A fact of which nothing is indexed leaves the index as new as before, and nothing to read again.
TEST(SearchWords, FactsOfWhichNothingIsIndexedKeepTheIndexNew) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", dir.File("l.jsonl", kLines)}).code, 0);
  ASSERT_EQ(Plexus({"terms", "--db", db, "--properties", "name"}).code, 0);
  for (int i = 0; i < 2; ++i) {
    const std::string line = "{\"node\":\"z\",\"props\":{\"other\":" + std::to_string(i) + "}}\n";
    const Finished done = Plexus({"import", "--db", db, "--json", dir.File("z.jsonl", line)});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.Json().at("terms").at("texts").to_number<int>(), 0) << done.out;
  }
  const Finished before = Plexus({"stats", "--db", db, "--json"});
  ASSERT_EQ(Plexus({"terms", "--db", db}).code, 0);  // nothing is left to remember
  EXPECT_EQ(Plexus({"stats", "--db", db, "--json"}).Json().at("sequence"),
            before.Json().at("sequence"));
}

TEST(SearchWords, SwitchesAreKeptBeforeTheFirstText) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"link", "--db", db, "a", "knows", "b"}).code, 0);
  EXPECT_EQ(Plexus({"search", "--db", db, "zebras"}).code, 1);
  ASSERT_EQ(Plexus({"terms", "--db", db, "--properties", "name", "--stem", "none"}).code, 0);
  EXPECT_EQ(Plexus({"search", "--db", db, "zebras"}).code, 3);  // there is an index now
  ASSERT_EQ(
      Plexus({"put", "--db", db, "a", "--text", "leopards", "--props", "{\"name\":\"zebras\"}"})
          .code,
      0);
  EXPECT_EQ(Found(db, "zebras"), "a");
  EXPECT_EQ(Found(db, "zebra"), "");                            // no stems
  ASSERT_EQ(Plexus({"terms", "--db", db, "--renew"}).code, 0);  // keeps what is indexed
  EXPECT_EQ(Found(db, "zebra"), "a");
}

TEST(SearchWords, NamesOfPropertiesAreThoseOfExpressions) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string line = "{\"node\":\"a\",\"props\":{\"name\":\"zebra\",\"kind\":\"horse\"}}\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", dir.File("l.jsonl", line)}).code, 0);
  for (const char* name : {"key", "kind", "tags", "text", "scope", "trust", " "})
    EXPECT_EQ(Plexus({"terms", "--db", db, "--properties", name}).code, 2) << name;
  ASSERT_EQ(Plexus({"terms", "--db", db, "--properties", "name, name,props.kind"}).code, 0);
  EXPECT_EQ(Found(db, "horse"), "a");
  const auto found = Plexus({"search", "--db", db, "--json", "zebra"}).Json();
  EXPECT_EQ(found.at("results").at(0).at("terms").at(0).at("tf").to_number<int>(), 1);
}

// Terms of an export stay only where the graph's own index would have them.
TEST(SearchWords, ImportedTermsAreThoseOfTheIndex) {
  const TempDir dir;
  const std::string db = dir / "g", other = dir / "other";
  const std::string lines =
      "{\"node\":\"p\",\"props\":{\"name\":\"zebra\"}}\n{\"node\":\"t\",\"text\":\"apples\"}\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", dir.File("l.jsonl", lines)}).code, 0);
  ASSERT_EQ(Plexus({"terms", "--db", db, "--properties", "name"}).code, 0);
  ASSERT_EQ(Plexus({"export", "--db", db, "--output", dir / "x.jsonl"}).code, 0);
  ASSERT_EQ(Plexus({"put", "--db", other, "k", "--text", "pears"}).code, 0);
  ASSERT_EQ(Plexus({"import", "--db", other, "--quiet", dir / "x.jsonl"}).code, 0);
  EXPECT_EQ(Found(other, "zebra"), "");
  EXPECT_EQ(Found(other, "apples"), "t");
  EXPECT_EQ(Plexus({"terms", "--db", other, "--json"}).Json().at("changed").to_number<int>(), 0);
}

// What a host records of nodes that are not there yet is indexed as any fact.
TEST(SearchWords, StubsOfTheLedgerAreFoundByTheirKeys) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"put", "--db", db, "a", "--text", "apples"}).code, 0);
  ASSERT_EQ(Plexus({"terms", "--db", db, "--keys", "all", "--events", "none"}).code, 0);
  ASSERT_EQ(
      Plexus({"ledger", "record", "--db", db, "zebra-crossing", "--stubs", "--query", "q"}).code,
      0);
  EXPECT_EQ(Found(db, "crossing"), "zebra-crossing");
}

}  // namespace
}  // namespace plexus::testing
