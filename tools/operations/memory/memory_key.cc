// Words as the tokenizer folds them, joined by '-', as many as stay short.
#include "tools/operations/memory/memory_key.h"

#include <vector>

#include "algorithms/retrieval/tokenizer.h"
#include "engine/vocabulary.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/text_field.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kMostBytes = 48;

Result<std::string> KeyOfWords(const std::string& text) {
  TermOptions plain;
  plain.fold_accents = plain.fold_apostrophes = true;
  PLEXUS_ASSIGN(TermSplitter splitter, TermSplitter::Make(plain));
  PLEXUS_ASSIGN(const std::vector<std::string> words, splitter.Words(text.substr(0, 1024)));
  std::string key;
  for (std::string word : words) {
    std::erase(word, '\'');
    if (word.empty() || word.size() > kMostBytes) continue;
    if (!key.empty() && key.size() + 1 + word.size() > kMostBytes) break;
    key += (key.empty() ? "" : "-") + word;
  }
  return key.empty() ? std::string("memory") : key;
}

// Whether the node says just this.
bool Says(const Snapshot& snapshot, NodeId node, const std::string& text) {
  return snapshot.alive(node) && snapshot.is_fact(node) && WholeText(snapshot, node) == text;
}

}  // namespace

Result<MemoryKey> KeyOfMemory(const Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  const std::string& text = request.Text("text");
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return Fail(ErrorCode::kInvalidArgument, request.Name("text") + ": it has no word");
  if (request.Given("key")) {
    const std::string& key = request.Text("key");
    const auto there = MeantNode(snapshot, key);
    if (there && !snapshot.is_fact(*there))
      return Fail(ErrorCode::kInvalidArgument,
                  request.Name("key") + ": " + Quoted(key) + " is an index node");
    if (!there || !snapshot.alive(*there)) return MemoryKey{key};
    if (Says(snapshot, *there, text)) return MemoryKey{std::string(snapshot.key(*there)), true};
    return Fail(ErrorCode::kAlreadyExists,
                Quoted(key) + " says something else: " +
                    request.Command("correct", workspace.directory()) + " supersedes it, " +
                    request.Command("put", workspace.directory()) + " changes it");
  }
  PLEXUS_ASSIGN(const std::string words, KeyOfWords(text));
  std::string key = words;
  for (std::uint64_t number = 2;; ++number) {
    const auto there = snapshot.Find(key);
    if (!there) return MemoryKey{key};
    if (Says(snapshot, *there, text)) return MemoryKey{key, true};
    key = words + "-" + std::to_string(number);
  }
}

}  // namespace plexus::tools
