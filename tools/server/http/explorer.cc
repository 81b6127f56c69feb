// The page is one file; its own policy (in its head) names its script and style by their digests.
#include "tools/operations/files/explorer_page.h"
#include "tools/server/http/routes.h"
#include "tools/server/json_text.h"

namespace plexus::tools::server {

std::string RightsJson(const Caller& caller) {
  return ObjectText().Bool("write", caller.may_write).Bool("history", caller.wall.empty()).object();
}

HttpReply ExplorerReply(const AccessRules& rules, const Caller& caller) {
  ObjectText data;
  if (rules.tokens.empty())
    data.Raw("server", RightsJson(caller));
  else
    data.Raw("server", ObjectText().Bool("token", true).object());

  return {200,
          "text/html; charset=utf-8",
          {{"Content-Security-Policy", "frame-ancestors 'none'"},
           {"Cross-Origin-Opener-Policy", "same-origin"},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"Referrer-Policy", "no-referrer"},
           {"X-Content-Type-Options", "nosniff"},
           {"Cache-Control", "no-cache"}},
          ExplorerPageWith(data.object())};
}

}  // namespace plexus::tools::server
