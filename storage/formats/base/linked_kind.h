// The symmetric kind of undirected files that do not name one.
#pragma once

#include <string_view>

#include "engine/schema.h"

namespace plexus::formats::internal {

inline constexpr std::string_view kLinkedKind = "linked";
EdgeKind LinkedKind();

}  // namespace plexus::formats::internal
