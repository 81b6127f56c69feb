// Random requests for any row of the registry, as JSON, made from its parameters.
//
// A friend's request keeps to types, limits and choices and names what the graph has. A stranger's
// is one of those with something wrong in it: other types, long texts, deep JSON, control
// characters, huge numbers, unknown or doubled members. The same seed gives the same requests.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tools/operations/framework/operation.h"

namespace plexus::testing {

struct RequestWords {
  std::vector<std::string> keys;
  std::vector<std::string> events;  // their names
  std::vector<std::string> edge_kinds;
  std::vector<std::string> node_kinds;
  std::vector<std::string> scopes;
  std::vector<std::string> texts;
  std::vector<std::string> paths;  // of files and folders; none: such parameters stay away
};

class RandomRequests {
 public:
  RandomRequests(std::uint64_t seed, RequestWords words)
      : random_(seed), words_(std::move(words)) {}

  // The members of the request, a JSON object.
  std::string Friendly(const tools::Operation& row);
  std::string Hostile(const tools::Operation& row);
  std::size_t Below(std::size_t n) { return n ? random_() % n : 0; }
  template <class T>
  const T& Pick(const std::vector<T>& list) {
    return list[Below(list.size())];
  }

 private:
  std::string Members(const tools::Operation& row, bool hostile);
  std::string Value(const tools::Parameter& parameter);
  std::string Wrong(const tools::Parameter& parameter);
  std::string Element(const tools::Parameter& parameter);
  std::string Content(const std::string& name);
  std::string Where();

  std::mt19937_64 random_;
  RequestWords words_;
};

// As a JSON string.
std::string InQuotes(const std::string& text);

}  // namespace plexus::testing
