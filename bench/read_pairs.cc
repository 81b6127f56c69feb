// Reading and writing the GAP suite's files. Sizes that a file claims are compared
// with the bytes that are there before anything is allocated.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "bench/pairs.h"

namespace plexus::bench {

namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

Result<std::string> ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return Fail(ErrorCode::kNotFound, path + ": cannot be opened");
  std::string bytes(static_cast<std::size_t>(in.tellg()), '\0');
  in.seekg(0);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    return Fail(ErrorCode::kIo, path + ": cannot be read");
  return bytes;
}

// One whole number at `at`, blanks skipped; false when there is none.
template <class T>
bool TakeNumber(const char*& at, const char* end, T& value) {
  while (at < end && (*at == ' ' || *at == '\t')) ++at;
  auto [next, error] = std::from_chars(at, end, value);
  if (error != std::errc()) return false;
  at = next;
  return true;
}

Error Malformed(const std::string& path, const std::string& what) {
  return Error{ErrorCode::kCorruption, path + ": " + what};
}

// Reads `count` values into `out` straight from the file.
template <class T>
bool ReadInto(std::FILE* file, T* out, std::size_t count) {
  return std::fread(out, sizeof(T), count, file) == count;
}

// One direction of a serialized graph: i64 offsets, then ids (or ids with weights).
Status ReadSide(std::FILE* file, const std::string& path, NodeId nodes, std::uint64_t arcs,
                bool weighted, AlignedArray<std::uint32_t>& offsets,
                AlignedArray<NodeId>& neighbors) {
  AlignedArray<std::int64_t> wide(std::size_t{nodes} + 1);
  if (!ReadInto(file, wide.data(), wide.size()))
    return std::unexpected(Malformed(path, "ends inside the offsets"));
  offsets = AlignedArray<std::uint32_t>(wide.size());
  for (std::size_t v = 0; v < wide.size(); ++v) {
    const bool fits = wide[v] >= (v ? wide[v - 1] : 0) && static_cast<std::uint64_t>(wide[v]) <= arcs;
    if (!fits) return std::unexpected(Malformed(path, "offset " + std::to_string(v) + " is out of order"));
    offsets[v] = static_cast<std::uint32_t>(wide[v]);
  }
  if (wide[0] != 0 || offsets[nodes] != arcs)
    return std::unexpected(Malformed(path, "offsets do not cover the neighbors"));
  neighbors = AlignedArray<NodeId>(arcs);
  if (weighted) {
    AlignedArray<NodePair> both(arcs);  // neighbor, weight
    if (!ReadInto(file, both.data(), arcs)) return std::unexpected(Malformed(path, "ends inside the neighbors"));
    for (std::uint64_t i = 0; i < arcs; ++i) neighbors[i] = both[i].source;
  } else if (!ReadInto(file, neighbors.data(), arcs)) {
    return std::unexpected(Malformed(path, "ends inside the neighbors"));
  }
  for (std::uint64_t i = 0; i < arcs; ++i)
    if (neighbors[i] >= nodes)
      return std::unexpected(Malformed(path, "neighbor " + std::to_string(i) + " is out of range"));
  return {};
}

}  // namespace

Result<PairList> ReadPairs(const std::string& path) {
  const bool weighted = path.ends_with(".wel");
  PLEXUS_ASSIGN(const std::string text, ReadAll(path));
  std::vector<NodePair> pairs;
  NodeId largest = 0;
  std::size_t line_number = 0;
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    ++line_number;
    const char* line_end = std::find(at, end, '\n');
    NodePair pair{};
    std::int32_t weight = 0;
    while (at < line_end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
    if (at < line_end && *at != '#') {
      if (!TakeNumber(at, line_end, pair.source) || !TakeNumber(at, line_end, pair.target) ||
          (weighted && !TakeNumber(at, line_end, weight)))
        return Fail(ErrorCode::kInvalidArgument,
                    path + ":" + std::to_string(line_number) + ": expected two ids" +
                        (weighted ? " and a weight" : ""));
      if (std::max(pair.source, pair.target) >= Limits::kMaxNodes)
        return Fail(ErrorCode::kInvalidArgument,
                    path + ":" + std::to_string(line_number) + ": id out of range");
      largest = std::max({largest, pair.source, pair.target});
      pairs.push_back(pair);
    }
    at = line_end + 1;
  }
  PairList list;
  list.node_count = pairs.empty() ? 0 : largest + 1;
  list.pairs = AlignedArray<NodePair>(std::span<const NodePair>(pairs));
  return list;
}

Result<Topology> ReadSerialized(const std::string& path) {
  const bool weighted = path.ends_with(".wsg");
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) return Fail(ErrorCode::kNotFound, path + ": cannot be opened");
  std::fseek(file.get(), 0, SEEK_END);
  const std::uint64_t size = static_cast<std::uint64_t>(std::ftell(file.get()));
  std::rewind(file.get());
  std::uint8_t directed = 0;
  std::int64_t arcs = 0, nodes = 0;
  if (!ReadInto(file.get(), &directed, 1) || !ReadInto(file.get(), &arcs, 1) || !ReadInto(file.get(), &nodes, 1))
    return std::unexpected(Malformed(path, "ends inside the header"));
  if (directed > 1 || arcs < 0 || nodes < 0 || static_cast<std::uint64_t>(arcs) > Limits::kMaxArcs ||
      static_cast<std::uint64_t>(nodes) > Limits::kMaxNodes)
    return std::unexpected(Malformed(path, "the header's counts are out of range"));
  const std::uint64_t side = (static_cast<std::uint64_t>(nodes) + 1) * 8 +
                             static_cast<std::uint64_t>(arcs) * (weighted ? 8 : 4);
  if (size != 17 + side * (directed ? 2 : 1))
    return std::unexpected(Malformed(path, "has " + std::to_string(size) + " bytes, its header says " +
                                               std::to_string(17 + side * (directed ? 2 : 1))));
  Topology topology;
  topology.node_count = static_cast<NodeId>(nodes);
  topology.symmetric = !directed;
  PLEXUS_TRY(ReadSide(file.get(), path, topology.node_count, static_cast<std::uint64_t>(arcs), weighted,
                      topology.out_offsets, topology.out_neighbors));
  if (directed)
    PLEXUS_TRY(ReadSide(file.get(), path, topology.node_count, static_cast<std::uint64_t>(arcs), weighted,
                        topology.in_offsets, topology.in_neighbors));
  return topology;
}

Status WriteSerialized(const Topology& topology, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  auto write = [&](const void* data, std::size_t bytes) {
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  };
  const std::uint8_t directed = topology.symmetric ? 0 : 1;
  const std::int64_t arcs = static_cast<std::int64_t>(topology.arc_count());
  const std::int64_t nodes = topology.node_count;
  write(&directed, 1);
  write(&arcs, 8);
  write(&nodes, 8);
  for (const CsrView& side : {topology.out(), topology.in()}) {
    const std::vector<std::int64_t> offsets(side.offsets.begin(), side.offsets.end());
    write(offsets.data(), offsets.size() * 8);
    write(side.neighbors.data(), side.neighbors.size_bytes());
    if (topology.symmetric) break;
  }
  out.close();
  if (!out) return Fail(ErrorCode::kIo, path + ": cannot be written");
  return {};
}

Status WritePairs(std::span<const NodePair> pairs, const std::string& path) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return Fail(ErrorCode::kIo, path + ": cannot be written");
  std::string buffer;
  bool ok = true;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    char line[24];
    char* at = std::to_chars(line, line + 11, pairs[i].source).ptr;
    *at++ = ' ';
    at = std::to_chars(at, at + 11, pairs[i].target).ptr;
    *at++ = '\n';
    buffer.append(line, static_cast<std::size_t>(at - line));
    if (buffer.size() < (1 << 20) && i + 1 != pairs.size()) continue;
    ok = ok && std::fwrite(buffer.data(), 1, buffer.size(), file.get()) == buffer.size();
    buffer.clear();
  }
  if (!ok || std::fflush(file.get()) != 0) return Fail(ErrorCode::kIo, path + ": cannot be written");
  return {};
}

}  // namespace plexus::bench
