// Payloads: text, properties and previews, kept outside the graph's arrays.
//
// A payload is an opaque byte string addressed by (sequence, ordinal) of the
// batch that wrote it; the graph keeps the 8-byte reference only and fetches on
// demand through a PayloadStore. References are immutable; purging erases the
// bytes behind one for every reader, at every point in time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/types.h"

namespace plexus {

// 40 bits of sequence, 24 bits of ordinal in the batch. 0 = no payload.
struct PayloadRef {
  std::uint64_t bits = 0;
  static PayloadRef Make(Sequence sequence, std::uint32_t ordinal) {
    return {(sequence << 24) | (ordinal & 0xFFFFFFu)};
  }
  Sequence sequence() const { return bits >> 24; }
  std::uint32_t ordinal() const { return static_cast<std::uint32_t>(bits & 0xFFFFFFu); }
  explicit operator bool() const { return bits != 0; }
  bool operator==(const PayloadRef&) const = default;
};

// Which payload of a node.
enum class NodeField : std::uint8_t { kText = 0, kProperties = 1 };
inline constexpr int kNodeFieldCount = 2;

// Reads are thread-safe. Bytes are written by Journal::Append, together with the
// record that names them.
class PayloadStore {
 public:
  virtual ~PayloadStore() = default;
  // kNotFound when the reference was purged or never written; kCorruption when
  // the bytes do not match their digest.
  virtual Result<std::string> Get(PayloadRef ref) const = 0;

  // Calls fn(i, the bytes of refs[i] or the error of Get) for every i, in order; the bytes
  // are valid during the call. Made for many: a store that keeps payloads in order reads
  // them so. REQUIRES refs ascending. An error of its own (the store is closed, I/O): not
  // all were called.
  using EachPayload = std::function<void(std::size_t, Result<std::string_view>)>;
  virtual Status GetEach(std::span<const PayloadRef> refs, const EachPayload& fn) const {
    for (std::size_t i = 0; i < refs.size(); ++i) {
      const Result<std::string> got = Get(refs[i]);
      if (got)
        fn(i, std::string_view(*got));
      else
        fn(i, std::unexpected(got.error()));
    }
    return {};
  }
};

}  // namespace plexus
