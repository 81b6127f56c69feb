// The graph of the tests of structure: a triangle, a tail, parallel and turned edges.
#pragma once

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/support/stored_graph.h"

namespace plexus::testing {

// A triangle a b c, a tail c -> d -> e, parallel and turned edges, a tag on all of it.
class StructureCommands : public StoredGraph<StructureCommands> {
 protected:
  static void SetUpTestSuite() {
    const std::string lines =
        R"({"node":"a","tags":["t"]})"
        "\n"
        R"({"edge":["a","b"],"kind":"knows","weight":2})"
        "\n"
        R"({"edge":["b","a"],"kind":"likes"})"
        "\n"
        R"({"edge":["b","c"],"kind":"knows","weight":3})"
        "\n"
        R"({"edge":["a","c"],"kind":"knows","weight":7})"
        "\n"
        R"({"edge":["c","d"],"kind":"knows","weight":0.5})"
        "\n"
        R"({"edge":["d","e"],"kind":"likes","weight":0.5,"valid_from":100,"valid_until":200})"
        "\n";
    Import(lines);
  }
  // [{"key":..., NAME: number}, ...] as "key number, ...".
  static std::string Shown(const boost::json::object& reply, const char* name,
                           const char* list = "results") {
    std::string shown;
    for (const auto& row : reply.at(list).as_array()) {
      std::string number = std::to_string(row.as_object().at(name).to_number<double>());
      number.erase(number.find_last_not_of('0') + 1);
      if (number.ends_with('.')) number.pop_back();
      shown += (shown.empty() ? "" : ", ") + std::string(row.as_object().at("key").as_string()) +
               " " + number;
    }
    return shown;
  }
};

}  // namespace plexus::testing
