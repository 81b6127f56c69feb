// Tidy: the habits of the tree, kept by a test instead of by memory.
//
// Reads the sources under PLEXUS_SOURCE_DIR and fails on: an include arrow that is
// not in the table of layers; a public header that includes a third-party or a
// private header; a file that does not open with its story; a source file that no
// build list names; a file, a line or a folder too long to read; a name from outside the field's
// language; a machine's path in a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr int kMaxLines = 500;

struct File {
  std::string path;  // relative to the root, with '/'
  std::vector<std::string> lines;
  std::string text;
};

const fs::path& Root() {
  // Another tree can be named, to see the test fail on it.
  static const char* other = std::getenv("PLEXUS_TIDY_ROOT");
  static const fs::path root(other ? other : PLEXUS_SOURCE_DIR);
  return root;
}

bool StartsWith(const std::string& s, const std::string& prefix) {
  return s.compare(0, prefix.size(), prefix) == 0;
}

File Read(const fs::path& path) {
  File file;
  file.path = fs::relative(path, Root()).generic_string();
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  file.text = text.str();
  std::istringstream lines(file.text);
  for (std::string line; std::getline(lines, line);) file.lines.push_back(line);
  return file;
}

// Every file of our folders whose name ends in one of `endings`.
std::vector<File> Files(const std::vector<std::string>& endings) {
  std::vector<File> files;
  for (const char* folder : {"engine", "storage", "algorithms", "tools", "bench", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(Root() / folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = entry.path().filename().string();
      for (const std::string& ending : endings) {
        if (name.size() >= ending.size() && name.ends_with(ending)) {
          files.push_back(Read(entry.path()));
          break;
        }
      }
    }
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

const std::vector<File>& Sources() {
  static const std::vector<File> files = Files({".h", ".cc"});
  return files;
}

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
        {"storage/formats/vectors", {With(pipeline, {"storage/formats/vectors"}), {}}},
        {"storage/formats/wordnet", {With(pipeline, {"storage/formats/wordnet"}), {}}},
        {"storage/formats",
         {{"storage/formats/", "engine/"}, {"boost/json", "boost/unordered", "boost/uuid"}}},
        // The header of all kernels, and the opt-in adaptors.
        {"algorithms", {{"algorithms/", "engine/"}, {"Eigen/", "boost/"}}},
        // On top of the families.
        {"algorithms/memory", {{"algorithms/", "engine/"}, {}}},
        // What can be asked knows no door: not the command line, nor those that follow.
        {"tools/operations",
         {{"tools/operations/", "algorithms/", "storage/", "engine/"}, {"boost/json"}}},
        {"tools", {{"tools/", "algorithms/", "storage/", "engine/"}, {"*"}}},
        {"bench", {{"bench/", "algorithms/", "storage/", "engine/"}, {"*"}}},
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
    return table;
  }();
  return rooms;
}

std::string Layer(const std::string& path) {
  static const std::set<std::string> formats = {
      "storage/formats/export.h", "storage/formats/follow.h", "storage/formats/import.h",
      "storage/formats/import_vectors.h", "storage/formats/wordnet.h"};
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
bool MayIncludePrivate(const std::string& from, const std::string& name) {
  if (!StartsWith(name, "algorithms/") || name.find("/internal/") == std::string::npos) return true;
  if (StartsWith(from, "bench/")) return true;
  // The tests of a family lie as it does; those across families ask for nothing private but the
  // kernels on bare rows.
  if (StartsWith(from, "tests/") && name.ends_with("_csr.h")) return true;
  const std::string prefix = "tests/algorithms/";
  if (StartsWith(from, prefix)) {
    const std::string family = from.substr(6, from.rfind('/') - 6);
    return family == Layer(name) || (family != "algorithms" && Layer(name) == "algorithms/common");
  }
  if (!StartsWith(from, "algorithms/")) return false;
  return Layer(name) == "algorithms/common" || Layer(name) == Layer(from);
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

// The headers that are installed, as the tree spells them.
const std::set<std::string>& PublicHeaders() {
  static const std::set<std::string> headers = [] {
    std::set<std::string> names;
    for (const std::string& line : Read(Root() / "tools/packaging/public_headers.txt").lines)
      if (!line.empty() && line[0] != '#') names.insert(line);
    for (const File& file : Sources())
      if (StartsWith(file.path, "algorithms/") && file.path.ends_with(".h") &&
          file.path.find("/internal/") == std::string::npos)
        names.insert(file.path);
    return names;
  }();
  return headers;
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

// A line without its comment and without what stands in quotes.
std::string Code(const std::string& line) {
  std::string code;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool separator =
        c == '\'' && i > 0 && std::isalnum(static_cast<unsigned char>(line[i - 1]));
    if (quote != 0) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '/' && line.compare(i, 2, "//") == 0) {
      break;
    } else if (c == '"' || (c == '\'' && !separator)) {
      quote = c;
    } else {
      code += c;
    }
  }
  return code;
}

// The words of an identifier in lower case: kFewArcs is k, few, arcs.
std::vector<std::string> Words(const std::string& identifier) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < identifier.size(); ++i) {
    const auto c = static_cast<unsigned char>(identifier[i]);
    const bool begins =
        i > 0 && std::isupper(c) && !std::isupper(static_cast<unsigned char>(identifier[i - 1]));
    if (c == '_' || begins) words.emplace_back();
    if (c != '_') words.back() += static_cast<char>(std::tolower(c));
  }
  return words;
}

// Names are the field's terms and verbs that a debugger would print; these were neither.
TEST(Tidy, NamesAreTheFieldsTerms) {
  const std::set<std::string> words = {"heard", "told", "hungry", "starve", "circle"};
  const std::set<std::string> names = {"Ask", "Circle", "Look", "Pay", "Tell", "Together"};
  for (const File& file : Sources()) {
    if (!StartsWith(file.path, "algorithms/") && !StartsWith(file.path, "engine/") &&
        !StartsWith(file.path, "storage/"))
      continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      std::string name;
      for (const char c : Code(file.lines[i]) + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
          name += c;
          continue;
        }
        bool banned = names.contains(name);
        for (const std::string& word : Words(name)) banned = banned || words.contains(word);
        EXPECT_FALSE(banned) << file.path << ":" << i + 1 << ": the name " << name
                             << " is not a term of the field";
        name.clear();
      }
    }
  }
}

// Lines that a README may have. What was tried, and when, goes to bench/notes/.
std::size_t ReadmeLimit(const std::string& path) {
  static const std::map<std::string, std::size_t> limits = {
      {"README.md", 150},
      {"tools/README.md", 85},
      {"CONTRIBUTING.md", 125},
      {"storage/formats/README.md", 245},      // the users' page of formats
      {"algorithms/retrieval/README.md", 75},  // texts, vectors and plans
      {"algorithms/memory/README.md", 140},    // a layer over the families
  };
  if (const auto found = limits.find(path); found != limits.end()) return found->second;
  const bool family = StartsWith(path, "algorithms/") && path != "algorithms/README.md";
  return family ? 60 : 120;
}

// The first date (20xx-xx-xx) in a line; "" when there is none.
std::string Date(const std::string& line) {
  const std::string shape = "20dd-dd-dd";
  for (std::size_t at = line.find("20"); at != std::string::npos; at = line.find("20", at + 1)) {
    const std::string words = line.substr(at, shape.size());
    const auto fits = [](char c, char s) { return s == 'd' ? c >= '0' && c <= '9' : c == s; };
    if (words.size() == shape.size() && std::equal(words.begin(), words.end(), shape.begin(), fits))
      return words;
  }
  return "";
}

TEST(Tidy, ReadmesKeepTheirLimits) {
  std::vector<File> files = Files({"README.md"});
  for (const char* top : {"README.md", "CONTRIBUTING.md", "third_party/README.md"})
    files.push_back(Read(Root() / top));
  ASSERT_GT(files.size(), 8u);
  for (const File& file : files) {
    EXPECT_LE(file.lines.size(), ReadmeLimit(file.path)) << file.path << " is too long";
    if (StartsWith(file.path, "bench/")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      EXPECT_EQ(Date(file.lines[i]), "") << file.path << ":" << i + 1 << " has a date";
  }
}

TEST(Tidy, TheReadmesExampleIsTheOneThatIsCompiled) {
  const std::string consumer = Read(Root() / "tests/install/consumer.cc").text;
  const std::string begin = "// README-EXAMPLE-BEGIN\n", end = "// README-EXAMPLE-END";
  const std::size_t from = consumer.find(begin), to = consumer.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos && from < to);
  const std::string example = consumer.substr(from + begin.size(), to - from - begin.size());
  EXPECT_NE(Read(Root() / "README.md").text.find("```cpp\n" + example + "```"), std::string::npos)
      << "README.md and tests/install/consumer.cc differ";
}

TEST(Tidy, NoPathsOfOneMachine) {
  // Spelled in two halves so that this file passes its own test.
  const std::vector<std::string> marks = {std::string("/wo") + "rk/", std::string("/ho") + "me/",
                                          std::string("/ro") + "ot/"};
  std::vector<File> files =
      Files({".h", ".cc", ".cmake", "CMakeLists.txt", ".sh", ".md", ".fbs", ".txt", ".in"});
  for (const char* top : {"README.md", "CONTRIBUTING.md", "CMakeLists.txt", "CMakePresets.json",
                          ".ci/run", "third_party/README.md"})
    files.push_back(Read(Root() / top));
  for (const File& file : files)
    for (const std::string& mark : marks)
      EXPECT_EQ(file.text.find(mark), std::string::npos) << file.path << " names " << mark;
}

}  // namespace
