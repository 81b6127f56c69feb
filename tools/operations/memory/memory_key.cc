// Words as the tokenizer folds them, joined by '-', as many as stay short; and a digest.
#include "tools/operations/memory/memory_key.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/terms.h"
#include "engine/vocabulary.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/text_field.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kMostBytes = 48;

Result<std::string> KeyOfWords(const std::string& text) {
  retrieval::TermOptions plain;
  plain.fold_accents = plain.fold_apostrophes = true;
  PLEXUS_ASSIGN(retrieval::TermSplitter splitter, retrieval::TermSplitter::Make(plain));
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

// Whether a node that says the text is what is meant: it is visible now, or in the valid time that
// is asked for and that it has. A fact that turns back is another memory.
Result<bool> IsKnown(const Workspace& workspace, const Request& request, NodeId node) {
  const Snapshot& snapshot = workspace.snapshot();
  const auto visible_at = [&](std::int64_t time) -> Result<bool> {
    PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
    PLEXUS_ASSIGN(
        const auto visible,
        memory::VisibleNodes(snapshot, time,
                             {.run = {.budget = budget, .executor = &workspace.executor()}}));
    return visible->contains(node);
  };
  PLEXUS_ASSIGN(const bool now, visible_at(workspace.now_ms()));
  if (now || (!request.Given("valid_from") && !request.Given("valid_until"))) return now;
  std::int64_t within = kNoTime;
  for (const auto& [name, column] : {std::pair("valid_until", builtin::kValidUntil),
                                     std::pair("valid_from", builtin::kValidFrom)}) {
    const std::int64_t stored = snapshot.i64(column, node).value_or(kNoTime);
    std::int64_t asked = kNoTime;
    if (request.Given(name)) PLEXUS_SET(asked, ParseTime(request.Text(name), workspace.now_ms()));
    if (stored != asked) return false;
    if (asked != kNoTime) within = column == builtin::kValidUntil ? asked - 1 : asked;
  }
  return visible_at(within);
}

// Texts of equal beginnings have other digests, and so has the same text in other scopes.
std::string Digest(const Workspace& workspace, const std::string& text, std::uint64_t number) {
  std::string bytes = text;
  for (const std::string& scope : workspace.options().wall) bytes += kIndexSeparator + scope;
  if (number > 0) bytes += kIndexSeparator + std::to_string(number);
  return memory::QueryHash(bytes).substr(sizeof("fnv1a64:") - 1, 8);
}

// Two names for people; of more, or where others' keys are not seen, digests.
std::string Candidate(const Workspace& workspace, const std::string& words,
                      const std::string& text, std::uint64_t number) {
  const bool walled = !workspace.options().wall.empty();
  if (!walled && number == 0) return words;
  if (!walled && number == 1) return words + "-2";
  return words + "-" + Digest(workspace, text, walled ? number : number - 2);
}

}  // namespace

Result<MemoryKey> KeyOfMemory(const Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  const std::string& text = request.Text("text");
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return Invalid(request.Name("text"), ": it has no word");
  if (request.Given("key")) {
    const std::string& key = request.Text("key");
    const auto there = MeantNode(snapshot, key);
    if (there && !snapshot.is_fact(*there))
      return Invalid(request.Name("key"), ": ", Quoted(key), " is an index node");
    if (!there || !snapshot.alive(*there)) return MemoryKey{key};
    if (Says(snapshot, *there, text)) {
      PLEXUS_ASSIGN(const bool known, IsKnown(workspace, request, *there));
      if (known) return MemoryKey{std::string(snapshot.key(*there)), true};
      return Fail(ErrorCode::kAlreadyExists,
                  Quoted(key) + " says that, and does not hold now: another " +
                      request.Name("key") + ", or none, makes a memory of its own");
    }
    return Fail(ErrorCode::kAlreadyExists,
                Quoted(key) + " says something else: " +
                    request.Command("correct", workspace.directory(), key) +
                    " with another text supersedes it, " +
                    request.Command("put", workspace.directory(), key) + " changes it");
  }
  PLEXUS_ASSIGN(const std::string words, KeyOfWords(text));
  for (std::uint64_t number = 0;; ++number) {
    std::string key = Candidate(workspace, words, text, number);
    const auto there = snapshot.Find(key);
    if (!there) return MemoryKey{std::move(key)};
    if (!Says(snapshot, *there, text)) continue;
    PLEXUS_ASSIGN(const bool known, IsKnown(workspace, request, *there));
    if (known) return MemoryKey{std::move(key), true};
  }
}

}  // namespace plexus::tools
