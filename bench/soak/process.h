// Other processes of the same program, and what the system says about them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "bench/soak/settings.h"

namespace plexus::bench::soak {

// This program started again in another role. Killed with the object.
class Child {
 public:
  Child() = default;
  Child(const Settings& settings, const std::string& role, std::uint64_t life,
        const std::string& backup = {});
  ~Child() { Kill(); }
  Child(Child&& other) noexcept { *this = std::move(other); }
  Child& operator=(Child&& other) noexcept;

  bool running() const { return pid_ > 0; }
  // The exit status once it has ended, 128 + signal when it was killed.
  std::optional<int> Ended();
  int Wait();
  void Kill();  // -9, and waits
  std::uint64_t ResidentBytes() const;
  // What it has written to stderr since it was asked last; gone when the next one of its role
  // starts.
  std::string Said();

 private:
  pid_t pid_ = -1;
  std::string said_;  // a file
  std::size_t heard_ = 0;
};

// In a child: ends when the supervisor does.
void EndWithParent();

// Of regular files below a directory in which others write and delete.
std::uint64_t BytesBelow(const std::string& directory);

}  // namespace plexus::bench::soak
