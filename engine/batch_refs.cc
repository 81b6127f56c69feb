// Stamps of batches, and what a copy inherits.
//
// A copy takes its own stamp when it first names something; what it had named by then is what it
// was copied with, so that is the bound for the references of its origin.
#include "engine/batch_refs.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

namespace plexus::engine_internal {

namespace {

constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

std::uint32_t NextStamp() {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t stamp;
  do stamp = last.fetch_add(1, std::memory_order_relaxed) + 1;
  while (stamp == 0 || stamp == kUnsetStamp);
  return stamp;
}

}  // namespace

BatchRefs::BatchRefs(const BatchRefs& other)
    : last_(other.last_), older_(other.older_), foreign_(other.foreign_) {
  if (other.own_ == 0) return;
  if (last_.stamp != 0) older_.push_back(last_);
  last_.stamp = other.own_;
  last_.named.fill(kUnbounded);
}

BatchRefs::BatchRefs(BatchRefs&& other) noexcept
    : own_(std::exchange(other.own_, 0)),
      last_(std::exchange(other.last_, {})),
      older_(std::exchange(other.older_, {})),
      foreign_(std::exchange(other.foreign_, {})) {}

BatchRefs& BatchRefs::operator=(BatchRefs&& other) noexcept {
  own_ = std::exchange(other.own_, 0);
  last_ = std::exchange(other.last_, {});
  older_ = std::exchange(other.older_, {});
  foreign_ = std::exchange(other.foreign_, {});
  return *this;
}

void BatchRefs::Begin(const Counts& named) {
  own_ = NextStamp();
  if (last_.stamp != 0)
    for (std::size_t t = 0; t < named.size(); ++t)
      last_.named[t] = std::min(last_.named[t], named[t]);
}

bool BatchRefs::Inherited(std::uint32_t stamp, Table table, std::uint32_t index,
                          std::size_t named) const {
  const auto holds = [&](const Origin& origin) {
    return origin.stamp == stamp && index < origin.named[table] && index < named;
  };
  return stamp != 0 && (holds(last_) || std::ranges::any_of(older_, holds));
}

std::uint16_t BatchNames::NumberOf(std::string_view name) {
  constexpr std::size_t kFew = 16;
  const auto name_of = [&](std::uint16_t number) { return std::string_view(names_[number]); };
  auto place = by_name_.end();
  if (names_.size() <= kFew) {
    const auto it = std::find(names_.rbegin(), names_.rend(), name);  // likely one of the last
    if (it != names_.rend()) return static_cast<std::uint16_t>(names_.rend() - it - 1);
  } else {
    if (by_name_.size() < names_.size()) {  // there have just become many
      by_name_.resize(names_.size());
      std::iota(by_name_.begin(), by_name_.end(), std::uint16_t{0});
      std::ranges::sort(by_name_, {}, name_of);
    }
    place = std::ranges::lower_bound(by_name_, name, {}, name_of);
    if (place != by_name_.end() && name_of(*place) == name) return *place;
  }
  if (names_.size() >= kTooMany) return kTooMany;
  const auto number = static_cast<std::uint16_t>(names_.size());
  names_.emplace_back(name);
  if (number > kFew) by_name_.insert(place, number);
  return number;
}

}  // namespace plexus::engine_internal
