// Looking at snapshots beside purges: a reader, a follower, a replica.
#pragma once

#include <functional>
#include <string>

#include "engine/snapshot.h"
#include "tests/service/check.h"

namespace plexus::service_test {

// Whether a purge was under way at some time since; made before the snapshot is taken.
class Since {
 public:
  Since() : begun_(TheBoard().purges_begun), ended_(TheBoard().purges_ended) {}
  bool Purged() const { return begun_ != ended_ || TheBoard().purges_begun != begun_; }

 private:
  std::uint64_t begun_, ended_;
};

// One who looks: a world of its own, which it moves to each snapshot.
class Looker {
 public:
  Looker(const Settings& settings, const Timeline& base, std::string who, std::uint64_t number)
      : settings_(settings),
        timeline_(base),
        who_(std::move(who)),
        chance_(settings.seed, number, 97 + TheBoard().epoch) {}

  enum class How { kFull, kSome, kAsk };
  // False: the test ends, or it is wrong. `ends`: errors of payloads are expected.
  bool Look(
      const Snapshot& snapshot, const Since& since, How how, Allowed allowed = {},
      const std::function<bool()>& ends = [] { return false; });
  // Mostly questions, now and then everything.
  How Draw() {
    const std::uint64_t drawn = chance_.Below(60);
    return drawn == 0 ? How::kFull : drawn < 20 ? How::kSome : How::kAsk;
  }
  void Bad(const std::string& what);
  Timeline& timeline() { return timeline_; }
  Chance& chance() { return chance_; }

 private:
  const Settings& settings_;
  Timeline timeline_;
  const std::string who_;
  Chance chance_;
};

}  // namespace plexus::service_test
