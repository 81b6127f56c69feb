// list, and --where on questions: what is selected, sorted, shown, and how a mistake is told.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

const std::string kLines =
    R"({"node":"a","kind":"memory","text":"the snow leopard\nis a cat","tags":["cat","big"],)"
    R"("trust":0.9,"created_at":"2026-01-31","props":{"source":"zoo","n":3}}
{"node":"b","kind":"memory","text":"a dog","trust":0.2,"created_at":"2026-02-01",)"
    R"("props":{"n":12}}
{"node":"c","kind":"concept","text":"a leopard","tags":["cat"],)"
    R"("created_at":"2026-02-02"}
{"edge":["a","b"],"kind":"supports"}
{"edge":["b","c"],"kind":"supports"}
{"edge":["c","a"],"kind":"supports"}
)";

class ListTest : public ProgramTest {
 protected:
  void SetUp() override { Import(kLines, {"--terms"}); }
  std::string Keys(Words options) const {
    options.insert(options.begin(), {"list", "--keys"});
    std::string keys = Run(options).out;
    std::ranges::replace(keys, '\n', ' ');
    return keys;
  }
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

  const auto reply = Json({"list", "--columns", "key,tags,trust,created_at,props.n,text", "--where",
                           "text like '%leopard%'"});
  EXPECT_EQ(reply.at("total"), 2);
  const auto& first = reply.at("results").at(0).as_object();
  EXPECT_EQ(
      boost::json::serialize(first),
      R"({"key":"a","tags":["big","cat"],"trust":9E-1,"created_at":1769817600000,"props.n":3,)"
      R"("text":"the snow leopard\nis a cat"})");
  EXPECT_TRUE(reply.at("results").at(1).at("trust").is_null());

  const Finished table = Run({"list", "--columns", "key,created_at,text,colour", "--top", "2"});
  EXPECT_TRUE(Says(table.out, "a    2026-01-31T00:00:00.000Z  the snow leopard"));
  EXPECT_TRUE(Says(table.out, "... of 3"));
  EXPECT_TRUE(Says(table.err, "none of these has 'colour'"));
}

TEST_F(ListTest, QuestionsTakeWhere) {
  const std::string memories = "kind = 'memory'";
  EXPECT_EQ(Each(Json({"pagerank", "--where", memories}).at("nodes")), "b, a");
  EXPECT_EQ(Each(Json({"traverse", "--from", "a", "--where", memories}).at("nodes")), "b");
  EXPECT_EQ(Each(Json({"search", "leopard", "--where", "kind = 'concept'"}).at("results")), "c");
  EXPECT_EQ(Each(Json({"find", "leopard", "--where", memories}).at("results")), "a");
  EXPECT_EQ(Json({"components", "--where", "tag = 'cat'"}).at("total"), 1);
  EXPECT_EQ(Each(Json({"neighbors", "a", "--where", memories}).at("neighbors")), "b");
  EXPECT_TRUE(
      Ends(Run({"search", "leopard", "--where", "kind = 'decision'"}), 3, "2 out of scope"));
  const Finished exported = Run({"export", "--format", "dot", "--where", "key in ('a', 'b')"});
  EXPECT_EQ(exported.code, 0) << exported.err;
  EXPECT_FALSE(Says(exported.out, "\"c\""));
}

TEST_F(ListTest, AMistakeIsShownByACaret) {
  const Finished wrong = Run({"list", "--where", "kind = 'memory' and trust > high"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(
      wrong.err,
      "plexus: error: where, byte 29: a value expected: text stands in single quotes, 'high'\n"
      "  kind = 'memory' and trust > high\n"
      "                              ^\n");
  EXPECT_TRUE(Ends(Run({"pagerank", "--where", "kind = 'memry'"}), 2, "no node kind 'memry'"));
  EXPECT_TRUE(
      Ends(Run({"stats", "--where", "kind = 'memory'"}), 2, "'stats' does not take --where"));
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
  const auto ends = [&](Words options) {
    options.insert(options.begin(), {"list", "--edges"});
    return Each(Json(options).at("results"), "source target");
  };
  EXPECT_EQ(ends({"--kinds", "supports,causes"}), "a c, a b, b c, c a");
  EXPECT_EQ(ends({}), "a c, a b, a b, b c, c a");  // of a symmetric kind once, from the smaller id
  EXPECT_EQ(ends({"--where", "weight < 0.5"}), "a c");
  ASSERT_EQ(Run({"link", "c", "refines", "b", "--weight", "0.8"}).code, 0);
  EXPECT_EQ(ends({"--where", "weight = 0.8"}), "c b");  // though it is stored in 32 bits
  ASSERT_EQ(Run({"unlink", "c", "refines", "b"}).code, 0);
  EXPECT_EQ(ends({"--where", "kind = 'contradicts' and created_by = 'anna'"}), "a b");
  EXPECT_EQ(ends({"--where", "props.reward > 0.5 or source = 'c'"}), "a c, c a");
  EXPECT_EQ(ends({"--where", "created_at < '2026-04-01'"}), "a c");
  EXPECT_EQ(ends({"--sort", "weight", "--top", "1"}), "a c");
  EXPECT_EQ(ends({"--node-kinds", "memory"}), "a b, a b");  // both ends
  EXPECT_EQ(ends({"--kinds", "has_tag", "--where", "target = 'tag:big'"}), "a tag:big");
  const auto reply = Json(
      {"list", "--edges", "--columns", "source,weight,props.reward", "--where", "weight < 0.5"});
  EXPECT_EQ(reply.at("total"), 1);
  EXPECT_EQ(boost::json::serialize(reply.at("results").at(0)),
            R"({"source":"a","weight":2.5E-1,"props.reward":7E-1})");
  const Finished table = Run({"list", "--edges", "--where", "kind = 'causes'"});
  EXPECT_TRUE(Says(table.out, "a       causes  c"));
  EXPECT_TRUE(Ends(Run({"list", "--edges", "--where", "kind = 'cuases'"}), 2,
                   "no edge kind 'cuases'; did you mean 'causes'?"));
  EXPECT_TRUE(Ends(Run({"list", "--edges", "--where", "weight > 0 and kind in ('memory')"}), 2,
                   "no edge kind 'memory'"));  // one of nodes
  EXPECT_EQ(ends({"--where", "kind like 'memory' or kind not like '%'"}), "");
  const Finished inverse = Run({"list", "--edges", "--where", "kind = 'caused_by'"});
  EXPECT_EQ(inverse.code, 2);
  EXPECT_TRUE(Says(inverse.err, "write kind = 'causes'"));
  EXPECT_EQ(Run({"list", "--edges", "--where", "kind not in ('causes', 'caused_by')"}).code, 2);
  EXPECT_EQ(Run({"list", "--edges", "--where", "kind ILIKE 'caused_by'"}).code, 2);
  // A label or a property may be what an inverse is named, and hold any word.
  ASSERT_EQ(Run({"link", "a", "causes", "c", "--label", "caused_by"}).code, 0);
  EXPECT_EQ(ends({"--where", "kind = 'causes' and label = 'caused_by'"}), "a c");
  EXPECT_EQ(ends({"--where", "kind in ('causes') and props.\"the key\" = 'caused_by'"}), "");
  ASSERT_EQ(Run({"unlink", "a", "causes", "c", "--label", "caused_by"}).code, 0);
  const Finished unknown = Run({"list", "--edges", "--where", "wieght > 0.5"});
  EXPECT_TRUE(Says(unknown.err, "did you mean 'weight'"));
  for (const char* name : {"degree", "scope", "key", "superseded_by"}) {
    EXPECT_TRUE(Ends(Run({"list", "--edges", "--columns", name}), 2, "valid_until, props.NAME"))
        << name;
  }
  EXPECT_EQ(Run({"list", "--edges", "--sort", "degree:desc"}).code, 2);
  EXPECT_EQ(Run({"list", "--edges", "--where", "key = '0'"}).code, 2);
  EXPECT_EQ(ends({"--where", "label = 'key' or props.key = 1"}), "");
  // A kind may have the name of a kind of index nodes.
  ASSERT_EQ(Run({"link", "a", "event", "b"}).code, 0);
  EXPECT_EQ(ends({"--where", "kind = 'event'"}), "a b");
  EXPECT_EQ(ends({}), "a c, a b, a b, a b, b c, c a");
  EXPECT_EQ(Run({"list", "--edges", "--keys"}).code, 2);
  const Words quoted = {"list", "--edges", "--columns", "source,\"props.a,b\"", "--format", "csv"};
  EXPECT_TRUE(Run(quoted).out.starts_with("source,\"props.a,b\"\n"));
  EXPECT_EQ(Run({"list", "--edges", "--details", "kind"}).code, 2);  // would be ignored
}

}  // namespace
}  // namespace plexus::testing
