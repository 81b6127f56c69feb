// Gunzip: a gzip file read as what it holds (RFC 1952, one member or several, by zlib).
//
// Internal to storage/formats.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "storage/formats/pipeline/block_reader.h"

namespace plexus::formats::internal {

// By its first bytes.
bool IsGzip(std::string_view head);

// What `from` holds, unpacked. Bytes are checked against gzip's checksums. Errors of Read:
// kInvalidArgument names `name` where the data is damaged, ends early, or is followed by what is no
// gzip member; those of `from`. Null without memory.
std::unique_ptr<ByteSource> Gunzip(std::unique_ptr<ByteSource> from, std::string name);

// "a.csv.gz" -> "a.csv"; any other name as it is.
std::string_view WithoutGz(std::string_view name);

}  // namespace plexus::formats::internal
