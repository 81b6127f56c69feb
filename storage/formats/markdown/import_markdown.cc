// A folder becomes JSON lines: nodes, links, and what is gone; ImportBytes does the rest.
#include "storage/formats/import.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/out_of_memory.h"
#include "engine/properties/json_writer.h"
#include "engine/times.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/text.h"
#include "storage/formats/markdown/note.h"

namespace plexus::formats {

using namespace internal;
using namespace engine_internal;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnd = ".md";
constexpr const char* kKind = "note";

bool IsHidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// The notes of a folder, as paths in it, in order.
Result<std::vector<std::string>> FindNotes(const std::string& folder) {
  std::vector<std::string> notes;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(folder, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (IsHidden(at->path())) {
      at.disable_recursion_pending();
      continue;
    }
    if (at->is_symlink() || !at->is_regular_file() || at->path().extension() != kEnd) continue;
    notes.push_back(at->path().lexically_relative(folder).generic_string());
  }
  if (error) return IoError(folder, ": ", error.message());
  std::ranges::sort(notes);
  return notes;
}

struct Note {
  std::string key;
  MarkdownNote read;
  std::vector<std::string> links;  // keys
};

// Lines of a record, such as {"edge":["a","b"],"kind":"link"}.
std::string EdgeLine(const char* what, std::string_view source, std::string_view target,
                     const std::string& rest) {
  return std::string("{\"") + what + "\":[" + JsonString(source) + ',' + JsonString(target) + "]," +
         rest + "}\n";
}

std::string CreatedBy(const std::string& author) { return ",\"created_by\":" + JsonString(author); }

// A mark is the inscription plexus.mirror.NAME. The author of a note's edge to it is mirror: and
// the folder's path; one of another author is not a mirror's.
constexpr std::string_view kAuthor = "mirror:";
constexpr std::string_view kMark = "plexus.mirror.";

class Mirror {
 public:
  // `place`: the folder's canonical path. `keys`: of all notes in it.
  Mirror(const Snapshot& snapshot, const std::string& name, const std::string& place,
         std::set<std::string, std::less<>> keys)
      : snapshot_(snapshot),
        author_(std::string(kAuthor) + name),
        place_(std::string(kAuthor) + place),
        mark_(std::string(kMark) + name),
        keys_(std::move(keys)) {}

  // The folder that this mirror was made of; "" is none yet, or this one.
  std::string OtherPlace() const {
    std::string other;
    ForEachOwn([&](NodeId, std::string_view author) {
      if (author != place_) other = author.substr(kAuthor.size());
    });
    return other;
  }

  // The name of the other mirror that has the note of this key; "" is none.
  std::string OtherMirror(std::string_view key) const {
    const auto node = snapshot_.FindAlive(key);
    return node ? OtherMirror(*node) : std::string();
  }
  // Whether a fact of this key was made by others: not a node that edges only name.
  bool IsOfOthers(std::string_view key) const {
    const auto node = snapshot_.FindAlive(key);
    return node && !IsOwn(*node) && !IsBare(*node);
  }

  void Add(Note note) { notes_.push_back(std::move(note)); }

  // The records; KeyOf says of which note a line is.
  std::string Lines() {
    Resolve();
    AddGone();  // First: a link to what is gone makes a node again.
    for (Note& note : notes_) {
      Put(note.key, NodeLine(note));
      note.read = MarkdownNote();  // the lines have it
    }
    for (Note& note : notes_) {
      Put(note.key, MarkLine(note.key));
      for (const std::string& link : note.links)
        if (!IsLinkOfOthers(note.key, link))
          Put(note.key,
              EdgeLine("edge", note.key, link, "\"kind\":\"link\"" + CreatedBy(author_)));
      note.links = std::vector<std::string>();
    }
    return std::move(lines_);
  }
  // The key of the note that line `number`, from 1, is about; "" is none.
  std::string_view KeyOf(std::uint64_t number) const {
    return number > 0 && number <= line_keys_.size() ? line_keys_[number - 1] : std::string_view();
  }

 private:
  void Put(std::string_view key, const std::string& line) {
    lines_ += line;
    line_keys_.push_back(key);
  }
  std::string MarkLine(std::string_view key) const {
    return EdgeLine("edge", key, mark_, "\"kind\":\"inscribed\"" + CreatedBy(place_));
  }

  // Calls fn(node, author) for the notes of this mirror.
  template <class Fn>
  void ForEachOwn(Fn&& fn) const {
    const auto mark = snapshot_.FindAlive(IndexKey("inscription", mark_));
    if (!mark) return;
    snapshot_.ForEachArc(Direction::kIn, *mark,
                         ArcFilter::Kind(snapshot_.schema(), builtin::kInscribed),
                         [&](const Arc& arc) {
                           const Edge edge = snapshot_.edge(arc, *mark);
                           const std::string_view author = snapshot_.string(edge.created_by);
                           if (author.starts_with(kAuthor)) fn(arc.neighbor, author);
                         });
  }
  // Calls fn(mark) for the marks of all mirrors that have the node, as plexus.mirror.NAME.
  template <class Fn>
  void ForEachMark(NodeId node, Fn&& fn) const {
    snapshot_.ForEachArc(
        Direction::kOut, node, ArcFilter::Kind(snapshot_.schema(), builtin::kInscribed),
        [&](const Arc& arc) {
          const Edge edge = snapshot_.edge(arc, node);
          const std::string_view mark = DisplayName(snapshot_.key(arc.neighbor));
          if (mark.starts_with(kMark) && snapshot_.string(edge.created_by).starts_with(kAuthor))
            fn(mark);
        });
  }
  bool IsOwn(NodeId node) const {
    bool own = false;
    ForEachMark(node, [&](std::string_view mark) { own |= mark == mark_; });
    return own;
  }
  std::string OtherMirror(NodeId node) const {
    std::string other;
    ForEachMark(node, [&](std::string_view mark) {
      if (mark != mark_) other = mark.substr(kMark.size());
    });
    return other;
  }
  // Of no kind, text, properties and tags.
  bool IsBare(NodeId node) const {
    return snapshot_.node_kind(node) == builtin::kNode &&
           !snapshot_.payload_ref(node, NodeField::kText) &&
           !snapshot_.payload_ref(node, NodeField::kProperties) &&
           snapshot_.Degree(Direction::kOut, node,
                            ArcFilter::Kind(snapshot_.schema(), builtin::kHasTag)) == 0;
  }
  // Whether there is such a link that this mirror did not make.
  bool IsLinkOfOthers(std::string_view source, std::string_view target) const {
    const auto from = snapshot_.FindAlive(source), to = snapshot_.FindAlive(target);
    const auto edge = from && to ? snapshot_.FindEdge(*from, builtin::kLink, *to) : std::nullopt;
    return edge && snapshot_.string(edge->created_by) != author_;
  }

  // Names of links to keys: the path, a path from the note's folder, the one note of the name, or
  // the link itself, a note that is yet to be written.
  void Resolve() {
    std::map<std::string, std::vector<std::string>, std::less<>> by_name;
    for (const std::string& key : keys_) by_name[key.substr(key.rfind('/') + 1)].push_back(key);
    for (Note& note : notes_) {
      for (const std::string& link : note.read.links) {
        std::string key = link;
        const fs::path folder = fs::path(note.key).parent_path();
        const std::string near = (folder / link).lexically_normal().generic_string();
        const auto named = by_name.find(link);
        if (keys_.contains(near))
          key = near;
        else if (!keys_.contains(link) && named != by_name.end() && named->second.size() == 1)
          key = named->second.front();
        if (key != note.key && std::ranges::find(note.links, key) == note.links.end())
          note.links.push_back(key);
      }
      note.read.links = std::vector<std::string>();
    }
  }

  std::string NodeLine(const Note& note) const {
    std::string props = "{";
    std::string_view kind = note.read.kind.empty() ? kKind : std::string_view(note.read.kind);
    const auto known = snapshot_.schema().FindNodeKind(kind);
    if (known && snapshot_.schema().node_kind(*known).plane == Plane::kIndex) {
      AppendJsonMember(props, note.read.kind_field, note.read.kind);  // a note is a fact
      kind = kKind;
    }
    std::string line = "{";
    AppendJsonMember(line, "node", note.key);
    AppendJsonMember(line, "kind", kind);
    AppendJsonMember(line, "text", note.read.text);
    AppendJsonKey(line, "tags");
    AppendJsonList(line, note.read.tags, [&](const std::string& tag) { line += JsonString(tag); });
    if (const auto time = ParseIsoTime(note.read.created))
      AppendJsonMember(line, "created_at", *time);
    else if (!note.read.created.empty())
      AppendJsonMember(props, note.read.created_field, note.read.created);
    for (const auto& [name, value] : note.read.fields) {
      AppendJsonKey(props, name);
      props += value;
    }
    return line + ",\"props\":" + props + "}}\n";
  }

  // Links of this mirror that no note has any more, and notes that are gone. What is in the folder
  // and cannot be read is not gone: it stays as it is.
  void AddGone() {
    std::map<std::string_view, const Note*> by_key;
    for (const Note& note : notes_) by_key.emplace(note.key, &note);
    ForEachOwn([&](NodeId node, std::string_view) {
      const std::string_view key = snapshot_.key(node);
      const auto at = by_key.find(key);
      if (at != by_key.end()) return AddGoneLinks(node, &at->second->links);
      if (keys_.contains(key)) return Put(key, MarkLine(key));  // the folder may have moved
      if (OtherMirror(node).empty()) return Put(key, "{\"remove\":" + JsonString(key) + "}\n");
      AddGoneLinks(node, nullptr);
      Put(key, EdgeLine("unlink", key, mark_, "\"kind\":\"inscribed\""));
    });
  }
  void AddGoneLinks(NodeId node, const std::vector<std::string>* kept) {
    const std::string_view key = snapshot_.key(node);
    snapshot_.ForEachArc(
        Direction::kOut, node, ArcFilter::Kind(snapshot_.schema(), builtin::kLink),
        [&](const Arc& arc) {
          const Edge edge = snapshot_.edge(arc, node);
          const std::string_view target = snapshot_.key(arc.neighbor);
          if (edge.label == 0 && snapshot_.string(edge.created_by) == author_ &&
              !(kept && std::ranges::find(*kept, target) != kept->end()))
            Put(key, EdgeLine("unlink", key, target, "\"kind\":\"link\""));
        });
  }

  const Snapshot& snapshot_;
  std::string author_, place_, mark_;
  std::set<std::string, std::less<>> keys_;
  std::vector<Note> notes_;
  std::string lines_;
  std::vector<std::string_view> line_keys_;
};

// The folder's path, without links of the file system.
std::string PlaceOf(const std::string& folder) {
  std::error_code error;
  const fs::path whole = fs::canonical(folder, error);
  return error ? folder : whole.generic_string();
}

std::string NameOf(const std::string& place) {
  const std::string name = fs::path(place).filename().string();
  return name.empty() ? "notes" : name;
}

std::string KeyOf(const std::string& file) { return file.substr(0, file.size() - kEnd.size()); }

// A name means one folder. A mirror follows its folder to another place where its name is given
// and the old place is not a folder any more.
Status CheckPlace(const Mirror& mirror, const std::string& folder, const std::string& name,
                  bool given) {
  const std::string old = mirror.OtherPlace();
  std::error_code ignored;
  if (old.empty() || (given && !fs::is_directory(old, ignored))) return {};
  return Invalid(folder, ": the mirror \"", name, "\" is of the folder ", old,
                 "; nothing was read or removed. --mirror NAME with another name makes a mirror ",
                 "of this folder, too; if that folder moved here, and is there no longer, say ",
                 "--mirror ", name);
}

Result<MarkdownNote> ReadFile(const std::string& path, std::size_t most) {
  std::error_code unknown;
  if (fs::file_size(path, unknown) > most && !unknown)
    return Invalid("has more than ", most, " bytes, the limit of a note");
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in.good()) return IoError("it cannot be read");
  return ReadNote(bytes);
}

// A note of the folder into the mirror. An error is the note's; a warning says why it is left out.
Result<std::optional<std::string>> AddNote(Mirror& mirror, const std::string& path,
                                           const std::string& key, std::size_t most) {
  PLEXUS_ASSIGN(MarkdownNote read, ReadFile(path, most));
  if (const std::string other = mirror.OtherMirror(key); !other.empty())
    return Invalid("the mirror \"", other, "\" has a note \"", key,
                   "\"; two folders cannot share a key: rename it");
  if (mirror.IsOfOthers(key))
    return "the graph has a node \"" + key +
           "\" that this folder did not make: the note is left out, the node stays as it is; "
           "rename one of them";
  mirror.Add({key, std::move(read), {}});
  return std::nullopt;
}

}  // namespace

bool IsMarkdownFolder(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored) || fs::exists(path + "/data.noun", ignored)) return false;
  const auto notes = FindNotes(path);
  return notes && !notes->empty();
}

Result<ImportReport> ImportMarkdown(Graph& graph, const std::string& folder,
                                    const std::string& mirror, const ImportOptions& options) try {
  PLEXUS_ASSIGN(const std::vector<std::string> files, FindNotes(folder));
  if (files.empty())
    return NotFound(folder, ": no file in it ends in .md; nothing was read or removed");
  std::set<std::string, std::less<>> keys;
  for (const std::string& file : files) keys.insert(KeyOf(file));
  const std::string place = PlaceOf(folder), name = mirror.empty() ? NameOf(place) : mirror;
  const Snapshot snapshot = graph.snapshot();
  Mirror mirrored(snapshot, name, place, std::move(keys));
  PLEXUS_TRY(CheckPlace(mirrored, folder, name, !mirror.empty()));
  ImportReport before;
  for (const std::string& file : files) {
    const std::string path = folder + "/" + file;
    const auto left_out = AddNote(mirrored, path, KeyOf(file), options.limits.line_bytes);
    if (left_out) {
      if (*left_out) before.warnings.push_back({.file = path, .line = 1, .says = **left_out});
      continue;
    }
    ++before.errors;
    if (before.kept_errors.size() < options.max_errors_kept)
      before.kept_errors.push_back({path, 0, left_out.error().message});
    before.stopped = options.on_error == OnImportError::kStop;
    if (before.stopped) return before;
  }
  ImportOptions lines = options;
  lines.format = FileFormat::kJsonLines;
  PLEXUS_ASSIGN(ImportReport report, ImportBytes(graph, folder, mirrored.Lines(), lines));
  const auto name_note = [&](auto& said, std::uint64_t line) {
    const std::string_view key = mirrored.KeyOf(said.line);
    if (key.empty()) return;
    said.file = folder + "/" + std::string(key) + std::string(kEnd);
    said.line = line;
  };
  for (ImportError& error : report.kept_errors) name_note(error, 0);
  for (ImportWarning& warning : report.warnings) name_note(warning, 1);
  report.errors += before.errors;
  report.kept_errors.insert(report.kept_errors.begin(), before.kept_errors.begin(),
                            before.kept_errors.end());
  report.warnings.insert(report.warnings.begin(), before.warnings.begin(), before.warnings.end());
  return report;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
