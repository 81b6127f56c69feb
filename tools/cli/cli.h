// The command line's skeleton: commands, their options, the global options, help.
//
// A command family registers its commands with Cli::Add and binds options to
// plain variables; CLI11 stays behind this header, in cli.cc alone. `run` is
// called with the parsed globals and returns the exit code or an Error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/error.h"

namespace plexus::tools {

// What every command may be told. Times and sequences are parsed by session.cc.
struct Globals {
  std::string db;
  bool json = false;
  bool quiet = false;
  bool names = false;  // tables show a node's text, its key only where it has none
  bool strict = false;
  std::string as_of;
  std::string now;
  std::vector<std::string> scopes;
  std::string where;        // an expression over nodes (algorithms/retrieval/where.h)
  int threads = 0;          // 0 = all
  double wait_seconds = 5;  // for another writer to finish
};

// One command's options. The variables must live as long as the Cli.
class Command {
 public:
  Command& Flag(const std::string& names, bool& value, const std::string& help);
  // `shown` stands for the value in --help, e.g. "KEY".
  Command& Option(const std::string& names, const std::string& shown, std::string& value,
                  const std::string& help);
  Command& Option(const std::string& names, const std::string& shown, std::optional<double>& value,
                  const std::string& help);
  Command& Option(const std::string& names, const std::string& shown,
                  std::optional<std::uint64_t>& value, const std::string& help);
  Command& Option(const std::string& names, const std::string& shown,
                  std::optional<std::string>& value, const std::string& help);
  // Given many times, one value each.
  Command& Repeated(const std::string& names, const std::string& shown,
                    std::vector<std::string>& values, const std::string& help);
  // One value split at commas.
  Command& List(const std::string& names, const std::string& shown,
                std::vector<std::string>& values, const std::string& help);
  // One of `choices`, checked while parsing.
  Command& Choice(const std::string& names, std::string& value,
                  const std::vector<std::string>& choices, const std::string& help);
  // Positional arguments are required.
  Command& Positional(const std::string& name, std::string& value, const std::string& help);
  // For file names only: CLI11 takes an argument like "[a,b]" apart here.
  Command& Positionals(const std::string& name, std::vector<std::string>& values,
                       const std::string& help);
  // The option named last may be given as "", which other options refuse.
  Command& MayBeEmpty();
  // The option named last must be given.
  Command& Required();
  // Worked examples for --help, each a line of shell and what it does.
  Command& Example(const std::string& shell, const std::string& what);

 private:
  friend class Cli;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

using RunCommand = std::function<Result<int>(const Globals&)>;

class Cli {
 public:
  Cli();
  ~Cli();
  // Groups order the list of commands in --help.
  Command& Add(const std::string& group, const std::string& name, const std::string& description,
               RunCommand run);
  // Parses, runs one command, prints errors and returns the exit code. May end
  // the program early where nothing is left to be done.
  int Main(int argc, char** argv);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Each family's commands; defined in commands/*.cc.
void AddImport(Cli& cli);
void AddRead(Cli& cli);
void AddHistory(Cli& cli);
void AddStats(Cli& cli);
void AddKinds(Cli& cli);
void AddFind(Cli& cli);
void AddList(Cli& cli);
void AddTerms(Cli& cli);
void AddEmbed(Cli& cli);
void AddSearch(Cli& cli);
void AddWrite(Cli& cli);
void AddPageRank(Cli& cli);
void AddTraverse(Cli& cli);
void AddPath(Cli& cli);
void AddMatch(Cli& cli);
void AddComponents(Cli& cli);
void AddCommunities(Cli& cli);
void AddConnections(Cli& cli);
void AddStructure(Cli& cli);
void AddCentrality(Cli& cli);
void AddReach(Cli& cli);
void AddRerank(Cli& cli);
void AddSimilar(Cli& cli);
void AddTopo(Cli& cli);
void AddFrontier(Cli& cli);
void AddMaintain(Cli& cli);
void AddBackup(Cli& cli);
void AddRepair(Cli& cli);
void AddExport(Cli& cli);

}  // namespace plexus::tools
