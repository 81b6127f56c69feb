// What has_term arcs lack and what they have too much; see terms.h.
#include "algorithms/retrieval/terms.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "algorithms/retrieval/internal/document.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

constexpr std::size_t kTextsPerTask = 64;  // texts per task
constexpr std::size_t kWave = 1024;        // nodes compared before their batch is filled, at most

// One node's arcs as they should become.
struct Compared {
  internal::TermDifference difference;
  std::size_t bytes = 0;  // of the text
  bool read = false, done = false;
};

class Indexer {
 public:
  Indexer(const Snapshot& snapshot, const IndexTermsOptions& options)
      : s_(snapshot),
        options_(options),
        has_term_(ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm)),
        pool_(options.terms) {}

  Result<IndexTermsReport> Run(const std::function<Status(const WriteBatch&)>& apply) {
    PLEXUS_ASSIGN(TermSplitter first, pool_.Acquire());  // fails here, once, or never
    pool_.Release(std::move(first));
    PLEXUS_ASSIGN(TermRecord record, ReadTermRecord(s_));
    if (options_.subset || options_.since) PLEXUS_TRY(CheckOptions(record, options_.terms));
    WriteBatch batch(options_.now_ms);
    PLEXUS_TRY(Announce(record, batch, apply));
    for (NodeId begin = 0; begin < s_.node_count();
         begin += std::min<std::size_t>(kWave, s_.node_count() - begin)) {
      if (options_.run.budget.Interrupted()) {
        report_.truncated = true;
        break;
      }
      const std::size_t count = std::min<std::size_t>(kWave, s_.node_count() - begin);
      std::vector<Compared> wave(count);
      for (std::size_t next = 0; next < count;) {
        PLEXUS_TRY(Compare(begin, next, wave));
        for (; next < count && wave[next].done; ++next) {
          const Compared compared = std::exchange(wave[next], {});
          held_ -= compared.bytes;
          report_.texts += compared.read;
          const auto node = static_cast<NodeId>(begin + next);
          const NodeRef ref = NodeRef::Id(node);
          if (!compared.difference.empty()) {
            batch.ExpectPayload(ref, NodeField::kText, s_.payload_ref(node, NodeField::kText));
            if (!options_.terms.properties.empty())
              batch.ExpectPayload(ref, NodeField::kProperties,
                                  s_.payload_ref(node, NodeField::kProperties));
            batch.ExpectEdges(ref, builtin::kHasTerm, s_, node);
          }
          internal::FillTerms(batch, ref, compared.difference, report_);
          if (batch.op_count() < std::max<std::size_t>(options_.batch_ops, 1)) continue;
          PLEXUS_TRY(apply(batch));
          batch.Clear();
        }
        if (options_.progress &&
            !options_.progress->Report("indexing terms", begin + next, s_.node_count()))
          return Cancelled("indexing terms cancelled");
      }
    }
    if (!report_.truncated) PLEXUS_TRY(Record(record, batch));
    if (!batch.empty()) PLEXUS_TRY(apply(batch));
    return report_;
  }

 private:
  // Writes other options down first, so that a batch made with those of before is refused. Nothing
  // may come between the snapshot and this: it would be missed.
  Status Announce(TermRecord& record, WriteBatch& batch,
                  const std::function<Status(const WriteBatch&)>& apply) const {
    if (!record.stored || SameOptions(record.terms, options_.terms)) return {};
    if (options_.run.budget.Interrupted()) return {};
    PLEXUS_TRY(WriteTermRecord(batch, record, options_.terms, true));
    batch.ExpectSequence(s_.sequence());
    PLEXUS_TRY(apply(batch));
    batch.Clear();
    record = {.terms = options_.terms,
              .stored = PayloadRef::Make(s_.sequence() + 1, 0),  // the batch's only payload
              .partial = true,
              .runs = record.runs + 1};
    return {};
  }

  // Says in the last batch what all of it has come to.
  Status Record(const TermRecord& before, WriteBatch& batch) const {
    const bool as_before = SameOptions(before.terms, options_.terms);
    if (!HasTerms(s_) && report_.texts == 0 && as_before) return {};
    const bool all =
        !options_.subset && (!options_.since || before.covers() >= options_.since->sequence());
    const bool same = before.stored && as_before;
    if (same && (!all || (before.covers() > 0 &&
                          CountNewerTexts(s_, before.covers(), nullptr, options_.terms) == 0)))
      return {};
    return WriteTermRecord(batch, before, options_.terms, !all);
  }

  bool Concerns(NodeId node) const {
    if (!s_.alive(node)) return false;
    if (!s_.is_fact(node) && !ConcernsEvent(node)) return false;
    if (options_.subset && !options_.subset->contains(node)) return false;
    const Snapshot* since = options_.since;
    if (!since || node >= since->node_count() || !since->alive(node)) return true;
    const bool properties = !options_.terms.properties.empty();
    for (const NodeField field : {NodeField::kText, NodeField::kProperties})
      if (field == NodeField::kText || properties)
        if (since->payload_ref(node, field) != s_.payload_ref(node, field)) return true;
    return internal::NewestPart(s_, node, properties) > 0 &&
           s_.Degree(Direction::kOut, node, has_term_) == 0;
  }

  bool ConcernsEvent(NodeId node) const {
    return s_.node_kind(node) == builtin::kEvent &&
           (options_.terms.event_queries || s_.Degree(Direction::kOut, node, has_term_) > 0);
  }

  // Compares nodes of the wave from `next` on, at least that one, until the texts of
  // those that are not yet in a batch are wave_bytes. Which ones are left for another
  // call depends on the threads; the batches, filled in order, do not.
  Status Compare(NodeId begin, std::size_t next, std::vector<Compared>& wave) {
    const std::size_t count = wave.size() - next;
    Executor& executor = options_.run.executor ? *options_.run.executor : DefaultExecutor();
    const auto compare = [&](std::size_t first, std::size_t last,
                             TermSplitter& splitter) -> Status {
      for (std::size_t i = next + first; i < next + last; ++i) {
        if (wave[i].done) continue;
        if (i != next && held_ >= options_.wave_bytes) break;
        if (Concerns(static_cast<NodeId>(begin + i)))
          PLEXUS_TRY(CompareNode(static_cast<NodeId>(begin + i), splitter, wave[i]));
        wave[i].done = true;
        held_ += wave[i].bytes;
      }
      return {};
    };
    return pool_.ForBlocks(executor, count, kTextsPerTask, compare);
  }

  Status CompareNode(NodeId node, TermSplitter& splitter, Compared& out) const {
    internal::Document document;
    if (internal::IsIndexed(s_, node, options_.terms))
      PLEXUS_SET(document, internal::DocumentOf(s_, node, options_.terms, splitter));
    out.read = document.has_content;
    out.bytes = document.bytes;
    out.difference = internal::DifferenceOf(std::move(document.terms),
                                            internal::StoredTerms(s_, node, has_term_));
    return {};
  }

  const Snapshot& s_;
  const IndexTermsOptions& options_;
  const ArcFilter has_term_;
  internal::SplitterPool pool_;
  std::atomic<std::size_t> held_ = 0;  // bytes of the texts compared but not in a batch
  IndexTermsReport report_;
};

}  // namespace

bool HasTerms(const Snapshot& snapshot) { return snapshot.CountNodes(builtin::kTerm) > 0; }

Result<IndexTermsReport> IndexTerms(const Snapshot& snapshot, const IndexTermsOptions& options,
                                    const std::function<Status(const WriteBatch&)>& apply) try {
  return Indexer(snapshot, options).Run(apply);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
