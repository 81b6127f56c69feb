// Pipes and sockets with time-outs, so that a server that hangs fails a test.
#include "tests/tools/server/server_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <cstring>

namespace plexus::testing {
namespace {

bool Readable(int fd, int milliseconds) {
  pollfd one{fd, POLLIN, 0};
  return poll(&one, 1, milliseconds) > 0;
}

bool Take(int fd, std::string& to, int milliseconds) {
  if (!Readable(fd, milliseconds)) return false;
  char bytes[65536];
  const ssize_t got = read(fd, bytes, sizeof bytes);
  if (got > 0) to.append(bytes, static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

ServerProcess::ServerProcess(const std::vector<std::string>& words) {
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) std::abort();
  const char* other = std::getenv("PLEXUS_PROGRAM");
  std::vector<std::string> all = {other ? other : PLEXUS_PROGRAM_FILE, "serve"};
  all.insert(all.end(), words.begin(), words.end());
  pid_ = fork();
  if (pid_ == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    unsetenv("PLEXUS_DB");
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  close(err[1]);
  in_ = in[1];
  out_ = out[0];
  err_ = err[0];
  while (log_.find("serving") == std::string::npos || log_.back() != '\n')
    if (!Take(err_, log_, 20'000)) break;
}

ServerProcess::~ServerProcess() {
  if (Running()) {
    kill(pid_, SIGKILL);
    (void)Wait();
  }
  for (const int fd : {in_, out_, err_})
    if (fd >= 0) close(fd);
}

void ServerProcess::Send(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t written = write(in_, left.data(), left.size());
    if (written <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string ServerProcess::Line() {
  std::size_t end;
  while ((end = buffer_.find('\n')) == std::string::npos)
    if (!Take(out_, buffer_, 20'000)) return {};
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

boost::json::object ServerProcess::Ask(std::string_view method, std::string_view params) {
  const int id = next_id_++;
  Send(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + std::string(method) +
       R"(","params":)" + std::string(params) + "}");
  for (;;) {
    const std::string line = Line();
    if (line.empty()) {
      ADD_FAILURE() << "no answer to " << method << "; log: " << log_;
      return {};
    }
    boost::json::object answer = boost::json::parse(line).as_object();
    if (answer.contains("id") && answer["id"] == id) return answer;
  }
}

std::string ServerProcess::Tool(std::string_view name, std::string_view arguments) {
  boost::json::object answer =
      Ask("tools/call",
          R"({"name":")" + std::string(name) + R"(","arguments":)" + std::string(arguments) + "}");
  if (!answer.contains("result")) return boost::json::serialize(answer);
  return answer["result"].at("content").at(0).at("text").as_string().c_str();
}

void ServerProcess::CloseInput() {
  if (in_ >= 0) close(in_);
  in_ = -1;
}

void ServerProcess::Signal(int signal) const { kill(pid_, signal); }

bool ServerProcess::Running() {
  if (pid_ < 0 || code_ >= 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return false;
}

int ServerProcess::Wait() {
  if (code_ >= 0) return code_;
  int status = 0;
  if (waitpid(pid_, &status, 0) == pid_)
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  while (Take(err_, log_, 100)) {
  }
  return code_;
}

std::uint16_t ServerProcess::port() const {
  const std::size_t at = log_.find("http=http://");
  if (at == std::string::npos) return 0;
  return static_cast<std::uint16_t>(std::atoi(log_.c_str() + log_.find(':', at + 12) + 1));
}

TcpClient::TcpClient(std::uint16_t port) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(fd_);
    fd_ = -1;
  }
}

TcpClient::TcpClient(const std::string& file) {
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, file.c_str(), sizeof address.sun_path - 1);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(fd_);
    fd_ = -1;
  }
}

TcpClient::~TcpClient() {
  if (fd_ >= 0) close(fd_);
}

void TcpClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool TcpClient::ReadSome(int milliseconds) { return Take(fd_, held_, milliseconds); }

std::string TcpClient::ReadAll(int milliseconds) {
  while (ReadSome(milliseconds)) {
  }
  return std::move(held_);
}

void TcpClient::EndSending() { shutdown(fd_, SHUT_WR); }

bool TcpClient::Closed(int milliseconds) {
  if (!Readable(fd_, milliseconds)) return false;
  char byte;
  return recv(fd_, &byte, 1, MSG_PEEK) <= 0;
}

std::string TcpClient::ReadAnswer(int milliseconds) {
  std::size_t end;
  while ((end = held_.find("\r\n\r\n")) == std::string::npos)
    if (!ReadSome(milliseconds)) return std::move(held_);
  const std::size_t at = held_.find("Content-Length: ");
  std::size_t whole = end + 4;
  if (at < end) whole += static_cast<std::size_t>(std::atoi(held_.c_str() + at + 16));
  while (held_.size() < whole)
    if (!ReadSome(milliseconds)) break;
  std::string answer = held_.substr(0, whole);
  held_.erase(0, whole);
  return answer;
}

HttpAnswer ParseAnswer(const std::string& text) {
  HttpAnswer answer;
  if (text.size() > 12) answer.status = std::atoi(text.c_str() + 9);
  const std::size_t end = text.find("\r\n\r\n");
  answer.head = text.substr(0, end);
  if (end != std::string::npos) answer.body = text.substr(end + 4);
  return answer;
}

namespace {

HttpAnswer AskOnce(TcpClient& client, std::string_view method, std::string_view target,
                   std::string_view body, std::string_view headers) {
  std::string request = std::string(method) + " " + std::string(target) +
                        " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                        std::string(headers);
  if (method == "POST")
    request +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  client.Send(request + "\r\n" + std::string(body));
  return ParseAnswer(client.ReadAll(10'000));
}

}  // namespace

HttpAnswer Http(std::uint16_t port, std::string_view method, std::string_view target,
                std::string_view body, std::string_view headers) {
  TcpClient client(port);
  return AskOnce(client, method, target, body, headers);
}

HttpAnswer Http(const std::string& file, std::string_view method, std::string_view target,
                std::string_view body, std::string_view headers) {
  TcpClient client(file);
  return AskOnce(client, method, target, body, headers);
}

}  // namespace plexus::testing
