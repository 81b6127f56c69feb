// terms and search through the program: durable, idempotent, explained, careful.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "algorithms/retrieval/term_index.h"
#include "engine/vocabulary.h"
#include "storage/database.h"
#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

const std::string kLines =
    "{\"node\":\"m1\",\"kind\":\"memory\",\"text\":\"The Dog chased the dog.\"}\n"
    "{\"node\":\"m2\",\"kind\":\"memory\",\"text\":\"Der Hund und die Stra\xc3\x9f"
    "e; a dog, too.\"}\n"
    "{\"node\":\"c1\",\"kind\":\"concept\",\"text\":\"a cat\"}\n"
    "{\"edge\":[\"m2\",\"m1\"],\"kind\":\"supports\"}\n";

int Number(const boost::json::value& value) { return value.to_number<int>(); }

TEST(Search, ImportWithTermsThenSearch) {
  const TempDir dir;
  const std::string db = dir / "g", file = dir.File("m.jsonl", kLines);
  const auto imported = Plexus({"import", "--db", db, "--terms", "--json", file}).Json();
  EXPECT_EQ(Number(imported.at("terms").at("texts")), 3);
  EXPECT_EQ(Number(imported.at("nodes").at("new")), 3);
  const auto again = Plexus({"import", "--db", db, "--terms", "--json", file}).Json();
  EXPECT_EQ(Number(again.at("terms").at("changed")), 0);
  EXPECT_EQ(again.at("sequence"), imported.at("sequence"));

  const auto reply = Plexus({"search", "--db", db, "--json", "DOG chased nothing"}).Json();
  EXPECT_EQ(Number(reply.at("documents")), 3);
  EXPECT_EQ(Number(reply.at("total")), 2);
  const auto& results = reply.at("results").as_array();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].at("key").as_string(), "m1");
  EXPECT_EQ(Number(results[0].at("terms").at(0).at("tf")), 2);
  EXPECT_EQ(Number(results[0].at("terms").at(0).at("df")), 2);
  double sum = 0;
  for (const auto& term : results[0].at("terms").as_array())
    sum += term.at("score").to_number<double>();
  EXPECT_NEAR(sum, results[0].at("score").to_number<double>(), 1e-12);
  EXPECT_EQ(Number(reply.at("terms").at(2).at("df")), 0);  // "nothing"
  EXPECT_EQ(Plexus({"search", "--db", db, "--json", "strasse"})
                .Json()
                .at("results")
                .at(0)
                .at("key")
                .as_string(),
            "m2");
}

TEST(Search, TermsFollowChangesAndDoNotTouchTheFacts) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(
      Plexus({"import", "--db", db, "--no-terms", "--quiet", dir.File("m.jsonl", kLines)}).code, 0);
  const auto before = Plexus({"pagerank", "--db", db, "--json"}).Json().at("nodes");
  const Finished early = Plexus({"search", "--db", db, "dog"});
  EXPECT_EQ(early.code, 1);
  EXPECT_NE(early.err.find("plexus terms"), std::string::npos) << early.err;
  const auto first = Plexus({"terms", "--db", db, "--json"}).Json();
  EXPECT_EQ(Number(first.at("texts")), 3);
  EXPECT_EQ(Number(first.at("changed")), 3);
  const auto second = Plexus({"terms", "--db", db, "--json"}).Json();
  EXPECT_EQ(Number(second.at("changed")), 0);
  EXPECT_EQ(second.at("sequence"), first.at("sequence"));
  EXPECT_EQ(Plexus({"pagerank", "--db", db, "--json"}).Json().at("nodes"), before);

  const auto words =
      Plexus({"terms", "--db", db, "--json", "--stop-words", dir.File("de.txt", "Der\ndie\nund\n")})
          .Json();
  EXPECT_EQ(Number(words.at("unlinked")), 3);
  EXPECT_EQ(Plexus({"search", "--db", db, "und"}).code,
            2);  // a stop word of this index is none to search for

  dir.File("m.jsonl", "{\"node\":\"m1\",\"text\":\"a bird\"}\n");
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", "--terms", dir / "m.jsonl"}).code, 0);
  EXPECT_EQ(Plexus({"search", "--db", db, "chased"}).code, 3);
  EXPECT_EQ(Plexus({"search", "--db", db, "chased", "--as-of",
                    std::to_string(Number(first.at("sequence")))})
                .code,
            0);
}

TEST(Search, KindsScopesVisibilityAndWrongUse) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines = kLines +
                            "{\"node\":\"old\",\"text\":\"dog dog "
                            "dog\"}\n{\"edge\":[\"m1\",\"old\"],\"kind\":\"supersedes\"}\n"
                            "{\"node\":\"far\",\"text\":\"dog\",\"scope\":\"other\"}\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", "--terms", dir.File("m.jsonl", lines)}).code,
            0);
  const auto found = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"search", "--db", db, "--json", "dog"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto reply = Plexus(arguments).Json();
    std::string keys;
    for (const auto& r : reply.at("results").as_array())
      keys += std::string(r.at("key").as_string()) + " ";
    return keys;
  };
  EXPECT_EQ(found({}), "m1 far m2 ");
  EXPECT_EQ(found({"--include-superseded"}), "old m1 far m2 ");
  EXPECT_EQ(found({"--scope", "other"}), "far ");
  EXPECT_EQ(found({"--kinds", "memory", "--top", "1"}), "m1 ");
  EXPECT_EQ(Plexus({"search", "--db", db, "dog", "--kinds", "nokind"}).code, 2);
  EXPECT_EQ(Plexus({"search", "--db", db, "the of"}).code, 2);  // stop words alone
  EXPECT_EQ(Plexus({"search", "--db", db, "dog", "--b", "2"}).code, 2);
  EXPECT_EQ(Plexus({"search", "--db", db, "unheard"}).code, 3);
  EXPECT_NE(Plexus({"search", "--db", db, "dog"}).out.find("dog"), std::string::npos);
  EXPECT_EQ(Plexus({"terms", "--db", dir / "none"}).code, 3);
}

TEST(Search, EveryWriteKeepsAnIndexedGraphFresh) {
  const TempDir dir;
  const std::string db = dir / "g";
  const auto import = [&](const std::string& line, const char* option = "--quiet") {
    const Finished run =
        Plexus({"import", "--db", db, option, "--format", "jsonl", "-"}, {.input = line + "\n"});
    EXPECT_EQ(run.code, 0) << run.err;
  };
  const auto search = [&](const std::string& word) {
    return Plexus({"search", "--db", db, "--quiet", word}).code;
  };
  import("{\"node\":\"a\",\"text\":\"zebra\"}", "--no-terms");
  EXPECT_EQ(search("zebra"), 1);  // an index was not wanted
  // Stop words are remembered.
  ASSERT_EQ(Plexus({"terms", "--db", db, "--stop-words", dir.File("stop.txt", "und\n")}).code, 0);
  import("{\"node\":\"b\",\"text\":\"yak und gnu\"}");
  EXPECT_EQ(search("yak"), 0);
  EXPECT_EQ(Plexus({"get", "--db", db, "term:und"}).code, 3);
  const auto same = Plexus({"terms", "--db", db, "--json"}).Json();
  EXPECT_EQ(Number(same.at("changed")), 0);
  import("{\"node\":\"b\",\"text\":\"ibex\"}");
  EXPECT_EQ(search("yak"), 3);
  EXPECT_EQ(search("ibex"), 0);
  ASSERT_EQ(Plexus({"remove", "--db", db, "b"}).code, 0);
  EXPECT_EQ(search("ibex"), 3);
  // A link does not bring b back, with nothing in it, where somebody removed it.
  const Finished link = Plexus({"link", "--db", db, "a", "supports", "b"});
  EXPECT_NE(link.code, 0);
  EXPECT_NE(link.err.find("'b' was removed"), std::string::npos) << link.err;
  EXPECT_EQ(search("ibex"), 3);
  import("{\"node\":\"b\",\"text\":\"ibex\"}");
  EXPECT_EQ(search("ibex"), 0);
  import("{\"node\":\"b\",\"text\":null}");
  EXPECT_EQ(search("ibex"), 3);
  // The index goes on in a restored export, and an import again changes nothing.
  const Finished exported = Plexus({"export", "--db", db, "--format", "jsonl"});
  ASSERT_EQ(exported.code, 0) << exported.err;
  const std::string copy = dir / "copy";
  ASSERT_EQ(
      Plexus({"import", "--db", copy, "--quiet", "--format", "jsonl", "-"}, {.input = exported.out})
          .code,
      0);
  EXPECT_EQ(Number(Plexus({"search", "--db", copy, "--json", "zebra"}).Json().at("not_indexed")),
            0);
  EXPECT_EQ(Plexus({"export", "--db", copy, "--format", "jsonl"}).out, exported.out);
  EXPECT_EQ(Number(Plexus({"terms", "--db", copy, "--json"}).Json().at("changed")), 0);
}

// A text and its terms are one batch: at no point in time is there one without the other.
TEST(Search, TermsComeWithTheirText) {
  const TempDir dir;
  const std::string db = dir / "g";
  const auto import = [&](const std::string& line) {
    return Plexus({"import", "--db", db, "--terms", "--json", "--format", "jsonl", "-"},
                  {.input = line + "\n"})
        .Json();
  };
  const std::int64_t first = Number(import("{\"node\":\"a\",\"text\":\"zebra\"}").at("sequence"));
  const auto second = import("{\"node\":\"a\",\"text\":\"okapi okapi\"}");
  EXPECT_EQ(Number(second.at("sequence")), first + 1);
  EXPECT_EQ(Number(second.at("terms").at("linked")), 1);
  EXPECT_EQ(Number(second.at("terms").at("unlinked")), 1);
  EXPECT_EQ(Number(import("{\"node\":\"a\",\"text\":\"okapi okapi\"}").at("sequence")),
            first + 1);  // nothing new
  for (std::int64_t at = 1; at <= first + 1; ++at) {
    SCOPED_TRACE(at);
    const auto node = Plexus({"get", "--db", db, "--json", "--as-of", std::to_string(at), "a"});
    const std::string text = node.code == 0 && node.Json().contains("text")
                                 ? std::string(node.Json().at("text").as_string())
                                 : "";
    for (const std::string word : {"zebra", "okapi"}) {
      const int code =
          Plexus({"search", "--db", db, "--quiet", "--as-of", std::to_string(at), word}).code;
      EXPECT_EQ(code == 0, text.find(word) != std::string::npos) << word << ", " << text;
    }
  }
}

// A batch that the graph refuses comes again in halves: its texts are counted once.
TEST(Search, ARefusedRecordDoesNotCountTextsTwice) {
  const TempDir dir;
  const std::string lines =
      "{\"kind\":\"person\",\"of\":\"node\"}\n{\"kind\":\"wears\",\"of\":\"edge\",\"source\":"
      "\"person\"}\n"
      "{\"node\":\"a\",\"text\":\"zebra one\"}\n{\"node\":\"b\",\"text\":\"yak two\"}\n"
      "{\"edge\":[\"a\",\"b\"],\"kind\":\"wears\"}\n{\"node\":\"c\",\"text\":\"ibex three\"}\n";
  const auto reply = Plexus({"import", "--db", dir / "g", "--terms", "--json", "--on-error", "skip",
                             "--format", "jsonl", "-"},
                            {.input = lines})
                         .Json();
  EXPECT_EQ(Number(reply.at("errors")), 1);
  EXPECT_EQ(Number(reply.at("terms").at("texts")), 3);
  EXPECT_EQ(Number(reply.at("terms").at("changed")), 3);
  EXPECT_EQ(Number(reply.at("terms").at("linked")), 6);
  EXPECT_EQ(Number(Plexus({"terms", "--db", dir / "g", "--json"}).Json().at("changed")), 0);
}

// A program writes `count` texts from number `first` on, with their terms or without. It leaves the
// record as it is.
void WriteTexts(const std::string& db, int first, int count, bool with_terms) {
  auto database = Database::Open(db, {});
  ASSERT_TRUE(database) << database.error().ToString();
  Graph& graph = (*database)->graph();
  WriteBatch batch(1);
  for (int i = first; i < first + count; ++i)
    batch.SetPayload(batch.UpsertNode("n" + std::to_string(i), NodeKindRef(kMemory)),
                     NodeField::kText, "zebra w" + std::to_string(i % 97));
  if (with_terms) {
    ASSERT_TRUE(AddTerms(graph.snapshot(), batch));
  }
  ASSERT_TRUE(graph.Apply(batch));
  ASSERT_TRUE((*database)->Close());
}

// What a program indexed by itself is not told as missing, however much it is.
TEST(Search, TextsThatAProgramIndexedAreNotMissing) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"import", "--db", db, "--terms", "--quiet", dir.File("m.jsonl", kLines)}).code,
            0);
  const auto told = [&](std::int64_t missing, std::int64_t not_compared) {
    const auto reply = Plexus({"search", "--db", db, "--json", "zebra"}).Json();
    EXPECT_EQ(Number(reply.at("not_indexed")), missing);
    EXPECT_EQ(Number(reply.at("not_compared")), not_compared);
  };
  WriteTexts(db, 0, 4'000, true);
  told(0, 0);  // few enough to be compared
  WriteTexts(db, 4'000, 1'000, true);
  told(0, 5'000);
  EXPECT_NE(Plexus({"search", "--db", db, "zebra"})
                .err.find("5,000 facts have terms that were not compared"),
            std::string::npos);
  WriteTexts(db, 5'000, 7, false);
  told(7, 5'000);
  EXPECT_NE(
      Plexus({"search", "--db", db, "okapi"}).err.find("no indexed text has a word of 'okapi'"),
      std::string::npos);
  EXPECT_EQ(Number(Plexus({"terms", "--db", db, "--json"}).Json().at("changed")), 7);
  told(0, 0);
}

TEST(Search, SaysWhatIsHiddenAndWhatIsNotIndexed) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      "{\"node\":\"old\",\"text\":\"zebra\"}\n{\"node\":\"new\",\"text\":\"horse\"}\n"
      "{\"edge\":[\"new\",\"old\"],\"kind\":\"supersedes\"}\n"
      "{\"node\":\"far\",\"scope\":\"other\",\"text\":\"okapi\"}\n"
      "{\"node\":\"gone\",\"valid_until\":1000,\"text\":\"quagga\"}\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--terms", "--quiet", "--format", "jsonl", "-"},
                   {.input = lines})
                .code,
            0);
  const auto why = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"search", "--db", db});
    const Finished run = Plexus(more);
    EXPECT_EQ(run.code, 3);
    return run.err;
  };
  EXPECT_NE(why({"zebra"}).find("hidden are 1 superseded (--include-superseded"), std::string::npos)
      << why({"zebra"});
  EXPECT_NE(why({"quagga"}).find("1 not valid at this time"), std::string::npos) << why({"quagga"});
  EXPECT_NE(why({"okapi", "--scope", "user"}).find("1 out of scope (--scope"), std::string::npos);
  EXPECT_NE(why({"horse", "--kinds", "memory"}).find("1 of other kinds (--kinds"),
            std::string::npos);
  EXPECT_NE(why({"unheard"}).find("no text has a word of 'unheard'"), std::string::npos);
  // `terms` of one scope does not say that the rest is indexed.
  const std::string part = dir / "part";
  ASSERT_EQ(Plexus({"import", "--db", part, "--no-terms", "--quiet", "--format", "jsonl", "-"},
                   {.input = lines})
                .code,
            0);
  ASSERT_EQ(Plexus({"terms", "--db", part, "--scope", "other"}).code, 0);
  const Finished told = Plexus({"search", "--db", part, "horse"});
  EXPECT_EQ(told.code, 3);
  EXPECT_NE(told.err.find("no indexed text has a word of 'horse'"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("1 fact has a text that is newer than the index of terms"),
            std::string::npos)
      << told.err;
  EXPECT_EQ(Number(Plexus({"search", "--db", part, "--json", "okapi"}).Json().at("not_indexed")),
            1);
  // Scope by scope all of it is indexed, and texts without a word have nothing to index.
  ASSERT_EQ(Plexus({"import", "--db", part, "--quiet", "--format", "jsonl", "-"},
                   {.input = "{\"node\":\"dots\",\"text\":\"...\"}\n"})
                .code,
            0);
  ASSERT_EQ(Plexus({"terms", "--db", part, "--scope", "user"}).code, 0);
  EXPECT_EQ(Number(Plexus({"search", "--db", part, "--json", "horse"}).Json().at("not_indexed")),
            0);
}

// Free text may hold one mark: a quote that is not closed begins no phrase.
TEST(SearchQuotes, OneThatIsNotClosedIsNone) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"put", "m1", "--kind", "memory", "--text", "a 5\" pipe", "--db", db}).code, 0);
  ASSERT_EQ(Plexus({"terms", "--db", db}).code, 0);
  for (const char* command : {"search", "recall"}) {
    const Finished run = Plexus({command, "5\" pipe", "--db", db, "--json"});
    EXPECT_EQ(run.code, 0) << command << run.err;
    EXPECT_NE(run.out.find("\"m1\""), std::string::npos) << command << run.out;
  }
}

}  // namespace
}  // namespace plexus::testing
