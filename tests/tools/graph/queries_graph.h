// The graph of the tests of queries: a few facts with weights, a tag, one node superseded.
#pragma once

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/stored_graph.h"

namespace plexus::testing {

// a --0.5--> b --0.5--> c --1--> d, a --0.1--> d; e alone; one tag; m2 hides m1.
class QueryCommands : public StoredGraph<QueryCommands> {
 protected:
  static void SetUpTestSuite() {
    const std::string lines =
        R"({"node":"a","kind":"memory","text":"apple, fruit\nround","tags":["red"],"trust":0.5,)"
        R"("props":{"n":1}})"
        "\n"
        R"({"node":"e","scope":"other","text":"evil \u001b[2Jtext"})"
        "\n"
        R"({"edge":["a","b"],"kind":"knows","weight":0.5})"
        "\n"
        R"({"edge":["b","c"],"kind":"knows","weight":0.5})"
        "\n"
        R"({"edge":["c","d"],"kind":"likes","weight":1})"
        "\n"
        R"({"edge":["a","d"],"kind":"knows","weight":0.125,"label":"x","created_by":"me"})"
        "\n"
        R"({"edge":["m2","m1"],"kind":"supersedes"})"
        "\n"
        R"({"edge":["a","m1"],"kind":"knows"})"
        "\n";
    Import(lines, {"--now", "1700000000000"});
  }
};

}  // namespace plexus::testing
