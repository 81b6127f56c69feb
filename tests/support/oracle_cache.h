// What an oracle has answered about a graph, for the next shape of the same graph.
//
// Oracles take their time, and the shapes of a case (clean, with a delta, compacted) are the
// same facts: whoever asks about a graph like the last one gets the answers of then.
#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "tests/reference/oracles.h"

namespace plexus::testing {

template <class Question, class Answer>
class OracleCache {
 public:
  // make() is asked when it is another graph or the question is new. The answer stays until another
  // graph comes.
  template <class Make>
  const Answer& Of(const reference::FlatGraph& flat, const Question& question, Make&& make) {
    if (!Same(flat)) {
      flat_ = flat;
      known_.clear();
    }
    auto [known, is_new] = known_.try_emplace(question);
    if (is_new) known->second = make();
    return known->second;
  }

 private:
  bool Same(const reference::FlatGraph& flat) const {
    return flat_.selected == flat.selected &&
           std::ranges::equal(flat_.arcs, flat.arcs,
                              [](const reference::FlatArc& a, const reference::FlatArc& b) {
                                return a.from == b.from && a.to == b.to && a.weight == b.weight;
                              });
  }
  reference::FlatGraph flat_;
  std::map<Question, Answer> known_;
};

}  // namespace plexus::testing
