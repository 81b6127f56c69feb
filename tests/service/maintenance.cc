// Maintenance beside everything: checkpoints, trims, compactions, backups, verification, scrubs;
// views of the past; and a frontier that is kept.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "algorithms/memory/frontier/frontier.h"
#include "tests/service/service.h"

namespace plexus::service_test {

namespace {
constexpr Sequence kHistory = 3'000;
}

bool Service::BackUp(Looker& looker, std::uint64_t number) {
  const std::string to =
      settings_.dir + "/backup-" + std::to_string(life_) + "-" + std::to_string(number);
  const Step applied[kWriters] = {TheBoard().applied[0], TheBoard().applied[1]};
  if (const Status made = database_->Backup(to); !made)
    return Expected("backup", made.error()) && false;
  {
    OpenOptions options;
    options.read_only = true;
    const auto copy = Database::Open(to, options);
    if (!copy) return Wrong(settings_, "backup", copy.error().ToString()), false;
    const Snapshot snapshot = (*copy)->snapshot();
    for (std::size_t w = 0; w < kWriters; ++w)
      if (Timeline::StepsOf(snapshot)[w] < applied[w]) looker.Bad("a step is not in it");
    looker.Look(snapshot, Since(), Looker::How::kFull);
    for (int i = 0; i < 3; ++i) looker.Look(snapshot, Since(), Looker::How::kAsk);
    const auto report = (*copy)->Verify();
    if (!report) looker.Bad("verify: " + report.error().ToString());
    if (report && !report->ok)
      looker.Bad("verify: " + report->problems[0].where + ": " + report->problems[0].what);
  }
  std::error_code ignored;
  std::filesystem::remove_all(to, ignored);
  ++TheBoard().backups;
  return true;
}

void Service::Keep() {
  Looker looker = NewLooker("backup", 30);
  Chance& chance = looker.chance();
  for (std::uint64_t round = 0; !Ends(); ++round) {
    Pause(20 + static_cast<int>(chance.Below(60)));
    const auto entered = Enter();
    if (Ends()) return;
    Status done;
    std::string what;
    switch (chance.Below(16)) {
      case 0:
        if (!BackUp(looker, round)) return;
        break;
      case 1: {
        what = "verify";
        const auto report = database_->Verify();
        if (!report)
          done = std::unexpected(report.error());
        else if (!report->ok)
          Wrong(settings_, "verify", report->problems[0].where + ": " + report->problems[0].what);
        break;
      }
      case 2:
        what = "scrub";
        if (settings_.Has("beside")) done = database_->Scrub();
        ++TheBoard().scrubs;
        break;
      case 3:
      case 4:
      case 5: {
        what = "trim";
        const Sequence now = database_->snapshot().sequence();
        if (now > kHistory) done = database_->Trim(now - kHistory, nullptr, chance.OneIn(2));
        ++TheBoard().trims;
        break;
      }
      case 6:
      case 7:
      case 8:
        what = "checkpoint";
        done = database_->Checkpoint();
        break;
      default:
        what = "compact";
        done = database_->graph().Compact();
        break;
    }
    if (!done && !Expected(what, done.error())) return;
    if (!done) return;
  }
}

// A record of the kept history, by chance.
void Service::LookBack() {
  Looker looker = NewLooker("as of", 31);
  looker.timeline().KeepCopies();
  Chance& chance = looker.chance();
  for (; !Ends(); Pause(60)) {
    const auto entered = Enter();
    const Since since;
    const Sequence floor = std::max<Sequence>(database_->stats().history_floor, 1),
                   now = database_->snapshot().sequence();
    if (now <= floor) continue;
    const Sequence at = floor + 1 + chance.Below(now - floor);
    const auto past = database_->AsOf(at);
    const auto gone = [&] { return database_->stats().history_floor > at; };
    if (!past) {
      if (past.error().code == ErrorCode::kNotFound && gone()) continue;
      if (past.error().code == ErrorCode::kFailedPrecondition && since.Purged()) continue;
      if (!Expected("as of " + std::to_string(at), past.error())) return;
      continue;
    }
    ++TheBoard().past;
    Allowed allowed;
    allowed.victims = Victims::kIgnored;
    looker.Look(*past, since, chance.OneIn(3) ? Looker::How::kFull : Looker::How::kSome, allowed,
                [&] { return closing_ || Ends() || gone(); });
  }
}

void Service::KeepFrontier() {
  Looker looker = NewLooker("kept frontier", 32);
  std::optional<memory::FrontierKeeper> keeper;
  memory::NeverComposedOptions options;
  options.top = 20;
  for (std::uint64_t round = 0; !Ends(); ++round, Pause(40)) {
    const Since since;
    Snapshot snapshot;
    {
      const auto entered = Enter();
      snapshot = database_->snapshot();
    }
    if (round % 50 == 0) {
      keeper.reset();
      options.now_ms = snapshot.time_ms();
    }
    if (!keeper) {
      auto made = memory::FrontierKeeper::Make(snapshot, options);
      if (!made) {
        if (since.Purged() || Expected("frontier", made.error())) continue;
        return;
      }
      keeper.emplace(*std::move(made));
    } else if (const Status updated = keeper->Update(snapshot); !updated) {
      keeper.reset();
      if (since.Purged() || Expected("frontier", updated.error())) continue;
      return;
    }
    const auto full = NeverComposed(snapshot, options);
    if (!full) {
      if (since.Purged() || Expected("frontier", full.error())) continue;
      return;
    }
    ++TheBoard().keeper;
    const auto& kept = keeper->page().sets;
    bool same = kept.size() == full->sets.size();
    for (std::size_t i = 0; same && i < kept.size(); ++i)
      same = kept[i].members == full->sets[i].members && kept[i].score == full->sets[i].score;
    if (!same && looker.timeline().To(snapshot))
      looker.Bad("its page differs from a full run's, at sequence " +
                 std::to_string(snapshot.sequence()));
  }
}

}  // namespace plexus::service_test
