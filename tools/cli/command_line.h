// From words to a request: flags and help are made from the rows, by CLI11, which stays in
// command_line.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/operations/framework/request.h"

namespace plexus::tools {

enum class Format : std::uint8_t { kTable, kJson, kCsv };

// Options of every command, besides the common parameters of a request.
struct GlobalOptions {
  std::string db;
  Format format = Format::kTable;
  bool quiet = false;
  bool names = false;  // tables show a node's text, its key only where it has none
  bool strict = false;
  int threads = 0;                     // 0 = all
  double wait_seconds = 5;             // for another writer to finish
  std::uint64_t wait_sequence = 0;     // a state that has this record is to answer
  std::vector<std::string> wall = {};  // of a shell: no line goes beyond these scopes
};

struct CommandLine {
  GlobalOptions globals;
  // Absent when there is nothing to run: help was asked for, or the words are wrong.
  std::optional<Request> request;
  std::string text;            // help or version, for standard output
  std::optional<Error> error;  // wrong usage
  std::string hint;            // "try 'plexus get --help'"; to be said when something fails
};

// `words` without the program's name; `given` holds what is so already, such as the graph of a
// shell. Files that a parameter's content is read from are read here.
CommandLine ParseCommandLine(const std::vector<std::string>& words, const GlobalOptions& given);

// The options that every command takes, for completion, man pages and the reference.
struct GlobalOption {
  std::string names;  // "--db"
  std::string shown;  // "DIR", "" for a flag
  std::string help;
};
const std::vector<GlobalOption>& GlobalOptionList();

// The help of a parameter with its default.
std::string HelpOf(const Parameter& parameter);

}  // namespace plexus::tools
