// Fuzzer: any bytes as an anchor file. Whatever decodes must encode to itself.
#include <cstdlib>

#include "storage/encoding/anchor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plexus;  // NOLINT
  using namespace plexus::storage_internal;
  auto anchor = DecodeAnchor({data, size}, "anchor");
  if (!anchor) return 0;
  const std::string bytes = EncodeAnchor(*anchor);
  auto again = DecodeAnchor(AsBytes(std::string_view(bytes)), "anchor");
  if (!again || !(*again == *anchor)) std::abort();
  return 0;
}
