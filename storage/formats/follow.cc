// Bytes are gathered until a batch of whole records is there; a batch is an import of its own.
#include "storage/formats/follow.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/out_of_memory.h"
#include "storage/formats/base/text.h"
#include "storage/formats/follow/follow_source.h"
#include "storage/formats/format_detection.h"
#include "storage/formats/pipeline/pipeline.h"

namespace plexus::formats {

using namespace internal;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = std::size_t{1} << 20;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxNameBytes = 256;

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

class Follower {
 public:
  Follower(Graph& graph, const std::string& name, FollowSource& source,
           const ImportOptions& options, const FollowOptions& follow)
      : graph_(graph),
        name_(name),
        source_(source),
        follow_(follow),
        options_(options),
        progress_(options.progress) {
    // A batch is one piece, and its position is that of its last record.
    options_.limits.load_bytes = 0;
    options_.before = options_.after = {};
    options_.progress = nullptr;
    options_.position = [this](std::uint64_t next_line, WriteBatch& batch) {
      return AddPosition(next_line, batch);
    };
  }

  Result<FollowReport> Run() {
    PLEXUS_TRY(Begin());
    for (;;) {
      if (progress_ && !progress_->Report("following", windows_.size(), 0)) {
        report_.interrupted = true;
        break;
      }
      PLEXUS_TRY(Fill());
      PLEXUS_TRY(CutRecords());
      if (source_.ended()) break;
      if (Due()) PLEXUS_TRY(Flush());
      if (report_.import.stopped) break;
      if (follow_.idle_seconds && nothing_came_ && Seconds(last_byte_) >= *follow_.idle_seconds)
        break;
    }
    return End();
  }

 private:
  Status Begin() {
    std::optional<FollowPosition> position;
    if (!follow_.position.empty())
      PLEXUS_SET(position, ReadFollowPosition(graph_.snapshot(), follow_.position));
    PLEXUS_ASSIGN(windows_,
                  source_.Begin(position ? &*position : nullptr, kSniffBytes, head_, progress_));
    if (position) lines_ = position->lines;
    report_.resumed_at = windows_.size();
    last_byte_ = Clock::now();
    if (position) PLEXUS_TRY(ReadFormat());
    return {};
  }

  // The format, and a table's header, when the first record is there.
  Status ReadFormat() {
    if (head_.starts_with("\x1f\x8b"))
      return Unsupported(name_, ": a packed file cannot be followed");
    FileFormat format = options_.format;
    std::string_view text = head_;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    if (const std::size_t end = text.rfind('\n'); end != std::string_view::npos)
      text = text.substr(0, end);  // whole lines
    if (format == FileFormat::kAuto) PLEXUS_SET(format, SniffFormat(name_, text, options_.columns));
    table_ = format == FileFormat::kCsv || format == FileFormat::kTsv;
    const bool rows = format == FileFormat::kJsonRows && !IsJsonArray(text);
    if (!table_ && !rows && format != FileFormat::kJsonLines && format != FileFormat::kEdgeList)
      return Unsupported(name_, ": format ", FileFormatName(format),
                         " cannot be followed; lines of jsonl and rows, csv, tsv and edgelist can");
    options_.format = format;
    known_ = true;
    if (!table_ || windows_.size() == 0) return {};
    header_ = head_.substr(0, WholeRecord(head_));
    if (header_.empty()) return Invalid(name_, ": its header is over ", kSniffBytes, " bytes");
    return {};
  }

  // Bytes of the record at the head of `text`; 0: its end is not there yet.
  std::size_t WholeRecord(std::string_view text) const {
    if (!table_) {
      const std::size_t end = text.find('\n');
      return end == std::string_view::npos ? 0 : end + 1;
    }
    return QuotedRecordLength(text).value_or(0);
  }

  Status Fill() {
    nothing_came_ = false;
    if (pending_records_ >= follow_.batch_records || whole_ >= kBatchBytes) return {};
    const std::size_t have = buffer_.size();
    buffer_.resize(have + kReadBytes);
    int wait_ms = follow_.poll_interval_ms;
    if (pending_records_ > 0) {
      const double left = follow_.batch_seconds - Seconds(first_pending_);
      wait_ms = static_cast<int>(std::clamp(left * 1000, 0.0, static_cast<double>(wait_ms)));
    }
    Result<std::size_t> got = source_.Read(buffer_.data() + have, kReadBytes, wait_ms);
    buffer_.resize(have + got.value_or(0));
    if (!got) {
      PLEXUS_TRY(CutRecords());  // what was whole before is good
      PLEXUS_TRY(Flush());
      return std::unexpected(got.error());
    }
    nothing_came_ = *got == 0;
    if (!nothing_came_) last_byte_ = Clock::now();
    return {};
  }

  // Moves `whole_` behind the records that are there, up to a batch.
  Status CutRecords() {
    const bool at_end = source_.ended();
    if (at_end && whole_ < buffer_.size() && !buffer_.ends_with('\n')) {
      buffer_.push_back('\n');
      added_end_ = true;
    }
    if (!known_ && windows_.size() == 0 && !buffer_.empty()) {
      if (buffer_.find('\n') == std::string::npos) return CheckLength();
      head_ = buffer_.substr(0, kSniffBytes);
      PLEXUS_TRY(ReadFormat());
    }
    while (pending_records_ < follow_.batch_records && whole_ < kBatchBytes) {
      const std::size_t length = WholeRecord(std::string_view(buffer_).substr(whole_));
      if (length == 0) break;
      if (pending_records_++ == 0) first_pending_ = Clock::now();
      whole_ += length;
      if (table_ && header_.empty()) {
        header_ = buffer_.substr(0, whole_);
        header_alone_ = true;
      }
    }
    return CheckLength();
  }

  Status CheckLength() const {
    if (buffer_.size() - whole_ <= options_.limits.line_bytes + kReadBytes || pending_records_ > 0)
      return {};
    return Invalid(name_, ": the record behind line ", lines_, " is over ",
                   options_.limits.line_bytes, " bytes");
  }

  bool Due() const {
    return pending_records_ >= follow_.batch_records || whole_ >= kBatchBytes ||
           (pending_records_ > 0 && Seconds(first_pending_) >= follow_.batch_seconds);
  }

  // Where the lines of the batch begin, behind the header that is put before it.
  Status AddPosition(std::uint64_t next_line, WriteBatch& batch) const {
    if (follow_.position.empty()) return {};
    const std::uint64_t taken = next_line - 1 - put_before_lines_;
    const std::size_t end = line_ends_[static_cast<std::size_t>(taken)];
    std::string_view done = std::string_view(buffer_).substr(0, end);
    if (added_end_ && end == buffer_.size()) done.remove_suffix(1);
    return WriteFollowPosition(batch, follow_.position, windows_.At(done, lines_ + taken));
  }

  Status Flush() {
    if (whole_ == 0) return {};
    const std::string_view own = std::string_view(buffer_).substr(0, whole_);
    std::string text;
    put_before_lines_ = 0;
    if (table_ && !header_alone_) {
      text = header_;
      put_before_lines_ = static_cast<std::uint64_t>(std::ranges::count(header_, '\n'));
    }
    text += own;
    line_ends_.assign(1, 0);
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i] == '\n') line_ends_.push_back(i + 1);
    if (follow_.clock_ms) options_.now_ms = follow_.clock_ms();
    options_.block_bytes = text.size() + 1;
    options_.batch_ops = SIZE_MAX;
    // Threads are no use to a few lines.
    Executor* const threads = options_.executor;
    if (text.size() < kReadBytes) options_.executor = &SerialExecutor();
    Result<ImportReport> imported = ImportBytes(graph_, name_, text, options_);
    options_.executor = threads;
    if (!imported) return std::unexpected(imported.error());
    Add(*imported);
    if (imported->stopped) return {};
    FollowBatch batch;
    batch.sequence = imported->sequence;
    batch.records = imported->records;
    batch.errors = imported->errors;
    const bool all = added_end_ && whole_ == buffer_.size();
    windows_.Add(own.substr(0, own.size() - (all ? 1 : 0)));
    lines_ += line_ends_.size() - 1;
    batch.offset = windows_.size();
    batch.lines = lines_;
    PLEXUS_TRY(graph_.WaitDurable(batch.sequence));
    buffer_.erase(0, whole_);
    whole_ = 0;
    pending_records_ = 0;
    header_alone_ = false;
    if (follow_.on_batch) follow_.on_batch(batch);
    return {};
  }

  void Add(ImportReport& more) {
    ImportReport& sum = report_.import;
    const auto line = [&](std::uint64_t in_batch) {
      return in_batch > put_before_lines_ ? in_batch - put_before_lines_ + lines_ : in_batch;
    };
    const auto counts = [](ChangeCounts& to, const ChangeCounts& from) {
      to.added += from.added;
      to.changed += from.changed;
      to.same += from.same;
    };
    counts(sum.nodes, more.nodes);
    counts(sum.edges, more.edges);
    counts(sum.events, more.events);
    sum.sequence = more.sequence;
    sum.outcomes += more.outcomes;
    sum.vectors += more.vectors;
    sum.errors += more.errors;
    sum.removed += more.removed;
    sum.stubs += more.stubs;  // when their batch came
    sum.unknown += more.unknown;
    sum.reversed_edges += more.reversed_edges;
    sum.passed_over += more.passed_over;
    sum.unused_columns = more.unused_columns;
    sum.ambiguous += more.ambiguous;
    std::ranges::move(more.new_edge_kinds, std::back_inserter(sum.new_edge_kinds));
    sum.records += more.records;
    sum.bytes += more.bytes;
    sum.batches += more.batches;
    sum.stopped |= more.stopped;
    for (ImportError& error : more.kept_errors) {
      if (sum.kept_errors.size() >= options_.max_errors_kept) break;
      if (error.line != 0) error.line = line(error.line);
      sum.kept_errors.push_back(std::move(error));
    }
    for (ImportWarning& warning : more.warnings) {
      warning.line = line(warning.line);
      if (!warning.says.empty() && warning.value > 0)
        warning.value = static_cast<std::int64_t>(line(static_cast<std::uint64_t>(warning.value)));
      AddWarning(sum.warnings, std::move(warning));
    }
  }

  Result<FollowReport> End() {
    while (!report_.import.stopped) {  // all that is whole
      PLEXUS_TRY(Flush());
      PLEXUS_TRY(CutRecords());
      if (pending_records_ == 0) break;
    }
    if (report_.import.sequence == 0) report_.import.sequence = graph_.snapshot().sequence();
    report_.offset = windows_.size();
    report_.lines = lines_;
    report_.waiting = report_.import.stopped ? 0 : buffer_.size();
    return std::move(report_);
  }

  Graph& graph_;
  const std::string& name_;
  FollowSource& source_;
  const FollowOptions& follow_;
  ImportOptions options_;
  Progress* const progress_;

  FollowWindows windows_;      // of the bytes that are imported
  std::uint64_t lines_ = 0;    // that are imported
  std::string head_, header_;  // what the file begins with; of a table, its first record
  bool known_ = false, table_ = false;
  bool header_alone_ = false;  // the header is the first record of the buffer

  std::string buffer_;     // what is behind them
  std::size_t whole_ = 0;  // bytes of it that are records of the next batch
  std::size_t pending_records_ = 0;
  bool added_end_ = false;  // the buffer's last line end is ours
  std::vector<std::size_t> line_ends_;
  std::uint64_t put_before_lines_ = 0;
  bool nothing_came_ = false;
  Clock::time_point first_pending_, last_byte_;
  FollowReport report_;
};

Status CheckOptions(const FollowOptions& follow) {
  if (follow.batch_records < 1 || follow.batch_records > 1'000'000)
    return Invalid("batch_records is 1 to 1000000");
  if (!(follow.batch_seconds >= 0 && follow.batch_seconds <= 3600))
    return Invalid("batch_seconds is 0 to 3600");
  if (follow.idle_seconds && !(*follow.idle_seconds >= 0 && std::isfinite(*follow.idle_seconds)))
    return Invalid("idle_seconds is a finite number of 0 or more");
  if (follow.poll_interval_ms < 0 || follow.poll_interval_ms > 60'000)
    return Invalid("poll_interval_ms is 0 to 60000");
  if (follow.position.size() > kMaxNameBytes)
    return Invalid("a position's name has at most 256 bytes");
  return {};
}

Result<FollowReport> Follow(Graph& graph, const std::string& name, FollowSource& source,
                            const ImportOptions& options, const FollowOptions& follow) {
  return Follower(graph, name, source, options, follow).Run();
}

}  // namespace

Result<FollowReport> FollowFile(Graph& graph, const std::string& path, const ImportOptions& options,
                                const FollowOptions& follow) try {
  PLEXUS_TRY(CheckOptions(follow));
  PLEXUS_ASSIGN(const std::unique_ptr<FollowSource> source, OpenFollowedFile(path));
  return Follow(graph, path, *source, options, follow);
}
PLEXUS_CATCH_NO_MEMORY

Result<FollowReport> FollowStream(Graph& graph, const std::string& name, int fd,
                                  const ImportOptions& options, const FollowOptions& follow) try {
  PLEXUS_TRY(CheckOptions(follow));
  const std::unique_ptr<FollowSource> source = FollowDescriptor(name, fd);
  return Follow(graph, name, *source, options, follow);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
