// The C interface of Plexus: libplexus.so.0. C11 and C++.
//
// Conventions
//
//   Handles   plexus_graph, plexus_snapshot, plexus_result and plexus_cancel are handles. They are
//             never dereferenced: a null, closed or foreign one is an error, not a crash. A handle
//             is never used again for another object. Every handle is freed by its own function,
//             once, from any thread; a null one is freed without an error.
//   Errors    Functions return a plexus_code, PLEXUS_OK (0) when all went well. plexus_message()
//             says why the last call of this thread failed. What a call could not do it undoes, and
//             it leaves its outputs as they were, unless said otherwise below.
//   Memory    What the library returns belongs to a plexus_result or a plexus_snapshot, and is
//             valid until that is freed, also when the graph is closed before. What the caller
//             hands in is read during the call only, and should not change meanwhile: a value that
//             does is another value or PLEXUS_INVALID_ARGUMENT. Nothing is freed with free().
//   Structs   Structs of options, inputs and counts begin with their size: set it to sizeof. Zeros
//             are the defaults, unless said otherwise. So programs and libraries of different
//             versions fit together.
//   Texts     are UTF-8. A text with a length needs no NUL; texts of the library have both.
//   Lists     of texts (plexus_strings) are one blob and count + 1 offsets into it: text i is
//             bytes[offsets[i]] to bytes[offsets[i + 1] - 1].
//   Threads   All functions may be called from any thread at any time. Reads run in parallel and do
//             not wait for a writer. Closing waits for the calls under way.
//   fork      The process that opened a graph owns it. In a child calls of its graphs are
//             PLEXUS_FAILED_PRECONDITION, freeing handles is allowed, and arrays and texts that
//             were there before the fork can be read.
//   Callbacks must not throw, nor end the thread. What they ask of the graph that calls them, such
//             as closing it, is PLEXUS_FAILED_PRECONDITION; other graphs, snapshots, results and
//             cancel handles they may use. No C++ exception leaves the library.
//   Symbols   Names of the library begin with plexus_ or PLEXUS_. It exports no others.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- codes

typedef int32_t plexus_code;
enum {
  PLEXUS_OK = 0,
  PLEXUS_INVALID_ARGUMENT = 1,     // a value of the caller is wrong; nothing was changed
  PLEXUS_NOT_FOUND = 2,            // no such node, edge, file, sequence
  PLEXUS_ALREADY_EXISTS = 3,       // a definition that contradicts an earlier one
  PLEXUS_FAILED_PRECONDITION = 4,  // right call, wrong moment: a closed handle, a child of fork
  PLEXUS_CONFLICT = 5,             // an expectation does not hold; nothing was changed
  PLEXUS_RESOURCE_EXHAUSTED = 6,   // a limit, the disk or the memory
  PLEXUS_IO = 7,                   // a system call failed
  PLEXUS_CORRUPTION = 8,           // damage found; the message names file and offset
  PLEXUS_LOCKED = 9,               // another process or request holds it: try again
  PLEXUS_READ_ONLY = 10,           // opened read-only, or made so by a failed write
  PLEXUS_UNSUPPORTED = 11,         // a newer format, an absent feature
  PLEXUS_CANCELLED = 12,           // the caller asked to stop
  PLEXUS_INTERNAL = 13             // a bug in Plexus
};

// "invalid_argument" and so on; "ok" for 0, null for other numbers.
const char* plexus_code_name(plexus_code code);
// Why the last failed call of this thread failed; "" when none did. Valid until the next failure.
const char* plexus_message(void);
// The library's version, as "1.0.0" or "1.0.0-rc.1" (semver.org).
const char* plexus_version(void);

// --- handles

typedef struct plexus_graph plexus_graph;        // an open directory
typedef struct plexus_snapshot plexus_snapshot;  // a graph at one moment; never changes
typedef struct plexus_result plexus_result;      // a text, or arrays by name
typedef struct plexus_cancel plexus_cancel;      // asks calls to stop

// --- opening

// Levels: 0 information, 1 warning, 2 error. `event` is a stable name
// (engine/monitoring/monitoring.h).
typedef void (*plexus_log_function)(void* context, int32_t level, const char* event,
                                    const char* line);

typedef struct plexus_open_options {
  uint64_t size;
  int32_t create;             // 1: make the graph when the directory has none
  int32_t read_only;          // 1: take no lock, write nothing; plexus_refresh follows the writer
  int32_t strict;             // 1: refuse a graph that lost its tail in a crash
  int32_t unused;             // 0
  int64_t lock_wait_ms;       // how long to wait for another writer to close
  double max_seconds;         // the most that an operation takes; 0: no limit
  const char* const* scopes;  // a wall: operations see, count and write these scopes only, and
  uint64_t scope_count;       // snapshots and bulk functions are refused
  plexus_log_function log;    // may be called from any thread while the graph is open
  void* log_context;
  int32_t in_memory;  // 1: a graph in RAM, without a directory (null); gone when it is closed
  int32_t reserved;
} plexus_open_options;

// Opens the graph in `directory`, or with in_memory an empty one in RAM, which has no history:
// changes and past states are PLEXUS_FAILED_PRECONDITION. `options` may be null. PLEXUS_NOT_FOUND:
// the directory holds no graph and `create` is not set; PLEXUS_LOCKED: another process writes.
plexus_code plexus_open(const char* directory, const plexus_open_options* options,
                        plexus_graph** graph);
// Ends the handle, waits for calls under way, makes everything durable and closes the directory.
// Of several threads that close one handle the first does it, and the others get
// PLEXUS_FAILED_PRECONDITION. An error of the disk is reported; the handle is gone all the same.
plexus_code plexus_close(plexus_graph* graph);
// The number of the last batch.
plexus_code plexus_sequence(plexus_graph* graph, uint64_t* sequence);
// A read-only graph: brings it up to what its writer has made durable.
plexus_code plexus_refresh(plexus_graph* graph);

// --- operations

// What a reply is: `length` bytes, a NUL behind them, and the handle to free.
typedef struct plexus_text {
  const char* data;
  uint64_t length;
  plexus_result* owner;
} plexus_text;

// A few times a second at most, one call at a time, from any thread. `total` may be 0: not known.
// Another return value than 0 asks the operation to stop.
typedef int32_t (*plexus_progress_function)(void* context, const char* phase, uint64_t done,
                                            uint64_t total);

typedef struct plexus_call_options {
  uint64_t size;
  plexus_progress_function progress;
  void* progress_context;
  plexus_cancel* cancel;
} plexus_call_options;

// Answers one request: `operation` is a name of the registry, `request` its parameters as a JSON
// object ("{}" or length 0: none). The reply is the JSON that `plexus OPERATION --json` prints and
// the server sends. When the operation fails, the code says so, and the reply is
// {"error":{"code":..,"message":..}}: it is set, and to be freed, whenever its owner is not null.
// Lists end at 1 MiB and the reply says "truncated", unless "max_bytes" (0: no limit) is given.
// An operation with a format of its own (export without a file) replies in that format.
plexus_code plexus_call(plexus_graph* graph, const char* operation, const char* request,
                        size_t length, plexus_text* reply);
plexus_code plexus_call_with(plexus_graph* graph, const char* operation, const char* request,
                             size_t length, const plexus_call_options* options, plexus_text* reply);
// The same on a directory that is opened for this request, as the command line does: also for
// restore and repair, which replace the files of a graph. `directory` may be null for what needs
// none, such as schema.
plexus_code plexus_call_at(const char* directory, const char* operation, const char* request,
                           size_t length, const plexus_call_options* options, plexus_text* reply);
// The operation import for bytes in memory instead of files: JSON lines of nodes, edges, texts,
// vectors and events are a batch of writes. `request`: its other parameters as a JSON object, such
// as the format.
plexus_code plexus_import(plexus_graph* graph, const char* request, size_t length,
                          const void* bytes, size_t byte_count, const plexus_call_options* options,
                          plexus_text* reply);
// Which keys and edges each batch after `since` is about, as GET /v1/changes: at most `most`
// batches; the reply's "next" is where to go on.
plexus_code plexus_changes(plexus_graph* graph, uint64_t since, uint64_t most, plexus_text* reply);
// Waits until the graph has another sequence than `seen`, at most so long, and says which.
plexus_code plexus_wait(plexus_graph* graph, uint64_t seen, int32_t milliseconds,
                        uint64_t* sequence);
// Of a reply with PLEXUS_OK: whether its content is a failure all the same, with the code of the
// command line. PLEXUS_NOT_FOUND: nothing was found; PLEXUS_CORRUPTION: verify found damage.
plexus_code plexus_reply_code(plexus_result* reply);
plexus_code plexus_result_free(plexus_result* result);

// Any thread may set it; calls that were given it then stop with PLEXUS_CANCELLED, or say
// "truncated". It stays set. It can be freed while such calls run.
plexus_code plexus_cancel_new(plexus_cancel** cancel);
plexus_code plexus_cancel_set(plexus_cancel* cancel);
plexus_code plexus_cancel_free(plexus_cancel* cancel);

// --- arrays in

typedef struct plexus_strings {
  const char* bytes;
  uint64_t byte_count;
  const uint64_t* offsets;  // count + 1, ascending, the last at most byte_count
  uint64_t count;
} plexus_strings;

// What the numbers in `sources` and `targets` mean.
enum {
  PLEXUS_ENDS_NUMBERS = 0,  // the key of 17 is "17", as in an edge list
  PLEXUS_ENDS_KEYS = 1,     // positions in `keys`
  PLEXUS_ENDS_IDS = 2       // ids of nodes that the graph has
};

typedef struct plexus_edges {
  uint64_t size;
  uint64_t count;
  const uint32_t* sources;
  const uint32_t* targets;
  int32_t ends;
  int32_t reserved;
  plexus_strings keys;
  const char* kind;           // of all edges; null: "link"
  plexus_strings kinds;       // or names of kinds,
  const uint16_t* kind_of;    // and each edge's position there
  const float* weights;       // null: 1 for new edges
  const int64_t* created_at;  // milliseconds since 1970; null: now
} plexus_edges;

typedef struct plexus_counts {
  uint64_t size;
  uint64_t sequence;  // of the graph afterwards
  uint64_t nodes_added;
  uint64_t added, changed, same;  // edges, vectors, or nodes of a column
} plexus_counts;

// Adds edges, and nodes of keys that the graph does not have. Arrays are checked whole before the
// first edge is written, and an error names the edge. Into an empty graph they are loaded at once.
// Where there is not the memory for it, or a kind wants something of its ends, and into any other
// graph they are written in batches of 262,144, of which those before a failure of the disk stay.
// `counts` may be null.
plexus_code plexus_put_edges(plexus_graph* graph, const plexus_edges* edges,
                             const plexus_call_options* options, plexus_counts* counts);

typedef struct plexus_vectors {
  uint64_t size;
  uint64_t count;
  uint64_t dimensions;
  const float* values;  // count * dimensions, row by row
  plexus_strings keys;  // count of them; none: the key of row 17 is "17"
  const char* space;    // null: "default"; made when it is missing
  const char* metric;   // "cosine", "ip" or "l2", of a new space; null: cosine
} plexus_vectors;

plexus_code plexus_put_vectors(plexus_graph* graph, const plexus_vectors* vectors,
                               const plexus_call_options* options, plexus_counts* counts);

typedef struct plexus_column_values {
  uint64_t size;
  uint64_t count;
  const char* column;   // made when it is missing; "text": the texts, whose words are indexed
  plexus_strings keys;  // of the nodes, count of them,
  const uint32_t* ids;  // or ids of nodes that the graph has; neither: the key of value 17 is "17"
  const double* f64;    // the values are one of these three
  const int64_t* i64;
  plexus_strings texts;  // an empty one clears
  const char* kind;      // of the nodes; null: it stays, and new ones are of kind "node"
} plexus_column_values;

// Sets a column, or the texts, of many nodes, and adds nodes of keys that the graph does not have.
// Values are checked whole before the first is written, in batches of 262,144.
plexus_code plexus_put_column(plexus_graph* graph, const plexus_column_values* values,
                              const plexus_call_options* options, plexus_counts* counts);

// --- snapshots and arrays out

plexus_code plexus_snapshot_of(plexus_graph* graph, plexus_snapshot** snapshot);
// The graph as it was at `moment`: a sequence number or a time, as as_of takes them.
plexus_code plexus_snapshot_at(plexus_graph* graph, const char* moment, plexus_snapshot** snapshot);
plexus_code plexus_snapshot_free(plexus_snapshot* snapshot);

typedef struct plexus_snapshot_info {
  uint64_t size;
  uint64_t sequence;
  int64_t time_ms;      // of the last batch
  uint64_t node_count;  // ids are below it; removed nodes keep theirs
  uint64_t nodes;       // alive facts
  uint64_t edges;       // alive edges between facts
} plexus_snapshot_info;
plexus_code plexus_snapshot_about(plexus_snapshot* snapshot, plexus_snapshot_info* info);

#define PLEXUS_NO_NODE UINT32_MAX
// Fills ids[i] with the id of keys.text[i], PLEXUS_NO_NODE where no such node is alive.
plexus_code plexus_find(plexus_snapshot* snapshot, const plexus_strings* keys, uint32_t* ids);

enum {
  PLEXUS_U8 = 1,
  PLEXUS_U32 = 2,
  PLEXUS_U64 = 3,
  PLEXUS_F32 = 4,
  PLEXUS_F64 = 5,
  PLEXUS_I64 = 6
};
typedef struct plexus_array {
  const void* data;  // read-only; null when `rows` is 0
  uint64_t rows, columns;
  int32_t type;
  int32_t reserved;
} plexus_array;
// An array of a result. PLEXUS_NOT_FOUND names those that it has.
plexus_code plexus_result_array(plexus_result* result, const char* name, plexus_array* array);

// "offsets" (u64, count + 1) and "bytes" (u8): the keys of these nodes; `ids` null: of all.
plexus_code plexus_keys(plexus_snapshot* snapshot, const uint32_t* ids, uint64_t count,
                        plexus_result** result);

typedef struct plexus_pagerank_options {
  uint64_t size;
  double damping;      // less than 0, or NaN: 0.85; 0 is a value
  double tolerance;    // less than 0, or NaN: 1e-9; 0 is a value, which needs `iterations`
  int32_t iterations;  // above 0: exactly so many
  int32_t unweighted;
  const char* const* kinds;  // edges of these kinds; null: all facts
  uint64_t kind_count;
  const uint32_t* seeds;  // null: the rank of the whole graph
  const double* seed_weights;  // null: 1 each
  uint64_t seed_count;
  plexus_cancel* cancel;
} plexus_pagerank_options;
// "scores" (f64, one a node id; 0 for removed nodes). `options` may be null: the defaults.
plexus_code plexus_pagerank(plexus_snapshot* snapshot, const plexus_pagerank_options* options,
                            plexus_result** result);

typedef struct plexus_csr_options {
  uint64_t size;
  const char* const* kinds;  // null: all facts
  uint64_t kind_count;
  int32_t incoming;  // 1: rows of the edges that arrive
  int32_t no_weights;
} plexus_csr_options;
// The edges between facts as compressed sparse rows: "offsets" (u32, rows + 1), "targets" (u32,
// row numbers), "weights" (f32), and "nodes" (u32): the id of each row. An edge of a symmetric
// kind is in both rows. Without removed nodes, kinds and changes since the last compaction the
// offsets and targets are the snapshot's own; else they are made once. So are weights that it does
// not hold as floats.
plexus_code plexus_csr(plexus_snapshot* snapshot, const plexus_csr_options* options,
                       plexus_result** result);

// "nodes" (u32): the ids that have a vector in the space, ascending; "values" (f32, a row each).
// `space` null: "default".
plexus_code plexus_space(plexus_snapshot* snapshot, const char* space, plexus_result** result);

// "nodes" (u32): the ids that have a value in the column, ascending; and their "values" (f64, i64),
// or of texts "offsets" (u64, one more) and "bytes" (u8).
plexus_code plexus_column(plexus_snapshot* snapshot, const char* column, plexus_result** result);

#ifdef __cplusplus
}
#endif
