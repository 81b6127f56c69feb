// Opening, closing, and what is asked of an open graph: requests go through server::Service, as
// those of all doors do.
#include "tools/c/graph.h"

#include <sys/mman.h>

#include <sstream>
#include <utility>

#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/server/http/routes.h"
#include "tools/server/http/spooled_body.h"
#include "tools/server/json_text.h"

namespace plexus::c {
namespace {

using tools::Reply;
using tools::Request;
using tools::Workspace;
using tools::server::Caller;

Result<Request> ReadRequest(const char* operation, const char* request, std::size_t length) {
  PLEXUS_TRY(NotNull(operation, "operation"));
  if (length > 0) PLEXUS_TRY(NotNull(request, "request"));
  const tools::Operation* row = tools::FindOperation(operation);
  if (!row) return plexus::Invalid(tools::NoSuchOperation(operation));
  return tools::RequestFromJson(*row, length > 0 ? std::string_view(request, length) : "{}");
}

// The one place where a reply of this door becomes bytes: while its graph is open.
Status WriteText(Reply& reply, const std::vector<std::string>& warnings, ResultObject& result) {
  std::ostringstream text;
  if (reply.stream && !reply.members) {
    PLEXUS_TRY(reply.stream(text));
  } else {
    tools::JsonWriter json(text);
    tools::WriteReply(reply, warnings, json);
  }
  result.text = std::move(text).str();
  if (reply.failure) {
    result.code = CodeOf(reply.failure->code);
    result.message = reply.failure->message;
  }
  return {};
}

// `ask` fills the result; what it fails with is the reply, too.
template <class Ask>
plexus_code Answer(plexus_text* reply, Ask&& ask) noexcept {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(reply, "reply"));
    *reply = {};
    auto result = std::make_shared<ResultObject>();
    const Status done = ask(*result);
    if (!done) result->text = tools::server::ErrorJson(done.error());
    *reply = {result->text.c_str(), result->text.size(), HandOut<plexus_result>(result)};
    return done;
  });
}

// `input` is what the file "-" means; -1: nothing.
Status Ask(plexus_graph* handle, const char* operation, const char* request, std::size_t length,
           const plexus_call_options* options, int input, ResultObject& result) {
  PLEXUS_ASSIGN(const std::shared_ptr<GraphObject> graph, FindGraph(handle));
  PLEXUS_ASSIGN(const auto call, CallOptions::Read(options, graph.get()));
  PLEXUS_ASSIGN(Request asked, ReadRequest(operation, request, length));
  const tools::Access access = asked.operation().AccessFor(asked);
  if (access == tools::Access::kWrite || access == tools::Access::kCreate)
    PLEXUS_TRY(CheckWritable(*graph));
  Caller caller = graph->caller;
  caller.progress = call->progress();
  caller.cancel = call->cancel();
  caller.input = input;
  const auto write = [&](Reply& reply, Workspace& workspace) {
    return WriteText(reply, workspace.warnings(), result);
  };
  return InTime(*graph, graph->service->Run(std::move(asked), caller, write));
}

Status AskAt(const char* directory, const char* operation, const char* request, std::size_t length,
             const plexus_call_options* options, ResultObject& result) {
  PLEXUS_ASSIGN(const auto call, CallOptions::Read(options, nullptr));
  PLEXUS_ASSIGN(const Request asked, ReadRequest(operation, request, length));
  tools::WorkspaceOptions open;
  open.directory = directory ? directory : "";
  open.access = asked.operation().AccessFor(asked);
  PLEXUS_ASSIGN(open.clock_ms, tools::ClockOf(asked));
  open.one_request = false;
  open.progress = call->progress();
  open.cancel = call->cancel();
  PLEXUS_ASSIGN(const std::unique_ptr<Workspace> workspace, Workspace::Open(open));
  Result<Reply> reply = tools::Answer(*workspace, asked);
  Status done = reply ? WriteText(*reply, workspace->warnings(), result)
                      : Status(std::unexpected(reply.error()));
  if (open.access == tools::Access::kWrite || open.access == tools::Access::kCreate) {
    const bool failed = !done || result.code != PLEXUS_OK;
    const Status closed = failed ? workspace->Abandon() : workspace->Close();
    if (done && !closed) done = closed;
  }
  return done;
}

// A file in memory.
class MemoryFile final : public tools::server::SpooledBody {
 public:
  MemoryFile() : SpooledBody(memfd_create("plexus", MFD_CLOEXEC)) {}
};

// The parameters with "files": ["-"] before them. What is no JSON object stays, and is refused as
// every request.
Result<std::string> FromInput(std::string_view request) {
  const auto value = plexus::tools::ParseJson(request);
  if (!value || !value->is_object()) return std::string(request);
  if (value->get_object().contains("files"))
    return plexus::Invalid("files: what is imported are the bytes; leave 'files' out");
  const std::string_view rest = request.substr(request.find('{') + 1);
  return R"({"files":["-"])" + std::string(value->get_object().empty() ? "" : ",") +
         std::string(rest);
}

thread_local const InCallback* innermost = nullptr;  // of this thread

}  // namespace

InCallback::InCallback(const GraphObject* graph) : graph_(graph), outer_(innermost) {
  innermost = this;
}

InCallback::~InCallback() { innermost = outer_; }

Status CheckCallback(const GraphObject& graph) {
  for (const InCallback* at = innermost; at; at = at->outer_)
    if (at->graph_ == &graph)
      return plexus::FailedPrecondition(
          "a callback of the graph calls the graph: let it return first, or call from "
          "another thread");
  return {};
}

Status CheckProcess(std::uint64_t process) {
  if (process == ProcessNumber()) return {};
  return plexus::FailedPrecondition(
      "this process is a child of fork; the graph belongs to its parent: open it again "
      "here, with read_only");
}

Result<std::shared_ptr<GraphObject>> FindGraph(plexus_graph* handle) {
  PLEXUS_ASSIGN(auto graph, Find<GraphObject>(handle));
  PLEXUS_TRY(CheckProcess(graph->process));
  PLEXUS_TRY(CheckCallback(*graph));
  return graph;
}

Status InTime(const GraphObject& graph, Status done) {
  if (done || !graph.closing || done.error().code != ErrorCode::kLocked) return done;
  return plexus::FailedPrecondition("graph was closed while this call waited");
}

Status CheckWhole(const GraphObject& graph) {
  if (graph.caller.wall.empty()) return {};
  return plexus::FailedPrecondition(
      "the graph was opened for scopes: operations see them, this is about the whole");
}

Status CheckWritable(const GraphObject& graph) {
  if (graph.caller.may_write) return {};
  return Fail(ErrorCode::kReadOnly, "the graph was opened read-only");
}

Result<std::unique_ptr<CallOptions>> CallOptions::Read(const plexus_call_options* options,
                                                       const GraphObject* graph) {
  auto read = std::make_unique<CallOptions>();
  read->graph_ = graph;
  PLEXUS_ASSIGN(read->given_, ReadStruct(options, "options"));
  PLEXUS_ASSIGN(read->cancel_, FlagOf(read->given_.cancel));
  return read;
}

bool CallOptions::Report(std::string_view phase, std::uint64_t done, std::uint64_t total) {
  if (cancel_ && cancel_->flag) return false;
  if (!given_.progress) return true;
  const std::string text(phase);
  const std::lock_guard lock(mutex_);
  const InCallback here(graph_);
  return given_.progress(given_.progress_context, text.c_str(), done, total) == 0;
}

Result<std::vector<std::string>> TextsOf(const char* const* texts, std::uint64_t count,
                                         const char* name) {
  if (count > 0) PLEXUS_TRY(NotNull(texts, name));
  std::vector<std::string> list;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!texts[i]) return plexus::Invalid(name, "[", i, "] is null");
    list.emplace_back(texts[i]);
  }
  return list;
}

Result<Strings> Strings::Copy(const plexus_strings& given, const char* name) {
  Strings copy;
  if (given.count == 0) return copy;
  if (given.count > Limits::kMaxNodes)
    return plexus::Exhausted(name, " has more texts than a graph");
  PLEXUS_TRY(NotNull(given.offsets, (std::string(name) + ".offsets").c_str()));
  if (given.byte_count > 0)
    PLEXUS_TRY(NotNull(given.bytes, (std::string(name) + ".bytes").c_str()));
  copy.offsets_.assign(given.offsets, given.offsets + given.count + 1);
  for (std::uint64_t i = 0; i < given.count; ++i) {
    if (copy.offsets_[i] <= copy.offsets_[i + 1]) continue;
    return plexus::Invalid(name, ".offsets[", i + 1,
                           "] is less than the one "
                           "before it");
  }
  if (copy.offsets_.back() > given.byte_count)
    return plexus::Invalid(name, ".offsets end behind byte_count");
  if (given.byte_count > 0) copy.bytes_.assign(given.bytes, copy.offsets_.back());
  return copy;
}

}  // namespace plexus::c

using namespace plexus::c;  // NOLINT: the functions below are the interface
using plexus::ErrorCode;
using plexus::Fail;
using plexus::Status;

plexus_code plexus_open(const char* directory, const plexus_open_options* given,
                        plexus_graph** graph) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(graph, "graph"));
    PLEXUS_ASSIGN(const plexus_open_options options, ReadStruct(given, "options"));
    if (!options.in_memory) PLEXUS_TRY(NotNull(directory, "directory"));
    if (!options.in_memory && !*directory) return plexus::Invalid("directory is empty");
    if (options.in_memory && (directory || options.read_only))
      return plexus::Invalid("in_memory and ", (directory ? "a directory" : "read_only"),
                             " exclude each other");
    if (options.create && options.read_only)
      return plexus::Invalid("create and read_only exclude each other");
    if (!(options.max_seconds >= 0)) return plexus::Invalid("max_seconds is less than 0");
    plexus::tools::server::ServiceOptions open;
    if (directory) open.directory = directory;
    open.in_memory = options.in_memory != 0;
    open.create = options.create != 0;
    open.read_only = options.read_only != 0;
    open.strict = options.strict != 0;
    open.lock_wait_ms = options.lock_wait_ms;
    open.max_seconds = options.max_seconds;
    open.max_bytes = std::uint64_t{1} << 40;  // what the request says, with 0 all of it
    auto made = std::make_shared<GraphObject>();
    if (options.log)
      open.on_log = [log = options.log, context = options.log_context,
                     graph = made.get()](const plexus::LogEntry& e) {
        const std::string event(e.event);
        const InCallback here(graph);
        log(context, static_cast<std::int32_t>(e.level), event.c_str(), e.ToString().c_str());
      };
    PLEXUS_ASSIGN(made->caller.wall, TextsOf(options.scopes, options.scope_count, "scopes"));
    made->caller.may_write = !options.read_only;
    made->caller.paths = true;
    made->caller.keeps_terms = true;
    PLEXUS_ASSIGN(made->service, plexus::tools::server::Service::Open(open));
    *graph = HandOut<plexus_graph>(std::move(made));
    return {};
  });
}

plexus_code plexus_close(plexus_graph* handle) {
  return Guarded([&]() -> Status {
    PLEXUS_ASSIGN(std::shared_ptr<GraphObject> graph, Find<GraphObject>(handle));
    PLEXUS_TRY(CheckCallback(*graph));
    PLEXUS_ASSIGN(graph, Take<GraphObject>(handle));
    if (const Status own = CheckProcess(graph->process); !own) {
      // Locks that a thread of the parent held are held for ever: the memory stays.
      new std::shared_ptr<GraphObject>(std::move(graph));
      return own;
    }
    graph->closing = true;
    graph->service->WakeWaiting();
    return graph->service->Close();
  });
}

plexus_code plexus_sequence(plexus_graph* handle, uint64_t* sequence) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(sequence, "sequence"));
    PLEXUS_ASSIGN(const auto graph, FindGraph(handle));
    *sequence = graph->service->sequence();
    return {};
  });
}

plexus_code plexus_refresh(plexus_graph* handle) {
  return Guarded([&]() -> Status {
    PLEXUS_ASSIGN(const auto graph, FindGraph(handle));
    return InTime(*graph, graph->service->Refresh());
  });
}

plexus_code plexus_call_with(plexus_graph* graph, const char* operation, const char* request,
                             size_t length, const plexus_call_options* options,
                             plexus_text* reply) {
  return Answer(reply, [&](ResultObject& result) {
    return Ask(graph, operation, request, length, options, -1, result);
  });
}

plexus_code plexus_call(plexus_graph* graph, const char* operation, const char* request,
                        size_t length, plexus_text* reply) {
  return plexus_call_with(graph, operation, request, length, nullptr, reply);
}

plexus_code plexus_call_at(const char* directory, const char* operation, const char* request,
                           size_t length, const plexus_call_options* options, plexus_text* reply) {
  return Answer(reply, [&](ResultObject& result) {
    return AskAt(directory, operation, request, length, options, result);
  });
}

plexus_code plexus_import(plexus_graph* graph, const char* request, size_t length,
                          const void* bytes, size_t byte_count, const plexus_call_options* options,
                          plexus_text* reply) {
  return Answer(reply, [&](ResultObject& result) -> Status {
    if (length > 0) PLEXUS_TRY(NotNull(request, "request"));
    if (byte_count > 0) PLEXUS_TRY(NotNull(bytes, "bytes"));
    PLEXUS_ASSIGN(const std::string whole,
                  FromInput(length > 0 ? std::string_view(request, length) : "{}"));
    MemoryFile file;
    if (!file.Write({static_cast<const char*>(bytes), byte_count}) || file.fd() < 0)
      return plexus::Exhausted("no memory for the bytes to import");
    return Ask(graph, "import", whole.data(), whole.size(), options, file.fd(), result);
  });
}

plexus_code plexus_changes(plexus_graph* handle, uint64_t since, uint64_t most,
                           plexus_text* reply) {
  return Answer(reply, [&](ResultObject& result) -> Status {
    PLEXUS_ASSIGN(const auto graph, FindGraph(handle));
    PLEXUS_TRY(CheckWhole(*graph));
    if (most == 0) return plexus::Invalid("most is 0");
    plexus::Sequence next = 0;
    auto changes = plexus::tools::server::ChangesJson(*graph->service, since, most, &next);
    if (!changes) return InTime(*graph, std::unexpected(changes.error()));
    result.text = std::move(*changes);
    return {};
  });
}

plexus_code plexus_wait(plexus_graph* handle, uint64_t seen, int32_t milliseconds,
                        uint64_t* sequence) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(sequence, "sequence"));
    PLEXUS_ASSIGN(const auto graph, FindGraph(handle));
    if (milliseconds < 0) return plexus::Invalid("milliseconds is less than 0");
    (void)graph->service->AwaitChange(seen, milliseconds, [&] { return graph->closing.load(); });
    if (graph->closing)
      return plexus::FailedPrecondition("graph was closed while this call waited");
    *sequence = graph->service->sequence();
    return {};
  });
}
