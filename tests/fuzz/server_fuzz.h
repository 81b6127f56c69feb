// A server on a scratch directory, for fuzzers: made at the first input, removed at the end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/server/server.h"

namespace plexus::tools::server {

class FuzzedServer {
 public:
  FuzzedServer() {
    directory_ = (std::filesystem::temp_directory_path() / "plexus-fuzz-XXXXXX").string();
    if (!mkdtemp(directory_.data())) std::abort();
    ServiceOptions options;
    options.directory = directory_ + "/g";
    options.max_seconds = 1;
    auto opened = Server::Open(options);
    if (!opened) std::abort();
    server_ = *std::move(opened);
    for (const char* json : {R"({"key":"m1","text":"gateway keys"})", R"({"key":"m2"})"})
      (void)server_->service().Ask(*RequestFromJson(*FindOperation("put"), json), {});
    protocol = *server_->With({"memory", "ledger", "all"});
    reader.may_write = reader.may_destroy = false;
  }
  ~FuzzedServer() {
    (void)server_->Close();
    server_.reset();
    std::filesystem::remove_all(directory_);
  }

  Server& server() { return *server_; }
  Protocol* protocol = nullptr;
  Caller reader;

 private:
  std::string directory_;
  std::unique_ptr<Server> server_;
};

}  // namespace plexus::tools::server
