// Fuzzer: checkpoints with hostile values and right digests.
//
// The first byte chooses: 0 = the rest is a manifest; 1 = the rest is a section;
// else the rest is a list of changes (section, offset, byte) to a small whole
// checkpoint, whose digests are made right again before it is read. What is
// accepted is walked through, compacted bases and all.
#include <cstdlib>
#include <map>
#include <vector>

#include "checkpoint_generated.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"
#include "engine/writer/state_writer.h"
#include "storage/checkpoint/checkpoint.h"
#include "storage/encoding/flatbuffer_util.h"

namespace {

using namespace plexus;
using namespace plexus;  // NOLINT
using namespace plexus::storage_internal;

struct Whole {
  Manifest manifest;
  std::vector<std::string> sections;
};

const Whole& Base() {
  static const Whole whole = [] {
    StateWriter writer(EmptyState());
    WriteBatch batch(1000);
    for (int i = 0; i < 6; ++i) {
      const NodeRef a = batch.UpsertNode("n" + std::to_string(i), NodeKindRef(builtin::kMemory));
      batch.SetF64(a, ColumnRef(builtin::kTrust), 0.5);
      batch.SetString(a, ColumnRef(builtin::kScope), "x");
      batch.Link(a, EdgeKindRef(builtin::kContradicts), batch.Node("n" + std::to_string(i + 1)));
      batch.Link({.source = a,
                  .target = batch.Node("n6"),
                  .kind = EdgeKindRef(builtin::kSupports),
                  .label = i % 2 ? "one" : "two",
                  .created_by = "me",
                  .valid_from = 1,
                  .valid_until = 2});
      batch.Link(a, EdgeKindRef(builtin::kHasTag), batch.IndexNode(builtin::kTag, "t"));
    }
    ApplyReport report;
    auto record = writer.Resolve(batch, &report);
    if (!record || !writer.Apply(*record)) std::abort();
    auto compacted = Snapshot(writer.Publish()).Compacted(SerialExecutor());
    if (!compacted) std::abort();
    Whole w;
    w.manifest.id = 1;
    if (!BuildCheckpoint(
            *compacted, w.manifest,
            [&](std::uint32_t, ByteSpan value) {
              w.sections.emplace_back(AsText(value));
              return Status();
            },
            nullptr))
      std::abort();
    return w;
  }();
  return whole;
}

class MapSource : public SectionSource {
 public:
  explicit MapSource(const std::vector<std::string>& sections) : sections_(sections) {}
  std::uint64_t available_bytes() const override {
    std::uint64_t total = 0;
    for (const std::string& s : sections_) total += s.size();
    return total;
  }
  Status Visit(std::uint32_t first, std::uint32_t last, const Visitor& fn) const override {
    for (std::uint32_t i = first; i < last; ++i) {
      if (i >= sections_.size()) return Fail(ErrorCode::kCorruption, "missing");
      PLEXUS_TRY(fn(i, AsBytes(std::string_view(sections_[i]))));
    }
    return {};
  }

 private:
  const std::vector<std::string>& sections_;
};

void Walk(const Snapshot& s) {
  std::uint64_t sum = 0;
  for (NodeId v = 0; v < s.node_count(); ++v) {
    sum += s.key(v).size() + s.schema().node_kind(s.node_kind(v)).name.size() + s.scope(v).size();
    s.ForEachArc(Direction::kBoth, v, ArcFilter::All().ValidAt(5), [&](const Arc& arc) {
      const Edge e = s.edge(arc, v);
      sum += s.key(arc.neighbor).size() + s.string(e.label).size() + s.string(e.created_by).size();
    });
  }
  [[maybe_unused]] static volatile std::uint64_t sink;
  sink = sum;
}

void Read(const Manifest& manifest, const std::vector<std::string>& sections) {
  const MapSource source(sections);
  auto state = ReadCheckpoint(manifest, source, nullptr, SerialExecutor(), nullptr);
  if (state) Walk(Snapshot(std::make_shared<const FrozenState>(*std::move(state))));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t mode = data[0];
  ++data;
  --size;
  if (mode == 0 || mode == 1) {
    std::vector<std::uint64_t> aligned((size + 7) / 8);
    if (size > 0) std::memcpy(aligned.data(), data, size);
    auto* bytes = reinterpret_cast<std::uint8_t*>(aligned.data());
    if (mode == 1) {
      (void)DecodeSection({bytes, size}, "section");
      return 0;
    }
    if (auto root = CheckedRoot<fb::Manifest>({bytes, size}, kManifestIdentifier, "manifest");
        root && (*root)->seal())
      SetSeal(bytes, size, (*root)->seal());
    if (auto manifest = DecodeManifest({bytes, size}, "manifest")) Read(*manifest, Base().sections);
    return 0;
  }
  Manifest manifest = Base().manifest;
  std::vector<std::string> sections = Base().sections;
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const std::size_t section = data[i] % sections.size();
    const std::size_t at = (data[i + 1] | (data[i + 2] << 8)) % sections[section].size();
    sections[section][at] = static_cast<char>(data[i + 3]);
  }
  for (std::size_t i = 0; i < sections.size(); ++i)
    manifest.section_digests[i] = Digest(AsBytes(std::string_view(sections[i])));
  Read(manifest, sections);
  return 0;
}
