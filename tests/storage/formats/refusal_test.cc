// Every format times every hostile class: NaN, infinity, wrong dimensions, truncated
// files, absurd sizes, duplicate headers and kinds, invalid UTF-8, lines over the limit.
//
// Here tables, JSON lines and edge lists; documents and vectors are in
// refusal_documents_test.cc, lines of 100 MB in all_or_nothing_test.cc.
#include "tests/support/text_refusal.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

TEST(Refusal, Csv) {
  const std::string edges = "source,target,kind,weight\n", nodes = "key,kind,trust,text\n";
  const auto edge = [](int i) { return N(i) + "," + N(i + 1) + ",knows,0.5"; };
  const auto node = [](int i) { return N(i) + ",person,0.5,\"words, more\""; };
  RunCases({
      Late("nan", "e.csv", edges, edge, "a,b,knows,nan", "not a finite number"),
      Late("infinity", "e.csv", edges, edge, "a,b,knows,inf", "not a finite number"),
      Late("infinity by overflow", "e.csv", edges, edge, "a,b,knows,1e99", "not a finite number"),
      Late("nan in a column", "n.csv", nodes, node, "a,person,NaN,x", "not a finite number"),
      Late("wrong dimensions", "e.csv", edges, edge, "a,b,knows,1,2", "expected 4 cells"),
      Cut("e.csv", edges, edge, "a,b", "expected 4 cells"),
      Cut("n.csv", nodes, node, "a,person,1,\"wor", "never closed"),
      Late("absurd key", "e.csv", edges, edge, kLongKey + ",b,knows,1", "1025 bytes"),
      Late("absurd cell", "n.csv", nodes, node, "a,person,1," + kLongLine,
           "record over 100000 bytes"),
      Late("invalid UTF-8", "e.csv", edges, edge, "a,\xff\xfe,knows,1", "not valid UTF-8"),
      Late("NUL", "e.csv", edges, edge, std::string("a,b\0c,knows,1", 13), "NUL"),
      Late("line over the limit", "e.csv", edges, edge, kLongLine, "record over 100000 bytes"),
      Late("a bad kind", "n.csv", nodes, node, "a,bad\akind,1,x", "control character"),
      Late("a bad kind of edge", "e.csv", edges, edge, "a,b,bad\akind,1", "control character"),
      {"duplicate header", "e.csv", "source,target,weight,Weight\na,b,1,2\n", 1, "stands twice"},
      {"duplicate meaning", "n.csv", "key,id\na,b\n", 1, "mean the same"},
      {"absurd header", "e.csv", "source,target" + std::string(2000, ',') + "\na,b\n", 1,
       "more than 1024 cells"},
      {"endless header", "e.csv", "source,target," + kLongLine + kLongLine, 1, ""},
  });
}

TEST(Refusal, Tsv) {
  const std::string header = "source\ttarget\tweight\tcreated_at\n";
  const auto edge = [](int i) { return N(i) + "\t" + N(i + 1) + "\t0.5\t" + std::to_string(i); };
  RunCases({
      Late("absurd time", "e.tsv", header, edge, "a\tb\t1\t99999999999999999999", "is no time"),
      Cut("e.tsv", header, edge, "a\tb\t1", "expected 4 cells"),
  });
}

TEST(Refusal, JsonLinesRecords) {
  const auto good = [](int i) {
    if (i % 3 == 0) return R"({"node":")" + N(i) + R"(","kind":"person","tags":["a"],"trust":0.5})";
    if (i % 3 == 1)
      return R"({"edge":[")" + N(i) + "\",\"" + N(i + 1) + R"("],"kind":"knows","weight":0.5})";
    return R"({"vector":")" + N(i) + R"(","space":"s","values":[1,2,3]})";
  };
  const auto late = [&](std::string what, std::string bad, std::string reason,
                        std::string name = "f.jsonl") {
    return Late(std::move(what), std::move(name), "", good, std::move(bad), std::move(reason));
  };
  RunCases({
      late("nan", R"({"edge":["a","b"],"weight":NaN})", ""),
      late("infinity", R"({"edge":["a","b"],"weight":1e999})", ""),
      late("over f32", R"({"edge":["a","b"],"weight":1e60})", "number within f32"),
      late("infinity in a column", R"({"node":"a","trust":1e999})", ""),
      late("infinity in a vector", R"({"vector":"a","space":"s","values":[1,2,1e39]})",
           "finite numbers within f32"),
      late("wrong dimensions", R"({"vector":"a","space":"s","values":[1,2]})", "has 3 dimensions"),
      late("absurd dimensions", R"({"space":"t","dimensions":1000000000})",
           "integer from 1 to 4096"),
      late("absurd key", R"({"node":")" + kLongKey + "\"}", "1025 bytes"),
      late("absurd depth",
           R"({"node":"a","props":{"x":)" + std::string(40, '[') + std::string(40, ']') + "}}",
           "too deep"),
      late("invalid UTF-8", "{\"node\":\"\xff\"}", "UTF-8"),
      late("duplicate keys", R"({"node":"a","trust":1,"trust":2})", "twice"),
      late("line over the limit", "{\"node\":\"" + kLongLine + "\"}", "record over 100000 bytes"),
      late("unknown column", R"({"node":"a","limits":1})", "unknown key"),
      Cut("f.jsonl", "", good, R"({"node":"a","tex)", ""),
  });
}

// The same name with other traits, hundreds of lines and many batches later.
TEST(Refusal, JsonLinesDefinitions) {
  const auto good = [](int i) {
    return R"({"edge":[")" + N(i) + "\",\"" + N(i + 1) + R"("],"kind":"knows"})";
  };
  const auto late = [&](std::string first, std::string bad, std::string reason,
                        std::string seed = "") {
    Case c = Late(first, "f.jsonl", first.empty() ? "" : first + "\n", good, std::move(bad),
                  std::move(reason));
    c.seed = std::move(seed);
    return c;
  };
  const std::string mentors = R"({"kind":"person","of":"node"})"
                              "\n"
                              R"({"kind":"mentors","source":"person"})";
  const std::string pair =
      "\n"
      R"({"node":"p","kind":"person"})"
      "\n"
      R"({"edge":["p","q"],"kind":"mentors"})";
  RunCases({
      late(R"({"kind":"m","symmetric":true})", R"({"kind":"m","symmetric":false})",
           "already defined with other traits"),
      late("", R"({"kind":"knows","plane":"index"})", "already defined with other traits"),
      late(R"({"kind":"m","inverse":"im"})", R"({"kind":"im"})", "inverse name"),
      late(R"({"kind":"robot","of":"node"})", R"({"kind":"robot","of":"node","plane":"index"})",
           "already defined"),
      late(R"({"node":"r","kind":"robot"})", R"({"kind":"robot","of":"node","plane":"index"})",
           "already defined"),
      late(R"({"column":"limits"})", R"({"column":"limits","type":"i64"})", "already defined"),
      late(R"({"column":"limits","type":"i64"})", R"({"node":"a","limits":0.5})",
           "must be an integer"),
      late(R"({"space":"s","dimensions":3})", R"({"space":"s","dimensions":4})", "already defined"),
      late(R"({"vector":"a","space":"s","values":[1,2]})",
           R"({"vector":"b","space":"s","values":[1]})", "has 2 dimensions"),
      late("", R"({"kind":"supports","symmetric":true})", "already defined"),
      late("", R"({"space":"s","dimensions":4})", "already defined",
           R"({"space":"s","dimensions":3})"
           "\n"),
      late(R"({"kind":"m","self_loops":false})", R"({"edge":["a","a"],"kind":"m"})", "to itself"),
      late(R"({"kind":"m","self_loops":false})",
           "{\"edge\":[\"tag\\u001fx\",\"tag\\u001fx\"],\"kind\":\"m\"}", "to itself"),
      late(R"({"kind":"m","target":"tag","self_loops":false})",
           "{\"edge\":[\"tag\\u001fx\",\"x\"],\"kind\":\"m\"}", "to itself"),
      late(mentors, R"({"edge":["n7","n8"],"kind":"mentors"})",
           "its source must be of kind 'person', not 'node'"),
      late(mentors, R"({"edge":["nobody","n8"],"kind":"mentors"})", "not 'node'"),
      late(mentors + "\n"
                     R"({"node":"r","kind":"robot"})",
           R"({"edge":["r","n8"],"kind":"mentors"})", "not 'robot'"),
      late("", R"({"edge":["n0","n8"],"kind":"mentors"})", "not 'memory'", mentors + "\n"),
      late(mentors + pair, R"({"node":"p","kind":"robot"})", "'p' cannot become of kind 'robot'"),
      late("", R"({"node":"p","kind":"robot"})", "wants it to be of kind 'person'",
           mentors + pair + "\n"),
  });
}

// Other kinds for nodes that no edge holds to one: it wants another, it is gone, or only its other
// end is held.
TEST(Refusal, NodesThatNoEdgeHoldsTakeAnotherKind) {
  auto graph = Graph::InMemory();
  std::string text = R"({"kind":"person","of":"node"})"
                     "\n"
                     R"({"kind":"mentors","source":"person"})"
                     "\n";
  for (int i = 0; i < 100; ++i) {
    text += R"({"node":")" + N(i) +
            R"(","kind":"person"})"
            "\n";
    text += R"({"edge":[")" + N(i) +
            R"(","x"],"kind":"mentors"})"
            "\n";
  }
  LoadClean(*graph, "f.jsonl", text, SmallCuts(SerialExecutor()));
  std::string retyped = R"({"node":"x","kind":"robot"})"
                        "\n"
                        R"({"node":"fresh","kind":"person"})"
                        "\n"
                        R"({"node":"fresh","kind":"robot"})"
                        "\n";
  for (int i = 0; i < 50; ++i)
    retyped += R"({"remove":")" + N(i) +
               "\"}\n"
               R"({"node":")" +
               N(i) +
               R"(","kind":"robot"})"
               "\n";
  EXPECT_EQ(LoadClean(*graph, "g.jsonl", retyped, SmallCuts(SerialExecutor())).records, 103u);
  const Case c{"held", "g.jsonl",
               retyped + R"({"node":"n50","kind":"robot"})"
                         "\n",
               104, "'n50' cannot become"};
  Case held = c;
  held.seed = text;
  RunCases({held});
}

// An index key must not slip through as a fact of the wanted kind, nor be refused wrongly.
TEST(Refusal, WantedKindsOfGoodFilesPass) {
  std::string text = R"({"kind":"person","of":"node"})"
                     "\n"
                     R"({"kind":"mentors","source":"person","inverse":"mentored_by"})"
                     "\n";
  for (int i = 0; i < 200; ++i) {
    text += R"({"node":")" + N(i) +
            R"(","kind":"person"})"
            "\n";
    text += R"({"edge":[")" + N(i) +
            R"(","x"],"kind":"mentors"})"
            "\n";
    text += R"({"edge":["y",")" + N(i / 2) +
            R"("],"kind":"mentored_by"})"
            "\n";
  }
  auto graph = Graph::InMemory();
  const ImportReport r = LoadClean(*graph, "f.jsonl", text, SmallCuts(SerialExecutor()));
  EXPECT_EQ(r.edges.added, 300u);  // of y, two say the same
  const Case c{"index node", "f.jsonl",
               text + "{\"edge\":[\"tag\\u001fx\",\"x\"],\"kind\":\"mentors\"}\n", 603,
               "not 'tag'"};
  RunCases({c});
}

TEST(Refusal, EdgeList) {
  const auto edge = [](int i) { return N(i) + " " + N(i + 1) + " 0.5"; };
  const auto late = [&](std::string what, std::string bad, std::string reason) {
    return Late(std::move(what), "g.el", "# a comment\n", edge, std::move(bad), std::move(reason));
  };
  RunCases({
      late("nan", "a b nan", "not a finite number"),
      late("infinity", "a b inf", "not a finite number"),
      late("infinity by overflow", "a b 1e400", "not a finite number"),
      late("over f32", "a b 1e60", "not a finite number"),
      late("negative", "a b -1", "weight \"-1\" is not a finite number >= 0"),
      late("a word", "a b x", "weight \"x\" is not a finite number >= 0"),
      late("more than a number", "a b 1x", "weight \"1x\" is not a finite number >= 0"),
      late("a plus", "a b +1", "weight \"+1\" is not a finite number >= 0"),
      late("hexadecimal", "a b 0x10", "weight \"0x10\" is not a finite number >= 0"),
      late("a separator of keys", std::string("a\x1f") + "b c", "control character"),
      late("wrong dimensions", "a b 1 2", "expected `source target [weight]`"),
      late("absurd key", "a " + kLongKey, "key over 1024 bytes"),
      late("invalid UTF-8", "a \xed\xa0\x80", "not valid UTF-8"),
      late("control", std::string("a b\0c", 5), "control character"),
      late("line over the limit", kLongLine, "record over 100000 bytes"),
      Cut("g.el", "", edge, "abc", "expected `source target [weight]`"),
  });
}

}  // namespace
}  // namespace plexus::formats::internal
