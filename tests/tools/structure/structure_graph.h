// The graph of the tests of structure: a triangle, a tail, parallel and turned edges.
#pragma once

#include "tests/support/program/program_test.h"

namespace plexus::testing {

// A triangle a b c, a tail c -> d -> e, parallel and turned edges, a tag on all of it.
class StructureCommands : public ProgramTest {
 protected:
  void SetUp() override {
    Import(R"({"node":"a","tags":["t"]}
{"edge":["a","b"],"kind":"knows","weight":2}
{"edge":["b","a"],"kind":"likes"}
{"edge":["b","c"],"kind":"knows","weight":3}
{"edge":["a","c"],"kind":"knows","weight":7}
{"edge":["c","d"],"kind":"knows","weight":0.5}
{"edge":["d","e"],"kind":"likes","weight":0.5,"valid_from":100,"valid_until":200}
)");
  }
};

}  // namespace plexus::testing
