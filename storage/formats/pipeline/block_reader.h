// BlockReader: a file as a sequence of blocks that end at record ends.
//
// Sequential big reads into fresh buffers; the tail after the last record end is
// carried to the next block. Quoted formats (CSV) may have line ends inside quoted cells
// (base/text.h). A record over the limit is dropped without being held in
// memory and comes back as an error.
// Not thread-safe; the pipeline reads from one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"

namespace plexus::formats::internal {

// Where bytes come from. Read returns 0 at the end.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual Result<std::size_t> Read(char* to, std::size_t size) = 0;
};

// Fills `bytes`, which become fewer where the source ends before.
Status ReadFully(ByteSource& source, std::string& bytes);
// Does not wait for a pipe's other end; Read does, and asks `progress` whether to go on.
Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path, Progress* progress = nullptr);
std::unique_ptr<ByteSource> OpenBytes(std::string_view bytes);  // borrows

struct Block {
  std::unique_ptr<char[]> buffer;  // 16 bytes of '\n' follow the text
  std::string_view text;           // whole records
  std::uint64_t first_line = 1;
  // When the text is a translation (an XML element, say, as a line): where in the
  // file each of its lines is. Empty: the lines are the file's own.
  std::vector<std::uint64_t> lines;
  std::uint64_t lines_before = 0;  // of these, in earlier blocks
  // A record that was dropped: `text` is empty then.
  std::optional<std::string> dropped;
};

// Where blocks come from: a file cut at line ends, or a reader that translates.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // The next block; nullopt at the end.
  virtual Result<std::optional<Block>> Next() = 0;
  virtual std::uint64_t bytes_read() const = 0;  // of the file
};

class BlockReader final : public BlockSource {
 public:
  static constexpr std::size_t kPadding = 16;

  BlockReader(std::unique_ptr<ByteSource> source, std::size_t block_bytes,
              std::size_t record_limit);

  // From now on line ends inside quoted cells do not end a record.
  void set_quoted(char delimiter) { delimiter_ = delimiter; }

  // Reads ahead without consuming: what the file begins with, up to `bytes`.
  Result<std::string_view> Peek(std::size_t bytes);
  // Drops the first `bytes` of what Peek showed (a byte order mark, a header).
  void Drop(std::size_t bytes);

  Result<std::optional<Block>> Next() override;
  std::uint64_t bytes_read() const override { return bytes_read_; }

 private:
  Status Fill(std::size_t want);
  Result<std::optional<Block>> DropRecord();
  std::size_t LastRecordEnd(std::size_t seen) const;
  Block Take(std::size_t bytes);

  std::unique_ptr<ByteSource> source_;
  std::size_t block_bytes_, record_limit_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0, size_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t bytes_read_ = 0;
  char delimiter_ = '\0';  // of cells that may be quoted; '\0': a line is a record
  bool eof_ = false;
};

}  // namespace plexus::formats::internal
