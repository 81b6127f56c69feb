// fork and exec with three pipes; poll() keeps them from blocking each other.
#include "tests/support/run_plexus.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/json_schema.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/schema.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::testing {
namespace {

// Where the program is: the build tells, a packager may point elsewhere.
std::string Program() {
  const char* other = std::getenv("PLEXUS_PROGRAM");
  return other ? other : PLEXUS_PROGRAM;
}

int CodeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

[[noreturn]] void Execute(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {Program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  unsetenv("PLEXUS_DB");
  execv(argv[0], argv.data());
  _exit(127);
}

void DropRights() {
  constexpr uid_t kNobody = 65534;
  if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(126);
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  void CloseRead() {
    if (read >= 0) close(read);
    read = -1;
  }
  void CloseWrite() {
    if (write >= 0) close(write);
    write = -1;
  }
};

// The operation that the words ask, where they ask for JSON.
const tools::Operation* AskedForJson(const std::vector<std::string>& words) {
  if (std::ranges::find(words, "--json") == words.end()) return nullptr;
  static const std::set<std::string> valued = {"--db",  "--as-of",   "--scope",
                                               "--now", "--threads", "--wait"};
  std::string family;  // "ledger_", before the second word
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (valued.contains(words[i]))
      ++i;
    else if (words[i].starts_with("-"))
      continue;
    else if (tools::IsCommandFamily(words[i]) && family.empty())
      family = words[i] + "_";
    else
      return tools::FindOperation(family + words[i]);
  }
  return nullptr;
}

}  // namespace

void CheckReply(const Words& words, const std::string& out) {
  const tools::Operation* operation = AskedForJson(words);
  if (!operation || out.empty()) return;
  boost::system::error_code failed;
  const boost::json::value reply = boost::json::parse(out, failed);
  if (failed || !reply.is_object() || reply.as_object().contains("error")) return;
  std::ostringstream schema;
  tools::JsonWriter json(schema);
  json.BeginObject();
  tools::WriteReplySchema(json, *operation);
  json.EndObject();
  EXPECT_EQ(SchemaProblem(boost::json::parse(schema.str()), reply), "")
      << operation->name << ": " << out.substr(0, 2000);
}

namespace {

// Takes what is there; false at the end of the stream.
bool Take(int fd, std::string& to) {
  char bytes[65536];
  const ssize_t count = read(fd, bytes, sizeof bytes);
  if (count > 0) to.append(bytes, static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

TempDir::TempDir() {
  path_ = (std::filesystem::temp_directory_path() / "plexus-tools-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) std::abort();
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::File(std::string_view name, std::string_view text) const {
  const std::string path = *this / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

boost::json::object Finished::Json() const {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(out, error);
  EXPECT_FALSE(error) << "not JSON: " << out << "\nstderr: " << err;
  EXPECT_TRUE(value.is_object()) << out;
  return value.is_object() ? value.as_object() : boost::json::object();
}

::testing::AssertionResult Says(std::string_view text, std::string_view part) {
  const bool there = text.find(part) != std::string_view::npos;
  return ::testing::AssertionResult(there)
         << '"' << part << (there ? "\" is in: " : "\" is not in: ") << text.substr(0, 20'000);
}

::testing::AssertionResult Ends(const Finished& run, int code, std::string_view error) {
  if (run.code == code && run.err.find(error) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "code " << run.code << ", not " << code << " with \""
                                       << error << "\": " << run.err << run.out.substr(0, 20'000);
}

std::string Each(const boost::json::value& list, std::string_view members) {
  std::string all;
  for (const boost::json::value& row : list.as_array()) {
    std::string shown;
    for (std::size_t at = 0, end; at < members.size(); at = end + 1) {
      end = std::min(members.find(' ', at), members.size());
      const auto* member = row.as_object().if_contains(members.substr(at, end - at));
      if (!member) continue;
      shown += shown.empty() ? "" : " ";
      if (member->is_double()) {
        std::string number = std::to_string(member->as_double());
        number.erase(number.find_last_not_of('0') + 1);
        shown += number.ends_with('.') ? number.substr(0, number.size() - 1) : number;
      } else {
        shown += member->is_string() ? std::string(member->as_string())
                                     : boost::json::serialize(*member);
      }
    }
    all += (all.empty() ? "" : ", ") + shown;
  }
  std::ranges::replace(all, '\x1f', ':');
  return all;
}

Finished PlexusProcess(const Words& arguments, const RunOptions& options) {
  Pipe in, out, err;
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(in.read, STDIN_FILENO);
    dup2(options.out_file.empty() ? out.write : open(options.out_file.c_str(), O_WRONLY),
         STDOUT_FILENO);
    dup2(err.write, STDERR_FILENO);
    if (options.as_nobody) DropRights();
    Execute(arguments);
  }
  in.CloseRead();
  out.CloseWrite();
  err.CloseWrite();
  Finished finished;
  ::signal(SIGPIPE, SIG_IGN);
  std::string_view rest = options.input;
  fcntl(in.write, F_SETFL, O_NONBLOCK);
  if (rest.empty()) in.CloseWrite();
  while (out.read >= 0 || err.read >= 0) {
    pollfd files[3] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}};
    if (poll(files, 3, -1) < 0) break;
    if (files[0].revents && !Take(out.read, finished.out)) out.CloseRead();
    if (options.close_out_early && !finished.out.empty()) out.CloseRead();
    if (files[1].revents && !Take(err.read, finished.err)) err.CloseRead();
    if (files[2].revents) {
      const ssize_t wrote = write(in.write, rest.data(), rest.size());
      if (wrote > 0) rest.remove_prefix(static_cast<std::size_t>(wrote));
      if (rest.empty() || (files[2].revents & POLLERR)) in.CloseWrite();
    }
  }
  int status = 0;
  waitpid(pid, &status, 0);
  finished.code = CodeOf(status);
  if (options.out_file.empty() && !options.close_out_early) CheckReply(arguments, finished.out);
  return finished;
}

Background::Background(const std::vector<std::string>& arguments) {
  pid_ = fork();
  if (pid_ == 0) {
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    Execute(arguments);
  }
}

Background::~Background() {
  if (Running()) {
    Signal(SIGKILL);
    Wait();
  }
}

void Background::Signal(int signal) const { kill(pid_, signal); }

bool Background::Running() {
  if (code_ >= 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  code_ = CodeOf(status);
  return false;
}

int Background::Wait() {
  if (code_ >= 0) return code_;
  int status = 0;
  waitpid(pid_, &status, 0);
  return code_ = CodeOf(status);
}

}  // namespace plexus::testing
