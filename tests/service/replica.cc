// A replica in a directory of its own, in a process that is killed: a backup, then the feed.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/service/service.h"

namespace plexus::service_test {

namespace {

namespace fs = std::filesystem;

class DurableReplica {
 public:
  DurableReplica(const Settings& settings, const Timeline& base)
      : settings_(settings),
        looker_(settings, base, "durable replica", 37),
        directory_(settings.dir + "/replica") {}

  Status Run() {
    OpenOptions read_only;
    read_only.read_only = true;
    PLEXUS_ASSIGN(source_, Database::Open(settings_.database(), read_only));
    for (; TheBoard().stop == 0; std::this_thread::sleep_for(std::chrono::milliseconds(15))) {
      const Since since;
      PLEXUS_TRY(source_->Refresh());
      if (!replica_) PLEXUS_TRY(Begin());
      if (!replica_) continue;
      // As the replica in RAM: every second time it stays behind.
      const bool behind = ++rounds_ % 2 == 0;
      bool again = false;
      for (bool more = true; more && !again;) {
        const auto changes = source_->ChangesSince(replica_->snapshot().sequence(),
                                                   {.max_records = behind ? 4u : 64u});
        // Of a moment before the writer was killed, or before it had synced.
        if (!changes && changes.error().code == ErrorCode::kNotFound) break;
        if (!changes && changes.error().code != ErrorCode::kFailedPrecondition)
          return std::unexpected(changes.error());
        again = !changes || changes->generation != generation_;  // trimmed or written anew
        if (again) break;
        PLEXUS_TRY(replica_->graph().Replay(changes->records));
        TheBoard().replayed += changes->records.size();
        more = changes->has_more && !behind;
      }
      if (again) {
        PLEXUS_TRY(replica_->Close());
        replica_.reset();
        std::error_code ignored;
        fs::remove(directory_ + ".generation",
                   ignored);  // first: a kill may leave half of the rest
        fs::remove_all(directory_, ignored);
        continue;
      }
      Allowed allowed;
      if (behind) allowed.victims = Victims::kMayLackContent;
      if (!settings_.Has("cleared")) allowed.victims = Victims::kIgnored;
      looker_.Look(replica_->snapshot(), since, looker_.Draw(), allowed);
    }
    return {};
  }

 private:
  // Goes on with what an earlier life left; else from a backup, which counts when it is renamed.
  Status Begin() {
    std::ifstream in(directory_ + ".generation");
    if (!(fs::exists(directory_) && in >> generation_)) {
      const std::string making = directory_ + ".making";
      std::error_code ignored;
      fs::remove_all(making, ignored);
      fs::remove_all(directory_, ignored);
      PLEXUS_ASSIGN(const Changes before, source_->ChangesSince(source_->snapshot().sequence()));
      PLEXUS_TRY(source_->Backup(making));
      PLEXUS_ASSIGN(const Changes after, source_->ChangesSince(source_->snapshot().sequence()));
      if (before.generation != after.generation) return {};
      std::ofstream(directory_ + ".generation") << after.generation << std::endl;
      fs::rename(making, directory_);
      generation_ = after.generation;
    }
    ++TheBoard().restarts;
    PLEXUS_ASSIGN(replica_, Database::Open(directory_, {}));
    return {};
  }

  const Settings& settings_;
  Looker looker_;
  const std::string directory_;
  std::unique_ptr<Database> source_, replica_;
  std::uint64_t generation_ = 0, rounds_ = 0;
};

}  // namespace

int RunReplica(const Settings& settings, const Timeline& base) {
  while (TheBoard().open == 0 && TheBoard().stop == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (TheBoard().stop > 0) return 0;
  const Status ran = DurableReplica(settings, base).Run();
  if (!ran) Wrong(settings, "durable replica", ran.error().ToString());
  return 0;
}

}  // namespace plexus::service_test
