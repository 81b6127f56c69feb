// Array files out: blocks as they fill up, their digests last; see array_file.h.
#include <algorithm>
#include <bit>
#include <utility>

#include "storage/formats/arrays/array_layout.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace plexus::formats {

using namespace internal;

static_assert(std::endian::native == std::endian::little, "fields are copied as they stand");

namespace {

std::string Packed(const ArrayHeader& header) {
  std::string bytes(kArrayMagic, 8);
  const auto put = [&](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(kArrayVersion);
  put(static_cast<std::uint32_t>(header.kind));
  for (const std::uint64_t word : {header.graph_high, header.graph_low, header.sequence,
                                   header.nodes, header.count, header.selected})
    put(word);
  std::string job = header.job.substr(0, kJobBytes - 1);
  job.resize(kJobBytes);
  bytes += job;
  put(std::uint64_t{XXH3_64bits(bytes.data(), bytes.size())});
  return bytes;
}

}  // namespace

struct ArrayWriter::Impl {
  std::ostream& out;
  Layout layout;
  std::string block;
  std::vector<std::uint64_t> digests;
  std::uint64_t written = kHeaderBytes;  // blocks under way included

  Status EndBlock() {
    digests.push_back(XXH3_64bits(block.data(), block.size()));
    return Write(std::exchange(block, {}));
  }
  Status Write(std::string_view bytes) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (out) return {};
    return IoError("an array file: the output stream failed");
  }
};

ArrayWriter::ArrayWriter(std::ostream& out, const ArrayHeader& header)
    : impl_(std::make_unique<Impl>(Impl{out, Layout(header), {}, {}})) {
  (void)impl_->Write(Packed(header));  // the stream keeps the failure, which Put reports
}
ArrayWriter::~ArrayWriter() = default;

Status ArrayWriter::Put(const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  impl_->written += size;
  while (size > 0) {
    const std::size_t some = std::min<std::size_t>(size, kArrayBlockBytes - impl_->block.size());
    impl_->block.append(from, some);
    from += some;
    size -= some;
    if (impl_->block.size() == kArrayBlockBytes) PLEXUS_TRY(impl_->EndBlock());
  }
  return {};
}

Status ArrayWriter::EndSection() {
  constexpr char kZeros[8] = {};
  return Put(kZeros, (8 - impl_->written % 8) % 8);
}

Status ArrayWriter::Finish() {
  if (impl_->written != impl_->layout.body_end)
    return Fail(ErrorCode::kInternal, "an array file of another size than its header's");
  if (!impl_->block.empty()) PLEXUS_TRY(impl_->EndBlock());
  const auto& digests = impl_->digests;
  const std::uint64_t digest = XXH3_64bits(digests.data(), 8 * digests.size());
  PLEXUS_TRY(impl_->Write({reinterpret_cast<const char*>(digests.data()), 8 * digests.size()}));
  PLEXUS_TRY(impl_->Write({reinterpret_cast<const char*>(&digest), 8}));
  impl_->out.flush();
  return impl_->Write({});
}

}  // namespace plexus::formats
