// Tidy: names, documents and comments. Fails on a name from outside the field's language, a
// document too long to read, a machine's path in a file, and a private word of ours in more
// comments than before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tidy_tree.h"

namespace plexus::tidy {
namespace {

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

// Words that a document may have: 1,200 a folder, 600 a family of algorithms. What people look
// things up in has what it had when this was written: the numbers here only fall.
std::size_t WordLimit(const std::string& path) {
  static const std::map<std::string, std::size_t> limits = {
      {"storage/FORMAT.md", 1400},
      {"storage/formats/RECORDS.md", 1150},
      {"tools/REPLIES.md", 2400}};
  if (const auto found = limits.find(path); found != limits.end()) return found->second;
  const bool family = StartsWith(path, "algorithms/") && path != "algorithms/README.md";
  return family ? 600 : 1200;
}

std::size_t CountWords(const std::string& text) {
  std::istringstream in(text);
  return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(in), {}));
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
  std::vector<File> files = Files({"README.md", "FORMAT.md", "RECORDS.md", "REPLIES.md"});
  for (const char* top : {"README.md", "CONTRIBUTING.md", "third_party/README.md"})
    files.push_back(Read(Root() / top));
  ASSERT_GT(files.size(), 8u);
  for (const File& file : files) {
    EXPECT_LE(CountWords(file.text), WordLimit(file.path))
        << file.path << " is too long: what was tried, and when, goes to bench/notes/";
    if (StartsWith(file.path, "bench/") || file.path == "storage/FORMAT.md") continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      EXPECT_EQ(Date(file.lines[i]), "") << file.path << ":" << i + 1 << " has a date";
  }
}

// Words of ours that a reader of English takes for another thing, in comments. The numbers only
// fall: who adds one takes two away.
TEST(Tidy, CommentsSpeakPlainEnglish) {
  const std::map<std::string, std::size_t> limits = {
      {"alone", 21},  {"anew", 3},     {"beside", 20},       {"gives", 15},
      {"goes on", 1}, {"no more", 10}, {"nobody", 11},       {"somebody", 0},
      {"stands", 7},  {"tells", 7},    {"there is none", 1}, {"told", 9}};
  std::map<std::string, std::size_t> counts;
  for (const File& file : Sources()) {
    if (StartsWith(file.path, "tests/")) continue;
    for (const std::string& line : file.lines) {
      std::string comment = " ";  // its words, one blank between
      for (const char c : line.substr(std::min(line.find("//"), line.size())))
        if (std::isalpha(static_cast<unsigned char>(c)))
          comment += c;
        else if (comment.back() != ' ')
          comment += ' ';
      comment += ' ';
      for (const auto& [words, limit] : limits) {
        const std::string whole = " " + words + " ";
        for (std::size_t at = 0; (at = comment.find(whole, at)) != std::string::npos; ++at)
          ++counts[words];
      }
    }
  }
  for (const auto& [words, limit] : limits)
    EXPECT_LE(counts[words], limit) << "'" << words << "' stands in more comments than before";
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
}  // namespace plexus::tidy
