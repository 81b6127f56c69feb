// A folder becomes JSON lines: nodes, links, and what is gone; ImportBytes does the rest.
#include "storage/formats/import_markdown.h"

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
#include "storage/formats/markdown/note.h"

namespace plexus {

using namespace formats_internal;
namespace fs = std::filesystem;

namespace {

using engine_internal::AppendJsonString;

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
  if (error) return Fail(ErrorCode::kIo, folder + ": " + error.message());
  std::ranges::sort(notes);
  return notes;
}

struct Note {
  std::string key;
  MarkdownNote read;
  std::vector<std::string> links;  // keys
};

// Lines of a record, such as {"edge":["a","b"],"kind":"link"}.
std::string EdgeLine(const char* what, const std::string& source, std::string_view target,
                     const std::string& rest) {
  std::string line = std::string("{\"") + what + "\":[";
  AppendJsonString(line, source);
  line += ',';
  AppendJsonString(line, target);
  return line + "]," + rest + "}\n";
}

class Mirror {
 public:
  Mirror(const Snapshot& snapshot, std::string name) : snapshot_(snapshot), name_(std::move(name)) {
    author_ = "mirror:" + name_;
    mark_ = "plexus.mirror." + name_;
  }

  void Add(Note note) { notes_.push_back(std::move(note)); }

  std::string Lines() {
    Resolve();
    std::string lines = Gone();  // First: a link to what is gone makes a node again.
    for (const Note& note : notes_) lines += NodeLine(note);
    for (const Note& note : notes_) {
      lines += EdgeLine("edge", note.key, mark_, "\"kind\":\"inscribed\"");
      for (const std::string& link : note.links)
        lines += EdgeLine("edge", note.key, link, "\"kind\":\"link\",\"created_by\":" + Author());
    }
    return lines;
  }

 private:
  std::string Author() const {
    std::string json;
    AppendJsonString(json, author_);
    return json;
  }

  // Names of links to keys: the path, a path from the note's folder, the one note of the name, or
  // the link itself, a note that is yet to be written.
  void Resolve() {
    std::set<std::string, std::less<>> keys;
    std::map<std::string, std::vector<std::string>, std::less<>> by_name;
    for (const Note& note : notes_) {
      keys.insert(note.key);
      by_name[note.key.substr(note.key.rfind('/') + 1)].push_back(note.key);
    }
    for (Note& note : notes_)
      for (const std::string& link : note.read.links) {
        std::string key = link;
        const fs::path folder = fs::path(note.key).parent_path();
        const std::string beside = (folder / link).lexically_normal().generic_string();
        const auto named = by_name.find(link);
        if (keys.contains(beside))
          key = beside;
        else if (!keys.contains(link) && named != by_name.end() && named->second.size() == 1)
          key = named->second.front();
        if (key != note.key && std::ranges::find(note.links, key) == note.links.end())
          note.links.push_back(key);
      }
  }

  static std::string NodeLine(const Note& note) {
    std::string line = "{\"node\":";
    AppendJsonString(line, note.key);
    line += ",\"kind\":";
    AppendJsonString(line, note.read.kind.empty() ? kKind : std::string_view(note.read.kind));
    line += ",\"text\":";
    AppendJsonString(line, note.read.text);
    line += ",\"tags\":[";
    for (const std::string& tag : note.read.tags) {
      if (line.back() != '[') line += ',';
      AppendJsonString(line, tag);
    }
    line += ']';
    std::string props = "{";
    if (const auto time = ParseIsoTime(note.read.created)) {
      line += ",\"created_at\":" + std::to_string(*time);
    } else if (!note.read.created.empty()) {
      engine_internal::AppendJsonKey(props, "created");
      AppendJsonString(props, note.read.created);
    }
    for (const auto& [name, value] : note.read.fields) {
      engine_internal::AppendJsonKey(props, name);
      props += value;
    }
    return line + ",\"props\":" + props + "}}\n";
  }

  // Links of this mirror that no note has any more, and notes that are gone.
  std::string Gone() const {
    std::string lines;
    const auto mark = snapshot_.Find(IndexKey("inscription", mark_));
    if (!mark) return lines;
    std::map<std::string_view, const Note*> by_key;
    for (const Note& note : notes_) by_key.emplace(note.key, &note);
    const EdgeKindId inscribed[] = {kInscribed};
    const auto link = snapshot_.schema().FindEdgeKind("link");
    snapshot_.ForEachArc(
        Direction::kIn, *mark, ArcFilter::Kinds(snapshot_.schema(), inscribed),
        [&](const Arc& arc) {
          const std::string key(snapshot_.key(arc.neighbor));
          const auto at = by_key.find(key);
          if (at == by_key.end()) {
            lines += "{\"remove\":";
            AppendJsonString(lines, key);
            lines += "}\n";
          } else if (link) {
            lines += GoneLinks(arc.neighbor, *at->second, link->kind);
          }
        });
    return lines;
  }
  std::string GoneLinks(NodeId node, const Note& note, EdgeKindId link) const {
    std::string lines;
    const EdgeKindId kinds[] = {link};
    snapshot_.ForEachArc(
        Direction::kOut, node, ArcFilter::Kinds(snapshot_.schema(), kinds), [&](const Arc& arc) {
          const Edge edge = snapshot_.edge(arc, node);
          const std::string_view target = snapshot_.key(arc.neighbor);
          if (snapshot_.string(edge.created_by) != author_ ||
              std::ranges::find(note.links, target) != note.links.end())
            return;
          lines += EdgeLine("unlink", note.key, target, "\"kind\":\"link\"");
        });
    return lines;
  }

  const Snapshot& snapshot_;
  std::string name_, author_, mark_;
  std::vector<Note> notes_;
};

std::string NameOf(const std::string& folder) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(folder, ignored);
  return whole.filename().empty() ? std::string("notes") : whole.filename().string();
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
    return Fail(ErrorCode::kNotFound,
                folder + ": no file in it ends in .md; nothing was read or removed");
  ImportReport unreadable;
  Mirror mirrored(graph.snapshot(), mirror.empty() ? NameOf(folder) : mirror);
  for (const std::string& file : files) {
    const std::string path = folder + "/" + file;
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in.good()) return Fail(ErrorCode::kIo, path + ": it cannot be read");
    Result<MarkdownNote> read = ReadNote(bytes);
    if (!read) {
      ++unreadable.errors;
      unreadable.kept_errors.push_back({path, 0, read.error().message});
      if (options.on_error == OnImportError::kStop) unreadable.stopped = true;
      if (unreadable.stopped) return unreadable;
      continue;
    }
    mirrored.Add({file.substr(0, file.size() - kEnd.size()), *std::move(read), {}});
  }
  ImportOptions lines = options;
  lines.format = FileFormat::kJsonLines;
  PLEXUS_ASSIGN(ImportReport report, ImportBytes(graph, folder, mirrored.Lines(), lines));
  report.errors += unreadable.errors;
  report.kept_errors.insert(report.kept_errors.begin(), unreadable.kept_errors.begin(),
                            unreadable.kept_errors.end());
  return report;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
