// Reading and checking a file of keys.
#include "storage/formats/vectors/vector_keys.h"

#include <algorithm>
#include <numeric>

#include "engine/schema.h"
#include "engine/types.h"

namespace plexus::formats::internal {

namespace {

// No more than `limit` bytes; more is an error.
Result<std::string> ReadAll(const VectorInput& input, std::uint64_t limit) {
  PLEXUS_ASSIGN(const auto source,
                input.bytes ? Result<std::unique_ptr<ByteSource>>(OpenBytes(*input.bytes))
                            : OpenFile(input.name));
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + (std::size_t{1} << 20));
    PLEXUS_ASSIGN(const std::size_t got, source->Read(text.data() + before, text.size() - before));
    text.resize(before + got);
    if (got == 0) return text;
    if (text.size() > limit)
      return Invalid(input.name, ": more bytes than the keys of all rows can have");
  }
}

}  // namespace

Result<std::string> ReadKeysFirst(ByteSource& source, const std::string& name,
                                  std::uint64_t most) {
  std::string text;
  for (std::size_t line = 0;;) {
    for (std::size_t end; (end = text.find('\n', line)) != std::string::npos; line = end + 1) {
      if (end != line) continue;
      text.resize(line + 1);
      return text;
    }
    // Numbers have no lines.
    const bool is_line = text.size() - line <= Limits::kMaxKeyBytes + 1;
    const std::size_t before = text.size();
    if (before >= most)
      return Invalid(name, ": more than ", most,
                     " bytes of keys before its vectors; import it in parts");
    text.resize(before + (std::size_t{1} << 16));
    PLEXUS_ASSIGN(const std::size_t got, source.Read(text.data() + before, text.size() - before));
    text.resize(before + got);
    if (!is_line || got == 0)
      return Invalid(name, ": has no empty line between its keys, one a line, and its vectors");
  }
}

Result<VectorKeys> VectorKeys::Read(const VectorInput& input, std::uint64_t rows,
                                    bool mark_is_key) {
  constexpr std::uint64_t kLine = Limits::kMaxKeyBytes + 2;
  VectorKeys keys;
  keys.named_ = true;
  keys.file_ = input.name;
  PLEXUS_ASSIGN(keys.text_, ReadAll(input, rows * kLine + 3));
  const std::string& text = keys.text_;
  std::size_t at = !mark_is_key && text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  std::uint64_t lines = 0;  // counted to the end; kept while there are rows for them
  while (at < text.size()) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::size_t end = line_end > at && text[line_end - 1] == '\r' ? line_end - 1 : line_end;
    if (lines++ < rows) {
      keys.begins_.push_back(at);
      keys.ends_.push_back(end);
    }
    at = line_end + 1;
  }
  if (lines != rows) return Invalid(input.name, ": ", lines, " keys for ", rows, " vectors");
  keys.Check();
  return keys;
}

void VectorKeys::Check() {
  std::string unused;
  std::vector<std::uint64_t> order(begins_.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::uint64_t row : order)
    if (Status good = CheckKey(key(row, unused), false); !good)
      refused_[row] = good.error().message;
  std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    const int order_of = key(a, unused).compare(key(b, unused));
    return order_of != 0 ? order_of < 0 : a < b;
  });
  for (std::size_t i = 1, first = 0; i < order.size(); ++i) {
    if (key(order[i], unused) != key(order[first], unused))
      first = i;
    else
      refused_.try_emplace(order[i], "the same key as line " + std::to_string(order[first] + 1));
  }
}

}  // namespace plexus::formats::internal
