// Texts as the C interface takes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/c/plexus.h"

namespace plexus::testing {

struct Strings {
  std::string bytes;
  std::vector<std::uint64_t> offsets = {0};
  explicit Strings(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      bytes += text;
      offsets.push_back(bytes.size());
    }
  }
  plexus_strings view() const {
    return {bytes.data(), bytes.size(), offsets.data(), offsets.size() - 1};
  }
};

}  // namespace plexus::testing
