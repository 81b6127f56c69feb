// The page is one file; its own policy (in its head) names its script and style by their digests.
#include "tools/operations/files/explorer_page.h"
#include "tools/server/http/routes.h"
#include "tools/server/json_text.h"

namespace plexus::tools::server {

HttpReply ExplorerReply(const Caller& caller) {
  return {200,
          "text/html; charset=utf-8",
          {{"Content-Security-Policy", "frame-ancestors 'none'"},
           {"Cross-Origin-Opener-Policy", "same-origin"},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"Referrer-Policy", "no-referrer"},
           {"X-Content-Type-Options", "nosniff"},
           {"Cache-Control", "no-cache"}},
          ExplorerPageWith(ObjectText()
                               .Raw("server", ObjectText().Bool("write", caller.may_write).object())
                               .object())};
}

}  // namespace plexus::tools::server
