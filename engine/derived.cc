// The table of derived values: few entries, looked through in order.
#include "engine/derived.h"

namespace plexus {

Derived::~Derived() = default;

DerivedData& DerivedData::operator=(const DerivedData& other) {
  if (this == &other) return *this;
  std::vector<Entry> gone;  // freed after the lock
  const MutexLock lock(mutex_);
  gone.swap(entries_);
  return *this;
}

std::shared_ptr<const Derived> DerivedData::Get(DerivedKey key) const {
  const MutexLock lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.first == key) return entry.second;
  return nullptr;
}

std::shared_ptr<const Derived> DerivedData::Add(DerivedKey key, std::shared_ptr<const Derived> made,
                                                bool replace) const {
  std::shared_ptr<const Derived> gone;  // freed after the lock
  const MutexLock lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.first != key) continue;
    if (!replace) return entry.second;
    gone = std::exchange(entry.second, made);
    return made;
  }
  if (entries_.size() < kMaxValues) entries_.emplace_back(key, made);
  return made;
}

std::vector<std::pair<DerivedKey, std::shared_ptr<const Derived>>> DerivedData::Values() const {
  const MutexLock lock(mutex_);
  return entries_;
}

std::uint64_t DerivedData::size_bytes() const {
  std::uint64_t bytes = 0;
  for (const Entry& entry : Values()) bytes += entry.second->size_bytes();
  return bytes;
}

}  // namespace plexus
