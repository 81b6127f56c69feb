// What the connections of one HTTP server share: included by beast_connection.h, by nothing else.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "tools/server/http/http_server.h"

namespace plexus::tools::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
// Of a port, or of a file.
using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using Socket = Stream::socket_type;
using boost::system::error_code;
using std::chrono::seconds;

class Connection;

struct HttpHost {
  const HttpOptions options;
  Workers& workers;
  const HttpServer::Handler handler;
  const HttpServer::Early early;
  std::atomic<std::size_t> open = 0, streams = 0, under_way = 0, body_bytes = 0;
  std::atomic<bool> stopping = false;
  std::mutex mutex = {};
  std::multiset<std::string> spools = {};  // whose bodies go to files now; behind the mutex
  std::map<const Connection*, std::weak_ptr<Connection>> connections = {};
  std::once_flag made_disk = {};
  std::unique_ptr<Workers> disk_workers = {};

  // Threads that write bodies to files.
  Workers& disk() {
    std::call_once(made_disk, [&] {
      disk_workers = std::make_unique<Workers>(static_cast<int>(options.max_spools));
    });
    return *disk_workers;
  }
};

// The bytes of a body that were read and not taken yet.
struct BytesBody {
  struct value_type {
    std::string text = {};
    bool reserves = true;  // room for all of it at once
  };
  class reader {
   public:
    template <bool kRequest, class Fields>
    reader(http::header<kRequest, Fields>&, value_type& value) : value_(value) {}
    void init(const boost::optional<std::uint64_t>& length, error_code& error) {
      error = {};
      if (length && value_.reserves) value_.text.reserve(static_cast<std::size_t>(*length));
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      const std::size_t before = value_.text.size();
      for (const asio::const_buffer buffer : beast::buffers_range_ref(buffers))
        value_.text.append(static_cast<const char*>(buffer.data()), buffer.size());
      return value_.text.size() - before;
    }
    void finish(error_code& error) { error = {}; }

   private:
    value_type& value_;
  };
};

// What two readers would read in two ways: a status, and why.
template <class Header>
std::optional<std::pair<int, const char*>> WrongHeader(const Header& header) {
  using Wrong = std::pair<int, const char*>;
  if (header.count(http::field::transfer_encoding) > 0)
    return Wrong(411, "send Content-Length, not Transfer-Encoding");
  if (header.count(http::field::content_length) > 1)
    return Wrong(400, "there is more than one Content-Length");
  if (header.count(http::field::host) != 1) return Wrong(400, "there is not exactly one Host");
  if (header.version() != 11 && header.version() != 10)
    return Wrong(505, "HTTP/1.1 is spoken here");
  return std::nullopt;
}

// The pieces of a stream, in order, as they go over the wire.
class PieceQueue {
 public:
  struct Piece {
    std::string text;
    std::size_t counted = 0;  // bytes that Send has counted
  };
  void Begin(std::string head, bool chunked) {
    chunked_ = chunked;
    pieces_.push_front({std::move(head)});
  }
  void Push(std::string_view text, bool counted) {
    if (text.empty()) return;  // a chunk without bytes is the last one
    std::string wire(text);
    if (chunked_) {
      char size[24];
      std::snprintf(size, sizeof size, "%zx\r\n", text.size());
      wire = size + wire + "\r\n";
    }
    pieces_.push_back({std::move(wire), counted ? text.size() : 0});
  }
  void End() {
    if (!std::exchange(ended_, true) && chunked_) pieces_.push_back({"0\r\n\r\n"});
  }
  bool ended() const { return ended_; }
  std::optional<Piece> Next() {
    if (pieces_.empty()) return std::nullopt;
    Piece piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }

 private:
  std::deque<Piece> pieces_;
  bool chunked_ = false, ended_ = false;
};

}  // namespace plexus::tools::server
