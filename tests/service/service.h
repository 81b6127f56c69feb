// One life of the service: a database in a directory, and the threads of a host around it.
//
// It ends by a kill, or by Close beside the threads that still write and read.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

#include "storage/database.h"
#include "tests/service/look.h"

namespace plexus::service_test {

class Service {
 public:
  Service(const Settings& settings, const Timeline& base, std::uint64_t life)
      : settings_(settings), base_(base), life_(life) {}
  int Run();

 private:
  bool Open();
  void NoteLastSteps(const Snapshot& snapshot);
  void Write(int writer);             // writer.cc
  bool Apply(int writer, Step step);  // false: the thread ends
  bool Purge(int writer, Step step);
  void Read(std::uint64_t number);
  void Keep();  // maintenance.cc
  bool BackUp(Looker& looker, std::uint64_t number);
  void LookBack();
  void KeepFrontier();
  void Feed();  // follow.cc
  void Follow();

  bool Ends() const { return ended_ || TheBoard().stop > 0; }
  // An error is expected when the database closes or is closed. Else it is told.
  bool Expected(const std::string& who, const Error& error);
  void Pause(int milliseconds) const;
  // Where calls beside readers and writers are left out: who reads or writes holds it shared.
  std::shared_lock<std::shared_mutex> Enter() {
    return settings_.Has("beside") ? std::shared_lock<std::shared_mutex>()
                                   : std::shared_lock(gate_);
  }
  std::unique_lock<std::shared_mutex> EnterAlone() {
    return settings_.Has("beside") ? std::unique_lock<std::shared_mutex>()
                                   : std::unique_lock(gate_);
  }
  Looker NewLooker(const std::string& who, std::uint64_t number) const {
    return Looker(settings_, base_, who, number + 100 * life_);
  }

  const Settings& settings_;
  Timeline base_;
  const std::uint64_t life_;
  std::unique_ptr<Database> database_;
  std::shared_mutex gate_;
  std::atomic<bool> closing_{false}, ended_{false};
};

OpenOptions ServiceOptions(const Settings& settings);

// Processes; they end when the board says stop.
int RunFollower(const Settings& settings, const Timeline& base);
int RunReplica(const Settings& settings, const Timeline& base);
// The whole database, read-only, at the end.
int RunCheck(const Settings& settings, const Timeline& base);

}  // namespace plexus::service_test
