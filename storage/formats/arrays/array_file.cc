// Array files in: every block by its digest, every row by its rules. Out: blocks as they fill up,
// their digests last. See array_file.h.
#include "storage/formats/array_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/out_of_memory.h"
#include "storage/formats/import.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace plexus::formats {

static_assert(std::endian::native == std::endian::little, "fields are copied as they stand");

namespace {

constexpr char kArrayMagic[] = "PLXARRAY";
constexpr std::uint32_t kArrayVersion = 1;
constexpr std::uint64_t kHeaderBytes = 96, kArrayBlockBytes = 1 << 20, kJobBytes = 24;

struct Extent {
  const char* name;
  std::uint64_t begin, elements, width;
  std::uint64_t end() const { return (begin + elements * width + 7) / 8 * 8; }
};

// Where the sections of a file of this header lie.
struct Layout {
  std::vector<Extent> sections;
  std::uint64_t body_end = kHeaderBytes;

  explicit Layout(const ArrayHeader& header) {
    const auto add = [&](const char* name, std::uint64_t elements, std::uint64_t width) {
      sections.push_back({name, body_end, elements, width});
      body_end = sections.back().end();
    };
    if (header.kind != ArrayKind::kCsrParts) {
      add("values", header.nodes * header.count, header.kind == ArrayKind::kF64 ? 8 : 4);
      return;
    }
    add("selected", (header.nodes + 63) / 64, 8);
    add("offsets", header.nodes + 1, 8);
    add("targets", header.count, 4);
    add("weights", header.count, 4);
  }
  std::uint64_t blocks() const {
    return (body_end - kHeaderBytes + kArrayBlockBytes - 1) / kArrayBlockBytes;
  }
  std::uint64_t file_bytes() const { return body_end + 8 * blocks() + 8; }
  const Extent& of(ArraySection section) const {
    return sections[section == ArraySection::kValues ? 0 : static_cast<std::size_t>(section)];
  }
};

constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 32, kMostCount = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostArrays = 64;
constexpr std::uint64_t kRowsAtOnce = 1 << 16;

template <class T>
T Field(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

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

struct ArrayFile::Impl {
  std::string name;
  std::optional<std::string_view> bytes;  // in memory; else of the file
  int fd = -1;
  std::uint64_t size = 0;
  ArrayHeader header;
  Layout layout{ArrayHeader{}};
  std::vector<std::uint64_t> digests;
  std::vector<char> block;  // the last one read
  std::uint64_t block_number = ~std::uint64_t{0};
  std::vector<std::uint64_t> selected;  // all its words, once a row was read

  ~Impl() {
    if (fd >= 0) close(fd);
  }

  template <class... Parts>
  std::unexpected<Error> Damaged(const Parts&... what) const {
    return Corrupted(name, ": ", what...);
  }
  template <class... Parts>
  std::unexpected<Error> DamagedAt(ArraySection section, std::uint64_t element,
                                   const Parts&... what) const {
    const Extent& in = layout.of(section);
    return Damaged(in.name, ", element ", element, " at byte ", in.begin + element * in.width, ": ",
                   what...);
  }

  Status ReadRaw(std::uint64_t at, char* to, std::uint64_t count) const {
    if (at > size || count > size - at) return Damaged("ends at byte ", size);
    if (bytes) {
      std::memcpy(to, bytes->data() + at, count);
      return {};
    }
    while (count > 0) {
      const ssize_t got = pread(fd, to, count, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return IoError(name, ": ", std::strerror(errno));
      if (got == 0) return Damaged("was cut at byte ", at, " while it was read");
      at += static_cast<std::uint64_t>(got);
      to += got;
      count -= static_cast<std::uint64_t>(got);
    }
    return {};
  }

  Status ReadHeader();
  Status ReadDigests();
  Status ReadBlock(std::uint64_t number);
  // Bytes of the sections, from that place of the file on.
  Status ReadBody(std::uint64_t at, char* to, std::uint64_t count);
  template <class T>
  Result<std::vector<T>> Read(ArraySection section, std::uint64_t first, std::uint64_t last);
  Status ReadAllSelected();
  Status CheckOffsets(const CsrRows& rows);
  Status CheckArcs(const CsrRows& rows);
};

Status ArrayFile::Impl::ReadHeader() {
  std::string bytes_of_header(kHeaderBytes, '\0');
  const std::string_view head = bytes_of_header;
  if (size < kHeaderBytes) return Damaged("is ", size, " bytes, too short for an array file");
  PLEXUS_TRY(ReadRaw(0, bytes_of_header.data(), kHeaderBytes));
  if (!head.starts_with(std::string_view(kArrayMagic, 8)))
    return Damaged("byte 0: is no array file of Plexus");
  const auto version = Field<std::uint32_t>(head, 8);
  if (version > kArrayVersion)
    return Unsupported(name, ": byte 8: version ", version, ", this program reads up to ",
                       kArrayVersion);
  if (Field<std::uint64_t>(head, 88) != XXH3_64bits(head.data(), 88))
    return Damaged("byte 88: the header's digest is another one");
  const auto kind = Field<std::uint32_t>(head, 12);
  if (version < 1 || kind < 1 || kind > 3) return Damaged("byte 12: holds what is unknown, ", kind);
  const std::string_view job = head.substr(64, kJobBytes);
  header = {static_cast<ArrayKind>(kind),   Field<std::uint64_t>(head, 16),
            Field<std::uint64_t>(head, 24), Field<std::uint64_t>(head, 32),
            Field<std::uint64_t>(head, 40), Field<std::uint64_t>(head, 48),
            Field<std::uint64_t>(head, 56), std::string(job.substr(0, job.find('\0')))};
  if (header.nodes > kMostNodes || header.selected > header.nodes ||
      header.count > (header.kind == ArrayKind::kCsrParts ? kMostCount : kMostArrays))
    return Damaged("byte 40: counts that no graph has");
  layout = Layout(header);
  if (layout.file_bytes() != size)
    return Damaged("is ", size, " bytes, its header says ", layout.file_bytes());
  return ReadDigests();
}

// The size of the file was compared: what is allocated here, the file has.
Status ArrayFile::Impl::ReadDigests() {
  digests.resize(layout.blocks());
  PLEXUS_TRY(ReadRaw(layout.body_end, reinterpret_cast<char*>(digests.data()), 8 * digests.size()));
  std::uint64_t digest = 0;
  PLEXUS_TRY(ReadRaw(size - 8, reinterpret_cast<char*>(&digest), 8));
  if (digest != XXH3_64bits(digests.data(), 8 * digests.size()))
    return Damaged("digests at byte ", layout.body_end, ": their own digest is another one");
  return {};
}

Status ArrayFile::Impl::ReadBlock(std::uint64_t number) {
  if (number == block_number) return {};
  const std::uint64_t begin = kHeaderBytes + number * kArrayBlockBytes;
  block_number = ~std::uint64_t{0};
  block.resize(std::min(kArrayBlockBytes, layout.body_end - begin));
  PLEXUS_TRY(ReadRaw(begin, block.data(), block.size()));
  if (XXH3_64bits(block.data(), block.size()) != digests[number]) {
    std::string names;
    for (const Extent& section : layout.sections)
      if (section.begin < begin + block.size() && begin < section.end())
        names.append(names.empty() ? "" : " or ").append(section.name);
    return Damaged(names, ", in the ", block.size(), " bytes from byte ", begin,
                   ": the digest is another one");
  }
  block_number = number;
  return {};
}

Status ArrayFile::Impl::ReadBody(std::uint64_t at, char* to, std::uint64_t count) {
  while (count > 0) {
    const std::uint64_t in_body = at - kHeaderBytes;
    PLEXUS_TRY(ReadBlock(in_body / kArrayBlockBytes));
    const std::uint64_t from = in_body % kArrayBlockBytes;
    const std::uint64_t some = std::min<std::uint64_t>(count, block.size() - from);
    std::memcpy(to, block.data() + from, some);
    at += some;
    to += some;
    count -= some;
  }
  return {};
}

template <class T>
Result<std::vector<T>> ArrayFile::Impl::Read(ArraySection section, std::uint64_t first,
                                             std::uint64_t last) try {
  const Extent& in = layout.of(section);
  std::vector<T> values(last - first);
  PLEXUS_TRY(ReadBody(in.begin + first * in.width, reinterpret_cast<char*>(values.data()),
                      values.size() * sizeof(T)));
  return values;
}
PLEXUS_CATCH_NO_MEMORY

Status ArrayFile::Impl::ReadAllSelected() {
  if (!selected.empty() || header.nodes == 0) return {};
  PLEXUS_ASSIGN(selected,
                Read<std::uint64_t>(ArraySection::kSelected, 0, (header.nodes + 63) / 64));
  std::uint64_t count = 0;
  for (const std::uint64_t word : selected)
    count += static_cast<std::uint64_t>(std::popcount(word));
  const std::uint64_t rest = header.nodes % 64;
  if (count != header.selected || (rest > 0 && selected.back() >> rest != 0)) {
    selected.clear();
    return DamagedAt(ArraySection::kSelected, 0, count, " nodes, the header says ",
                     header.selected);
  }
  return {};
}

Status ArrayFile::Impl::CheckOffsets(const CsrRows& rows) {
  const std::uint64_t last = rows.first + rows.offsets.size() - 1;
  if (rows.first == 0 && rows.offsets.front() != 0)
    return DamagedAt(ArraySection::kOffsets, 0, "is not 0");
  for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
    const std::uint64_t node = rows.first + i;
    if (rows.offsets[i] > rows.offsets[i + 1] || rows.offsets[i + 1] > header.count)
      return DamagedAt(ArraySection::kOffsets, node + 1, "does not ascend to the number of arcs");
    if (rows.offsets[i] != rows.offsets[i + 1] && (selected[node / 64] >> node % 64 & 1) == 0)
      return DamagedAt(ArraySection::kOffsets, node, "a row of a node that is not selected");
  }
  if (last == header.nodes && rows.offsets.back() != header.count)
    return DamagedAt(ArraySection::kOffsets, last, "is not the number of arcs");
  return {};
}

Status ArrayFile::Impl::CheckArcs(const CsrRows& rows) {
  for (std::size_t i = 0; i < rows.targets.size(); ++i) {
    const std::uint32_t target = rows.targets[i];
    if (target >= header.nodes || (selected[target / 64] >> target % 64 & 1) == 0)
      return DamagedAt(ArraySection::kTargets, rows.offsets.front() + i, target,
                       " is no selected node");
    if (!std::isfinite(rows.weights[i]) || rows.weights[i] < 0)
      return DamagedAt(ArraySection::kWeights, rows.offsets.front() + i,
                       "is no weight: negative or not finite");
  }
  return {};
}

ArrayFile::ArrayFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ArrayFile::ArrayFile(ArrayFile&&) noexcept = default;
ArrayFile& ArrayFile::operator=(ArrayFile&&) noexcept = default;
ArrayFile::~ArrayFile() = default;
const ArrayHeader& ArrayFile::header() const { return impl_->header; }
const std::string& ArrayFile::name() const { return impl_->name; }

Result<ArrayFile> ArrayFile::Open(const std::string& path) try {
  auto impl = std::make_unique<Impl>();
  impl->name = path;
  impl->fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about = {};
  if (impl->fd < 0 || fstat(impl->fd, &about) != 0)
    return Fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                path + ": " + std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return Unsupported(path, ": is no regular file");
  impl->size = static_cast<std::uint64_t>(about.st_size);
  PLEXUS_TRY(impl->ReadHeader());
  return ArrayFile(std::move(impl));
}
PLEXUS_CATCH_NO_MEMORY

Result<ArrayFile> ArrayFile::Of(std::string_view name, std::string_view bytes) try {
  auto impl = std::make_unique<Impl>();
  impl->name = name;
  impl->bytes = bytes;
  impl->size = bytes.size();
  PLEXUS_TRY(impl->ReadHeader());
  return ArrayFile(std::move(impl));
}
PLEXUS_CATCH_NO_MEMORY

Result<std::uint64_t> ArrayFile::Offset(std::uint64_t row) {
  std::uint64_t offset = 0;
  PLEXUS_TRY(impl_->ReadBody(impl_->layout.of(ArraySection::kOffsets).begin + 8 * row,
                             reinterpret_cast<char*>(&offset), 8));
  return offset;
}

Result<CsrRows> ArrayFile::ReadRows(std::uint64_t first, std::uint64_t last) try {
  PLEXUS_TRY(impl_->ReadAllSelected());
  CsrRows rows;
  rows.first = first;
  PLEXUS_ASSIGN(rows.offsets, impl_->Read<std::uint64_t>(ArraySection::kOffsets, first, last + 1));
  PLEXUS_TRY(impl_->CheckOffsets(rows));
  const std::uint64_t begin = rows.offsets.front(), end = rows.offsets.back();
  PLEXUS_ASSIGN(rows.targets, impl_->Read<std::uint32_t>(ArraySection::kTargets, begin, end));
  PLEXUS_ASSIGN(rows.weights, impl_->Read<float>(ArraySection::kWeights, begin, end));
  PLEXUS_TRY(impl_->CheckArcs(rows));
  return rows;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<std::uint8_t>> ArrayFile::ReadSelected(std::uint64_t first,
                                                          std::uint64_t last) try {
  PLEXUS_TRY(impl_->ReadAllSelected());
  std::vector<std::uint8_t> bits(last - first);
  for (std::uint64_t i = first; i < last; ++i)
    bits[i - first] = impl_->selected[i / 64] >> i % 64 & 1;
  return bits;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<double>> ArrayFile::ReadF64(std::uint64_t array, std::uint64_t first,
                                               std::uint64_t last) {
  const std::uint64_t begin = array * header().nodes + first;
  PLEXUS_ASSIGN(std::vector<double> values,
                impl_->Read<double>(ArraySection::kValues, begin, begin + last - first));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isinf(values[i]))
      return impl_->DamagedAt(ArraySection::kValues, begin + i, "is not finite");
  return values;
}

Result<std::vector<std::uint32_t>> ArrayFile::ReadU32(std::uint64_t array, std::uint64_t first,
                                                      std::uint64_t last) {
  const std::uint64_t begin = array * header().nodes + first;
  return impl_->Read<std::uint32_t>(ArraySection::kValues, begin, begin + last - first);
}

Status ArrayFile::CheckAll() {
  const std::uint64_t nodes = header().nodes;
  if (header().kind == ArrayKind::kU32)
    for (std::uint64_t block = 0; block < impl_->layout.blocks(); ++block)
      PLEXUS_TRY(impl_->ReadBlock(block));
  if (header().kind == ArrayKind::kF64)
    for (std::uint64_t array = 0; array < header().count; ++array)
      for (std::uint64_t at = 0; at < nodes; at += kRowsAtOnce)
        PLEXUS_TRY(ReadF64(array, at, std::min(nodes, at + kRowsAtOnce)));
  if (header().kind != ArrayKind::kCsrParts) return {};
  std::uint64_t first = 0;
  do {  // also of no rows, whose one offset is checked
    const std::uint64_t last = std::min(nodes, first + kRowsAtOnce);
    PLEXUS_TRY(ReadRows(first, last));
    first = last;
  } while (first < nodes);
  return {};
}

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

bool IsArrayFile(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  char magic[8] = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(magic, sizeof magic) &&
         std::string_view(magic, sizeof magic) == std::string_view(kArrayMagic, 8);
}

}  // namespace plexus::formats
