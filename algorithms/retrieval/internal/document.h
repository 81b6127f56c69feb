// What of a node its terms are made of: its text, the properties that the index names, and words
// of its key.
//
// What a text's terms lack among the has_term arcs of its node, and what is too much: shared by the
// index of a graph (term_index.cc) and the index of what a batch writes (batch_terms.cc).
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus::retrieval::internal {

// More than texts and their keys are indexed.
inline bool IndexesMore(const TermOptions& terms) {
  return terms.all_keys || !terms.properties.empty();
}

// A fact, or with TermOptions::event_queries an event.
bool IsIndexed(const Snapshot& snapshot, NodeId node, const TermOptions& terms);

// The newest batch that wrote the node's text or, of a fact, properties if some are indexed; 0: it
// has neither. No payload is read.
Sequence NewestPart(const Snapshot& snapshot, NodeId node, bool properties);

// Whether a key has three letters in a run without a digit, as keys of words have. O(bytes).
bool KeyMayHaveWords(std::string_view key);

// The node's text, if it has one, then the strings of each of the named properties. Purged ones are
// left out. Errors: the payload store's; kCorruption.
Result<std::vector<std::string>> DocumentParts(const Snapshot& snapshot, NodeId node,
                                               const TermOptions& terms);

struct Document {
  std::vector<TermCount> terms;
  std::size_t bytes = 0;     // of its parts
  bool has_content = false;  // a part, or a word of the key
};
// REQUIRES a node that is indexed. Errors: those of DocumentParts and TermSplitter.
Result<Document> DocumentOf(const Snapshot& snapshot, NodeId node, const TermOptions& terms,
                            TermSplitter& splitter);

// An occurrence that is there: the term's name, its node, the frequency.
struct StoredTerm {
  std::string_view term;
  NodeRef node;
  float weight;
};

struct TermDifference {
  std::vector<TermCount> link;
  std::vector<NodeRef> unlink;  // term nodes
  bool empty() const { return link.empty() && unlink.empty(); }
};

// `wanted` is in order of the terms' bytes, as TermSplitter::Count has it.
inline TermDifference DifferenceOf(std::vector<TermCount> wanted, std::vector<StoredTerm> stored) {
  TermDifference out;
  std::sort(stored.begin(), stored.end(),
            [](const StoredTerm& a, const StoredTerm& b) { return a.term < b.term; });
  auto have = stored.begin();
  for (TermCount& want : wanted) {
    for (; have != stored.end() && have->term < want.term; ++have) out.unlink.push_back(have->node);
    if (have != stored.end() && have->term == want.term) {
      if ((have++)->weight == static_cast<float>(want.count)) continue;
    }
    out.link.push_back(std::move(want));
  }
  for (; have != stored.end(); ++have) out.unlink.push_back(have->node);
  return out;
}

inline std::vector<StoredTerm> StoredTerms(const Snapshot& snapshot, NodeId node,
                                           const ArcFilter& has_term) {
  std::vector<StoredTerm> stored;
  snapshot.ForEachArc(Direction::kOut, node, has_term, [&](const Arc& arc) {
    stored.push_back(
        {DisplayName(snapshot.key(arc.neighbor)), NodeRef::Id(arc.neighbor), arc.weight});
  });
  return stored;
}

// Writes the difference into a batch, and counts it.
inline void FillTerms(WriteBatch& batch, NodeRef node, const TermDifference& difference,
                      IndexTermsReport& report) {
  if (difference.empty()) return;
  ++report.changed;
  report.linked += difference.link.size();
  report.unlinked += difference.unlink.size();
  for (const TermCount& term : difference.link)
    batch.Link(node, builtin::kHasTerm, batch.IndexNode(builtin::kTerm, term.term),
               static_cast<float>(term.count));
  for (const NodeRef term : difference.unlink) batch.Unlink(node, builtin::kHasTerm, term);
}

// Splitters for as many threads as use one at a time. Thread-safe.
class SplitterPool {
 public:
  explicit SplitterPool(const TermOptions& options) : options_(options) {}
  Result<TermSplitter> Acquire() {
    {
      std::lock_guard lock(mutex_);
      if (!spare_.empty()) {
        TermSplitter splitter = std::move(spare_.back());
        spare_.pop_back();
        return splitter;
      }
    }
    return TermSplitter::Make(options_);
  }
  void Release(TermSplitter splitter) {
    std::lock_guard lock(mutex_);
    spare_.push_back(std::move(splitter));
  }
  // fn(begin, end, splitter) returns a Status, over [0, count) in blocks of `grain` indices. The
  // error of the first block that failed.
  template <class Fn>
  Status ForBlocks(Executor& executor, std::size_t count, std::size_t grain, Fn&& fn) {
    std::vector<Status> done((count + grain - 1) / grain);
    ParallelFor(executor, count, grain, [&](std::size_t begin, std::size_t end) {
      Result<TermSplitter> splitter = Acquire();
      Status& status = done[begin / grain];
      status = splitter ? fn(begin, end, *splitter) : Status(std::unexpected(splitter.error()));
      if (splitter) Release(*std::move(splitter));
    });
    for (Status& status : done) PLEXUS_TRY(status);
    return {};
  }

 private:
  const TermOptions& options_;
  std::mutex mutex_;
  std::vector<TermSplitter> spare_;
};

}  // namespace plexus::retrieval::internal
