// list, and --where on questions: what is selected, sorted, shown, and how a mistake is told.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

const std::string kLines =
    R"({"node":"a","kind":"memory","text":"the snow leopard\nis a cat","tags":["cat","big"],)"
    R"("trust":0.9,"created_at":"2026-01-31","props":{"source":"zoo","n":3}})"
    "\n"
    R"({"node":"b","kind":"memory","text":"a dog","trust":0.2,"created_at":"2026-02-01",)"
    R"("props":{"n":12}})"
    "\n"
    R"({"node":"c","kind":"concept","text":"a leopard","tags":["cat"],)"
    R"("created_at":"2026-02-02"})"
    "\n"
    R"({"edge":["a","b"],"kind":"supports"}
{"edge":["b","c"],"kind":"supports"}
{"edge":["c","a"],"kind":"supports"}
)";

class ListTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        Plexus({"import", "--db", db_, "--quiet", "--terms", dir_.File("l.jsonl", kLines)}).code,
        0);
  }
  Finished Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, {"--db", db_});
    return Plexus(arguments);
  }
  std::string Keys(std::vector<std::string> options) {
    options.insert(options.begin(), {"list", "--keys"});
    const Finished done = Run(options);
    EXPECT_EQ(done.code, 0) << done.err;
    std::string keys;
    for (const char c : done.out) keys += c == '\n' ? ' ' : c;
    return keys;
  }
  static std::string KeysOf(const boost::json::object& reply, const char* list) {
    std::string keys;
    for (const auto& node : reply.at(list).as_array())
      keys += std::string(node.at("key").as_string()) + " ";
    return keys;
  }
  TempDir dir_;
  std::string db_ = dir_ / "g";
};

TEST_F(ListTest, SelectsSortsAndShows) {
  EXPECT_EQ(Keys({}), "a b c ");
  EXPECT_EQ(Keys({"--where", "kind = 'memory' and trust > 0.5"}), "a ");
  EXPECT_EQ(Keys({"--where", "created_at >= '2026-02-01'"}), "b c ");
  EXPECT_EQ(Keys({"--where", "tag = 'cat' and not exists source"}), "c ");
  EXPECT_EQ(Keys({"--sort", "trust"}), "b a c ");
  EXPECT_EQ(Keys({"--sort", "trust:desc"}), "a b c ");
  EXPECT_EQ(Keys({"--sort", "n:desc", "--top", "1"}), "b ");
  EXPECT_EQ(Keys({"--sort", "text"}), "b c a ");
  EXPECT_EQ(Keys({"--index", "--where", "kind = 'tag'"}), "tag:cat tag:big ");
  EXPECT_EQ(Keys({"--where", "key = 'nobody'"}), "");

  const auto reply = Run({"list", "--json", "--columns", "key,tags,trust,created_at,props.n,text",
                          "--where", "text like '%leopard%'"})
                         .Json();
  EXPECT_EQ(reply.at("total").as_int64(), 2);
  const auto& first = reply.at("results").at(0).as_object();
  EXPECT_EQ(
      boost::json::serialize(first),
      R"({"key":"a","tags":["big","cat"],"trust":9E-1,"created_at":1769817600000,"props.n":3,)"
      R"("text":"the snow leopard\nis a cat"})");
  EXPECT_TRUE(reply.at("results").at(1).at("trust").is_null());

  const Finished table = Run({"list", "--columns", "key,created_at,text,colour", "--top", "2"});
  EXPECT_NE(table.out.find("a    2026-01-31T00:00:00.000Z  the snow leopard"), std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("... of 3"), std::string::npos);
  EXPECT_NE(table.err.find("none of these has 'colour'"), std::string::npos) << table.err;
}

TEST_F(ListTest, QuestionsTakeWhere) {
  const std::string memories = "kind = 'memory'";
  EXPECT_EQ(KeysOf(Run({"pagerank", "--json", "--where", memories}).Json(), "nodes"), "b a ");
  EXPECT_EQ(KeysOf(Run({"traverse", "--json", "--from", "a", "--where", memories}).Json(), "nodes"),
            "b ");
  EXPECT_EQ(
      KeysOf(Run({"search", "--json", "leopard", "--where", "kind = 'concept'"}).Json(), "results"),
      "c ");
  EXPECT_EQ(KeysOf(Run({"find", "--json", "leopard", "--where", memories}).Json(), "results"),
            "a ");
  EXPECT_EQ(Run({"components", "--json", "--where", "tag = 'cat'"}).Json().at("total").as_int64(),
            1);
  EXPECT_EQ(KeysOf(Run({"neighbors", "a", "--json", "--where", memories}).Json(), "neighbors"),
            "b ");
  const Finished hidden = Run({"search", "leopard", "--where", "kind = 'decision'"});
  EXPECT_EQ(hidden.code, 3);
  EXPECT_NE(hidden.err.find("2 out of scope"), std::string::npos) << hidden.err;
  const Finished exported = Run({"export", "--format", "dot", "--where", "key in ('a', 'b')"});
  EXPECT_EQ(exported.code, 0) << exported.err;
  EXPECT_EQ(exported.out.find("\"c\""), std::string::npos) << exported.out;
}

TEST_F(ListTest, AMistakeIsShownByACaret) {
  const Finished wrong = Run({"list", "--where", "kind = 'memory' and trust > high"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(
      wrong.err,
      "plexus: error: where, byte 29: a value expected: text stands in single quotes, 'high'\n"
      "  kind = 'memory' and trust > high\n"
      "                              ^\n");
  const Finished unknown = Run({"pagerank", "--where", "kind = 'memry'"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("no node kind 'memry'"), std::string::npos) << unknown.err;
  const Finished ignored = Run({"stats", "--where", "kind = 'memory'"});
  EXPECT_EQ(ignored.code, 2);
  EXPECT_NE(ignored.err.find("'stats' does not take --where"), std::string::npos) << ignored.err;
  EXPECT_EQ(Run({"list", "--columns", "a..b"}).code, 2);
  EXPECT_EQ(Run({"list", "--index", "--scope", "user"}).code, 2);
}

// Edges are selected, sorted and shown as nodes are.
TEST_F(ListTest, EdgesByAnExpression) {
  ASSERT_EQ(Run({"link", "a", "causes", "c", "--weight", "0.25", "--props", R"({"reward":0.7})",
                 "--created-at", "2026-03-01"})
                .code,
            0);
  ASSERT_EQ(Run({"link", "b", "contradicts", "a", "--created-by", "anna"}).code, 0);
  const auto ends = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"list", "--edges", "--json"});
    const Finished done = Run(options);
    EXPECT_EQ(done.code, 0) << done.err;
    std::string text;
    const boost::json::object reply = done.Json();
    for (const auto& edge : reply.at("results").as_array())
      text += std::string(edge.at("source").as_string()) + edge.at("target").as_string().c_str() +
              " ";
    return text;
  };
  EXPECT_EQ(ends({"--kinds", "supports,causes"}), "ac ab bc ca ");
  EXPECT_EQ(ends({}), "ac ab ab bc ca ");  // of a symmetric kind once, from the smaller id
  EXPECT_EQ(ends({"--where", "weight < 0.5"}), "ac ");
  ASSERT_EQ(Run({"link", "c", "refines", "b", "--weight", "0.8"}).code, 0);
  EXPECT_EQ(ends({"--where", "weight = 0.8"}), "cb ");  // though it is stored in 32 bits
  ASSERT_EQ(Run({"unlink", "c", "refines", "b"}).code, 0);
  EXPECT_EQ(ends({"--where", "kind = 'contradicts' and created_by = 'anna'"}), "ab ");
  EXPECT_EQ(ends({"--where", "props.reward > 0.5 or source = 'c'"}), "ac ca ");
  EXPECT_EQ(ends({"--where", "created_at < '2026-04-01'"}), "ac ");
  EXPECT_EQ(ends({"--sort", "weight", "--top", "1"}), "ac ");
  EXPECT_EQ(ends({"--node-kinds", "memory"}), "ab ab ");  // both ends
  EXPECT_EQ(ends({"--kinds", "has_tag", "--where", "target = 'tag:big'"}), "atag\x1f" "big ");
  const auto reply = Run({"list", "--edges", "--json", "--columns", "source,weight,props.reward",
                          "--where", "weight < 0.5"})
                         .Json();
  EXPECT_EQ(reply.at("total").as_int64(), 1);
  EXPECT_EQ(boost::json::serialize(reply.at("results").at(0)),
            R"({"source":"a","weight":2.5E-1,"props.reward":7E-1})");
  const Finished table = Run({"list", "--edges", "--where", "kind = 'causes'"});
  EXPECT_NE(table.out.find("a       causes  c"), std::string::npos) << table.out;
  const Finished wrong = Run({"list", "--edges", "--where", "kind = 'cuases'"});
  EXPECT_EQ(wrong.code, 2) << wrong.out;
  const Finished inverse = Run({"list", "--edges", "--where", "kind = 'caused_by'"});
  EXPECT_EQ(inverse.code, 2);
  EXPECT_NE(inverse.err.find("write kind = 'causes'"), std::string::npos) << inverse.err;
  EXPECT_EQ(Run({"list", "--edges", "--where", "kind not in ('causes', 'caused_by')"}).code, 2);
  EXPECT_EQ(Run({"list", "--edges", "--where", "kind ILIKE 'caused_by'"}).code, 2);
  // A label or a property may be what an inverse is named, and hold any word.
  ASSERT_EQ(Run({"link", "a", "causes", "c", "--label", "caused_by"}).code, 0);
  EXPECT_EQ(ends({"--where", "kind = 'causes' and label = 'caused_by'"}), "ac ");
  EXPECT_EQ(ends({"--where", "kind in ('causes') and props.\"the key\" = 'caused_by'"}), "");
  ASSERT_EQ(Run({"unlink", "a", "causes", "c", "--label", "caused_by"}).code, 0);
  const Finished unknown = Run({"list", "--edges", "--where", "wieght > 0.5"});
  EXPECT_NE(unknown.err.find("did you mean 'weight'"), std::string::npos) << unknown.err;
  for (const char* name : {"degree", "scope", "key", "superseded_by"}) {
    const Finished none = Run({"list", "--edges", "--columns", name});
    EXPECT_EQ(none.code, 2) << name;
    EXPECT_NE(none.err.find("valid_until, props.NAME"), std::string::npos) << none.err;
  }
  EXPECT_EQ(Run({"list", "--edges", "--sort", "degree:desc"}).code, 2);
  EXPECT_EQ(Run({"list", "--edges", "--where", "key = '0'"}).code, 2);
  EXPECT_EQ(ends({"--where", "label = 'key' or props.key = 1"}), "");
  // A kind may have the name of a kind of index nodes.
  ASSERT_EQ(Run({"link", "a", "event", "b"}).code, 0);
  EXPECT_EQ(ends({"--where", "kind = 'event'"}), "ab ");
  EXPECT_EQ(ends({}), "ac ab ab ab bc ca ");
  EXPECT_EQ(Run({"list", "--edges", "--keys"}).code, 2);
  EXPECT_EQ(Run({"list", "--edges", "--details", "kind"}).code, 2);  // would be ignored
}

}  // namespace
}  // namespace plexus::testing
