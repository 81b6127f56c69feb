// The graph of the tests of queries: a few facts with weights, a tag, one node superseded.
#pragma once

#include "tests/support/program/program_test.h"

namespace plexus::testing {

// a --0.5--> b --0.5--> c --1--> d, a --0.125--> d; e alone; one tag; m2 hides m1.
class QueryCommands : public ProgramTest {
 protected:
  void SetUp() override {
    Import(
        R"({"node":"a","kind":"memory","text":"apple, fruit\nround","tags":["red"],"trust":0.5,)"
        R"("props":{"n":1}}
{"node":"e","scope":"other","text":"evil \u001b[2Jtext"}
{"edge":["a","b"],"kind":"knows","weight":0.5}
{"edge":["b","c"],"kind":"knows","weight":0.5}
{"edge":["c","d"],"kind":"likes","weight":1}
{"edge":["a","d"],"kind":"knows","weight":0.125,"label":"x","created_by":"me"}
{"edge":["m2","m1"],"kind":"supersedes"}
{"edge":["a","m1"],"kind":"knows"}
)",
        {"--now", "1700000000000"});
  }
};

}  // namespace plexus::testing
