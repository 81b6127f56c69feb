// Reading and writing the GAP suite's files; serialized graphs are read by storage/formats.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "bench/graphs/pairs.h"
#include "storage/formats/edges/gap_serialized.h"

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

// One whole number at `at`, blanks skipped; false when none exists.
template <class T>
bool TakeNumber(const char*& at, const char* end, T& value) {
  while (at < end && (*at == ' ' || *at == '\t')) ++at;
  auto [next, error] = std::from_chars(at, end, value);
  if (error != std::errc()) return false;
  at = next;
  return true;
}

// The suite's 64-bit offsets as ours. REQUIRES arcs within 32 bits, which the reader checked.
AlignedArray<std::uint32_t> Narrow(const AlignedArray<std::int64_t>& wide) {
  AlignedArray<std::uint32_t> offsets(wide.size());
  for (std::size_t v = 0; v < wide.size(); ++v) offsets[v] = static_cast<std::uint32_t>(wide[v]);
  return offsets;
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
        return Fail(ErrorCode::kInvalidArgument, path + ":" + std::to_string(line_number) +
                                                     ": expected two ids" +
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

Result<Topology> ReadSerialized(const std::string& path, AlignedArray<float>* out_weights) {
  PLEXUS_ASSIGN(formats::internal::GapGraph graph, formats::internal::ReadGapGraph(path));
  if (out_weights) {
    *out_weights = AlignedArray<float>(graph.out.weights.size());
    for (std::size_t a = 0; a < out_weights->size(); ++a) {
      if (graph.out.weights[a] < 0)
        return Fail(ErrorCode::kInvalidArgument,
                    path + ": arc " + std::to_string(a) + " has a negative weight");
      (*out_weights)[a] = static_cast<float>(graph.out.weights[a]);
    }
  }
  Topology topology;
  topology.node_count = graph.node_count;
  topology.symmetric = !graph.directed;
  topology.out_offsets = Narrow(graph.out.offsets);
  topology.out_neighbors = std::move(graph.out.neighbors);
  if (graph.directed) {
    topology.in_offsets = Narrow(graph.in.offsets);
    topology.in_neighbors = std::move(graph.in.neighbors);
  }
  return topology;
}

Status WriteSerialized(const Topology& topology, const std::string& path, WeightFn weight) {
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
    if (weight) {
      std::vector<std::int32_t> row;  // neighbour, weight, neighbour, ...
      for (NodeId v = 0; v < side.node_count(); ++v) {
        row.clear();
        for (std::uint32_t a = side.offsets[v]; a < side.offsets[v + 1]; ++a) {
          row.push_back(static_cast<std::int32_t>(side.neighbors[a]));
          row.push_back(weight(v, side.neighbors[a]));
        }
        write(row.data(), row.size() * 4);
      }
    } else {
      write(side.neighbors.data(), side.neighbors.size_bytes());
    }
    if (topology.symmetric) break;
  }
  out.close();
  if (!out) return Fail(ErrorCode::kIo, path + ": cannot be written");
  return {};
}

Status WritePairs(std::span<const NodePair> pairs, const std::string& path, WeightFn weight) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return Fail(ErrorCode::kIo, path + ": cannot be written");
  std::string buffer;
  bool ok = true;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    char line[36];
    char* at = std::to_chars(line, line + 11, pairs[i].source).ptr;
    *at++ = ' ';
    at = std::to_chars(at, at + 11, pairs[i].target).ptr;
    if (weight) {
      *at++ = ' ';
      at = std::to_chars(at, at + 11, weight(pairs[i].source, pairs[i].target)).ptr;
    }
    *at++ = '\n';
    buffer.append(line, static_cast<std::size_t>(at - line));
    if (buffer.size() < (1 << 20) && i + 1 != pairs.size()) continue;
    ok = ok && std::fwrite(buffer.data(), 1, buffer.size(), file.get()) == buffer.size();
    buffer.clear();
  }
  if (!ok || std::fflush(file.get()) != 0)
    return Fail(ErrorCode::kIo, path + ": cannot be written");
  return {};
}

}  // namespace plexus::bench
