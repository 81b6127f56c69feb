// The program as a server: lines in and out, a port, signals.
#pragma once

#include <sys/types.h>

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plexus::testing {

class ServerProcess {
 public:
  // plexus serve WORDS; reads the log until it serves, or has ended.
  explicit ServerProcess(const std::vector<std::string>& words);
  ~ServerProcess();  // kills it
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void Send(std::string_view line);
  // The next line of its output; "" at its end, or when none comes within 20 s.
  std::string Line();
  // Sends a request and returns the answer with its id; others before it are dropped.
  boost::json::object Ask(std::string_view method, std::string_view params = "{}");
  // The text of a tool's answer.
  std::string Tool(std::string_view name, std::string_view arguments);
  void CloseInput();
  void Signal(int signal) const;
  int Wait();  // exit code, or 128 + signal
  bool Running();
  pid_t pid() const { return pid_; }
  const std::string& log() const { return log_; }
  std::uint16_t port() const;

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  int code_ = -1, next_id_ = 1000;
  std::string buffer_, log_;
};

// A connection to a port of this machine, or to a socket of a file.
class TcpClient {
 public:
  explicit TcpClient(std::uint16_t port);
  explicit TcpClient(const std::string& file);
  ~TcpClient();
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;
  void Send(std::string_view bytes);
  // Everything until the server closes, or nothing comes for so long.
  std::string ReadAll(int milliseconds = 3000);
  // One answer with its Content-Length.
  std::string ReadAnswer(int milliseconds = 10000);
  bool Closed(int milliseconds);
  void EndSending();

 private:
  bool ReadSome(int milliseconds);
  int fd_ = -1;
  std::string held_;
};

struct HttpAnswer {
  int status = 0;
  std::string head, body;
};
HttpAnswer Http(std::uint16_t port, std::string_view method, std::string_view target,
                std::string_view body = {}, std::string_view headers = {});
HttpAnswer Http(const std::string& file, std::string_view method, std::string_view target,
                std::string_view body = {}, std::string_view headers = {});
HttpAnswer ParseAnswer(const std::string& text);

}  // namespace plexus::testing
