// Every token is compared, whichever fits.
#include "tools/server/http/tokens.h"

#include <fcntl.h>
#include <sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "tools/server/json_text.h"

namespace plexus::tools::server {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

Result<std::vector<std::string>> Texts(const json::object& token, const char* name) {
  std::vector<std::string> texts;
  const json::value* list = Member(token, name);
  if (!list) return texts;
  if (!list->is_array()) return Invalid(name, " is a list of texts");
  for (const json::value& text : list->get_array()) {
    if (!text.is_string() || text.get_string().empty()) return Invalid(name, " is a list of texts");
    texts.emplace_back(View(text.get_string()));
  }
  return texts;
}

Result<Token> ParseToken(std::string_view line) {
  PLEXUS_ASSIGN(const json::value value, ParseJson(line));
  if (!value.is_object()) return Invalid("a token is an object");
  const json::object& object = value.get_object();
  for (const auto& [key, member] : object) {
    const std::string name(key.data(), key.size());
    if (name != "name" && name != "sha256" && name != "rights" && name != "scopes" &&
        name != "graphs" && name != "rate")
      return Invalid("no member ", name, ": name, sha256, rights, scopes, graphs, rate");
  }
  Token token;
  token.name = TextMember(object, "name");
  token.sha256 = TextMember(object, "sha256");
  std::ranges::transform(token.sha256, token.sha256.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool hex =
      std::ranges::all_of(token.sha256, [](unsigned char c) { return std::isxdigit(c); });
  if (token.sha256.size() != 64 || !hex)
    return Invalid("sha256 is the token's hash, 64 digits: printf %s TOKEN | sha256sum");
  token.caller.may_read = true;
  token.caller.may_write = token.caller.may_destroy = false;
  PLEXUS_ASSIGN(const std::vector<std::string> rights, Texts(object, "rights"));
  for (const std::string& right : rights) {
    if (right != "read" && right != "write" && right != "admin")
      return Invalid("no right ", right, ": read, write, admin");
    token.caller.may_write |= right != "read";
    token.caller.may_destroy |= right == "admin";
  }
  PLEXUS_ASSIGN(token.caller.wall, Texts(object, "scopes"));
  if (Member(object, "scopes") && token.caller.wall.empty())
    return Invalid("scopes names none; leave it out for all");
  PLEXUS_ASSIGN(token.caller.graphs, Texts(object, "graphs"));
  if (Member(object, "graphs") && token.caller.graphs.empty())
    return Invalid("graphs names none; leave it out for all");
  if (const json::value* rate = Member(object, "rate")) {
    if (!rate->is_int64() || rate->get_int64() < 1)
      return Invalid("rate is a whole number of requests a second, at least 1");
    token.caller.rate = std::make_shared<RateLimit>(static_cast<double>(rate->get_int64()));
  }
  return token;
}

// "localhost:80" to "localhost"; "[::1]:80" to "::1".
std::string_view HostName(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

// Whether --allow-host names it.
bool IsAllowed(const AccessRules& rules, std::string_view host) {
  return std::ranges::any_of(
      rules.hosts, [&](const std::string& known) { return SameName(HostName(host), known); });
}

bool IsKnownHost(const AccessRules& rules, std::string_view host) {
  const std::string_view name = HostName(host);
  return SameName(name, "localhost") || IsLoopback(name) || IsAllowed(rules, host);
}

// Whether a page of another server sent it, which a browser says by Origin or by Sec-Fetch-Site.
// Another port is another server. A link to the page at "/" is not refused.
bool IsOfAnotherPage(const AccessRules& rules, const HttpRequest& request) {
  if (request.Has("Origin")) {
    const std::string_view origin = request.Header("Origin");
    const std::size_t scheme = origin.find("://");
    if (scheme == std::string_view::npos) return true;
    const std::string_view from = origin.substr(scheme + 3);
    if (IsAllowed(rules, from)) return false;
    return rules.tokens.empty() ? !SameName(from, request.Header("Host"))
                                : !IsKnownHost(rules, from);
  }
  const std::string_view site = request.Header("Sec-Fetch-Site");
  return rules.tokens.empty() && !site.empty() && site != "same-origin" && site != "none" &&
         PathOf(request.target) != "/";
}

}  // namespace

bool SameSecret(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    different |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return different == 0;
}

std::string Sha256(std::string_view text) {
  char digits[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits);
  return digits;
}

bool IsLoopback(std::string_view address) { return address == "127.0.0.1" || address == "::1"; }

Result<std::vector<Token>> ParseTokens(const std::string& name, std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.find_first_not_of(" \t\r") == std::string_view::npos || one.starts_with('#')) continue;
    Result<Token> token = ParseToken(one);
    if (!token) return Invalid(name, ":", line, ": ", token.error().message);
    tokens.push_back(*std::move(token));
  }
  if (tokens.empty()) return Invalid(name, " holds no token");
  return tokens;
}

Result<std::vector<Token>> ReadTokens(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return NotFound("cannot read the tokens in ", file);
  struct stat status = {};
  const bool known = fstat(fd, &status) == 0;
  std::string text;
  const bool own = known && (status.st_uid == geteuid() || status.st_uid == 0);
  if (own && (status.st_mode & 077) == 0 && S_ISREG(status.st_mode)) {
    char piece[4096];
    for (ssize_t got; text.size() <= kMostBytes && (got = read(fd, piece, sizeof piece)) > 0;)
      text.append(piece, static_cast<std::size_t>(got));
  }
  close(fd);
  if (!known || !S_ISREG(status.st_mode)) return FailedPrecondition(file, " is no file");
  if (!own)
    return FailedPrecondition(
        file, " is another user's: chown it to who runs the server, and make new tokens");
  if (text.size() > kMostBytes) return Invalid(file, " is longer than ", kMostBytes, " bytes");
  if ((status.st_mode & 077) != 0)
    return FailedPrecondition("others may read ", file, ": chmod 600 it, and make new tokens");
  return ParseTokens(file, text);
}

std::expected<Caller, Refusal> WhoAsks(const AccessRules& rules, const HttpRequest& request) {
  if (rules.tokens.empty() && !IsKnownHost(rules, request.Header("Host")))
    return std::unexpected(Refusal{403, "Host is not of this server; --allow-host NAME allows it"});
  if (IsOfAnotherPage(rules, request))
    return std::unexpected(
        Refusal{403, "a page of another server asks (Origin); --allow-host NAME allows it"});
  if (rules.tokens.empty()) return rules.open;
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (rules.gives_page && reads && PathOf(request.target) == "/")
    return Caller{.may_read = false, .may_write = false, .may_destroy = false};
  const std::string_view header = request.Header("Authorization");
  const std::string_view scheme = "Bearer ";
  if (!header.starts_with(scheme)) return std::unexpected(Refusal{401, "a token is needed"});
  const std::string hash = Sha256(header.substr(scheme.size()));
  const Token* found = nullptr;
  for (const Token& token : rules.tokens)
    if (SameSecret(token.sha256, hash)) found = &token;
  if (!found) return std::unexpected(Refusal{401, "no such token"});
  return found->caller;
}

}  // namespace plexus::tools::server
