// How the readers of files say what is wrong with a value.
// Internal to storage/formats.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "engine/error.h"

namespace plexus::formats::internal {

inline std::unexpected<Error> Bad(std::string message) { return Invalid(std::move(message)); }

// In quotes, cut where it is long.
inline std::string Quoted(std::string_view text, std::size_t most = 80) {
  return '"' + std::string(text.substr(0, most)) + '"';
}

}  // namespace plexus::formats::internal
