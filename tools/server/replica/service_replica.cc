// The members of a service that a source and its replica need.
#include <chrono>
#include <cstdio>

#include "tools/server/service.h"

namespace plexus::tools::server {

Status Service::RefuseToWrite() const {
  return FailedPrecondition("this is a replica of ", follows()->source(),
                            ", which takes the writes: send them there");
}

std::string Service::LagSentence() const {
  const FollowStatus::Lag lag = follows()->Now(sequence());
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3f", lag.seconds);
  return "a replica of " + follows()->source() + ", " + std::to_string(lag.sequences) +
         " records and " + seconds + " s behind it: " + lag.state;
}

Result<replica::GraphLineage> Service::ReadLineage() {
  const std::shared_lock shared(open_);
  PLEXUS_ASSIGN(Database* const database, History());
  return database->ReadLineage();
}

Result<replica::ForgottenIds> Service::Forgotten() {
  const std::shared_lock shared(open_);
  PLEXUS_ASSIGN(Database* const database, History());
  return database->Forgotten();
}

Status Service::SendFiles(const std::function<Status(std::string_view)>& send) {
  std::shared_lock shared(open_);
  PLEXUS_ASSIGN(Database* const database, History());
  // A copy takes long, and what replaces the database need not wait for it.
  return database->SendFiles([&](std::string_view piece) {
    if (shared.owns_lock()) shared.unlock();
    return send(piece);
  });
}

Status Service::Follow(const Changes& changes) {
  const std::shared_lock shared(open_);
  PLEXUS_ASSIGN(Database* const database, History());
  const Status followed = database->Follow(changes);
  NoteSequence();  // whole groups before an error are there
  return followed;
}

Status Service::Forget(const replica::ForgottenIds& forgotten) {
  const std::shared_lock shared(open_);
  PLEXUS_ASSIGN(Database* const database, History());
  return database->Forget(forgotten);
}

bool Service::BrokenReplica() {
  const std::shared_lock shared(open_);
  return !closed_ && (database_->graph().read_only() || !database_->ReadLineage());
}

Status Service::SwapFiles(std::uint64_t generation) {
  const std::unique_lock nothing_else(open_);
  PLEXUS_TRY(History());
  DropIdle();
  (void)database_->Close();  // what cannot be closed is recovered, or replaced
  const Status swapped =
      generation > 0 ? replica::SwapIn(options_.directory, generation) : Status();
  PLEXUS_ASSIGN(database_, OpenDatabase(false, false));
  ++openings_;
  NoteSequence();
  return swapped;
}

Status Service::AwaitSequence(Sequence least, int milliseconds, const std::function<bool()>& stop) {
  // Those that wait hold a worker each; others answer meanwhile.
  constexpr int kMostWaiting = 4;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  Sequence now = sequence();
  if (now < least && ++waiting_ <= kMostWaiting)
    while ((now = sequence()) < least && std::chrono::steady_clock::now() < until && !stop())
      AwaitChange(now, 50, stop);
  else if (now >= least)
    return {};
  --waiting_;
  if (now >= least) return {};
  return Fail(ErrorCode::kLocked, "the answer is to have record " + std::to_string(least) +
                                      ", this graph ends at " + std::to_string(now) +
                                      ": try again, or ask its source");
}

}  // namespace plexus::tools::server
