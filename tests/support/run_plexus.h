// Runs the built program as a user would: a process with arguments, pipes, signals.
#pragma once

#include <sys/types.h>

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace plexus::testing {

// A directory of its own, removed at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Writes a file and returns its path.
  std::string File(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
};

struct Finished {
  int code = -1;  // exit code, or 128 + signal
  std::string out, err;
  // `out` as one JSON object; fails the test when it is anything else.
  boost::json::object Json() const;
};

struct RunOptions {
  std::string input = {};        // standard input
  std::string out_file = {};     // stdout goes there instead, e.g. /dev/full
  bool as_nobody = false;        // needs root: drops all rights before it starts
  bool close_out_early = false;  // reads a few bytes of stdout, then closes it
};

Finished Plexus(const std::vector<std::string>& arguments, const RunOptions& options = {});

// A run in the background; output is thrown away.
class Background {
 public:
  explicit Background(const std::vector<std::string>& arguments);
  ~Background();  // kills it when it still runs
  void Signal(int signal) const;
  bool Running();
  int Wait();  // exit code, or 128 + signal

 private:
  pid_t pid_ = -1;
  int code_ = -1;
};

}  // namespace plexus::testing
