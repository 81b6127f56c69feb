// Soak: a durable database lives for half an hour, is killed, purged, trimmed and followed, and
// every answer is checked against a model. What it promises and how to read it:
// bench/notes/soak.md.
//
// Usage: soak [--seconds N] [--seed S] [--dir DIR] [--live MEMORIES] [--rate STEPS_A_SECOND]
// [--strict-stalls] [--keep] Exit 1: an answer was wrong, or (10 minutes and more) memory or files
// grew; 2: usage.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "bench/soak/board.h"
#include "bench/soak/process.h"
#include "bench/support.h"

namespace plexus::bench::soak {

Scenario Settings::scenario() const {
  Scenario s;
  s.seed = seed;
  s.life = static_cast<std::uint32_t>(std::max<std::uint64_t>(live * 4 / 3 / s.per_step, 16));
  s.purge_every = std::max<std::uint32_t>(s.life * 5 / 4, 100);
  return s;
}

namespace {

int Usage() {
  std::fprintf(
      stderr,
      "usage: soak [--seconds N] [--seed S] [--dir DIR] [--live MEMORIES] [--rate STEPS_A_SECOND]\n"
      "            [--strict-stalls] [--keep]\n");
  return 2;
}

std::optional<Settings> Parse(int argc, char** argv) {
  Settings s;
  if (Small()) {
    s.seconds = 5;
    s.live = 800;
  }
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--strict-stalls") {
      s.strict_stalls = true;
      continue;
    }
    if (flag == "--keep") {
      s.keep = true;
      continue;
    }
    if (++i == argc) return std::nullopt;
    const char* value = argv[i];
    char* end = nullptr;
    const double number = std::strtod(value, &end);
    const bool is_number = end != value && *end == '\0' && number >= 0;
    if (flag == "--dir")
      s.dir = value;
    else if (flag == "--role")
      s.role = value;
    else if (flag == "--backup")
      s.backup = value;
    else if (!is_number)
      return std::nullopt;
    else if (flag == "--seconds")
      s.seconds = number;
    else if (flag == "--seed")
      s.seed = static_cast<std::uint64_t>(number);
    else if (flag == "--live")
      s.live = static_cast<std::uint64_t>(number);
    else if (flag == "--rate")
      s.rate = number;
    else if (flag == "--life")
      s.life = static_cast<std::uint64_t>(number);
    else
      return std::nullopt;
  }
  return s;
}

int Main(int argc, char** argv) {
  auto parsed = Parse(argc, argv);
  if (!parsed) return Usage();
  Settings& settings = *parsed;
  if (!settings.role.empty()) {
    EndWithParent();
    // What engine/README.md advises a host that lives for months, with glibc.
    mallopt(M_ARENA_MAX, 2);
    MapBoard(settings.board(), false);
    if (settings.role == "writer") return RunWriter(settings);
    if (settings.role == "follower") return RunFollower(settings);
    if (settings.role == "check") return RunCheck(settings);
    return Usage();
  }
  std::optional<TempFolder> folder;
  if (settings.dir.empty()) {
    folder.emplace("soak");
    settings.dir = folder->path().string();
  } else {
    std::filesystem::create_directories(settings.dir);
    if (std::filesystem::exists(settings.database()))
      Die(settings.database() + " is there already");
  }
  std::printf("soak: %.0f s, seed %llu, about %llu live memories, %.0f steps a second\n",
              settings.seconds, static_cast<unsigned long long>(settings.seed),
              static_cast<unsigned long long>(settings.live), settings.rate);
  const int status = Supervise(settings);
  if (!folder && !settings.keep)
    for (const std::string& made : {settings.database(), settings.board(), settings.said("writer"),
                                    settings.said("follower"), settings.said("check")}) {
      std::error_code ignored;
      std::filesystem::remove_all(made, ignored);
    }
  if (status != 0)
    std::fprintf(stderr, "soak: repeat with --seed %llu --seconds %.0f\n",
                 static_cast<unsigned long long>(settings.seed), settings.seconds);
  return status;
}

}  // namespace
}  // namespace plexus::bench::soak

int main(int argc, char** argv) { return plexus::bench::soak::Main(argc, argv); }
