// TextsInDoubt: nodes whose terms may not be those of their text; kept with the state.
//
// In doubt is a fact or an event with a text that is newer than what an index covers, or with one
// of text and terms and not the other. A batch adds what it touched, so a question looks at these
// nodes and not at all of them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/term_record.h"
#include "engine/lineage.h"
#include "engine/snapshot.h"

namespace plexus::retrieval_internal {

class TextsInDoubt final : public Carried {
 public:
  static constexpr std::string_view kName = "texts in doubt";

  // Ascending: every node that is in doubt where the index covers texts up to `covers`.
  // O(nodes in doubt); where it is not kept, O(nodes).
  static std::vector<NodeId> Of(const Snapshot& snapshot, Sequence covers);
  // Of an index that covers nothing that is known (0): texts without terms, terms without a text.
  static bool IsInDoubt(const Snapshot& snapshot, const ArcFilter& has_term, NodeId node,
                        Sequence covers);

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

 private:
  explicit TextsInDoubt(Sequence covers) : covers_(covers) {}

  Sequence covers_;
  std::vector<NodeId> nodes_;  // ascending, in doubt by covers_ when they were added
};

}  // namespace plexus::retrieval_internal
