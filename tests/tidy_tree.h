// The tree as the tests of its own text read it: every file of our folders, with its lines.
//
// PLEXUS_TIDY_ROOT names another tree, to see a test fail on it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace plexus::tidy {

namespace fs = std::filesystem;

struct File {
  std::string path;  // relative to the root, with '/'
  std::vector<std::string> lines;
  std::string text;
};

inline const fs::path& Root() {
  static const char* other = std::getenv("PLEXUS_TIDY_ROOT");
  static const fs::path root(other ? other : PLEXUS_SOURCE_DIR);
  return root;
}

inline bool StartsWith(const std::string& s, const std::string& prefix) {
  return s.compare(0, prefix.size(), prefix) == 0;
}

inline File Read(const fs::path& path) {
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
inline std::vector<File> Files(const std::vector<std::string>& endings) {
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

inline const std::vector<File>& Sources() {
  static const std::vector<File> files = Files({".h", ".cc"});
  return files;
}

// The headers that are installed, as the tree spells them.
inline const std::set<std::string>& PublicHeaders() {
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

}  // namespace plexus::tidy
