// terms and search through the program: durable, idempotent, explained, careful.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

const std::string kHundLines =
    "{\"node\":\"m1\",\"kind\":\"memory\",\"text\":\"The Dog chased the dog.\"}\n"
    "{\"node\":\"m2\",\"kind\":\"memory\",\"text\":\"Der Hund und die Stra\xc3\x9f"
    "e; a dog, too.\"}\n"
    "{\"node\":\"c1\",\"kind\":\"concept\",\"text\":\"a cat\"}\n"
    "{\"edge\":[\"m2\",\"m1\"],\"kind\":\"supports\"}\n";

using boost::json::object;

class Search : public ProgramTest {};

TEST_F(Search, ImportWithTermsThenSearch) {
  const std::string file = dir_.File("m.jsonl", kHundLines);
  const auto imported = Json({"import", "--terms", file});
  EXPECT_EQ(imported.at("terms").at("texts"), 3);
  EXPECT_EQ(imported.at("nodes").at("new"), 3);
  const auto again = Json({"import", "--terms", file});
  EXPECT_EQ(again.at("terms").at("changed"), 0);
  EXPECT_EQ(again.at("sequence"), imported.at("sequence"));

  const auto reply = Json({"search", "DOG chased nothing"});
  EXPECT_EQ(reply.at("documents"), 3);
  EXPECT_EQ(reply.at("total"), 2);
  const auto& results = reply.at("results").as_array();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].at("key"), "m1");
  EXPECT_EQ(results[0].at("terms").at(0).at("tf"), 2);
  EXPECT_EQ(results[0].at("terms").at(0).at("df"), 2);
  double sum = 0;
  for (const auto& term : results[0].at("terms").as_array())
    sum += term.at("score").to_number<double>();
  EXPECT_NEAR(sum, results[0].at("score").to_number<double>(), 1e-12);
  EXPECT_EQ(reply.at("terms").at(2).at("df"), 0);  // "nothing"
  EXPECT_EQ(Json({"search", "strasse"}).at("results").at(0).at("key"), "m2");
}

TEST_F(Search, TermsFollowChangesAndDoNotTouchTheFacts) {
  ASSERT_EQ(Run({"import", "--no-terms", "--quiet", dir_.File("m.jsonl", kHundLines)}).code, 0);
  const auto before = Json({"pagerank"}).at("nodes");
  EXPECT_TRUE(Ends(Run({"search", "dog"}), 1, "plexus terms"));
  const auto first = Json({"terms"});
  EXPECT_EQ(first.at("texts"), 3);
  EXPECT_EQ(first.at("changed"), 3);
  const auto second = Json({"terms"});
  EXPECT_EQ(second.at("changed"), 0);
  EXPECT_EQ(second.at("sequence"), first.at("sequence"));
  EXPECT_EQ(Json({"pagerank"}).at("nodes"), before);

  const auto words = Json({"terms", "--stop-words", dir_.File("de.txt", "Der\ndie\nund\n")});
  EXPECT_EQ(words.at("unlinked"), 3);
  EXPECT_EQ(Run({"search", "und"}).code,
            2);  // a stop word of this index is none to search for

  dir_.File("m.jsonl", "{\"node\":\"m1\",\"text\":\"a bird\"}\n");
  ASSERT_EQ(Run({"import", "--quiet", "--terms", dir_ / "m.jsonl"}).code, 0);
  EXPECT_EQ(Run({"search", "chased"}).code, 3);
  EXPECT_EQ(
      Run({"search", "chased", "--as-of", std::to_string(first.at("sequence").as_int64())}).code,
      0);
}

TEST_F(Search, KindsScopesVisibilityAndWrongUse) {
  const std::string lines = kHundLines +
                            "{\"node\":\"old\",\"text\":\"dog dog "
                            "dog\"}\n{\"edge\":[\"m1\",\"old\"],\"kind\":\"supersedes\"}\n"
                            "{\"node\":\"far\",\"text\":\"dog\",\"scope\":\"other\"}\n";
  ASSERT_EQ(Run({"import", "--quiet", "--terms", dir_.File("m.jsonl", lines)}).code, 0);
  const auto found = [&](Words more) {
    const Words arguments = With({"search", "--db", db_, "--json", "dog"}, more);
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
  EXPECT_EQ(Run({"search", "dog", "--kinds", "nokind"}).code, 2);
  EXPECT_EQ(Run({"search", "the of"}).code, 2);  // stop words alone
  EXPECT_EQ(Run({"search", "dog", "--b", "2"}).code, 2);
  EXPECT_EQ(Run({"search", "unheard"}).code, 3);
  EXPECT_TRUE(Says(Run({"search", "dog"}).out, "dog"));
  EXPECT_EQ(Plexus({"terms", "--db", dir_ / "none"}).code, 3);
}

TEST_F(Search, EveryWriteKeepsAnIndexedGraphFresh) {
  const auto import = [&](const std::string& line, const char* option = "--quiet") {
    EXPECT_TRUE(Ends(Run({"import", option, "--format", "jsonl", "-"}, {.input = line + "\n"}), 0));
  };
  const auto search = [&](const std::string& word) {
    return Run({"search", "--quiet", word}).code;
  };
  import("{\"node\":\"a\",\"text\":\"zebra\"}", "--no-terms");
  EXPECT_EQ(search("zebra"), 1);  // an index was not wanted
  // Stop words are remembered.
  ASSERT_EQ(Run({"terms", "--stop-words", dir_.File("stop.txt", "und\n")}).code, 0);
  import("{\"node\":\"b\",\"text\":\"yak und gnu\"}");
  EXPECT_EQ(search("yak"), 0);
  EXPECT_EQ(Run({"get", "term:und"}).code, 3);
  const auto same = Json({"terms"});
  EXPECT_EQ(same.at("changed"), 0);
  import("{\"node\":\"b\",\"text\":\"ibex\"}");
  EXPECT_EQ(search("yak"), 3);
  EXPECT_EQ(search("ibex"), 0);
  ASSERT_EQ(Run({"remove", "b"}).code, 0);
  EXPECT_EQ(search("ibex"), 3);
  // A link does not bring b back, with nothing in it, where somebody removed it.
  const Finished link = Run({"link", "a", "supports", "b"});
  EXPECT_NE(link.code, 0);
  EXPECT_TRUE(Says(link.err, "'b' was removed"));
  EXPECT_EQ(search("ibex"), 3);
  import("{\"node\":\"b\",\"text\":\"ibex\"}");
  EXPECT_EQ(search("ibex"), 0);
  import("{\"node\":\"b\",\"text\":null}");
  EXPECT_EQ(search("ibex"), 3);
  // The index goes on in a restored export, and an import again changes nothing.
  const Finished exported = Run({"export", "--format", "jsonl"});
  ASSERT_EQ(exported.code, 0) << exported.err;
  const std::string copy = dir_ / "copy";
  ASSERT_EQ(
      Plexus({"import", "--db", copy, "--quiet", "--format", "jsonl", "-"}, {.input = exported.out})
          .code,
      0);
  EXPECT_EQ(Plexus({"search", "--db", copy, "--json", "zebra"}).Json().at("not_indexed"), 0);
  EXPECT_EQ(Plexus({"export", "--db", copy, "--format", "jsonl"}).out, exported.out);
  EXPECT_EQ(Plexus({"terms", "--db", copy, "--json"}).Json().at("changed"), 0);
}

// A text and its terms are one batch: at no point in time is there one without the other.
TEST_F(Search, TermsComeWithTheirText) {
  const auto import = [&](const std::string& line) {
    return Json({"import", "--terms", "--format", "jsonl", "-"}, {.input = line + "\n"});
  };
  const std::int64_t first =
      import("{\"node\":\"a\",\"text\":\"zebra\"}").at("sequence").as_int64();
  const auto second = import("{\"node\":\"a\",\"text\":\"okapi okapi\"}");
  EXPECT_EQ(second.at("sequence"), first + 1);
  EXPECT_EQ(second.at("terms").at("linked"), 1);
  EXPECT_EQ(second.at("terms").at("unlinked"), 1);
  EXPECT_EQ(import("{\"node\":\"a\",\"text\":\"okapi okapi\"}").at("sequence"),
            first + 1);  // nothing new
  for (std::int64_t at = 1; at <= first + 1; ++at) {
    SCOPED_TRACE(at);
    const auto node = Run({"get", "--json", "--as-of", std::to_string(at), "a"});
    const std::string text = node.code == 0 && node.Json().contains("text")
                                 ? std::string(node.Json().at("text").as_string())
                                 : "";
    for (const std::string word : {"zebra", "okapi"}) {
      const int code = Run({"search", "--quiet", "--as-of", std::to_string(at), word}).code;
      EXPECT_EQ(code == 0, text.find(word) != std::string::npos) << word << ", " << text;
    }
  }
}

// A batch that the graph refuses comes again in halves: its texts are counted once.
TEST_F(Search, ARefusedRecordDoesNotCountTextsTwice) {
  const object reply = Json({"import", "--terms", "--on-error", "skip", "--format", "jsonl", "-"},
                            {.input = R"({"kind":"person","of":"node"}
{"kind":"wears","of":"edge","source":"person"}
{"node":"a","text":"zebra one"}
{"node":"b","text":"yak two"}
{"edge":["a","b"],"kind":"wears"}
{"node":"c","text":"ibex three"}
)"});
  EXPECT_EQ(reply.at("errors"), 1);
  EXPECT_EQ(Each(boost::json::array{reply.at("terms")}, "texts changed linked"), "3 3 6");
  EXPECT_EQ(Json({"terms"}).at("changed"), 0);
}

TEST_F(Search, SaysWhatIsHiddenAndWhatIsNotIndexed) {
  const std::string lines =
      "{\"node\":\"old\",\"text\":\"zebra\"}\n{\"node\":\"new\",\"text\":\"horse\"}\n"
      "{\"edge\":[\"new\",\"old\"],\"kind\":\"supersedes\"}\n"
      "{\"node\":\"far\",\"scope\":\"other\",\"text\":\"okapi\"}\n"
      "{\"node\":\"gone\",\"valid_until\":1000,\"text\":\"quagga\"}\n";
  ASSERT_EQ(Run({"import", "--terms", "--quiet", "--format", "jsonl", "-"}, {.input = lines}).code,
            0);
  const auto why = [&](Words more) {
    more.insert(more.begin(), {"search"});
    const Finished run = Run(more);
    EXPECT_EQ(run.code, 3);
    return run.err;
  };
  EXPECT_TRUE(Says(why({"zebra"}), "hidden are 1 superseded (--include-superseded"));
  EXPECT_TRUE(Says(why({"quagga"}), "1 not valid at this time"));
  EXPECT_TRUE(Says(why({"okapi", "--scope", "user"}), "1 out of scope (--scope"));
  EXPECT_TRUE(Says(why({"horse", "--kinds", "memory"}), "1 of other kinds (--kinds"));
  EXPECT_TRUE(Says(why({"unheard"}), "no text has a word of 'unheard'"));
  // `terms` of one scope does not say that the rest is indexed.
  const std::string part = dir_ / "part";
  ASSERT_EQ(Plexus({"import", "--db", part, "--no-terms", "--quiet", "--format", "jsonl", "-"},
                   {.input = lines})
                .code,
            0);
  ASSERT_EQ(Plexus({"terms", "--db", part, "--scope", "other"}).code, 0);
  const Finished told = Plexus({"search", "--db", part, "horse"});
  EXPECT_EQ(told.code, 3);
  EXPECT_TRUE(Says(told.err, "no indexed text has a word of 'horse'"));
  EXPECT_TRUE(Says(told.err, "1 fact has a text that is newer than the index of terms"));
  EXPECT_EQ(Plexus({"search", "--db", part, "--json", "okapi"}).Json().at("not_indexed"), 1);
  // Scope by scope all of it is indexed, and texts without a word have nothing to index.
  ASSERT_EQ(Plexus({"import", "--db", part, "--quiet", "--format", "jsonl", "-"},
                   {.input = "{\"node\":\"dots\",\"text\":\"...\"}\n"})
                .code,
            0);
  ASSERT_EQ(Plexus({"terms", "--db", part, "--scope", "user"}).code, 0);
  EXPECT_EQ(Plexus({"search", "--db", part, "--json", "horse"}).Json().at("not_indexed"), 0);
}

class SearchQuotes : public ProgramTest {};

// Free text may hold one mark: a quote that is not closed begins no phrase.
TEST_F(SearchQuotes, OneThatIsNotClosedIsNone) {
  ASSERT_EQ(Run({"put", "m1", "--kind", "memory", "--text", "a 5\" pipe"}).code, 0);
  ASSERT_EQ(Run({"terms"}).code, 0);
  for (const char* command : {"search", "recall"}) {
    const Finished run = Run({command, "5\" pipe", "--json"});
    EXPECT_EQ(run.code, 0) << command << run.err;
    EXPECT_TRUE(Says(run.out, "\"m1\"")) << command;
  }
}

}  // namespace
}  // namespace plexus::testing
