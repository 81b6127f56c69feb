// Names tell: properties of the graph's own come as JSON and stay as they are.
#include "tools/operations/reply/iso_times.h"

#include <algorithm>

#include "engine/times.h"

namespace plexus::tools {

bool IsTimeMember(std::string_view name) {
  constexpr std::string_view kTimes[] = {"accessed_at", "created_at", "labeled_at", "latestEventAt",
                                         "since",       "time_ms",    "valid_from", "valid_until"};
  return std::ranges::find(kTimes, name) != std::end(kTimes);
}

void IsoTimes::Integer(std::int64_t number) {
  if (is_time_) return out_.Value(std::string_view(IsoTime(number)));
  out_.Integer(number);
}

}  // namespace plexus::tools
