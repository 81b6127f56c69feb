// Where the sections of an array file lie, as its header says; see array_file.h. Internal to
// storage/formats.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/formats/array_file.h"

namespace plexus::formats::internal {

inline constexpr char kArrayMagic[] = "PLXARRAY";
inline constexpr std::uint32_t kArrayVersion = 1;
inline constexpr std::uint64_t kHeaderBytes = 96, kArrayBlockBytes = 1 << 20, kJobBytes = 24;

struct Extent {
  const char* name;
  std::uint64_t begin, elements, width;
  std::uint64_t end() const { return (begin + elements * width + 7) / 8 * 8; }
};

// Where the sections of a file of this header lie.
struct Layout {
  std::vector<Extent> sections;
  std::uint64_t body_end = kHeaderBytes;

  explicit Layout(const ArrayHeader& header) {
    const auto add = [&](const char* name, std::uint64_t elements, std::uint64_t width) {
      sections.push_back({name, body_end, elements, width});
      body_end = sections.back().end();
    };
    if (header.kind != ArrayKind::kCsrParts) {
      add("values", header.nodes * header.count, header.kind == ArrayKind::kF64 ? 8 : 4);
      return;
    }
    add("selected", (header.nodes + 63) / 64, 8);
    add("offsets", header.nodes + 1, 8);
    add("targets", header.count, 4);
    add("weights", header.count, 4);
  }
  std::uint64_t blocks() const {
    return (body_end - kHeaderBytes + kArrayBlockBytes - 1) / kArrayBlockBytes;
  }
  std::uint64_t file_bytes() const { return body_end + 8 * blocks() + 8; }
  const Extent& of(ArraySection section) const {
    return sections[section == ArraySection::kValues ? 0 : static_cast<std::size_t>(section)];
  }
};

}  // namespace plexus::formats::internal
