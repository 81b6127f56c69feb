// Helpers of the storage tests.
#include "tests/support/store_test_util.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <flatbuffers/flexbuffers.h>

#include "engine/graph.h"
#include "engine/parallel.h"
#include "engine/vocabulary.h"
#include "tests/support/vector_values.h"

namespace plexus::storage_internal::testing {
using namespace builtin;

namespace fs = std::filesystem;

ScratchDirectory::ScratchDirectory() {
  std::string pattern = (fs::temp_directory_path() / "plexus_storage_XXXXXX").string();
  if (!mkdtemp(pattern.data())) std::abort();
  root_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::vector<std::string> Found(const std::string& directory,
                               const std::vector<std::string>& secrets) {
  std::vector<std::string> found;
  for (const std::string& path : FilesBelow(directory)) {
    const std::string bytes = ReadFile(path);
    for (const std::string& secret : secrets)
      if (bytes.find(secret) != std::string::npos)
        found.push_back(std::filesystem::path(path).filename().string() + ": " +
                        secret.substr(0, 20));
  }
  return found;
}

std::string PropertyMap(const std::string& note) {
  flexbuffers::Builder builder;
  builder.Map([&] { builder.String("note", note); });
  builder.Finish();
  return std::string(builder.GetBuffer().begin(), builder.GetBuffer().end());
}

WriteBatch ScriptBatch(std::uint64_t number, std::uint64_t seed) {
  std::mt19937_64 random(seed * 1'000'003 + number);
  auto pick = [&](std::uint64_t n) { return random() % n; };
  WriteBatch batch(static_cast<std::int64_t>(1000 * number));
  batch.set_links_revive(true);
  if (number == 1) {
    const VectorElement element = seed == 7 ? VectorElement::kF32 : VectorElement::kF16;
    batch.DefineSpace({"default", 5, Metric::kCosine, Prefilter::kNone, element});
    batch.DefineColumn({"stakes", ColumnType::kF64});
    EdgeKind mentors;
    mentors.name = "mentors";
    mentors.inverse = "mentored_by";
    batch.DefineEdgeKind(mentors);
  }
  const std::uint64_t pool = 5 + number;
  auto key = [&] { return "m" + std::to_string(pick(pool)); };
  for (int i = 0; i < 3; ++i) {
    const NodeRef node = batch.UpsertNode(key(), NodeKindRef(kMemory));
    batch.SetPayload(node, NodeField::kText,
                     "text " + std::to_string(number) + "." + std::to_string(i) + " " +
                         std::string(pick(60), 'x'));
    if (pick(3) == 0)
      batch.SetPayload(node, NodeField::kProperties,
                       PropertyMap("props " + std::to_string(number)));
    batch.SetF64(node, ColumnRef(kTrust), static_cast<double>(pick(100)) / 100);
    batch.SetI64(node, ColumnRef(kAccessedAt), static_cast<std::int64_t>(pick(1000)));
    if (pick(4) == 0) batch.SetString(node, ColumnRef(kScope), "scope" + std::to_string(pick(3)));
    if (pick(4) == 0) batch.SetF64(node, batch.ColumnNamed("stakes"), 0.5);
    if (pick(2) == 0) {
      float values[5];
      for (float& v : values) v = static_cast<float>(pick(1000)) / 1000;
      batch.SetVector(node, batch.SpaceNamed("default"), values);
    }
    batch.Link(node, EdgeKindRef(kHasTag), batch.IndexNode(kTag, "tag" + std::to_string(pick(6))));
  }
  for (int i = 0; i < 5; ++i) {
    const std::string from = key(), to = key();
    if (from == to) continue;
    WriteBatch::EdgeInput edge;
    edge.source = batch.Node(from);
    edge.target = batch.Node(to);
    const std::uint64_t kind = pick(4);
    edge.kind = kind == 0   ? EdgeKindRef(kSupports)
                : kind == 1 ? EdgeKindRef(kContradicts)
                : kind == 2 ? batch.EdgeKindNamed("mentors")
                            : EdgeKindRef(kCauses);
    edge.weight = static_cast<float>(1 + pick(100)) / 100;
    const std::string label = "file" + std::to_string(pick(4));
    if (pick(3) == 0) edge.label = label;
    if (pick(3) == 0) edge.created_by = "agent";
    if (pick(4) == 0) edge.valid_from = 5;
    if (pick(4) == 0) edge.valid_until = 5000;
    const std::string properties = PropertyMap("edge " + std::to_string(number));
    if (pick(3) == 0) edge.properties = properties;
    batch.Link(edge);
  }
  if (number % 5 == 0) {
    const std::string a = key(), b = key();
    if (a != b) batch.Unlink(batch.Node(a), EdgeKindRef(kCauses), batch.Node(b));
  }
  if (number % 7 == 0) batch.RemoveNode(batch.Node("m" + std::to_string(pick(pool))));
  if (number % 6 == 0) {
    const NodeRef node = batch.UpsertNode(key());
    batch.ClearPayload(node, NodeField::kText);
    batch.ClearColumn(node, ColumnRef(kTrust));
    batch.ClearVector(node, batch.SpaceNamed("default"));
  }
  return batch;
}

std::string Dump(const Snapshot& s) {
  std::ostringstream out;
  out << "sequence " << s.sequence() << " time " << s.time_ms() << "\n";
  auto payload = [&](PayloadRef ref) -> std::string {
    if (!ref) return "-";
    auto bytes = s.Payload(ref);
    return bytes ? "'" + *bytes + "'" : std::string(ErrorCodeName(bytes.error().code));
  };
  for (NodeId v = 0; v < s.node_count(); ++v) {
    out << "node " << v << " " << s.key(v) << " kind " << s.schema().node_kind(s.node_kind(v)).name
        << (s.alive(v) ? " alive" : " dead") << (s.purged(v) ? " purged" : "");
    for (std::size_t c = 0; c < s.schema().columns().size(); ++c) {
      const Column& column = s.schema().columns()[c];
      if (column.name.empty()) continue;
      const std::uint64_t bits = s.column_bits(static_cast<ColumnId>(c), v);
      if (bits == AbsentBits(column.type)) continue;
      out << " " << column.name << "=";
      if (column.type == ColumnType::kString)
        out << s.string(static_cast<StringId>(bits));
      else
        out << bits;
    }
    out << " text " << payload(s.payload_ref(v, NodeField::kText)) << " props "
        << payload(s.payload_ref(v, NodeField::kProperties));
    for (std::size_t i = 0; i < s.schema().spaces().size(); ++i) {
      const auto space = s.vectors(static_cast<SpaceId>(i));
      if (!space) {
        out << " vector " << i << " " << ErrorCodeName(space.error().code);
        continue;
      }
      if (!(*space)->has(v)) continue;
      out << " vector " << i << " [";
      for (float x : plexus::testing::VectorOf(**space, v)) out << x << ",";
      out << "] at " << (*space)->ref(v).bits;
    }
    out << "\n";
  }
  s.ForEachEdge(ArcFilter::All(), [&](const Edge& e) {
    out << "edge " << e.source << " " << s.schema().edge_kind(e.kind).name << " " << e.target
        << " '" << s.string(e.label) << "' " << e.weight << " " << e.created_at << " by '"
        << s.string(e.created_by) << "' " << e.valid_from << ".." << e.valid_until << " "
        << payload(e.properties) << "\n";
  });
  for (NodeId v = 0; v < s.node_count(); ++v) {
    out << "in " << v << ":";
    s.ForEachArc(Direction::kIn, v, ArcFilter::All(), [&](const Arc& a) {
      out << " " << a.kind << "/" << a.neighbor << "/" << a.weight;
    });
    out << "\n";
  }
  out << "facts " << s.CountNodes(Plane::kFact) << " " << s.CountEdges(Plane::kFact) << " index "
      << s.CountNodes(Plane::kIndex) << " " << s.CountEdges(Plane::kIndex) << "\n";
  return out.str();
}

std::uint64_t DumpDigest(const Snapshot& snapshot) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (unsigned char c : Dump(snapshot)) hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

std::vector<std::string> ScriptDumps(std::uint64_t count, std::uint64_t seed) {
  ScratchDirectory scratch;
  std::vector<std::string> dumps;
  auto db = MustOpen(scratch.path(), Create());
  dumps.push_back(Dump(db->snapshot()));
  for (std::uint64_t i = 1; i <= count; ++i) {
    ApplyScript(*db, i, i, seed);
    dumps.push_back(Dump(db->snapshot()));
  }
  return dumps;
}

std::unique_ptr<Database> MustOpen(const std::string& directory, const OpenOptions& options) {
  auto db = Database::Open(directory, options);
  if (!db) {
    ADD_FAILURE() << db.error().ToString();
    std::abort();
  }
  return *std::move(db);
}

OpenOptions Create() {
  OpenOptions options;
  options.create = true;
  options.graph.executor = &SerialExecutor();
  return options;
}

OpenOptions ReadOnly() {
  OpenOptions options;
  options.read_only = true;
  options.graph.executor = &SerialExecutor();
  return options;
}

void ApplyScript(Database& db, std::uint64_t from, std::uint64_t to, std::uint64_t seed) {
  for (std::uint64_t i = from; i <= to; ++i) {
    auto applied = db.graph().Apply(ScriptBatch(i, seed));
    ASSERT_TRUE(applied.has_value()) << "batch " << i << ": " << applied.error().ToString();
    ASSERT_EQ(applied->sequence, i);
  }
}

void ExpectSound(Database& db, const VerifyOptions& options) {
  const auto report = db.Verify(options);
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_TRUE(report->ok);
  for (const VerifyProblem& p : report->problems) ADD_FAILURE() << p.where << ": " << p.what;
}

void Pull(Database& from, Graph& to, std::uint64_t most, bool all) {
  for (bool more = true; more;) {
    const auto changes = from.ChangesSince(to.snapshot().sequence(), {.max_records = most});
    PLEXUS_OK(changes);
    EXPECT_LE(changes->records.size(), most);
    PLEXUS_OK(to.Replay(changes->records));
    EXPECT_EQ(to.snapshot().sequence(), changes->next);
    more = changes->has_more && all;
  }
}

std::vector<std::string> FilesBelow(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void CopyTree(const std::string& from, const std::string& to) {
  fs::remove_all(to);
  fs::create_directories(to);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path there = fs::path(to) / fs::relative(entry.path(), from);
    std::error_code failed;
    if (entry.is_directory(failed))
      fs::create_directories(there, failed);
    else
      fs::copy_file(entry.path(), there, failed);
    // RocksDB deletes old files beside us.
    if (failed && failed != std::errc::no_such_file_or_directory)
      throw fs::filesystem_error("CopyTree", entry.path(), failed);
  }
}

std::uint64_t EnvNumber(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace plexus::storage_internal::testing
