// Cutting, wording and linking a history.
#include "bench/frontier_eval/dataset.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "bench/support.h"
#include "engine/vocabulary.h"

namespace plexus::bench {

namespace {

std::set<std::string> PathParts(std::string_view path) {
  std::set<std::string> parts;
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
    if (slash > 0) parts.insert(std::string(path.substr(0, slash)));
    path.remove_prefix(slash + 1);
  }
  const std::size_t dot = path.rfind('.');
  const std::string_view name = dot == path.npos || dot == 0 ? path : path.substr(0, dot);
  if (!name.empty()) parts.insert(std::string(name));
  return parts;
}

std::set<std::string> Words(std::string_view subject) {
  std::set<std::string> words;
  std::string word;
  for (const char c : std::string(subject) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 0x80) {
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    if (word.size() >= 2 && word.size() <= 64) words.insert(word);
    word.clear();
  }
  return words;
}

// The subject that a commit takes back; "" when it takes back none.
std::string Reverts(const std::string& subject) {
  constexpr std::string_view kBegin = "Revert \"";
  if (!subject.starts_with(kBegin) || !subject.ends_with('"')) return "";
  return subject.substr(kBegin.size(), subject.size() - kBegin.size() - 1);
}

// fn(subset) for every subset of `size` of an ascending set.
template <class Fn>
void ForEachSubset(const FileSet& set, std::size_t size, Fn&& fn, std::size_t first = 0,
                   FileSet begun = {}) {
  if (begun.size() == size) return fn(begun);
  for (std::size_t i = first; i < set.size(); ++i) {
    begun.push_back(set[i]);
    ForEachSubset(set, size, fn, i + 1, begun);
    begun.pop_back();
  }
}

}  // namespace

Dataset Cut(const History& history, double share) {
  Dataset data;
  data.train_commits =
      static_cast<std::size_t>(share * static_cast<double>(history.commits.size()));
  data.test_commits = history.commits.size() - data.train_commits;
  std::map<std::uint32_t, std::uint32_t> known;  // path to file
  std::vector<std::set<std::string>> words;
  std::map<std::string, const Commit*> last;  // of an author
  std::map<const Commit*, FileSet> files_of;
  std::map<std::string, std::size_t> by_subject;                          // the last event of one
  std::map<std::uint32_t, std::pair<std::size_t, std::int64_t>> changed;  // by file: event, time
  for (std::size_t i = 0; i < history.commits.size(); ++i) {
    const Commit& commit = history.commits[i];
    if (commit.files.empty() || commit.files.size() > kMaxFiles) continue;
    FileSet files;
    for (const std::uint32_t path : commit.files) {
      if (i < data.train_commits && !known.contains(path)) {
        known.emplace(path, static_cast<std::uint32_t>(data.files.size()));
        data.files.push_back(history.paths[path]);
        words.emplace_back();
      }
      if (known.contains(path)) files.push_back(known.at(path));
    }
    std::sort(files.begin(), files.end());
    if (i >= data.train_commits) {
      if (files.size() >= 2) data.later.push_back(std::move(files));
      continue;
    }
    for (const std::uint32_t file : files) words[file].merge(Words(commit.subject));
    const std::size_t event = data.events.size();
    data.events.push_back(files);
    data.reverted.push_back(false);
    data.changed_again.push_back(false);
    if (const auto at = by_subject.find(Reverts(commit.subject)); at != by_subject.end())
      data.reverted[at->second] = true;
    by_subject[commit.subject] = event;
    for (const std::uint32_t file : files) {
      if (const auto at = changed.find(file);
          at != changed.end() && commit.time_ms - at->second.second < 86'400'000)
        data.changed_again[at->second.first] = true;
      changed[file] = {event, commit.time_ms};
    }
    const Commit*& before = last[commit.author];
    if (before && commit.time_ms - before->time_ms < 86'400'000 && files.size() <= kMaxJoined &&
        files_of[before].size() <= kMaxJoined)
      for (const std::uint32_t a : files_of[before])
        for (const std::uint32_t b : files)
          if (a != b) data.edges.emplace(a, b);
    if (before) files_of.erase(before);
    before = &commit;
    files_of[before] = files;
  }
  for (std::size_t file = 0; file < data.size(); ++file) {
    const std::set<std::string> parts = PathParts(data.files[file]);
    data.tags.emplace_back(parts.begin(), parts.end());
    data.terms.emplace_back(words[file].begin(), words[file].end());
  }
  return data;
}

std::unique_ptr<Graph> MakeLedger(const Dataset& data, DeadEnds dead_ends) {
  auto graph = Graph::InMemory();
  WriteBatch batch(0);
  std::vector<NodeRef> files;
  for (const std::string& path : data.files)
    files.push_back(batch.UpsertNode(path, builtin::kMemory));
  for (std::size_t file = 0; file < data.size(); ++file) {
    for (const std::string& tag : data.tags[file])
      batch.Link(files[file], builtin::kHasTag, batch.IndexNode(builtin::kTag, tag));
    for (const std::string& term : data.terms[file])
      batch.Link(files[file], builtin::kHasTerm, batch.IndexNode(builtin::kTerm, term));
  }
  for (const auto& [a, b] : data.edges) batch.Link(files[a], builtin::kTemporal, files[b]);
  for (std::size_t e = 0; e < data.events.size(); ++e) {
    const NodeRef event = batch.IndexNode(builtin::kEvent, std::to_string(e));
    batch.UpsertNode(event);
    for (const std::uint32_t file : data.events[e])
      batch.Link(event, builtin::kMember, files[file]);
    const bool dead = dead_ends == DeadEnds::kReverted       ? data.reverted[e]
                      : dead_ends == DeadEnds::kChangedAgain ? data.changed_again[e]
                                                             : false;
    // The key of an outcome that was made of its content.
    if (dead)
      batch.Link(batch.IndexNode(builtin::kOutcome, "dead_end/0/user/" + std::to_string(e)),
                 builtin::kLabels, event);
  }
  Must(graph->Apply(batch), "making the ledger");
  Must(graph->Compact(), "compacting the ledger");
  return graph;
}

std::set<FileSet> FirstTogether(const Dataset& data, const std::vector<bool>& pool, int arity) {
  const auto size = static_cast<std::size_t>(arity);
  std::set<FileSet> together, before;
  const auto collect = [&](const std::vector<FileSet>& commits, std::set<FileSet>& to) {
    for (const FileSet& commit : commits) {
      FileSet inside;
      for (const std::uint32_t file : commit)
        if (pool[file]) inside.push_back(file);
      ForEachSubset(inside, size, [&](const FileSet& set) { to.insert(set); });
    }
  };
  collect(data.events, before);
  collect(data.later, together);
  for (const FileSet& set : before) together.erase(set);
  return together;
}

}  // namespace plexus::bench
