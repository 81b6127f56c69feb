// What the parts of the attack share: the round, what it is doing, and what it must not touch.
//
// A round is a process of its own, so that a signal ends one round and is told with its seed. It
// writes what it is about to do into a page that the parent reads when the round died or hangs.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace plexus::hostile {

// Stands in the canary's files and names; no reply may hold it.
inline constexpr char kCanarySecret[] = "canary-8d1f";

struct Round {
  std::uint64_t seed = 0;
  std::string directory;  // its own, empty; beside it stands ../canary
  std::string program;    // plexus
  std::mt19937_64 random;

  std::size_t Below(std::size_t n) { return n ? random() % n : 0; }
  template <class T>
  const T& Pick(const std::vector<T>& list) {
    return list[Below(list.size())];
  }
  std::string canary() const { return directory + "/../canary"; }
};

// What the round does now, as the parent shows it: the first 4,000 bytes.
void Doing(std::string_view what);
// Tells what is wrong and ends the round with a status of its own.
[[noreturn]] void Wrong(std::string_view what);

void AttackRequests(Round& round);  // of every row, in process
void AttackFiles(Round& round);     // of every import format, in process
void AttackFolders(Round& round);   // as graphs, by the program

// A tree of files that nobody may change, and whether it is as it was made.
void MakeCanary(const std::string& directory);
bool CanaryIntact(const std::string& directory);

}  // namespace plexus::hostile
