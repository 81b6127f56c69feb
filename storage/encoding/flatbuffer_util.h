// Helpers of the FlatBuffers codecs: aligned views, checked roots, seals. Internal.
//
// The verifier proves structure, not values: the decoder checks values too.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include "common_generated.h"
#include "engine/error.h"
#include "storage/base/digest.h"
#include "storage/encoding/definitions.h"
#include "storage/encoding/format_versions.h"

namespace plexus::storage_internal {

namespace fb = plexus::storage::fb;  // the name is part of the schemas, which other languages read

// The bytes themselves when they lie on an 8-byte boundary, else a copy that does.
class AlignedView {
 public:
  explicit AlignedView(ByteSpan bytes) : bytes_(bytes) {
    if (bytes.empty() || reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 == 0) return;
    copy_.resize((bytes.size() + 7) / 8);
    std::memcpy(copy_.data(), bytes.data(), bytes.size());
    bytes_ = {reinterpret_cast<const std::uint8_t*>(copy_.data()), bytes.size()};
  }
  AlignedView(const AlignedView&) = delete;
  AlignedView& operator=(const AlignedView&) = delete;
  ByteSpan bytes() const { return bytes_; }

 private:
  std::vector<std::uint64_t> copy_;
  ByteSpan bytes_;
};

// The verified root of `bytes` (aligned), or kCorruption / kUnsupported.
template <class Table>
Result<const Table*> CheckedRoot(ByteSpan bytes, const char* identifier, std::string_view where) {
  if (bytes.size() < 16 || bytes.size() > kMaxBufferBytes)
    return Corrupted(where, ", offset 0: ", bytes.size(), " bytes cannot be a ", identifier,
                     " buffer");
  if (!flatbuffers::BufferHasIdentifier(bytes.data(), identifier))
    return Corrupted(where, ", offset 4: the file identifier is not ", identifier);
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<Table>(identifier))
    return Corrupted(where, ", offset 0: the buffer's structure is broken");
  return flatbuffers::GetRoot<Table>(bytes.data());
}

inline Status CheckVersion(std::uint16_t version, std::uint16_t newest, std::string_view where) {
  if (version == 0) return Corrupted(where, ": format version 0");
  if (version > newest)
    return Unsupported(where, ": format version ", version, " is newer than this program's ",
                       newest);
  return {};
}

// Checks the digest that a buffer carries in its seal.
Status CheckSeal(ByteSpan bytes, const fb::Seal* seal, std::string_view where);
// Fills in the digest of a finished buffer; returns it.
std::uint64_t SetSeal(std::uint8_t* data, std::size_t size, const fb::Seal* seal);

// By one copy, never by elements: the verifier proves that a vector's length is
// aligned, not that elements wider than the length are.
template <class T>
std::vector<T> ToVector(const flatbuffers::Vector<T>* from) {
  std::vector<T> to;
  if (!from || from->size() == 0) return to;
  to.resize(from->size());
  std::memcpy(to.data(), from->Data(), to.size() * sizeof(T));
  return to;
}

// Struct vectors whose layout equals ours, by one copy.
template <class T, class F>
std::vector<T> StructsToVector(const flatbuffers::Vector<const F*>* from) {
  static_assert(sizeof(T) == sizeof(F) && std::is_trivially_copyable_v<T>);
  std::vector<T> to;
  if (!from || from->size() == 0) return to;
  to.resize(from->size());
  std::memcpy(to.data(), from->Data(), to.size() * sizeof(T));
  return to;
}

// The same without a vector, one after the other.
template <class T, class F, class Call>
void ForEachStruct(const flatbuffers::Vector<const F*>* from, Call&& call) {
  static_assert(sizeof(T) == sizeof(F) && std::is_trivially_copyable_v<T>);
  if (!from) return;
  T value;
  for (flatbuffers::uoffset_t i = 0; i < from->size(); ++i) {
    std::memcpy(&value, from->Data() + i * sizeof(T), sizeof(T));
    call(std::as_const(value));
  }
}

inline std::string ToString(const flatbuffers::Vector<std::uint8_t>* from) {
  if (!from) return {};
  return std::string(reinterpret_cast<const char*>(from->data()), from->size());
}

flatbuffers::Offset<fb::Definitions> BuildDefinitions(flatbuffers::FlatBufferBuilder& builder,
                                                      const DefinitionLists& lists);
// Null makes empty lists. kCorruption names a value that no version writes.
Result<DefinitionLists> ReadDefinitions(const fb::Definitions* from, std::string_view where);

}  // namespace plexus::storage_internal
