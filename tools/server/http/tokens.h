// Who may ask over HTTP: tokens of a file, kept as hashes, and names that a browser may come from.
//
// The file has mode 0600 or less and a token a line:
//   {"name":"anna","sha256":"<64 digits>","rights":["read","write","admin"],"scopes":["anna"]}
// A token reads; write and admin let it write, admin takes away, too. Scopes are a wall that no
// request can widen. "rate" is how many requests it may send a second.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "tools/server/http/http_server.h"
#include "tools/server/service.h"

namespace plexus::tools::server {

struct Token {
  std::string name;
  std::string sha256;
  Caller caller;
};

// kInvalidArgument names the line, or the file is longer than 1 MiB; kFailedPrecondition: others
// may read the file, or it is neither this user's nor root's.
Result<std::vector<Token>> ReadTokens(const std::string& file);
Result<std::vector<Token>> ParseTokens(const std::string& name, std::string_view text);

struct AccessRules {
  std::vector<Token> tokens = {};       // empty: none is needed
  std::vector<std::string> hosts = {};  // in addition to those of this machine
  Caller open = {};                     // who asks without tokens
  // The explorer's page is at "/": it holds nothing of the graph, and is given without a token.
  bool gives_page = false;
  // By address, of whoever asks without tokens, and of those who are refused, which takes nothing
  // from the others. Null: none.
  std::shared_ptr<PeerRates> peers = {}, refused = {};
};

struct Refusal {
  int status;
  std::string why;
};
// Who asks. Without tokens Host must be this machine's or a known one, and a page that asks must
// come from that Host and port, or from a known host: Origin or Sec-Fetch-Site says so. Where
// tokens are needed the header says Bearer and one of them, and Origin is this machine's or known.
std::expected<Caller, Refusal> WhoAsks(const AccessRules& rules, const HttpRequest& request);

bool IsLoopback(std::string_view address);

// SHA-256 (FIPS 180-4), 64 hexadecimal digits: what is kept of a token.
std::string Sha256(std::string_view text);
// Takes as long for any two texts of these lengths.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace plexus::tools::server
