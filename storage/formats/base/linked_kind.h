// The symmetric kind of undirected files that do not name one.
#pragma once

#include <string_view>

#include "engine/schema.h"

namespace plexus::text {

inline constexpr std::string_view kLinkedKind = "linked";
EdgeKind LinkedKind();

}  // namespace plexus::text
