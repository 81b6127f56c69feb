// Parts: shares by equal counts of arcs, read some rows at a time; see parts.h.
#include "tools/distributed/parts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace plexus::distributed {
namespace {

constexpr std::uint64_t kRowsAtOnce = 1 << 15;

template <class T>
bool Parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<Parts> Parts::Open(const std::vector<std::string>& paths) {
  Parts parts;
  for (const std::string& path : paths) {
    PLEXUS_ASSIGN(formats::ArrayFile file, formats::ArrayFile::Open(path));
    const formats::ArrayHeader& header = file.header();
    if (header.kind != formats::ArrayKind::kCsrParts)
      return Invalid(path, ": is a result; parts come of plexus export --format csr-parts");
    parts.offsets_.push_back(parts.nodes() + header.nodes);
    parts.arcs_.push_back(parts.arcs() + header.count);
    parts.selected_ += header.selected;
    parts.files_.push_back(std::move(file));
  }
  return parts;
}

// The first row of the part that is of this rank or a later one.
Result<std::uint64_t> Parts::Cut(std::size_t part, int rank, int ranks) {
  if (rank == 0) return 0;
  const auto share = static_cast<std::uint64_t>(rank), all = static_cast<std::uint64_t>(ranks);
  const std::uint64_t arc = arcs() / all * share + arcs() % all * share / all;
  const std::uint64_t rows = header(part).nodes;
  if (rank == ranks || arc >= arcs_[part + 1]) return rows;
  if (arc < arcs_[part]) return 0;
  std::uint64_t low = 0, high = rows;  // offsets ascend: ReadShare finds out where they do not
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    PLEXUS_ASSIGN(const std::uint64_t offset, files_[part].Offset(middle));
    if (arcs_[part] + offset < arc)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

Status Parts::ReadShare(int rank, int ranks, const Row& row) {
  for (std::size_t part = 0; part < size(); ++part) {
    PLEXUS_ASSIGN(const std::uint64_t begin, Cut(part, rank, ranks));
    PLEXUS_ASSIGN(const std::uint64_t end, Cut(part, rank + 1, ranks));
    if (begin > end) return Corrupted(files_[part].name(), ": offsets: do not ascend");
    for (std::uint64_t at = begin; at < end; at += kRowsAtOnce) {
      PLEXUS_ASSIGN(const formats::CsrRows rows,
                    files_[part].ReadRows(at, std::min(end, at + kRowsAtOnce)));
      for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
        const std::uint64_t from = rows.offsets[i] - rows.offsets[0];
        const std::uint64_t count = rows.offsets[i + 1] - rows.offsets[i];
        if (count > 0)
          row(offsets_[part] + at + i, std::span(rows.targets).subspan(from, count),
              std::span(rows.weights).subspan(from, count), offsets_[part]);
      }
    }
  }
  return {};
}

Result<std::vector<std::uint8_t>> Parts::Selected(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint8_t> all;
  for (std::size_t part = 0; part < size(); ++part) {
    const std::uint64_t begin = std::max(first, offsets_[part]);
    const std::uint64_t end = std::min(last, offsets_[part + 1]);
    if (begin >= end) continue;
    PLEXUS_ASSIGN(const std::vector<std::uint8_t> some,
                  files_[part].ReadSelected(begin - offsets_[part], end - offsets_[part]));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Result<Seed> Parts::ParseSeed(std::string_view text) {
  const std::string shown = "'" + std::string(text) + "'";
  Seed seed;
  std::size_t part = 0;
  std::string_view rest = text;
  const std::size_t equal = rest.find('=');
  bool good = equal == rest.npos || Parse(rest.substr(equal + 1), seed.weight);
  rest = rest.substr(0, equal);
  const std::size_t colon = rest.find(':');
  if (colon != rest.npos) good = good && Parse(rest.substr(0, colon), part);
  std::uint64_t id = 0;
  good = good && Parse(rest.substr(colon == rest.npos ? 0 : colon + 1), id);
  if (!good || !std::isfinite(seed.weight) || seed.weight < 0)
    return Invalid(shown, " is not [PART:]ID or [PART:]ID=WEIGHT");
  if (part >= size() || id >= header(part).nodes)
    return Invalid(shown, ": there is no such part or id");
  PLEXUS_ASSIGN(const std::vector<std::uint8_t> selected, files_[part].ReadSelected(id, id + 1));
  if (selected[0] == 0) return Invalid(shown, " is no selected node of its part");
  seed.node = offsets_[part] + id;
  return seed;
}

}  // namespace plexus::distributed
