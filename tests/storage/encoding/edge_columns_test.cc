// Edges of a record by column: every shape comes back as it was, the form follows from the
// edges alone, older records still read, and columns that do not fit are refused by name.
#include <bit>
#include <functional>
#include <optional>
#include <random>

#include "engine/bulk/edge_load.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "engine/writer/state_writer.h"
#include "record_generated.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/encoding/record_codec.h"
#include "tests/engine/bulk/edge_loads.h"
#include "tests/storage/encoding/record_parts.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

using Edges = std::vector<EdgeChange>;

Record RecordOf(Edges edges) {
  Record record;
  record.sequence = 1;
  record.time_ms = 1000;
  record.edges = std::move(edges);
  return record;
}

// Returns the record's size.
std::size_t ExpectRoundTrip(const Edges& edges) {
  auto encoded = EncodeRecord(RecordOf(edges), 7);
  EXPECT_TRUE(encoded);
  auto decoded = DecodeRecord(AsBytes(encoded->bytes), "record");
  EXPECT_TRUE(decoded) << decoded.error().ToString();
  if (decoded) {
    EXPECT_TRUE(SameBytes(decoded->record.edges, edges));
    EXPECT_EQ(EncodeRecord(decoded->record, 7)->bytes, encoded->bytes);
    ExpectRecordParts(encoded->bytes);
  }
  const auto* root = fb::GetRecord(encoded->bytes.data());
  EXPECT_EQ(root->format_version(), edges.empty() ? 1 : 2);
  EXPECT_EQ(root->edges(), nullptr);
  EXPECT_EQ(root->edge_columns() == nullptr, edges.empty());
  return encoded->bytes.size();
}

// By (source, target), as a batch of links makes them.
Edges Links(std::uint32_t count, std::uint32_t per_source) {
  Edges edges;
  for (std::uint32_t i = 0; i < count; ++i)
    edges.push_back(
        {i / per_source, i % per_source + 5, 0, 1.0f, 1000, kLink, EdgeChange::kIsNew, 0});
  return edges;
}

TEST(EdgeColumns, EveryColumnAloneAndAll) {
  const std::vector<std::function<void(EdgeChange&, std::uint32_t)>> changes = {
      [](EdgeChange& e, std::uint32_t i) { e.source = i; },
      [](EdgeChange& e, std::uint32_t i) { e.target = i; },
      [](EdgeChange& e, std::uint32_t i) { e.label = i; },
      [](EdgeChange& e, std::uint32_t i) { e.kind = static_cast<EdgeKindId>(i); },
      [](EdgeChange& e, std::uint32_t i) { e.weight = static_cast<float>(i) / 8; },
      [](EdgeChange& e, std::uint32_t i) {
        e.created_at = i % 3 ? kNoTime : std::int64_t{i} << 33;
      },
      [](EdgeChange& e, std::uint32_t i) { e.flags = static_cast<std::uint16_t>(i % 3); }};
  // About the ends of blocks that are decoded at a time.
  for (const std::uint32_t count : {1u, 2u, 3u, 1023u, 1024u, 1025u, 4000u})
    for (std::size_t identity = 0; identity < 4; ++identity)  // one of them tells edges apart
      for (std::size_t set = 0; set < std::size_t{1} << changes.size(); set += 1 + set % 3) {
        Edges edges(count, EdgeChange{9, 8, 0, 0.5f, -4, EdgeKindId{3}, 2, 0});
        for (std::uint32_t i = 0; i < count; ++i)
          for (std::size_t c = 0; c < changes.size(); ++c)
            if (c == identity || (set >> c & 1)) changes[c](edges[i], i);
        ExpectRoundTrip(edges);
        if (HasFailure()) FAIL() << count << " edges, " << identity << ", set " << set;
      }
}

TEST(EdgeColumns, RowsOfAllLengths) {
  std::mt19937_64 random(3);
  ExpectRoundTrip({});
  for (const std::uint32_t per_source : {1u, 2u, 3u, 7u, 1024u, 5000u})
    for (const std::uint32_t count : {1u, 2u, 5u, 1023u, 1024u, 2048u, 2049u, 9000u})
      ExpectRoundTrip(Links(count, per_source));
  for (int round = 0; round < 50; ++round) {
    Edges edges;
    NodeId source = 0;
    for (std::uint64_t rows = 1 + random() % 40; rows > 0; --rows) {
      source += static_cast<NodeId>(random() % 1000 + 1);
      const std::uint64_t length = random() % 4 ? 1 + random() % 3 : random() % 3000 + 1;
      for (std::uint64_t i = 0; i < length; ++i)
        edges.push_back({source, static_cast<NodeId>(i), 0, 1, 5, kLink, 2, 0});
    }
    ExpectRoundTrip(edges);
  }
}

// By bits: a zero with a sign is another value, the rest of the bits are as well.
TEST(EdgeColumns, ZeroWithASign) {
  for (const float other : {-0.0f, std::bit_cast<float>(1u), std::bit_cast<float>(0x7FC00001u)}) {
    Edges edges = Links(6, 2);
    for (EdgeChange& e : edges) e.weight = 0;
    edges[4].weight = other;
    ExpectRoundTrip(edges);
  }
}

TEST(EdgeColumns, BytesPerEdge) {
  constexpr std::size_t kCount = 10'000;
  const double none = static_cast<double>(ExpectRoundTrip(Links(1, 1)));
  auto per_edge = [&](const Edges& edges) {
    return (static_cast<double>(ExpectRoundTrip(edges)) - none) / kCount;
  };
  EXPECT_LT(per_edge(Links(kCount, 30)), 4.5);
  EXPECT_LT(per_edge(Links(kCount, 1)), 8.1);
  Edges weighted = Links(kCount, 1);
  for (std::size_t i = 0; i < kCount; ++i) weighted[i].weight = static_cast<float>(i);
  EXPECT_LT(per_edge(weighted), 12.1);
}

// Bytes of a record whose edges are `columns`, as a program that makes mistakes writes it.
template <class Fill>
std::string RecordWith(std::uint16_t version, Fill&& fill) {
  flatbuffers::FlatBufferBuilder builder;
  const auto columns = fill(builder);
  const fb::Seal no_seal(0, 0);
  fb::RecordBuilder record(builder);
  record.add_format_version(version);
  record.add_seal(&no_seal);
  record.add_sequence(1);
  if constexpr (std::is_same_v<decltype(columns), const flatbuffers::Offset<fb::EdgeColumns>>)
    record.add_edge_columns(columns);
  else
    record.add_edges(columns);
  builder.Finish(record.Finish(), kRecordIdentifier);
  SetSeal(builder.GetBufferPointer(), builder.GetSize(),
          fb::GetRecord(builder.GetBufferPointer())->seal());
  return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
}

struct Parts {
  std::uint32_t count = 4;
  bool all = true;
  std::optional<std::vector<std::uint32_t>> row_ends, sources, targets, labels;
  std::optional<std::vector<float>> weights;
  std::optional<std::vector<std::int64_t>> created_at;
  std::optional<std::vector<std::uint16_t>> kinds, flags;
};

std::string Bytes(const Parts& parts, std::uint16_t version = 2) {
  return RecordWith(version, [&](flatbuffers::FlatBufferBuilder& builder) {
    auto vector = [&]<class T>(const std::optional<std::vector<T>>& values) {
      return values ? builder.CreateVector(*values) : flatbuffers::Offset<flatbuffers::Vector<T>>();
    };
    const fb::EdgeChange all(1, 2, 0, 1, 1000, kLink, 2, 77);
    const auto row_ends = vector(parts.row_ends), sources = vector(parts.sources),
               targets = vector(parts.targets), labels = vector(parts.labels);
    const auto weights = vector(parts.weights);
    const auto created_at = vector(parts.created_at);
    const auto kinds = vector(parts.kinds), flags = vector(parts.flags);
    return fb::CreateEdgeColumns(builder, parts.count, parts.all ? &all : nullptr, row_ends,
                                 sources, targets, labels, weights, created_at, kinds, flags);
  });
}

void ExpectRefused(const Parts& parts, const std::string& what) {
  auto decoded = DecodeRecord(AsBytes(Bytes(parts)), "log record 1");
  ASSERT_TRUE(FailsWith(decoded, ErrorCode::kCorruption)) << what;
  const std::string& message = decoded.error().message;
  EXPECT_EQ(message.find("log record 1, offset "), 0u) << message;
  EXPECT_NE(message.find(what), std::string::npos) << message << " lacks: " << what;
}

TEST(EdgeColumns, ColumnsThatDoNotFitAreRefused) {
  Parts good;
  good.targets = {{1, 2, 3, 4}};
  const auto decoded = Must(DecodeRecord(AsBytes(Bytes(good)), "record"));
  ASSERT_EQ(decoded.record.edges.size(), 4u);
  EXPECT_EQ(decoded.record.edges[3].target, 4u);
  EXPECT_EQ(decoded.record.edges[3].source, 1u);
  EXPECT_EQ(decoded.record.edges[3].reserved, 0u) << "no value of edges";

  auto refuse = [&](const char* what, auto&& change) {
    Parts parts = good;
    change(parts);
    ExpectRefused(parts, what);
  };
  refuse("without an edge", [](Parts& p) { p.count = 0, p.targets = {}; });
  refuse("without an edge", [](Parts& p) { p.all = false; });
  refuse("column targets has 4 values, not 5", [](Parts& p) { p.count = 5; });
  refuse("column targets has 4 values, not 4294967295", [](Parts& p) { p.count = 0xFFFFFFFF; });
  refuse("column targets has 1 values, not 4", [](Parts& p) { p.targets = {{1}}; });
  refuse("column targets has 0 values, not 4",
         [](Parts& p) { p.targets = std::vector<std::uint32_t>(); });
  refuse("column sources has 3 values, not 4", [](Parts& p) { p.sources = {{1, 2, 3}}; });
  refuse("column labels has 5 values, not 4", [](Parts& p) { p.labels = {{1, 2, 3, 4, 5}}; });
  refuse("column weights has 1 values, not 4", [](Parts& p) { p.weights = {{1}}; });
  refuse("column created_at has 2 values, not 4", [](Parts& p) { p.created_at = {{1, 2}}; });
  refuse("column kinds has 8 values, not 4",
         [](Parts& p) { p.kinds = std::vector<std::uint16_t>(8); });
  refuse("column flags has 3 values, not 4", [](Parts& p) { p.flags = {{1, 1, 1}}; });
  // Values that many edges may share say nothing of how many there are.
  for (const int column : {0, 1, 2})
    refuse("4 edges that nothing tells apart", [&](Parts& p) {
      p.targets.reset();
      if (column == 0) p.weights = {{1, 2, 3, 4}};
      if (column == 1) p.flags = {{1, 1, 1, 1}};
      if (column == 2) p.created_at = {{1, 2, 3, 4}};
    });
  // More edges than the record has bytes.
  refuse("4294967295 edges that nothing tells apart",
         [](Parts& p) { p.count = 0xFFFFFFFF, p.targets = {}; });
  refuse("4294967295 edges that nothing tells apart", [](Parts& p) {
    p.count = 0xFFFFFFFF, p.targets = {}, p.sources = {{3}}, p.row_ends = {{0xFFFFFFFF}};
  });
  refuse("edge rows without sources", [](Parts& p) { p.row_ends = {{4}}; });
  refuse("edge rows end at 3, not at 4",
         [](Parts& p) { p.sources = {{1, 2}}, p.row_ends = {{1, 3}}; });
  refuse("edge rows end at 5, not at 4",
         [](Parts& p) { p.sources = {{1, 2}}, p.row_ends = {{1, 5}}; });
  refuse("edge rows end at 0, not at 4",
         [](Parts& p) { p.sources = p.row_ends = std::vector<std::uint32_t>(); });
  refuse("row ends before it begins",
         [](Parts& p) { p.sources = {{1, 2, 3}}, p.row_ends = {{3, 2, 4}}; });
  refuse("row ends before it begins",
         [](Parts& p) { p.sources = {{1, 2, 3}}, p.row_ends = {{0, 2, 4}}; });
  refuse("row ends before it begins",
         [](Parts& p) { p.sources = {{1, 2, 3}}, p.row_ends = {{2, 2, 4}}; });
  refuse("column sources has 3 values, not 2",
         [](Parts& p) { p.sources = {{1, 2, 3}}, p.row_ends = {{2, 4}}; });
  refuse("column sources has 1 values, not 2",
         [](Parts& p) { p.sources = {{1}}, p.row_ends = {{2, 4}}; });
}

// What the codec cannot know is left to Apply, as with structs.
TEST(EdgeColumns, ValuesOutOfRangeAreRefusedByApply) {
  auto refused = [](auto&& change) {
    Parts parts;
    parts.targets = {{1, 2, 3, 4}};
    change(parts);
    auto decoded = DecodeRecord(AsBytes(Bytes(parts)), "record");
    EXPECT_TRUE(decoded);
    StateWriter writer(EmptyState());
    Record& r = decoded->record;
    for (int i = 0; i < 5; ++i) {
      if (r.key_offsets.empty()) r.key_offsets.push_back(0);
      r.node_kinds.push_back(kNode);
      r.key_bytes += static_cast<char>('a' + i);
      r.key_offsets.push_back(r.key_bytes.size());
    }
    const Status status = writer.Apply(r);
    return status ? std::string("applied") : status.error().message;
  };
  EXPECT_EQ(refused([](Parts&) {}), "applied");
  EXPECT_NE(refused([](Parts& p) { p.targets = {{1, 2, 3, 5}}; }).find("edge 3 has an endpoint"),
            std::string::npos);
  EXPECT_NE(refused([](Parts& p) {
              p.sources = {{1, 9}}, p.row_ends = {{2, 4}};
            }).find("edge 2 has an endpoint"),
            std::string::npos);
  EXPECT_NE(refused([](Parts& p) {
              p.kinds = {{kLink, kLink, kLink, 60'000}};
            }).find("edge 3 has an unknown kind"),
            std::string::npos);
  EXPECT_NE(
      refused([](Parts& p) { p.labels = {{0, 0, 8, 0}}; }).find("edge 2 has an unknown label"),
      std::string::npos);
  EXPECT_NE(refused([](Parts& p) { p.weights = {{1, -1, 1, 1}}; }).find("edge 1 has a weight"),
            std::string::npos);
  EXPECT_NE(refused([](Parts& p) { p.targets = {{1, 2, 2, 4}}; }).find("edge 2 is out of order"),
            std::string::npos);
  EXPECT_NE(refused([](Parts& p) { p.flags = {{2, 2, 6, 2}}; }).find("edge 2 lacks its attributes"),
            std::string::npos);
}

TEST(EdgeColumns, VersionsKeepTheirForm) {
  const Edges edges = Links(5, 2);
  auto structs = [&](std::uint16_t version) {
    return RecordWith(version, [&](flatbuffers::FlatBufferBuilder& builder) {
      return builder.CreateVectorOfStructs(reinterpret_cast<const fb::EdgeChange*>(edges.data()),
                                           edges.size());
    });
  };
  auto old = Must(DecodeRecord(AsBytes(structs(1)), "record"));
  EXPECT_TRUE(SameBytes(old.record.edges, edges));
  ExpectRecordParts(structs(1));
  Parts columns;
  columns.targets = {{1, 2, 3, 4}};
  for (const std::string& bytes : {structs(2), Bytes(columns, 1)}) {
    EXPECT_TRUE(FailsWith(DecodeRecord(AsBytes(bytes), "log record 1"), ErrorCode::kCorruption,
                          "not of format version"));
  }
  for (const std::string& bytes : {structs(10), Bytes(columns, 10)}) {
    auto whole = DecodeRecord(AsBytes(bytes), "log record 1");
    auto head = DecodeRecordHead(AsBytes(bytes), "log record 1");
    ASSERT_FALSE(whole || head);
    for (const Error& error : {whole.error(), head.error()}) {
      EXPECT_EQ(error.code, ErrorCode::kUnsupported);
      EXPECT_EQ(error.message, "log record 1: format version 10 is newer than this program's 9");
    }
  }
}

// From the arrays of a load the same bytes as from the records that it stands for.
TEST(EdgeColumns, LoadsAreEncodedAsTheirRecords) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 40; ++round) {
    EdgeLoad load;
    load.time_ms = 1000 + round;
    const bool weights = round % 2, hub = round % 5 == 0;
    const std::uint64_t keys = 1 + random() % 300;
    for (std::uint64_t b = 0; b <= random() % 6; ++b) {
      const std::size_t count = random() % 4 ? random() % 3000 + 1 : random() % 3;
      AlignedArray<NodePair> pairs(count);
      AlignedArray<float> stated(weights ? count : 0);
      for (std::size_t i = 0; i < count; ++i) {
        auto key = [&] { return load.keys.Insert(std::to_string(random() % keys)).id; };
        const NodeId source = hub ? load.keys.Insert("hub").id : key();
        pairs[i] = {source, key()};
        if (weights) stated[i] = random() % 3 ? static_cast<float>(random() % 4) : std::nanf("");
      }
      load.batches.push_back({std::move(pairs), std::move(stated), load.keys.size()});
    }
    if (round % 3 == 0) load = plexus::testing::RandomLoad(static_cast<std::uint64_t>(round), 900);
    auto loaded = Must(LoadedEdges::Make(std::move(load), EmptyState(), SerialExecutor()));
    RecordEncoder encoder;
    Record record;
    for (std::size_t b = 0; b < loaded.batch_count(); ++b) {
      loaded.FillRecord(b, record);
      record.sequence = b + 1;
      auto expected = Must(EncodeRecord(record, 5));
      PLEXUS_OK(encoder.Encode(loaded, b, b + 1));
      EXPECT_EQ(encoder.Seal(5), expected.running_hash);
      ASSERT_EQ(encoder.bytes(), expected.bytes) << "round " << round << ", batch " << b;
    }
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
