// forest, cuts, dominators, flow, and budgets and valid times of path.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

// s leads to t over a and b; a square a b s t hangs together, e and f hang on by one edge each; g
// and h stand apart, joined twice. At the end e causes f at any time.
class ConnectivityCommands : public ProgramTest {
 protected:
  void SetUp() override {
    Import(R"({"edge":["s","a"],"kind":"link","weight":3}
{"edge":["s","b"],"kind":"link","weight":2}
{"edge":["a","b"],"kind":"link","weight":1}
{"edge":["a","t"],"kind":"link","weight":1.5}
{"edge":["b","t"],"kind":"link","weight":4}
{"edge":["t","e"],"kind":"causes","weight":7}
{"edge":["e","f"],"kind":"causes","weight":0.5,"valid_from":100,"valid_until":200}
{"edge":["g","h"],"kind":"link","weight":5}
{"edge":["h","g"],"kind":"causes","weight":6}
)");
    ASSERT_EQ(Run({"unlink", "e", "causes", "f"}).code, 0);
    ASSERT_EQ(Run({"link", "e", "causes", "f", "--weight", "0.5"}).code, 0);
  }
};

TEST_F(ConnectivityCommands, Replies) {
  ExpectReplies({
      {{"forest"}, "", "weight trees nodes total truncated", "17 2 8 6 false"},
      {{"forest"}, "results", "source target", "e f, a b, a t, s b, g h, t e"},
      {{"forest", "--maximum", "--top", "3"}, "results", "source target", "t e, h g, b t"},
      {{"forest", "--unweighted"}, "", "weight", "6"},
      {{"forest", "--as-of", "2", "--kinds", "causes"}, "results", "source target", "h g, t e"},
      {{"cuts"}, "", "articulation_points bridges blocks largest_block components", "2 2 4 4"},
      {{"cuts"}, "nodes", "key", "t, e"},
      {{"cuts"}, "edges", "source target", "t e, e f"},
      {{"cuts", "--blocks"},
       "",
       "components",
       R"([["s","a","b","t"],["t","e"],["e","f"],["g","h"]])"},
      {{"cuts", "--kinds", "causes"}, "edges", "source target", "t e, e f, h g"},
      {{"cuts", "--as-of", "1", "--valid-at", "200"}, "edges", "source target", "t e"},
      // All that is reached, whoever cuts off most first, each with its immediate dominator.
      {{"dominators", "s"}, "", "total reached truncated", "6 6 false"},
      {{"dominators", "s"},
       "results",
       "key dominator dominated",
       "s 5, t s 2, e t 1, a s 0, b s 0, f e 0"},
      {{"dominators", "s", "--to", "f"}, "results", "key", "s, t, e, f"},
      {{"dominators", "s", "--to", "g"}, "results", "key", ""},
      {{"dominators", "f", "--direction", "in", "--top", "2"}, "results", "key", "f, e"},
      {{"flow", "--from", "s", "--to", "t"}, "", "flow error nodes source_side", "4.5 0 4 2"},
      {{"flow", "--from", "s", "--to", "t"}, "cut", "source target", "s b, a b, a t"},
      {{"flow", "--from", "s", "--to", "t", "--capacity", "unit"}, "", "flow", "2"},
      {{"flow", "--from", "t", "--to", "s", "--direction", "both"}, "", "flow", "4.5"},
      {{"path", "--from", "s", "--to", "t", "--count", "9"}, "", "truncated", "false"},
      {{"path", "--from", "s", "--to", "t", "--count", "9"}, "paths", "hops", "2, 2, 3"},
      {{"path", "--from", "s", "--to", "t", "--count", "9", "--max-edges", "6"},
       "",
       "truncated",
       "true"},
      {{"path", "--from", "s", "--to", "f", "--as-of", "1", "--valid-at", "150"},
       "paths",
       "hops",
       "4"},
      {{"path", "--from", "s", "--to", "f", "--as-of", "1", "--valid-at", "99"},
       "paths",
       "hops",
       ""},
  });
}

TEST_F(ConnectivityCommands, TablesForPeople) {
  ExpectPrinted({
      {{"forest"}, "6 edges of weight 17 join 8 nodes into 2 trees"},
      {{"cuts", "--blocks"}, "2 articulation points and 2 bridges among 8 nodes"},
      {{"cuts", "--blocks"}, "block of 4: s a b t"},
      {{"dominators", "s"}, "6 nodes reached"},
      {{"flow", "--from", "s", "--to", "t"}, "flow 4.5, cut by 3 edges; 4 nodes lie between"},
  });
}

TEST_F(ConnectivityCommands, WhatIsRefused) {
  ExpectRefused({
      {{"forest", "--max-seconds", "-1"}, 2, "--max-seconds"},
      {{"dominators", "s", "--direction", "both"}, 2, "both"},
      {{"flow", "--from", "s", "--to", "s"}, 2, ""},
  });
}

// A loop is one edge of its node, whichever way one looks.
class Loops : public ProgramTest {};

TEST_F(Loops, AreListedAndWalkedOnce) {
  Import(R"({"edge":["x","x"],"kind":"link"}
{"edge":["x","y"],"kind":"link"}
)");
  ExpectReplies({
      {{"neighbors", "x"}, "neighbors", "key direction", "x out, y out"},
      {{"neighbors", "x", "--direction", "in"}, "neighbors", "key direction", "x in"},
      {{"neighbors", "x", "--direction", "both"}, "neighbors", "key direction", "x out, y out"},
      {{"traverse", "--from", "y", "--hops", "2", "--direction", "both", "--aggregate", "sum"},
       "nodes",
       "key score",
       "x 2"},
  });
}

}  // namespace
}  // namespace plexus::testing
