// What the command line says, for all processes of the soak, and their entry points.
#pragma once

#include <cstdint>
#include <string>

#include "bench/soak/model.h"

namespace plexus::bench::soak {

struct Settings {
  double seconds = 1800;
  std::uint64_t seed = 1;
  std::string dir;              // holds the database, backups, the board and what children said
  std::uint64_t live = 12'000;  // memories alive in the steady state, about
  double rate = 250;            // steps a second, 0: as many as there can be
  bool strict_stalls = false;
  bool keep = false;       // the directory, at the end
  std::string role;        // empty: the supervisor
  std::string backup;      // role check: which directory
  std::uint64_t life = 0;  // which start of its role this is

  Scenario scenario() const;
  std::string database() const { return dir + "/db"; }
  std::string board() const { return dir + "/board"; }
  std::string said(const std::string& whom) const { return dir + "/" + whom + ".said"; }
  std::string backup_at(std::uint64_t number) const {
    return dir + "/backup-" + std::to_string(number);
  }
};

int RunWriter(const Settings& settings);    // writes, reads, keeps; until told to stop, or killed
int RunFollower(const Settings& settings);  // follows the directory
int RunCheck(const Settings& settings);   // opens a backup, or the database, and looks at all of it
int Supervise(const Settings& settings);  // starts and kills the others, judges

}  // namespace plexus::bench::soak
