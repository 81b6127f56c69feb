// PropertyBytes: the bytes of a small FlexBuffers map, as property payloads are.
#pragma once

#include <cstdint>
#include <string>

#include <flatbuffers/flexbuffers.h>

namespace plexus::testing {

inline std::string PropertyBytes(const char* name, std::int64_t value) {
  flexbuffers::Builder builder;
  builder.Map([&] { builder.Int(name, value); });
  builder.Finish();
  const auto& bytes = builder.GetBuffer();
  return {bytes.begin(), bytes.end()};
}

}  // namespace plexus::testing
