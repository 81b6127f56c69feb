// Runs the program as a user would: in this process, or the built one as a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace plexus::testing {

using Words = std::vector<std::string>;

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

// By main()'s own function, in this process (a call costs a quarter of a process); as a process
// where `options` or the command need one, or where PLEXUS_PROGRAM names a program.
Finished Plexus(const Words& arguments, const RunOptions& options = {});
// Always the built program: for signals, environment variables, locks and limits of a process.
Finished PlexusProcess(const Words& arguments, const RunOptions& options = {});
// Every JSON reply is as its schema says: tried of what either of the two returns.
void CheckReply(const Words& arguments, const std::string& out);

// The words of one behind those of the other.
inline Words With(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Whether `text` holds `part`.
::testing::AssertionResult Says(std::string_view text, std::string_view part);
// Whether the run ended with this code and says this on standard error.
::testing::AssertionResult Ends(const Finished& run, int code, std::string_view error = "");
// "b 1, c 2" of [{"key":"b","distance":1},{"key":"c","distance":2}] and "key distance". Index nodes
// are shown as people type them; of several members those that a row has.
std::string Each(const boost::json::value& list, std::string_view members = "key");

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
