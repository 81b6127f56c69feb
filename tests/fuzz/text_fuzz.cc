// Fuzz target: files of one format from anywhere, which CMake names. See text_fuzz.h.
#include "tests/fuzz/text_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  plexus::formats::internal::ImportAndCheck(plexus::formats::FileFormat::PLEXUS_FUZZED_FORMAT, data,
                                            size);
  return 0;
}
