// Tidy: the habits of the tree, kept by a test instead of by memory.
//
// Reads the sources under PLEXUS_SOURCE_DIR and fails on: an include arrow that is
// not in the table of layers; a public header that includes a third-party or a
// private header; a file that does not open with its story; a source file that no
// build list names; a file, a line or a folder too long to read. Words: tidy_words_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/tidy_tree.h"

namespace plexus::tidy {
namespace {

constexpr int kMaxLines = 500;

// The included name of an #include line and whether it was in quotes; "" for others.
std::string Included(const std::string& line, bool* quoted) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line.compare(at, 1, "#") != 0) return "";
  at = line.find("include", at);
  if (at == std::string::npos) return "";
  const std::size_t open = line.find_first_of("\"<", at);
  if (open == std::string::npos) return "";
  *quoted = line[open] == '"';
  const std::size_t close = line.find_first_of("\">", open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

// The room of a file: the nearest folder that has a row in the table of arrows. A family's
// internal/ is its family; the formats' public headers lie below all of their readers.
std::string Layer(const std::string& path);

struct Room {
  std::set<std::string> may_include;   // rooms; with '/' at the end all below it too
  std::vector<std::string> libraries;  // prefixes of third-party headers
};

// Who may include whom.
const std::map<std::string, Room>& Rooms() {
  static const std::map<std::string, Room> rooms = [] {
    using Names = std::set<std::string>;
    const auto With = [](Names names, const Names& more) {
      names.insert(more.begin(), more.end());
      return names;
    };
    const Names database = {"storage",       "storage/base",   "storage/encoding",
                            "storage/view",  "storage/log",    "storage/checkpoint",
                            "storage/purge", "storage/verify", "storage/repair",
                            "engine/"};
    const Names pipeline = {"storage/formats/*.h", "storage/formats/base",
                            "storage/formats/pipeline", "engine/"};
    std::map<std::string, Room> table = {
        {"engine",
         {{"engine/"},
          {"tbb/", "oneapi/", "boost/unordered", "boost/uuid", "flatbuffers/", "hwy/", "xxhash"}}},
        // The durable half, from the ground up, and what is one layer with the database.
        {"storage/base", {{"storage/base", "engine/"}, {"rocksdb/", "xxhash"}}},
        {"storage/encoding",
         {{"storage/base", "storage/encoding", "engine/"}, {"flatbuffers/", "xxhash"}}},
        {"storage/view",
         {{"storage/base", "storage/encoding", "storage/view", "engine/"}, {"rocksdb/"}}},
        {"storage/log",
         {{"storage/base", "storage/encoding", "storage/log", "engine/"}, {"rocksdb/"}}},
        {"storage/checkpoint",
         {{"storage/base", "storage/encoding", "storage/log", "storage/checkpoint", "engine/"},
          {"rocksdb/", "flatbuffers/"}}},
        {"storage", {database, {"rocksdb/", "boost/unordered"}}},
        {"storage/purge", {database, {"rocksdb/"}}},
        {"storage/verify", {database, {"rocksdb/"}}},
        {"storage/repair", {database, {"rocksdb/"}}},
        // The formats, on the engine alone.
        {"storage/formats/*.h", {{"storage/formats/*.h", "engine/"}, {}}},
        {"storage/formats/base",
         {{"storage/formats/*.h", "storage/formats/base", "engine/"},
          {"boost/json", "flatbuffers/"}}},
        {"storage/formats/pipeline", {pipeline, {"zlib.h"}}},
        {"storage/formats/follow", {{"storage/formats/follow", "engine/"}, {"boost/uuid"}}},
        {"storage/formats/csv", {With(pipeline, {"storage/formats/csv"}), {}}},
        {"storage/formats/json",
         {With(pipeline, {"storage/formats/json"}), {"boost/json", "boost/uuid"}}},
        {"storage/formats/edges", {With(pipeline, {"storage/formats/edges"}), {}}},
        {"storage/formats/xml",
         {With(pipeline, {"storage/formats/xml", "storage/formats/json"}), {"expat.h"}}},
        {"storage/formats/arrays", {With(pipeline, {"storage/formats/arrays"}), {"xxhash"}}},
        {"storage/formats/vectors", {With(pipeline, {"storage/formats/vectors"}), {}}},
        {"storage/formats/wordnet", {With(pipeline, {"storage/formats/wordnet"}), {}}},
        {"storage/formats",
         {{"storage/formats/", "engine/"}, {"boost/json", "boost/unordered", "boost/uuid"}}},
        // The header of all kernels, and the opt-in adaptors.
        {"algorithms", {{"algorithms/", "engine/"}, {"Eigen/", "boost/"}}},
        // What can be asked knows no door: not the command line, nor those that follow.
        {"tools/operations",
         {{"tools/operations/", "algorithms/", "storage/", "engine/"}, {"boost/json"}}},
        {"tools", {{"tools/", "algorithms/", "storage/", "engine/"}, {"*"}}},
        {"bench", {{"bench/", "algorithms/", "storage/", "engine/"}, {"*"}}},
        {"bench/million",
         {{"bench/", "tools/operations/", "algorithms/", "storage/", "engine/"}, {"*"}}},
        {"tests", {{"tests/", "tools/", "bench/", "algorithms/", "storage/", "engine/"}, {"*"}}},
    };
    // The families: each stands on common, two on traversal's public headers, retrieval on those
    // of pagerank, too.
    const std::map<std::string, std::vector<std::string>> libraries = {
        {"common", {}},
        {"traversal", {"xxhash"}},
        {"paths", {}},
        {"pagerank", {}},
        {"centrality", {}},
        {"connectivity", {"boost/graph", "boost/iterator", "boost/property_map"}},
        {"community", {"hwy/"}},
        {"similarity", {}},
        {"retrieval",
         {"Eigen/", "boost/unordered", "hnswlib/", "hwy/", "libstemmer.h", "unicode/"}},
    };
    for (const auto& [family, headers] : libraries) {
      Room& room = table["algorithms/" + family];
      room = {{"algorithms/common", "algorithms/" + family, "engine/"}, headers};
      if (family == "centrality" || family == "retrieval")
        room.may_include.insert("algorithms/traversal");
      if (family == "retrieval") room.may_include.insert("algorithms/pagerank");
    }
    // The families of memory: what those above them are made of comes first.
    const std::map<std::string, std::vector<std::string>> below = {
        {"visibility", {}},
        {"ledger", {}},
        {"conflicts", {"visibility", "ledger"}},
        {"concepts", {}},
        {"recall", {"visibility", "ledger", "conflicts"}},
        {"frontier", {"visibility", "ledger"}},
        {"decisions", {"visibility", "ledger", "conflicts", "frontier"}},
        {"turns", {"ledger"}},
    };
    const std::string memory = "algorithms/memory";
    Names shared = {memory, "engine/"};
    for (const auto& [family, headers] : libraries) shared.insert("algorithms/" + family);
    table[memory] = {shared, {}};
    for (const auto& [family, others] : below) {
      Names& names = table[memory + "/" + family].may_include;
      names = With(shared, {memory + "/" + family});
      for (const std::string& other : others) names.insert(memory + "/" + other);
    }
    return table;
  }();
  return rooms;
}

std::string Layer(const std::string& path) {
  static const std::set<std::string> formats = {
      "storage/formats/array_file.h", "storage/formats/export.h", "storage/formats/follow.h",
      "storage/formats/import.h"};
  if (formats.contains(path)) return "storage/formats/*.h";
  std::string folder = path.substr(0, path.rfind('/'));
  while (!Rooms().contains(folder) && folder.find('/') != std::string::npos)
    folder.resize(folder.rfind('/'));
  return folder;
}

bool MayInclude(const std::string& from, const std::string& name) {
  const std::string to = Layer(name);
  const auto& allowed = Rooms().at(Layer(from)).may_include;
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& room) {
    return room.ends_with('/') ? StartsWith(to + "/", room) : to == room;
  });
}

// Headers in a family's internal/ are that family's; common's are the toolkit of all families.
// `tools` is a host, but for how values are written.
bool MayIncludePrivate(const std::string& from, const std::string& name) {
  if (StartsWith(from, "tools/") && !StartsWith(name, "tools/"))
    return PublicHeaders().contains(name) || StartsWith(name, "storage/formats/base/") ||
           name == "storage/formats/csv/csv.h" || name == "engine/times.h" ||
           name == "engine/vectors/half.h";
  if (!StartsWith(name, "algorithms/") || name.find("/internal/") == std::string::npos) return true;
  if (StartsWith(from, "bench/")) return true;
  // The tests of a family lie as it does; those across families ask for nothing private but the
  // kernels on bare rows.
  if (StartsWith(from, "tests/") && name.ends_with("_csr.h")) return true;
  const std::string prefix = "tests/algorithms/";
  if (StartsWith(from, prefix)) {
    const std::string family = from.substr(6, from.rfind('/') - 6);
    return StartsWith(Layer(name) + "/", family + "/") ||
           (family != "algorithms" && Layer(name) == "algorithms/common");
  }
  if (!StartsWith(from, "algorithms/")) return false;
  // Those of memory are one toolkit, whose arrows the table has.
  const std::string memory = "algorithms/memory";
  return Layer(name) == "algorithms/common" || Layer(name) == Layer(from) ||
         (StartsWith(name, memory) && StartsWith(from, memory));
}

// Headers of libraries carry a folder or an ending; the standard library's do not.
// POSIX headers are the operating system's, not a third party's.
bool ThirdParty(const std::string& name, bool quoted) {
  if (quoted) return false;
  static const std::set<std::string> system = {
      "unistd.h",    "malloc.h",    "fcntl.h",  "dirent.h", "signal.h",  "errno.h", "pthread.h",
      "immintrin.h", "emmintrin.h", "getopt.h", "poll.h",   "termios.h", "sched.h"};
  if (StartsWith(name, "sys/") || system.contains(name)) return false;
  return name.find('/') != std::string::npos || name.ends_with(".h") || name.ends_with(".hpp");
}

TEST(Tidy, ThereAreSources) { ASSERT_GT(Sources().size(), 20u); }

TEST(Tidy, IncludeArrowsPointDown) {
  for (const File& file : Sources()) {
    const std::string from = Layer(file.path);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      bool quoted = false;
      const std::string name = Included(file.lines[i], &quoted);
      if (name.empty()) continue;
      const std::string where = file.path + ":" + std::to_string(i + 1) + " includes " + name;
      if (quoted) {
        if (name.ends_with("_generated.h")) continue;   // of the build tree, in its own folder
        if (StartsWith(file.path, "tests/install/")) {  // a user's project
          EXPECT_TRUE(fs::exists(Root() / "tests/install/host" / name) ||
                      name == "plexus/plexus.h" ||  // tools/packaging/plexus.h
                      (StartsWith(name, "plexus/") && PublicHeaders().contains(name.substr(7))))
              << where << ": users include public headers, spelled plexus/...";
          continue;
        }
        EXPECT_TRUE(fs::exists(Root() / name))
            << where << ": quoted includes are spelled from the root";
        EXPECT_TRUE(MayInclude(file.path, name)) << where << ": arrow not allowed";
        EXPECT_TRUE(MayIncludePrivate(file.path, name)) << where << ": private to its family";
      } else if (ThirdParty(name, quoted)) {
        const auto& allowed = Rooms().at(from).libraries;
        EXPECT_TRUE(std::any_of(
            allowed.begin(), allowed.end(),
            [&](const std::string& prefix) { return prefix == "*" || StartsWith(name, prefix); }))
            << where << ": library not allowed in " << from;
      }
    }
  }
}

TEST(Tidy, PublicHeadersAreClosedAndPlain) {
  const std::set<std::string>& is_public = PublicHeaders();
  ASSERT_GT(is_public.size(), 10u);
  for (const std::string& header : is_public) {
    ASSERT_TRUE(fs::exists(Root() / header)) << header << " is listed and does not exist";
    // The two adaptors are opt-in and exist to include their library.
    const bool adaptor = header == "algorithms/boost_graph.h" || header == "algorithms/eigen.h";
    for (const std::string& line : Read(Root() / header).lines) {
      bool quoted = false;
      const std::string name = Included(line, &quoted);
      if (name.empty()) continue;
      EXPECT_TRUE(adaptor || !ThirdParty(name, quoted))
          << header << " is public and includes " << name;
      EXPECT_TRUE(!quoted || is_public.contains(name))
          << header << " is public, " << name << " is not";
    }
  }
}

// What "plexus::" offers stays short: families of algorithms and formats have namespaces.
TEST(Tidy, FamiliesHaveNamespacesOfTheirOwn) {
  for (const File& file : Sources()) {
    const bool family = StartsWith(file.path, "algorithms/") &&
                        !StartsWith(file.path, "algorithms/common/") &&
                        std::ranges::count(file.path, '/') > 1;
    if (!family && !StartsWith(file.path, "storage/formats/")) continue;
    EXPECT_EQ(file.text.find("namespace plexus {"), std::string::npos) << file.path;
  }
}

TEST(Tidy, FilesOpenWithTheirStory) {
  for (const File& file : Sources()) {
    ASSERT_FALSE(file.lines.empty()) << file.path << " is empty";
    EXPECT_TRUE(StartsWith(file.lines[0], "// ") && file.lines[0].size() > 20)
        << file.path << " does not open with a comment that tells what it is";
    EXPECT_TRUE(!file.path.ends_with(".h") || file.text.find("#pragma once") != std::string::npos)
        << file.path << " has no #pragma once";
  }
}

// True when `text` holds `name` as a whole word of a source list.
bool Lists(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const std::size_t end = at + name.size();
    const char after = end < text.size() ? text[end] : ' ';
    if (std::string(" \n\t/(\"").find(before) != std::string::npos &&
        std::string(" \n\t)\"").find(after) != std::string::npos)
      return true;
  }
  return false;
}

TEST(Tidy, EverySourceIsBuilt) {
  std::map<std::string, std::string> lists;  // by folder, comments taken out
  for (const File& list : Files({"CMakeLists.txt", ".cmake"})) {
    std::string& text = lists[fs::path(list.path).parent_path().generic_string()];
    for (const std::string& line : list.lines) text += line.substr(0, line.find('#')) + "\n";
  }
  for (const File& file : Sources()) {
    if (!file.path.ends_with(".cc")) continue;
    // A list in the file's folder or above it must name the file, seen from there.
    bool built = false;
    for (fs::path folder = fs::path(file.path).parent_path(); !folder.empty() && !built;
         folder = folder.parent_path()) {
      const std::string name = fs::path(file.path).lexically_relative(folder).generic_string();
      for (fs::path from = folder; !from.empty() && !built; from = from.parent_path())
        built = lists.contains(from.generic_string()) && Lists(lists[from.generic_string()], name);
    }
    EXPECT_TRUE(built) << file.path << " is in no source list";
  }
}

TEST(Tidy, FilesCanBeRead) {
  for (const File& file : Sources())
    EXPECT_LE(file.lines.size(), static_cast<std::size_t>(kMaxLines))
        << file.path << " is too long";
}

TEST(Tidy, FoldersHave40Files) {
  std::map<std::string, int> files;
  for (const File& file : Files({".h", ".cc", ".md", ".sh", ".py", ".txt"}))
    ++files[fs::path(file.path).parent_path().generic_string()];
  for (const auto& [folder, count] : files)
    EXPECT_LE(count, 40) << folder << " has too many files: make subfolders of its subjects";
}

TEST(Tidy, LinesHave100Columns) {
  // Columns are characters: bytes that do not continue one.
  const auto columns = [](const std::string& line) {
    return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
  };
  for (const File& file : Sources())
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      EXPECT_LE(columns(file.lines[i]), 100) << file.path << ":" << i + 1 << " is too long";
}

// What stands in a text behind `mark`, up to `end`.
std::string Behind(const std::string& text, const std::string& mark, char end) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "no " + mark;
  return text.substr(at + mark.size(), text.find(end, at + mark.size()) - at - mark.size());
}

// The version is said in CMakeLists.txt. npm reads its own file, people the changelog's newest
// heading; tests/install/packages.sh compares what is built.
TEST(Tidy, VersionsAgree) {
  const std::string lists = Read(Root() / "CMakeLists.txt").text;
  const std::string tag = Behind(lists, "set(PLEXUS_PRERELEASE \"", '"');
  std::string version = Behind(lists, "project(plexus VERSION ", ' ');
  if (!tag.empty()) version += "-" + tag;
  EXPECT_EQ(Behind(Read(Root() / "tools/node/package.json").text, "\"version\": \"", '"'), version);
  const std::string changes = Read(Root() / "tools/packaging/CHANGELOG.md").text;
  EXPECT_EQ(Behind(changes, "\n## ", '\n'), version);
}

}  // namespace
}  // namespace plexus::tidy
