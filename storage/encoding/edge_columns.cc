// Structs of edges <-> columns; both ways by loops without branches.
#include "storage/encoding/edge_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include "engine/vocabulary.h"
#include "storage/encoding/format_versions.h"

namespace plexus::storage_internal {

namespace {

template <class T>
using FlatColumn = flatbuffers::Vector<T>;

// Edges that are decoded at a time: 32 KiB of structs stay in the first-level cache until
// every column is in them.
constexpr std::size_t kBlock = 1024;

class Decoder {
 public:
  Decoder(const fb::EdgeColumns& columns, ByteSpan record, std::string_view where)
      : columns_(columns), record_(record), where_(where), count_(columns.count()) {}

  Status Check() const;
  std::vector<EdgeChange> Edges() const;
  // Where edges at `node` are, ascending.
  std::vector<std::uint32_t> Find(NodeId node) const;
  EdgeChange Edge(std::uint32_t at) const;
  void AddEnds(std::vector<NodeId>& nodes) const;

 private:
  EdgeChange All() const {
    const fb::EdgeChange& a = *columns_.all();
    return {a.source(),     a.target(),           a.label(), a.weight(),
            a.created_at(), EdgeKindId(a.kind()), a.flags(), 0};
  }
  template <class T>
  std::size_t OffsetOf(const T* part) const {
    return static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(part) - record_.data());
  }
  template <class T>
  Status CheckColumn(const FlatColumn<T>* column, std::size_t size, const char* name) const {
    if (!column || column->size() == size) return {};
    return Bad(column, std::string("column ") + name + " has " + std::to_string(column->size()) +
                           " values, not " + std::to_string(size));
  }
  template <class T>
  Status Bad(const T* part, const std::string& what) const {
    return Corrupted(where_, ", offset ", OffsetOf(part), ": ", what);
  }
  Status CheckRows() const;
  void TakeValues(std::size_t first, std::span<EdgeChange> edges) const;

  const fb::EdgeColumns& columns_;
  const ByteSpan record_;
  const std::string_view where_;
  const std::size_t count_;
};

Status Decoder::CheckRows() const {
  const FlatColumn<std::uint32_t>* ends = columns_.row_ends();
  if (!ends) return {};
  std::uint32_t before = 0;
  for (const std::uint32_t end : *ends) {
    if (end <= before) return Bad(ends, "an edge row ends before it begins");
    before = end;
  }
  if (before != count_)
    return Bad(ends,
               "edge rows end at " + std::to_string(before) + ", not at " + std::to_string(count_));
  return {};
}

Status Decoder::Check() const {
  if (count_ == 0 || !columns_.all()) return Bad(&columns_, "edge columns without an edge");
  PLEXUS_TRY(CheckRows());
  const FlatColumn<std::uint32_t>* ends = columns_.row_ends();
  if (ends && !columns_.sources()) return Bad(ends, "edge rows without sources");
  PLEXUS_TRY(CheckColumn(columns_.sources(), ends ? ends->size() : count_, "sources"));
  PLEXUS_TRY(CheckColumn(columns_.targets(), count_, "targets"));
  PLEXUS_TRY(CheckColumn(columns_.labels(), count_, "labels"));
  PLEXUS_TRY(CheckColumn(columns_.weights(), count_, "weights"));
  PLEXUS_TRY(CheckColumn(columns_.created_at(), count_, "created_at"));
  PLEXUS_TRY(CheckColumn(columns_.kinds(), count_, "kinds"));
  PLEXUS_TRY(CheckColumn(columns_.flags(), count_, "flags"));
  // Each identity is there once, so some part of it has as many values as there are edges.
  const bool apart =
      (columns_.sources() && !ends) || columns_.targets() || columns_.labels() || columns_.kinds();
  if (count_ > 1 && !apart)
    return Bad(&columns_, std::to_string(count_) + " edges that nothing tells apart");
  if (count_ > kMaxBufferBytes / sizeof(EdgeChange))
    return Bad(&columns_, std::to_string(count_) + " edges are more than a record can have");
  return {};
}

template <class T, class Member>
void Take(const FlatColumn<T>* column, std::size_t first, std::span<EdgeChange> edges,
          Member EdgeChange::* member) {
  static_assert(sizeof(Member) == sizeof(T));
  if (!column) return;
  // Not by elements: an 8-byte one may lie at any multiple of 4.
  const std::uint8_t* from = column->Data() + first * sizeof(T);
  for (std::size_t i = 0; i < edges.size(); ++i)
    std::memcpy(&(edges[i].*member), from + i * sizeof(T), sizeof(T));
}

// What is not an end of an edge.
void Decoder::TakeValues(std::size_t first, std::span<EdgeChange> edges) const {
  Take(columns_.labels(), first, edges, &EdgeChange::label);
  Take(columns_.weights(), first, edges, &EdgeChange::weight);
  Take(columns_.created_at(), first, edges, &EdgeChange::created_at);
  Take(columns_.kinds(), first, edges, &EdgeChange::kind);
  Take(columns_.flags(), first, edges, &EdgeChange::flags);
}

std::vector<EdgeChange> Decoder::Edges() const {
  const EdgeChange all = All();
  std::vector<EdgeChange> edges(count_);
  const FlatColumn<std::uint32_t>* ends = columns_.row_ends();
  std::uint32_t row = 0;
  for (std::size_t first = 0; first < count_; first += kBlock) {
    const std::span<EdgeChange> block =
        std::span(edges).subspan(first, std::min(kBlock, count_ - first));
    std::fill(block.begin(), block.end(), all);
    if (ends) {
      for (std::size_t i = 0; i < block.size(); ++row) {
        const std::size_t end = std::min<std::size_t>(ends->Get(row) - first, block.size());
        const NodeId source = columns_.sources()->Get(row);
        for (; i < end; ++i) block[i].source = source;
        if (first + i < ends->Get(row)) break;  // it continues in the next block
      }
    } else {
      Take(columns_.sources(), first, block, &EdgeChange::source);
    }
    Take(columns_.targets(), first, block, &EdgeChange::target);
    TakeValues(first, block);
  }
  return edges;
}

// By blocks: most have no such value, which a loop without branches finds out.
template <class Found>
void FindValue(const FlatColumn<std::uint32_t>& column, std::uint32_t value, Found&& found) {
  constexpr std::size_t kStep = 64;
  std::uint32_t values[kStep];
  for (std::size_t first = 0; first < column.size(); first += kStep) {
    const std::size_t count = std::min<std::size_t>(kStep, column.size() - first);
    std::memcpy(values, column.Data() + first * sizeof value, count * sizeof value);
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < count; ++i) any |= values[i] == value;
    if (!any) continue;
    for (std::size_t i = 0; i < count; ++i)
      if (values[i] == value) found(static_cast<std::uint32_t>(first + i));
  }
}

std::vector<std::uint32_t> Decoder::Find(NodeId node) const {
  const EdgeChange all = All();
  std::vector<std::uint32_t> out, in, both;
  const auto add_range = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) out.push_back(i);
  };
  const auto count = static_cast<std::uint32_t>(count_);
  const bool alike =
      (!columns_.sources() && all.source == node) || (!columns_.targets() && all.target == node);
  if (alike) {
    add_range(0, count);
    return out;
  }
  const FlatColumn<std::uint32_t>* ends = columns_.row_ends();
  if (columns_.sources())
    FindValue(*columns_.sources(), node, [&](std::uint32_t i) {
      ends ? add_range(i > 0 ? ends->Get(i - 1) : 0, ends->Get(i)) : out.push_back(i);
    });
  if (columns_.targets())
    FindValue(*columns_.targets(), node, [&](std::uint32_t i) { in.push_back(i); });
  std::ranges::set_union(out, in, std::back_inserter(both));
  return both;
}

EdgeChange Decoder::Edge(std::uint32_t at) const {
  EdgeChange edge = All();
  const std::span one(&edge, 1);
  if (const FlatColumn<std::uint32_t>* ends = columns_.row_ends())
    edge.source = columns_.sources()->Get(static_cast<flatbuffers::uoffset_t>(
        std::upper_bound(ends->begin(), ends->end(), at) - ends->begin()));
  else
    Take(columns_.sources(), at, one, &EdgeChange::source);
  Take(columns_.targets(), at, one, &EdgeChange::target);
  TakeValues(at, one);
  return edge;
}

void Decoder::AddEnds(std::vector<NodeId>& nodes) const {
  const auto add = [&](const FlatColumn<std::uint32_t>* column, NodeId all) {
    if (!column) return nodes.push_back(all);
    const std::size_t before = nodes.size();
    nodes.resize(before + column->size());
    std::memcpy(nodes.data() + before, column->Data(), column->size() * sizeof(NodeId));
  };
  add(columns_.sources(), All().source);
  add(columns_.targets(), All().target);
}

}  // namespace

EdgeArrays ArraysOf(const std::vector<EdgeChange>& edges) {
  // The bits in which some edge differs from the first: 0 is not -0.
  using Words = std::array<std::uint64_t, sizeof(EdgeChange) / 8>;
  const EdgeChange& first = edges.front();
  const auto same = std::bit_cast<Words>(first);
  Words bits = {};
  for (const EdgeChange& e : edges) {
    const auto words = std::bit_cast<Words>(e);
    for (std::size_t w = 0; w < words.size(); ++w) bits[w] |= words[w] ^ same[w];
  }
  const auto differ = std::bit_cast<EdgeChange>(bits);
  auto values = [&]<class T>(T EdgeChange::* member) {
    constexpr T kNone = {};
    const bool differs = std::memcmp(&(differ.*member), &kNone, sizeof(T)) != 0;
    return EdgeValues<T>{&(first.*member), differs ? sizeof(EdgeChange) : 0};
  };
  return {edges.size(),
          values(&EdgeChange::source),
          values(&EdgeChange::target),
          values(&EdgeChange::label),
          values(&EdgeChange::weight),
          values(&EdgeChange::created_at),
          values(&EdgeChange::kind),
          values(&EdgeChange::flags)};
}

const EdgeArrays& LoadedArrays::Of(const LoadedEdges& loaded, std::size_t batch) {
  const LoadBatch& from = loaded.batch(batch);
  const std::size_t count = from.edges.size();
  alike_.created_at = loaded.time_ms();
  alike_.kind = builtin::kLink;
  alike_.flags = EdgeChange::kIsNew;
  const auto values = []<class T>(const auto& array, const T& alike) -> EdgeValues<T> {
    static_assert(sizeof(array[0]) == sizeof(T));
    if (array.empty()) return {&alike};
    return {reinterpret_cast<const T*>(array.data()), sizeof(T)};
  };
  arrays_ = {count,
             {&from.edges[0].source, sizeof(NodePair)},
             {&from.edges[0].target, sizeof(NodePair)},
             values(from.labels, alike_.label),
             {&alike_.weight},
             values(from.created_at, alike_.created_at),
             values(from.kinds, alike_.kind),
             {&alike_.flags}};
  if (!from.weights.empty()) {
    weights_.resize(count);
    flags_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      weights_[i] = std::abs(from.weights[i]);
      flags_[i] = LoadedEdges::FlagsOf(from, i);
    }
    arrays_.weights = {weights_.data(), sizeof(float)};
    arrays_.flags = {flags_.data(), sizeof(std::uint16_t)};
  }
  auto settle = [count](auto& column) {
    if (column.step == 0) return;
    std::size_t i = 1;
    while (i < count && column[i] == column[0]) ++i;
    if (i == count) column.step = 0;
  };
  settle(arrays_.sources);
  settle(arrays_.targets);
  settle(arrays_.labels);
  settle(arrays_.weights);
  settle(arrays_.created_at);
  settle(arrays_.kinds);
  settle(arrays_.flags);
  return arrays_;
}

flatbuffers::Offset<fb::EdgeColumns> EncodeEdges(flatbuffers::FlatBufferBuilder& builder,
                                                 const EdgeArrays& edges) {
  const std::size_t count = edges.count;
  auto column = [&]<class V, class T = V>(const EdgeValues<V>& values,
                                          T = {}) -> flatbuffers::Offset<FlatColumn<T>> {
    if (values.step == 0) return 0;
    T* to = nullptr;
    const auto offset = builder.CreateUninitializedVector<T>(count, &to);
    for (std::size_t i = 0; i < count; ++i) to[i] = values[i];
    return offset;
  };
  flatbuffers::Offset<FlatColumn<std::uint32_t>> row_ends, sources;
  std::size_t rows = 1;
  if (edges.sources.step > 0)
    for (std::size_t i = 1; i < count; ++i) rows += edges.sources[i] != edges.sources[i - 1];
  if (rows > 1 && 2 * rows <= count) {
    auto row_values = [&](auto value) {
      std::uint32_t* to = nullptr;  // until the next vector
      const auto offset = builder.CreateUninitializedVector<std::uint32_t>(rows, &to);
      for (std::size_t i = 1; i < count; ++i) {
        *to = value(i);
        to += edges.sources[i] != edges.sources[i - 1];
      }
      *to = value(count);
      return offset;
    };
    row_ends = row_values([](std::size_t end) { return static_cast<std::uint32_t>(end); });
    sources = row_values([&](std::size_t end) { return edges.sources[end - 1]; });
  } else {
    sources = column(edges.sources);
  }
  const auto targets = column(edges.targets);
  const auto labels = column(edges.labels);
  const auto weights = column(edges.weights);
  const auto created_at = column(edges.created_at);
  const auto kinds = column(edges.kinds, KindId{});
  const auto flags = column(edges.flags);
  const fb::EdgeChange all(edges.sources[0], edges.targets[0], edges.labels[0], edges.weights[0],
                           edges.created_at[0], edges.kinds[0], edges.flags[0], 0);
  return fb::CreateEdgeColumns(builder, static_cast<std::uint32_t>(count), &all, row_ends, sources,
                               targets, labels, weights, created_at, kinds, flags);
}

Result<std::vector<EdgeChange>> DecodeEdges(const fb::EdgeColumns& columns, ByteSpan record,
                                            std::string_view where) {
  const Decoder decoder(columns, record, where);
  PLEXUS_TRY(decoder.Check());
  return decoder.Edges();
}

Result<std::vector<std::uint32_t>> FindEdges(const fb::EdgeColumns& columns, ByteSpan record,
                                             std::string_view where, NodeId node,
                                             std::vector<EdgeChange>& edges) {
  const Decoder decoder(columns, record, where);
  PLEXUS_TRY(decoder.Check());
  std::vector<std::uint32_t> places = decoder.Find(node);
  for (const std::uint32_t at : places) edges.push_back(decoder.Edge(at));
  return places;
}

Status AddEdgeEnds(const fb::EdgeColumns& columns, ByteSpan record, std::string_view where,
                   std::vector<NodeId>& nodes) {
  const Decoder decoder(columns, record, where);
  PLEXUS_TRY(decoder.Check());
  decoder.AddEnds(nodes);
  return {};
}

}  // namespace plexus::storage_internal
