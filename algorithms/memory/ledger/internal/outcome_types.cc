// Bits in the order of the vocabulary; keys as engine/properties/outcome_key.h makes them.
#include "algorithms/memory/ledger/internal/outcome_types.h"

#include <algorithm>

#include "engine/properties/outcome_key.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

OutcomeSet OutcomeBit(std::string_view type) {
  const auto types = BuiltinOutcomeTypes();
  const auto at = std::ranges::find(types, type);
  if (at == types.end()) return kOtherOutcome;
  return static_cast<OutcomeSet>(OutcomeSet{1} << (at - types.begin()));
}

std::optional<std::string> TypeInKey(std::string_view outcome_key, std::string_view event_key) {
  const auto parts = engine_internal::ParseOutcomeName(DisplayName(outcome_key));
  if (!parts || parts->event != DisplayName(event_key)) return std::nullopt;
  return parts->type;
}

}  // namespace plexus::memory::internal
