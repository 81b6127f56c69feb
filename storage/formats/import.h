// Import: files of every format into a graph; arrays, vectors and folders of notes, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/bulk/load.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus::formats {

// --- Import: text files in, WriteBatches out, counts and errors back.
//
// A file is cut at record ends into blocks of a fixed size; blocks are parsed on
// all threads and applied in file order, each block (or part of one) as one batch,
// while later blocks are being parsed. Cuts depend only on bytes, so the ids that
// nodes get do not depend on the number of threads. Importing a file again
// changes nothing and reports everything as `same`.
//
// Edge lists, and tables and JSON lines of nothing but edges with kinds, weights, labels and times,
// a tenth of the graph or more, are parsed once and loaded at once (Graph::Load): the same graph
// and log as batch by batch, several times faster. What passes limits.load_bytes goes to a scratch
// file. In other files batches in a row that only link wait for each other, in a quarter of
// limits.load_bytes, and are loaded together.
//
// All or nothing: unless bad records are to be skipped, all other files are parsed once before
// the first batch is applied, and what the graph would refuse is foreseen. A file that
// has an error changes nothing, neither nodes nor edges nor kinds or columns.
//
// What each format means, record by record, is in storage/formats/RECORDS.md.

enum class FileFormat {
  kAuto,           // by extension, else by the first bytes
  kCsv,            // header; delimiter among , ; | tab
  kTsv,            // header; tab
  kJsonLines,      // one record a line
  kEdgeList,       // `a b [weight]`, comments # and %; GAP's .el and .wel
  kWordNet,        // a directory with data.noun, data.verb, data.adj, data.adv
  kMatrixMarket,   // .mtx, coordinate
  kGapSerialized,  // GAP's .sg and .wsg
  kGraphMl,
  kNodeLink,   // JSON of NetworkX and d3: "nodes", and "links" or "edges"
  kMcpMemory,  // the MCP memory server's file: entities and relations, JSON lines
  kJsonRows,   // rows of another system's tables, a flat JSON object a line
};

// "csv" ... "rows", "auto". kInvalidArgument names the formats there are.
Result<FileFormat> ParseFileFormat(std::string_view name);
std::string_view FileFormatName(FileFormat format);

// What to do with a record that cannot be read or that the graph refuses.
enum class OnImportError {
  kStop,  // nothing of all the files is imported (of WordNet's directories and what is
          // before them: what is before is); Import reports it in `errors` and sets
          // `stopped`
  kSkip,  // it is left out as a whole, counted, and the import continues. A file whose header, or
          // whose first element, cannot be read stops it all the same: nothing in it is a record
};

// Bounds on what a file may hold; more is an error of that record.
struct ImportLimits {
  std::size_t line_bytes = std::size_t{16} << 20;      // one record
  std::size_t field_bytes = Limits::kMaxPayloadBytes;  // one cell or string
  std::size_t tags = 64;                               // of one node
  std::size_t members = 65536;                         // of one event
  std::size_t columns = 1024;                          // of a CSV header
  // Nodes that a matrix or a serialized graph may declare beyond one per byte of it.
  std::size_t declared_nodes = std::size_t{1} << 20;
  // Memory that edges which are loaded at once may take on top of the graph and
  // the blocks at hand; for numbers as keys a quarter more. What passes it is sorted in a scratch
  // file: the graph and its log are the same. 0: batch by batch, many times slower.
  static constexpr std::uint64_t kHalfOfFree = ~std::uint64_t{0};
  std::uint64_t load_bytes = kHalfOfFree;
  std::uint64_t spool_bytes = std::uint64_t{16}
                              << 30;  // of a pipe; over 8 MiB go to a temporary file
};

// What a column of a table or a field of a row means: "source" is what the file calls "from". Names
// are those of storage/formats/RECORDS.md, a column of the graph or a property.
struct ColumnName {
  std::string meaning = {}, in_file = {};
};

struct ImportOptions {
  FileFormat format = FileFormat::kAuto;
  // Of CSV, TSV, rows, GraphML and node-link JSON. A file may lack some of them; one that no file
  // has makes the whole import stop before anything is applied (ImportReport::unused_columns).
  std::vector<ColumnName> columns = {};
  // Kinds of nodes and edges that the files call otherwise: "is-a" is IS_A in the file.
  std::vector<ColumnName> kind_names = {};
  // Edge kinds, as the files name them, whose edges the files hold the other way round: their ends
  // change places.
  std::vector<std::string> reversed_kinds = {};
  // A node that the files only name (ends, members, vectors) must be in the graph or be stated by
  // a record, a record's valid_from must be before its valid_until, and roles and outcome types
  // must be built in (engine/vocabulary.h), else nothing is imported. Only with kStop; not for edge
  // lists, which state nothing. Memory: the keys the files state.
  bool strict = false;
  OnImportError on_error = OnImportError::kStop;
  std::int64_t now_ms =
      kNoTime;                   // time of the batches, as of a WriteBatch; new records' created_at
  Executor* executor = nullptr;  // how many threads parse; null: DefaultExecutor()
  Progress* progress = nullptr;  // bytes read of all files
  std::size_t max_errors_kept = 100;
  std::size_t batch_ops = 262'144;                 // operations of one batch, about
  std::size_t block_bytes = std::size_t{4} << 20;  // read and parsed at a time
  ApplyOptions apply = {};
  ImportLimits limits = {};
  // Where a scratch file lies, which has no name and goes with the process: up to 16 bytes an edge,
  // with weights and kinds 30, with times 70. Empty: $TMPDIR, else /tmp.
  std::string scratch_folder = {};
  // Around all Apply calls, e.g. Database's bulk mode: `before` is called when
  // the files were found good. `after` runs whenever `before` succeeded, after an error
  // too.
  std::function<Status()> before = {};
  std::function<Status()> after = {};
  // Completes each batch of records just before it is applied to the graph, which is in that state:
  // e.g. with the terms of its texts (AddTerms in algorithms/retrieval/terms.h). A batch that
  // is refused with kConflict, as another writer was faster, is made and completed again. An Error
  // ends the import in the middle.
  std::function<Status(const Snapshot&, WriteBatch&)> complete = {};
  // It has nothing to add to plain edges, which may be loaded at once without it.
  bool completes_texts_alone = false;
  // The same, with the line of the input behind the last record of the batch: to keep a position
  // with what it represents (follow.h).
  std::function<Status(std::uint64_t next_line, WriteBatch&)> position = {};
};

struct ImportError {
  std::string file = {};
  std::uint64_t line = 0;  // 1-based, where the record begins; 0: the file as a whole
  std::string reason = {};
  std::string columns = {};  // what of ImportOptions::columns would help, "key=person_id"
  // "file:line: reason"
  std::string ToString() const;
};

// What was taken and looks wrong. Times of one field: like seconds, read as milliseconds; or a
// valid_from that is not before the record's valid_until. With `says`: something else, as a record
// that a later one of the file replaces, or a list that is not read.
struct ImportWarning {
  std::string file = {};
  std::uint64_t line = 0;  // of the first of them
  std::string field = {};
  std::int64_t value = 0;  // the first of them
  std::uint64_t count = 0;
  std::optional<std::int64_t> until = {};  // the first one's valid_until; absent: seconds
  std::string says = {};                   // `value` is then the line of the other record, or 0
  // `file:line: "field" value is read as ...`, or `file:line: says`
  std::string ToString() const;
};

// What an import did.
struct ImportReport {
  Sequence sequence = 0;  // of the graph after the import
  ChangeCounts nodes;     // fact nodes named by the files, each once
  // Fact edge records. A repetition counts as same, one with other values than an earlier one of
  // the files as changed.
  ChangeCounts edges;
  ChangeCounts events;
  std::uint64_t outcomes = 0;            // outcome records taken, the same ones included
  std::uint64_t vectors = 0;             // vector records taken
  std::uint64_t errors = 0;              // records refused
  std::uint64_t removed = 0;             // unlinked edges and removed nodes of the fact plane
  std::uint64_t records = 0;             // records read
  std::uint64_t self_loops_skipped = 0;  // WordNet pointers to their own synset
  std::uint64_t pointers = 0;            // WordNet pointers read
  std::uint64_t stubs = 0;    // new nodes that no record states (not of edge lists and matrices)
  std::uint64_t unknown = 0;  // members in roles, and outcomes of types, that are none built in
  std::uint64_t reversed_edges = 0;  // edges of reversed_kinds
  std::uint64_t passed_over = 0;     // lines of a memory file that are no entity and no relation
  std::uint64_t ambiguous = 0;  // edges from_id, to_id whose kind others write the other way round
  std::vector<std::string> new_edge_kinds;  // by name, in the order of their definition
  std::uint64_t bytes = 0;
  std::uint64_t batches = 0;  // handed to Apply
  bool stopped = false;       // an error ended it: nothing of the rest is applied
  // In files' names, of options.columns: no file has them, or its format has no use for them.
  std::vector<std::string> unused_columns;
  std::vector<ImportError> kept_errors;  // the first max_errors_kept, in file order
  std::vector<ImportWarning> warnings;   // one a file and field
};

// Computes: the graph with what `files` say, in order. Record errors are in the report.
// Complexity: O(bytes), parallel.
// Memory: O(threads * block_bytes), and of files what their check has parsed, up to eight times
//   their bytes and a quarter of limits.load_bytes (what passes that is parsed twice); edges that
//   are loaded once, 14 to 28 bytes an edge that the graph keeps, the keys, and limits.load_bytes;
//   a matrix takes 16 bytes an entry, a file with edges between facts of wanted kinds, or that
//   states kinds of nodes where a kind of edge wants one, what its nodes' keys take. A pipe is kept
//   in memory, over 8 MiB in a temporary file without a name (limits.spool_bytes, else
//   kResourceExhausted). So is what a gzip file holds, which its first bytes tell.
// Errors: kNotFound, kIo: a file cannot be read; kInvalidArgument, kUnsupported: its format is
//   unknown, has no reader, or its gzip is damaged; kReadOnly and the journal's own; kCancelled.
//   While files are checked these change nothing. What cannot be foreseen ends an import in the
//   middle, and whole batches stay: a full disk, kCancelled, a graph that runs out of ids or arcs,
//   another writer that defines the same kinds otherwise, and a file that changes after it was
//   checked (kIo; the message says how much was applied). Importing again completes it.
// Threads: thread-safe as Graph is.
Result<ImportReport> ImportFiles(Graph& graph, const std::vector<std::string>& files,
                                 const ImportOptions& options = {});

// The same for bytes in memory (tests, fuzzers, stdin); `name` appears in errors.
// kAuto sniffs `name`'s extension and the bytes; kWordNet is not possible here.
Result<ImportReport> ImportBytes(Graph& graph, std::string_view name, std::string_view bytes,
                                 const ImportOptions& options = {});

// The same for what can be read from the descriptor `fd` (standard input), to its end.
Result<ImportReport> ImportStream(Graph& graph, std::string_view name, int fd,
                                  const ImportOptions& options = {});

// --- ImportArrays: what a job computed by id becomes columns of the graph that it was computed of.
//
// The files are array files (array_file.h) of kind f64 or u32: scores become a column of f64,
// labels and levels one of i64. A file is refused when it is of another graph, of another sequence
// than the graph is at, or damaged.

struct ArrayImportOptions {
  std::uint64_t graph_high = 0, graph_low = 0;  // GraphIdentity (storage/replica.h)
  // The column, which is made when it is missing, of only one file. Empty: the job's name. Several
  // arrays of a file go to NAME_1, NAME_2 ...
  std::string column = {};
};

// Whether it is a regular file that begins as an array file does. Of a pipe nothing is read.
bool IsArrayFile(const std::string& path);

// Computes: for each alive node its values in the files. A node of which a file says nothing keeps
//   what it has. Every file is checked whole before the first value is written, in batches of
//   262,144; the files may be of one sequence, that of the graph before the import.
// Complexity: O(bytes), read twice. Memory: O(one batch).
// Errors: kFailedPrecondition: another graph or sequence. kInvalidArgument: no array by node, or a
//   column that is built in or of another type. kCorruption, kUnsupported, kNotFound, kIo:
//   ArrayFile's. kCancelled: whole batches stay, and the files are of an earlier sequence then.
//   Apply's own. Used of ImportOptions: now_ms, progress, apply, before, after.
Result<ImportReport> ImportArrays(Graph& graph, const std::vector<std::string>& files,
                                  const ArrayImportOptions& arrays,
                                  const ImportOptions& options = {});

// --- A folder of Markdown notes as a mirror: the graph follows the folder.
//
// A note is a node of kind `note` (or what its front matter says as `kind` or `type`); its key is
// the path in the folder without ".md". Its text is what is below the front matter. Tags are
// those of the front matter and #words of the text, `created` or `date` is created_at, other fields
// are properties. [[other]], [[other|words]], [[other#part]] and [words](other.md) are edges
// `link`; a name without a folder means the one note of that name. %XX in (other.md) is the byte,
// where it makes a character. Code is not looked at.
//
// What was made of a folder is kept in the graph under the mirror's name: notes are `inscribed`
// with plexus.mirror.NAME by mirror:PATH, the folder's path, and their links have the author
// mirror:NAME. Importing it again unlinks and removes what is gone from the folder. A note that
// cannot be read is not gone. Nodes and edges that others made stay as they are, and a note of such
// a key is left out with a warning; a key of another mirror is an error. A kind of the index plane,
// as `event`, stays a property.

// Whether the path is a folder with a Markdown file in it, and is not WordNet's.
bool IsMarkdownFolder(const std::string& path);

// Computes: the folder's notes into the graph, all or nothing, as ImportFiles does. `mirror`: its
//   name, "" is the folder's own. Hidden files and folders are passed over, links of the file
//   system are not followed.
// Errors: kInvalidArgument: the mirror is of another folder; one that moved may take its place
//   where `mirror` names it and the old path is no folder any more. kNotFound: no Markdown file is
//   there, so that a wrong path removes nothing. kIo. As ImportFiles. A note that cannot be read is
//   in the report with file and reason.
// Memory: the notes. Threads: as ImportFiles.
Result<ImportReport> ImportMarkdown(Graph& graph, const std::string& folder,
                                    const std::string& mirror, const ImportOptions& options);

// --- ImportVectors: a raw vector file into one space of the graph.
//
// Formats in vector_file.h. Row i belongs to the i-th key of a keys file (one key a
// line, in UTF-8), or without one to the key that is the row's number, from 0. A key
// that the graph does not have becomes a node. The space is made when none exists.

enum class VectorFormat {
  kAuto,  // by the first bytes (.npy) or the extension: .npy, .fvecs, .f32
  kNpy,
  kFvecs,
  kF32,
};

// What a file name's extension says; nullopt: nothing.
std::optional<VectorFormat> VectorFormatOf(std::string_view name);

namespace internal {
class Spool;
}  // namespace internal

// A regular file, or bytes in memory under a name that appears in errors.
struct VectorInput {
  std::string name = {};
  std::optional<std::string_view> bytes = {};
  std::shared_ptr<const internal::Spool> spool = {};          // of ImportVectorStream
  std::uint64_t begin = 0;                                    // of the rows, in the spool
};

struct VectorImportOptions {
  VectorFormat format = VectorFormat::kAuto;
  std::uint64_t dimensions = 0;  // needed for kF32; else compared with the file; 0 = not given
  std::string space = "default";
  std::optional<Metric> metric = {};          // absent: what the space has, cosine for a new one
  std::optional<Prefilter> prefilter = {};    // absent: what the space has, none for a new one
  std::optional<VectorElement> element = {};  // absent: what the space has, f32 for a new one
  std::optional<VectorInput> keys = {};
  // ImportVectorStream, in place of `keys`: they come before the rows, one a line, and an empty
  // line behind them, as ExportVectors writes them.
  bool keys_first = false;
};

// What is wrong with a file's content is an error of the report. kStop checks the whole
// of both files first, so an error changes nothing; kSkip leaves bad rows out (bad:
// a value that is not finite, a key that is refused or is there twice). The Result is an
// error when a file cannot be opened or is no regular file, when the space exists with
// other dimensions, metric, pre-filter or element, or for Import's reasons. Used of ImportOptions:
// on_error, now_ms, progress, max_errors_kept, apply, before, after. O(bytes).
Result<ImportReport> ImportVectors(Graph& graph, const VectorInput& file,
                                   const VectorImportOptions& vectors,
                                   const ImportOptions& options = {});

// The same for what can be read from the descriptor `fd` (standard input), to its end: kept in a
// file that has no name, at most options.limits.spool_bytes of it. kResourceExhausted, kCancelled.
Result<ImportReport> ImportVectorStream(Graph& graph, std::string_view name, int fd,
                                        const VectorImportOptions& vectors,
                                        const ImportOptions& options = {});

// The one vector of a file (a .npy may have shape (values,)), or of text: numbers between
// blanks or commas, or a JSON array of them. kInvalidArgument names the file and what is
// wrong, kNotFound, kIo.
Result<std::vector<float>> ReadVector(const VectorInput& file);

// --- What a load next to files may take: memory, and a scratch for the rest.

struct LoadMemory {
  std::uint64_t bytes = 0;
  std::shared_ptr<LoadScratch> scratch = {};  // a file without a name, made with its first bytes
};

// `asked`: as ImportLimits::load_bytes. `folder`: as ImportOptions::scratch_folder.
// Computes: the bytes of now, from what is free. Throws std::bad_alloc.
LoadMemory MakeLoadMemory(std::uint64_t asked = ImportLimits::kHalfOfFree,
                          const std::string& folder = "");

}  // namespace plexus::formats
