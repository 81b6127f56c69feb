// Anchor file: encoding, atomic writing, and the comparison of a clean directory.
#include "storage/encoding/anchor.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "anchor_generated.h"
#include "storage/base/lock_file.h"
#include "storage/base/plain_files.h"
#include "storage/encoding/flatbuffer_util.h"

namespace plexus::storage_internal {

namespace {

// Small files that RocksDB trusts; SSTs carry block checksums of their own, so
// their size and the part parsed at open (footer, index, properties) will do.
bool DigestedWhole(const std::string& name) {
  return name == "CURRENT" || name.starts_with("MANIFEST-") || name.ends_with(".log");
}
bool Matters(const std::string& name) { return DigestedWhole(name) || name.ends_with(".sst"); }

Result<AnchorFile> Describe(const std::string& path, const std::string& name, const Files& files) {
  AnchorFile file;
  file.name = name;
  file.whole = DigestedWhole(name);
  PLEXUS_ASSIGN(file.size, files.Size(path + "/" + name));
  const std::uint64_t begin = file.whole || file.size < kTailBytes ? 0 : file.size - kTailBytes;
  PLEXUS_ASSIGN(file.digest, files.DigestFrom(path + "/" + name, begin));
  return file;
}

}  // namespace

std::string EncodeAnchor(const Anchor& a) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<fb::FileInfo>> infos;
  for (const AnchorFile& f : a.files)
    infos.push_back(
        fb::CreateFileInfo(builder, builder.CreateString(f.name), f.size, f.digest, f.whole));
  const auto files = builder.CreateVector(infos);
  flatbuffers::Offset<flatbuffers::String> source;
  flatbuffers::Offset<flatbuffers::Vector<const fb::HistoryMark*>> marks;
  if (!a.source.empty()) source = builder.CreateString(a.source);
  std::vector<fb::HistoryMark> list;
  for (const AnchorMark& m : a.marks) list.emplace_back(m.high, m.low, m.after);
  if (!list.empty()) marks = builder.CreateVectorOfStructs(list);
  const std::uint16_t version =
      a.source.empty() && a.marks.empty() ? kFormatVersion : kReplicaVersion;
  const fb::Seal no_seal(0, 0);
  const fb::GraphId id(a.graph_id.high, a.graph_id.low);
  builder.Finish(fb::CreateAnchor(builder, version, &no_seal, &id, a.generation, a.clean,
                                  a.sequence, a.log_hash, a.checkpoint_id, a.checkpoint_sequence,
                                  a.checkpoint_digest, a.floor_sequence, a.floor_hash, files,
                                  a.clean && a.no_purges, source, marks, a.begun),
                 kAnchorIdentifier);
  std::uint8_t* data = builder.GetBufferPointer();
  SetSeal(data, builder.GetSize(), fb::GetAnchor(data)->seal());
  return std::string(reinterpret_cast<const char*>(data), builder.GetSize());
}

Result<Anchor> DecodeAnchor(ByteSpan raw, std::string_view where) {
  const AlignedView view(raw);
  PLEXUS_ASSIGN(const fb::Anchor* root,
                CheckedRoot<fb::Anchor>(view.bytes(), kAnchorIdentifier, where));
  PLEXUS_TRY(CheckVersion(root->format_version(), kReplicaVersion, where));
  PLEXUS_TRY(CheckSeal(view.bytes(), root->seal(), where));
  Anchor a;
  if (root->graph_id()) a.graph_id = {root->graph_id()->high(), root->graph_id()->low()};
  a.generation = root->generation();
  a.clean = root->clean();
  a.sequence = root->sequence();
  a.log_hash = root->log_hash();
  a.checkpoint_id = root->checkpoint_id();
  a.checkpoint_sequence = root->checkpoint_sequence();
  a.checkpoint_digest = root->checkpoint_digest();
  a.floor_sequence = root->floor_sequence();
  a.floor_hash = root->floor_hash();
  a.no_purges = a.clean && root->no_purges();
  if (root->source()) a.source = root->source()->str();
  if (root->marks())
    for (const fb::HistoryMark* m : *root->marks())
      a.marks.push_back({m->high(), m->low(), m->after()});
  a.begun = root->begun();
  if (root->files())
    for (const fb::FileInfo* f : *root->files()) {
      const std::string name = f->name() ? f->name()->str() : std::string();
      if (name.empty() || name.find('/') != std::string::npos)
        return Corrupted(where, ": it lists a file without a name");
      a.files.push_back({name, f->size(), f->digest(), f->whole()});
    }
  if (a.checkpoint_sequence > a.sequence || a.floor_sequence > a.sequence)
    return Corrupted(where, ": its sequences contradict each other");
  return a;
}

Error NoAnchor(const std::string& directory) {
  std::error_code unknown;
  for (std::filesystem::directory_iterator at(directory, unknown), end; !unknown && at != end;
       at.increment(unknown))
    if (at->path().filename().string().starts_with("generation-") &&
        std::filesystem::exists(at->path() / "CURRENT", unknown))
      return {ErrorCode::kCorruption,
              directory + "/" + kAnchorName + ": is missing beside an existing database"};
  return {ErrorCode::kNotFound, directory + ": holds no Plexus database (no anchor file)"};
}

Result<Anchor> ReadAnchor(const std::string& directory, const Files& files) {
  const std::string path = directory + "/" + kAnchorName;
  if (!files.Exists(path)) return std::unexpected(NoAnchor(directory));
  PLEXUS_ASSIGN(const std::string bytes, files.Read(path, 16 << 20));
  return DecodeAnchor(AsBytes(bytes), path);
}

Status WriteAnchor(const std::string& directory, const Anchor& anchor, const Files& files) {
  PLEXUS_TRY(files.Replace(directory, kAnchorName, EncodeAnchor(anchor)));
  // After a clean close the anchor before it is as true: it only causes a recovery.
  return anchor.clean ? Status() : files.SyncDirectory(directory);
}

std::string GenerationPath(const std::string& directory, std::uint64_t generation) {
  return directory + "/generation-" + std::to_string(generation);
}

std::uint64_t GenerationOf(std::string_view name) {
  constexpr std::string_view kPrefix = "generation-";
  std::uint64_t number = 0;
  if (!name.starts_with(kPrefix)) return 0;
  const char *first = name.data() + kPrefix.size(), *last = name.data() + name.size();
  const auto [end, error] = std::from_chars(first, last, number);
  return error == std::errc() && end == last && *first != '0' ? number : 0;
}

Status MustBePlain(const std::string& directory, std::uint64_t generation, const Files& files) {
  for (const char* name : {kAnchorName, kLockFileName})
    PLEXUS_TRY(MustBePlainFile(directory + "/" + name));
  if (generation == 0) return {};
  const std::string path = GenerationPath(directory, generation);
  PLEXUS_TRY(MustBePlainDirectory(path));
  if (!files.Exists(path)) return {};  // the caller says so
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(path));
  for (const std::string& name : names) PLEXUS_TRY(MustBePlainFile(path + "/" + name));
  return {};
}

std::string GraphAround(const std::string& path) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::weakly_canonical(path, error);
  if (error) return {};
  const Files files;
  for (;; at = at.parent_path()) {
    const std::string folder = at.string();
    if (const auto names = files.List(folder))
      for (const std::string& name : *names)
        if (GenerationOf(name) > 0 && (files.Exists(folder + "/" + kAnchorName) ||
                                       files.Exists(folder + "/" + name + "/CURRENT")))
          return folder;
    if (at == at.parent_path()) return {};
  }
}

Status MustBeOutside(const std::string& path) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::weakly_canonical(path, error);
  const std::string folder = GraphAround(own.parent_path().string());
  if (error || folder.empty()) return {};
  return Invalid(path, ": lies in ", folder, ", which holds a graph and nothing else");
}

Status RemoveGraph(const std::string& directory, const Files& files) {
  if (!files.Exists(directory)) return {};
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(directory));
  for (const std::string& name : names) {
    const bool file =
        name == kAnchorName || name == std::string(kAnchorName) + ".tmp" || name == kLockFileName;
    if (file) PLEXUS_TRY(files.Remove(directory + "/" + name));
    if (GenerationOf(name) > 0 || std::find(std::begin(kScratchNames), std::end(kScratchNames),
                                            name) != std::end(kScratchNames))
      PLEXUS_TRY(files.RemoveFolder(directory + "/" + name));
  }
  return {};
}

Result<std::vector<AnchorFile>> ListGeneration(const std::string& path, const Files& files) {
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(path));
  std::vector<AnchorFile> listed;
  for (const std::string& name : names) {
    if (!Matters(name)) continue;
    PLEXUS_ASSIGN(AnchorFile file, Describe(path, name, files));
    listed.push_back(std::move(file));
  }
  return listed;
}

Status CompareGeneration(const std::string& path, const std::vector<AnchorFile>& expected,
                         const Files& files, std::vector<ChangedFile>* changed) {
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(path));
  auto damage = [&](const std::string& name, const std::string& what) {
    return Corrupted(path, "/", name, ": ", what);
  };
  for (const std::string& name : names) {
    const bool known = std::any_of(expected.begin(), expected.end(),
                                   [&](const AnchorFile& f) { return f.name == name; });
    if (Matters(name) && !known) return damage(name, "appeared after the database was closed");
  }
  for (const AnchorFile& want : expected) {
    if (!std::binary_search(names.begin(), names.end(), want.name))
      return damage(want.name, "is missing");
    PLEXUS_ASSIGN(const AnchorFile have, Describe(path, want.name, files));
    if (have.size != want.size)
      return damage(want.name, "has " + std::to_string(have.size) + " bytes, " +
                                   std::to_string(want.size) + " were there when it was closed");
    if (have.digest != want.digest) {
      const std::uint64_t begin = want.whole || want.size < kTailBytes ? 0 : want.size - kTailBytes;
      const Status differs =
          damage(want.name, "offset " + std::to_string(begin) + " to the end: the bytes " +
                                "changed after the database was closed");
      if (!changed || want.whole) return differs;
      changed->push_back({want.name, differs.error().message});
    }
  }
  return {};
}

std::uint64_t FirstHash(const GraphId& id) { return ChainHash(id.high, id.low); }

}  // namespace plexus::storage_internal
