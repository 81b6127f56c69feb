// The workers of one file's import; see pipeline.h.
#include "storage/formats/pipeline/pipeline.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <map>
#include <utility>

#include "engine/out_of_memory.h"

namespace plexus::formats::internal {

namespace {

bool Equal(const Schema& a, const Schema& b) {
  return a.node_kinds() == b.node_kinds() && a.edge_kinds() == b.edge_kinds() &&
         a.columns() == b.columns() && a.spaces() == b.spaces();
}

// Batches that were applied, kept for their memory. Thread-safe.
class BatchPool {
 public:
  WriteBatch Acquire() {
    MutexLock lock(mutex_);
    if (spare_.empty()) return WriteBatch();
    WriteBatch batch = std::move(spare_.back());
    spare_.pop_back();
    return batch;
  }
  void Release(WriteBatch batch) {
    batch.Clear();
    MutexLock lock(mutex_);
    if (spare_.size() < kMaxSpare) spare_.push_back(std::move(batch));
  }

 private:
  static constexpr std::size_t kMaxSpare = 16;
  Mutex mutex_;
  std::vector<WriteBatch> spare_ PLEXUS_GUARDED_BY(mutex_);
};

// Parses [text] completely into pieces of about options.batch_ops operations.
std::vector<Piece> ParseAll(const RecordParser& parser, std::string_view text,
                            std::uint64_t first_line, const ParseContext& context,
                            BatchPool& pool) {
  std::vector<Piece> pieces;
  ParseContext limited = context;
  limited.max_ops = std::max<std::size_t>(context.options->batch_ops, 1);
  std::size_t at = 0;
  while (at < text.size()) {
    Piece& piece = pieces.emplace_back(NewPiece(context, first_line, pool.Acquire()));
    const std::size_t used = parser.Parse(text.substr(at), first_line, limited, piece);
    PLEXUS_CHECK(used > 0 && used <= text.size() - at, "a parser must consume whole records");
    piece.text = text.substr(at, used);
    first_line += std::count(piece.text.begin(), piece.text.end(), '\n');
    at += used;
    if (piece.stopped) break;
  }
  return pieces;
}

class Pipeline {
 public:
  Pipeline(ImportRun& run, const std::string& file, BlockSource& source, const RecordParser& parser,
           std::size_t workers)
      : run_(run),
        source_(source),
        parser_(parser),
        applier_(run, file, parser),
        max_in_flight_(workers == 1 ? 1 : workers * 2 + 1) {}

  void Work() {
    try {
      WorkUntilDone();
    } catch (const std::exception&) {  // in no thread may it go further
      const MutexLock lock(mutex_);
      Finish(OutOfMemory());  // which needs no memory
      changed_.notify_all();
    }
  }

  // What a check has kept: nothing is read.
  Status ApplyKept(std::vector<ParsedBlock> blocks) {
    for (ParsedBlock& parsed : blocks) {
      PLEXUS_TRY(ApplyBlock(parsed));
      if (run_.report.stopped) break;
      parsed = {};
    }
    return ApplyWaiting();
  }
  Status ApplyWaiting() {
    PLEXUS_TRY(applier_.ApplyWaiting());
    run_.bytes_seen = std::max(run_.bytes_seen, bytes_read_);
    return {};
  }

  Status status() {
    const MutexLock lock(mutex_);
    return status_;
  }

 private:
  void WorkUntilDone() {
    const MutexLock lock(mutex_);
    while (!done_) {
      if (!applying_ && parsed_.contains(next_apply_)) {
        ApplyNext();
      } else if (!reading_ && !eof_ && in_flight_ < max_in_flight_) {
        ReadNext();
      } else if (eof_ && in_flight_ == 0) {
        done_ = true;
      } else {
        mutex_.Wait(changed_);
        continue;
      }
      changed_.notify_all();
    }
  }

  void Finish(Status status) PLEXUS_REQUIRES(mutex_) {
    if (!done_) status_ = std::move(status);
    done_ = true;
  }

  void ApplyNext() PLEXUS_REQUIRES(mutex_) {
    applying_ = true;
    ParsedBlock parsed = std::move(parsed_.extract(next_apply_).mapped());
    MutexUnlock unlocked(mutex_);
    Status status = ApplyBlock(parsed);
    if (Keeps()) run_.kept->Keep(std::move(parsed));
    parsed = {};
    unlocked.Lock();
    applying_ = false;
    ++next_apply_;
    --in_flight_;
    if (!status || run_.report.stopped) Finish(std::move(status));
  }

  Status ApplyBlock(ParsedBlock& parsed) {
    applier_.set_lines(&parsed.block.lines, parsed.block.lines_before);
    if (parsed.block.dropped) {
      applier_.AddError(parsed.block.first_line, *parsed.block.dropped);
      return {};
    }
    for (std::size_t i = 0; i < parsed.pieces.size(); ++i) {
      Piece& next = parsed.pieces[i];
      if (next.uses_schema && Differs(next.schema, run_.Context().schema)) {
        // Definitions came in between: read the rest of the block in their light.
        const std::size_t at =
            static_cast<std::size_t>(next.text.data() - parsed.block.text.data());
        std::vector<Piece> rest = Parse(parsed.block, at, next.first_line);
        parsed.pieces.resize(i);
        std::ranges::move(rest, std::back_inserter(parsed.pieces));
      }
      PLEXUS_TRY(applier_.Apply(parsed.pieces[i]));
      if (!Keeps()) pool_.Release(std::move(parsed.pieces[i].batch));
      if (run_.report.stopped) return {};
    }
    Progress* progress = run_.options.progress;
    bytes_read_ = run_.bytes_done + parsed.bytes_read;
    if (!applier_.waits()) run_.bytes_seen = bytes_read_;
    if (progress && !progress->Report(run_.checking || run_.collector ? "checking" : "importing",
                                      run_.bytes_done + parsed.bytes_read, run_.bytes_total))
      return Cancelled("import cancelled");
    return {};
  }

  bool Keeps() const { return run_.checking && run_.kept && run_.kept->whole(); }

  // Whether the schema that a piece was parsed by is another one than the graph's. What a check has
  // kept was parsed by the schema as it foresaw it.
  bool Differs(const std::shared_ptr<const Schema>& parsed,
               const std::shared_ptr<const Schema>& now) {
    if (parsed == now) return false;
    if (run_.checking || !run_.kept) return true;
    if (std::pair(parsed, now) != equal_) {
      if (!Equal(*parsed, *now)) return true;
      equal_ = {parsed, now};
    }
    return false;
  }

  std::vector<Piece> Parse(const Block& block, std::size_t at, std::uint64_t first_line) {
    ParseContext context = run_.Context();
    context.lines_before = block.lines_before;
    return ParseAll(parser_, block.text.substr(at), first_line, context, pool_);
  }

  void ReadNext() PLEXUS_REQUIRES(mutex_) {
    reading_ = true;
    ++in_flight_;
    MutexUnlock unlocked(mutex_);
    Result<std::optional<Block>> block = source_.Next();
    const std::uint64_t bytes_read = source_.bytes_read();
    unlocked.Lock();
    reading_ = false;
    if (!block || !*block) {
      eof_ = true;
      --in_flight_;
      if (!block) Finish(std::unexpected(block.error()));
      return;
    }
    const std::uint64_t index = next_read_++;
    changed_.notify_all();
    unlocked.Unlock();
    ParsedBlock parsed{std::move(**block), {}, bytes_read};
    if (!parsed.block.dropped) parsed.pieces = Parse(parsed.block, 0, parsed.block.first_line);
    unlocked.Lock();
    parsed_.emplace(index, std::move(parsed));
  }

  ImportRun& run_;
  BlockSource& source_;
  const RecordParser& parser_;
  PieceApplier applier_;
  std::uint64_t bytes_read_ = 0;  // of all files, behind the last block that was applied
  BatchPool pool_;
  const std::size_t max_in_flight_;
  std::pair<std::shared_ptr<const Schema>, std::shared_ptr<const Schema>> equal_;

  Mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, ParsedBlock> parsed_ PLEXUS_GUARDED_BY(mutex_);
  std::uint64_t next_read_ PLEXUS_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_apply_ PLEXUS_GUARDED_BY(mutex_) = 0;
  std::size_t in_flight_ PLEXUS_GUARDED_BY(mutex_) = 0;
  bool reading_ PLEXUS_GUARDED_BY(mutex_) = false;
  bool applying_ PLEXUS_GUARDED_BY(mutex_) = false;
  bool eof_ PLEXUS_GUARDED_BY(mutex_) = false;
  bool done_ PLEXUS_GUARDED_BY(mutex_) = false;
  Status status_ PLEXUS_GUARDED_BY(mutex_);
};

}  // namespace

ParseContext ImportRun::Context() {
  ParseContext context;
  context.options = &options;
  context.schema = checking ? check.schema() : graph.snapshot().tables().schema;
  context.start = &start;
  context.kept = checking && kept;  // may be: too much by then
  context.touched = !checking ? &touched : context.kept ? &checked : nullptr;
  context.check = checking ? &check : nullptr;
  context.columns = &columns;
  return context;
}

Piece NewPiece(const ParseContext& context, std::uint64_t first_line, WriteBatch batch) {
  Piece piece;
  piece.batch = std::move(batch);
  piece.batch.set_time_ms(context.options->now_ms);
  piece.batch.set_links_revive(true);
  piece.schema = context.schema;
  piece.first_line = first_line;
  return piece;
}

Status RunPipeline(ImportRun& run, const std::string& file, BlockSource& source,
                   const RecordParser& parser) {
  if (run.kept && !run.checking)
    return OrNoMemory(
        [&] { return Pipeline(run, file, source, parser, 1).ApplyKept(run.kept->Take()); });
  Executor& executor = run.options.executor ? *run.options.executor : DefaultExecutor();
  const std::size_t workers = static_cast<std::size_t>(std::max(1, executor.thread_count()));
  Pipeline pipeline(run, file, source, parser, workers);
  auto work = [&](std::size_t) { pipeline.Work(); };
  // Workers wait for each other, which a task pool must not do: plain threads.
  if (workers == 1)
    work(0);
  else
    MakeThreadExecutor(static_cast<int>(workers))->Run(workers, BlockTask(work));
  PLEXUS_TRY(pipeline.status());
  return OrNoMemory([&] { return pipeline.ApplyWaiting(); });
}

}  // namespace plexus::formats::internal
