// Replica: a graph in RAM that is fed by ChangesSince and Replay, and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/soak/check.h"
#include "bench/soak/settings.h"
#include "storage/database.h"

namespace plexus::bench::soak {

class Replica {
 public:
  Replica(const Settings& settings, std::string who, std::uint64_t seed)
      : settings_(settings), who_(who), checker_(settings.scenario(), std::move(who), seed) {}
  // Takes all that is new from `source`, then asks. REQUIRES that nobody purges meanwhile.
  void Pull(Database& source);
  // One question, every so often all of it. Beside anything.
  void Check();

 private:
  bool Begin(Database& source);

  Settings settings_;
  std::string who_;
  Checker checker_;
  std::unique_ptr<Database> view_;  // holds what the state that it began with reads
  std::unique_ptr<Graph> graph_;
  std::uint64_t generation_ = 0, rounds_ = 0;
  bool no_texts_ = false;
};

// Options of a graph whose delta is folded often, so that a short life sees compactions.
GraphOptions BusyGraph();

}  // namespace plexus::bench::soak
