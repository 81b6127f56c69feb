// Prefetch: fetches the cache line of an address that will be read soon.
//
// A hint, of any address. Not only __builtin_prefetch: to GCC a function that does nothing else
// has no effect, and calls of it that were not inlined early are dropped without a word (seen
// with 12.2: of shortest paths' fetching of rows nothing was left). The empty assembly counts as an
// effect.
#pragma once

namespace plexus {

[[gnu::always_inline]] inline void Prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace plexus
