// Folders as graphs: links out of them at every name, pipes and devices, files cut, changed and
// removed. The program may refuse them; it may neither die, wait for ever, tell the canary's secret
// nor touch it.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/hostile/attack.h"
#include "tests/hostile/two_scopes.h"

namespace plexus::hostile {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kRunSeconds = 30;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(in)), {}};
}

// The program's exit code; what it says goes to `said`.
int RunProgram(const Round& round, const Words& words, std::string& said) {
  std::string line;
  for (const std::string& word : words) line += " " + word;
  Doing("plexus" + line);
  const std::string output = round.directory + "/said";
  const pid_t child = fork();
  if (child == 0) {
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int in = open("/dev/null", O_RDONLY);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    std::vector<char*> argv = {const_cast<char*>(round.program.c_str())};
    Words copy = words;
    for (std::string& word : copy) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  const auto due = std::chrono::steady_clock::now() + std::chrono::seconds(kRunSeconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    if (std::chrono::steady_clock::now() > due) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      Wrong("does not end:" + line);
    }
    usleep(1'000);
  }
  said = ReadFile(output);
  if (WIFSIGNALED(status))
    Wrong("died of signal " + std::to_string(WTERMSIG(status)) + ":" + line + "\n" + said);
  return WEXITSTATUS(status);
}

// A socket without a listener.
void MakeSocket(const std::string& path) {
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (path.size() < sizeof name.sun_path) {
    std::memcpy(name.sun_path, path.c_str(), path.size());
    (void)bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name);
  }
  close(fd);
}

// Something that a graph does not have, at a name of its own.
void Disturb(Round& round, const std::string& graph) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(graph, ignored))
    names.push_back(entry.path().string());
  const std::vector<std::string> ours = {"generation-1",   "generation-7", "generation-x",
                                         "checkpoint.tmp", "bulk.tmp",     "export.tmp",
                                         "CURRENT.tmp",    "anchor.tmp",   "serve.sock"};
  for (const std::string& name : ours)
    if (round.Below(3) == 0) names.push_back(graph + "/" + name);
  if (names.empty()) return;
  const std::string path = round.Pick(names);
  // A link stays one: what it leads to is nobody's to change, ours neither.
  const bool file = fs::symlink_status(path, ignored).type() == fs::file_type::regular;
  const bool directory = fs::symlink_status(path, ignored).type() == fs::file_type::directory;
  const auto take_away = [&] { fs::remove_all(path, ignored); };
  switch (round.Below(10)) {
    case 0:
      take_away();
      fs::create_symlink(fs::absolute(round.canary()), path, ignored);
      break;
    case 1:
      take_away();
      fs::create_symlink(fs::absolute(round.canary() + "/notes.txt"), path, ignored);
      break;
    case 2:
      take_away();
      mkfifo(path.c_str(), 0600);
      break;
    case 3:
      take_away();
      fs::create_symlink(round.Below(2) ? "/dev/zero" : "/dev/full", path, ignored);
      break;
    case 4:
      take_away();
      fs::create_directories(path + "/inner", ignored);
      fs::create_symlink(fs::absolute(round.canary()), path + "/inner/out", ignored);
      break;
    case 5:
      take_away();
      break;
    case 9:
      take_away();
      MakeSocket(path);
      break;
    case 6:
      if (file) fs::resize_file(path, round.Below(fs::file_size(path, ignored) + 1), ignored);
      break;
    case 7:
      if (directory) {
        fs::create_symlink(fs::absolute(round.canary()), path + "/link", ignored);
      } else {
        take_away();
        fs::create_hard_link(round.directory + "/other", path, ignored);
      }
      break;
    default:
      if (file && fs::file_size(path, ignored) > 0) {
        std::string bytes = ReadFile(path);
        for (int i = 0; i < 4; ++i)
          bytes[round.Below(bytes.size())] = static_cast<char>(round.Below(256));
        std::ofstream(path, std::ios::binary) << bytes;
      }
  }
}

}  // namespace

void AttackFolders(Round& round) {
  const std::string graph = round.directory + "/graph", lines = round.directory + "/lines.jsonl";
  std::ofstream(lines) << testing::ScopeLines(false);
  std::ofstream(round.directory + "/other") << "another file\n";
  fs::create_directory(round.directory + "/notes");
  std::ofstream(round.directory + "/notes/a.md") << "a note of [[b]]\n";
  std::string said;
  if (RunProgram(round, {"import", "--db", graph, "--terms", lines}, said) != 0) Wrong(said);
  if (round.Below(2)) RunProgram(round, {"checkpoint", "--db", graph}, said);
  for (std::size_t i = 1 + round.Below(3); i > 0; --i) Disturb(round, graph);
  const std::vector<Words> runs = {{"stats"},
                                   {"verify"},
                                   {"get", "m1"},
                                   {"put", "k", "--text", "x"},
                                   {"compact"},
                                   {"search", "gateway"},
                                   {"checkpoint"},
                                   {"remove", "m1"},
                                   {"purge", "m2"},
                                   {"log"},
                                   {"history", "m3"},
                                   {"export", "--as", "jsonl"},
                                   {"trim", "2"},
                                   {"purge", "m3", "--hard"},
                                   {"repair", "--to", round.directory + "/repaired"},
                                   {"backup", "--to", round.directory + "/backup"},
                                   {"remember", "deploys stop on Fridays"},
                                   {"correct", "m1", "deploys stop on Mondays"},
                                   {"import", round.directory + "/notes", "--mirror", "m"},
                                   {"decisions", "rules"},
                                   {"put", "k", "--text", "y", "--check"},
                                   {"serve", "--mcp"},
                                   {"serve", "--check", "--http", "0"},
                                   {"import", lines}};
  for (std::size_t i = 2 + round.Below(4); i > 0; --i) {
    Words words = round.Pick(runs);
    words.insert(words.end(), {"--db", graph, "--wait", "0"});
    const int code = RunProgram(round, words, said);
    if (code > 10 && code != 130) Wrong("exit code " + std::to_string(code) + ": " + said);
    if (said.find(kCanarySecret) != std::string::npos)
      Wrong("the canary's secret is told: " + said);
    if (said.find("filesystem error") != std::string::npos ||
        said.find(": \n") != std::string::npos)
      Wrong("no sentence of ours: " + said);
    if (!CanaryIntact(round.canary())) Wrong("the canary was touched by " + words.front());
    if (round.Below(3) == 0) Disturb(round, graph);
  }
}

}  // namespace plexus::hostile
