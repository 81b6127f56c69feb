// SHA-256 (FIPS 180-4): what is kept of a token.
#pragma once

#include <string>
#include <string_view>

namespace plexus::tools::server {

// 64 hexadecimal digits.
std::string Sha256(std::string_view text);
// Takes as long for any two texts of these lengths.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace plexus::tools::server
