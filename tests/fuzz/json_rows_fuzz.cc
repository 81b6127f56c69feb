// Fuzz target: rows of other systems' tables. See text_fuzz.h.
#include "tests/fuzz/text_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  plexus::formats_internal::ImportAndCheck(plexus::FileFormat::kJsonRows, data, size);
  return 0;
}
