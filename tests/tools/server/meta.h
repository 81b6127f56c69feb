// What a request of the era of 2026 has among its parameters.
#pragma once

#include <string>

namespace plexus::tools::server {

inline const std::string kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

}  // namespace plexus::tools::server
