// TextsInDoubt: nodes whose terms may not be those of their text; kept with the state.
//
// In doubt is a fact or an event with a text (or properties, where some are indexed) that is newer
// than what an index covers, or with one of text and terms and not the other. Where all keys are
// indexed, so is a fact without terms whose key may have words. A batch adds what it touched, so a
// question looks at these nodes and not at all of them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/lineage.h"
#include "engine/snapshot.h"

namespace plexus::retrieval::internal {

class TextsInDoubt final : public Carried {
 public:
  static constexpr std::string_view kName = "texts in doubt";

  // Ascending: every node that is in doubt where the index covers texts up to `covers`.
  // O(nodes in doubt); where it is not kept, O(nodes).
  static std::vector<NodeId> Of(const Snapshot& snapshot, Sequence covers,
                                const TermOptions& terms);
  // Of an index that covers nothing that is known (0): texts without terms, terms without a text.
  static bool IsInDoubt(const Snapshot& snapshot, const ArcFilter& has_term, NodeId node,
                        Sequence covers, const TermOptions& terms) {
    return IsInDoubt(snapshot, has_term, node, covers, Indexed::Of(terms));
  }

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

 private:
  // What an index has that is no text.
  struct Indexed {
    bool properties = false, all_keys = false;
    static Indexed Of(const TermOptions& terms) {
      return {!terms.properties.empty(), terms.all_keys};
    }
  };
  TextsInDoubt(Sequence covers, Indexed indexed) : covers_(covers), indexed_(indexed) {}
  static bool IsInDoubt(const Snapshot& snapshot, const ArcFilter& has_term, NodeId node,
                        Sequence covers, Indexed indexed);
  // An index whose reach is not known is asked in another way.
  static std::uint32_t Variant(Sequence covers, Indexed indexed) {
    return (covers > 0 ? 1U : 0U) | (indexed.properties ? 2U : 0U) | (indexed.all_keys ? 4U : 0U);
  }

  Sequence covers_;
  Indexed indexed_;
  std::vector<NodeId> nodes_;  // ascending, in doubt by covers_ when they were added
};

}  // namespace plexus::retrieval::internal
