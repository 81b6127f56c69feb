// Workspace: an open graph, and the moment, nodes and time that a request is about.
//
// A door opens it once and may ask many requests of it, one after the other: Look sets what the
// common parameters say. Reading opens the directory read-only, so it needs no right to write and
// works next to a live writer. Writing takes the lock and must be closed by Close, so that errors
// are heard. The library never reads a clock: clock_ms is an argument. Not thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "storage/database.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/time_limit.h"
#include "tools/operations/scope/scoped_graph.h"

namespace plexus::tools {

struct WorkspaceOptions {
  std::string directory = {};
  Access access = Access::kRead;
  std::int64_t clock_ms = 0;
  // Refuse a graph that lost its tail in a crash, and imported records that are never valid.
  bool strict = false;
  int threads = 0;  // 0 = all
  std::int64_t lock_wait_ms = 5000;
  int input = -1;                // a file descriptor that "-" means; -1 = none exists
  bool one_request = true;       // the process ends soon: freed memory is not given back
  Progress* progress = nullptr;  // may be null
  // The wall: requests see, count and write nothing but these scopes (scoped_graph.h), whatever
  // their own scope says; what they add gets the first. Empty: none exists.
  std::vector<std::string> wall = {};
  // Strangers ask: parameters that are paths of this machine are refused.
  bool paths = true;
  // Ends the question under way once it is true; may be null.
  const std::atomic<bool>* cancel = nullptr;
  // A note of what happens meanwhile, such as who is waited for; called at most once.
  std::function<void(const std::string&)> note = {};
};

// A state of the graph, its clock, the nodes that take part (scope, node_kinds and where select
// them) and of them those that are listed (show_kinds and show_where).
struct View {
  Snapshot snapshot;
  std::int64_t now_ms = 0;
  std::optional<NodeSubset> scope, shown;
  bool past = false;  // its state is not what the next request sees
};

struct Moment;  // arguments.h

class Workspace {
 public:
  // Opens the directory, or nothing with Access::kNothing. Errors: kInvalidArgument, no directory
  // is named; Database's own.
  static Result<std::unique_ptr<Workspace>> Open(const WorkspaceOptions& options);
  // Over a database that is open already and must outlive it; options.directory is taken from
  // there. Several may be over one, each for a thread of its own. Errors: ScopedGraph's.
  static Result<std::unique_ptr<Workspace>> Over(Database& database,
                                                 const WorkspaceOptions& options);
  // The same over a graph in RAM. Operations on directories refuse it. Errors: ScopedGraph's.
  static Result<std::unique_ptr<Workspace>> Over(Graph& graph, const WorkspaceOptions& options);
  ~Workspace();

  // What time it is from now on, for the graph's own checks, too.
  void SetClock(std::int64_t clock_ms) { options_.clock_ms = clock_ms; }
  // Who sees progress, and who may end a question, from now on; both may be null.
  void SetCaller(Progress* progress, const std::atomic<bool>* cancel) {
    options_.progress = progress;
    options_.cancel = cancel;
  }
  // Of what follows; the graph is open already.
  void SetStrict(bool strict) { options_.strict = strict; }
  // Read-only: brings the graph up to what its writer has made durable, and sets the clock.
  Status Refresh(std::int64_t clock_ms);
  // What the request's as_of, event_time, scope, node_kinds, where and now mean. Errors:
  // kInvalidArgument, a time that cannot be read, or a past one with writing; the history's own.
  Status Look(const Request& request);
  // The same at another moment, without notes.
  Result<View> ViewAt(std::string_view as_of, const Request& request);

  const WorkspaceOptions& options() const { return options_; }
  // Whether the orders of nodes (NodeSubset::InScopes) are worth making: there will be more
  // questions about this state or the next one.
  bool keeps_orders() const { return KeepsOrders(view_); }
  // kInvalidArgument: no directory is named.
  Status CheckDirectory() const;
  const std::string& directory() const { return options_.directory; }
  // A hard purge renews the graph of a database.
  Graph& graph() { return scoped_ ? scoped_->graph() : whole(); }
  // REQUIRES has_database(): behind a wall none exists.
  Database& database() { return *database_; }
  bool has_database() const { return database_ && !scoped_; }
  bool has_graph() const { return database_ || graph_; }
  const Snapshot& snapshot() const { return view_.snapshot; }
  const Schema& schema() const { return view_.snapshot.schema(); }
  std::int64_t now_ms() const { return view_.now_ms; }
  // The nodes that scope, node_kinds and where select, facts unless node_kinds names kinds of the
  // index plane; null = all nodes.
  const NodeSubset* scope() const { return view_.scope ? &*view_.scope : nullptr; }
  // Whether a list of the answer shows the node; what show_kinds and show_where leave out has taken
  // part nevertheless.
  bool Shows(NodeId node) const { return !view_.shown || view_.shown->contains(node); }
  const NodeSubset* shown() const { return view_.shown ? &*view_.shown : nullptr; }
  Executor& executor() const { return *executor_; }
  int input() const { return options_.input; }
  // As the door handed it in; may be null.
  Progress* progress() const { return options_.progress; }
  // The same for work that knows no budget: it stops when the time of the request is up.
  Progress* timed_progress() { return &timed_progress_; }

  // Traverse judges its resumed question by the time at which it was asked; a file that is followed
  // is read as time passes.
  void SetNow(std::int64_t now_ms) { view_.now_ms = now_ms; }
  // A time (ParseTime); "" is kNoTime, valid times are not looked at.
  Result<std::int64_t> ValidAt(std::string_view given) const;
  // The sequence that a moment means in this graph.
  Result<Sequence> SequenceAt(std::string_view moment);

  // Of damage that opening bypassed; a reply ends with them.
  std::vector<std::string>& warnings() { return warnings_; }
  // To be known besides the answer, such as a misspelt scope; of the last request.
  std::vector<Note>& notes() { return notes_; }

  // Whether another process waits for this one to close.
  bool Wanted() const { return own_database_ && own_database_->Wanted(); }
  Status Close();
  // Close for work that failed: a graph that this workspace made, and that is still empty, is taken
  // back, directory and all.
  Status Abandon();

 private:
  explicit Workspace(const WorkspaceOptions& options)
      : options_(options), executor_(&DefaultExecutor()) {}
  bool KeepsOrders(const View& view) const { return !options_.one_request && !view.past; }
  Graph& whole() { return database_ ? database_->graph() : *graph_; }
  Status RaiseWall();
  Result<Sequence> SequenceAt(std::string_view moment, const Moment& when);
  Result<std::optional<NodeSubset>> Selected(const View& view, const Request& request,
                                             const char* kinds, const char* where,
                                             std::optional<NodeSubset> among);
  Status CheckDoor(const Request& request) const;
  void NoteDamage();
  void NoteUnknownNames(const Request& request, const char* where,
                        const std::optional<NodeSubset>& selected);
  void NoteUnknownScopes(const std::vector<std::string>& scopes, const Budget& budget);

  WorkspaceOptions options_;
  std::unique_ptr<Executor> own_executor_;  // outlives the database
  Executor* executor_;
  std::unique_ptr<Database> own_database_;
  Database* database_ = nullptr;
  std::unique_ptr<Graph> own_graph_;  // of a preview without a database
  Graph* graph_ = nullptr;
  std::unique_ptr<ScopedGraph> scoped_;  // behind a wall
  View view_;
  TimedProgress timed_progress_;
  std::vector<std::string> warnings_;
  std::vector<Note> notes_;
  std::size_t damage_noted_ = 0;
  bool made_directory_ = false;
  bool open_for_writing_ = false;
};

// Answers a request: checks it, looks, runs. What else is to be known is in notes(). The
// reply says whether the time of what was written, or would be by a dry run, was moved.
Result<Reply> Answer(Workspace& workspace, const Request& request);

// Whether the operation takes scope, node_kinds and where: questions, and what reads texts.
bool SelectsNodes(const Operation& operation);
// What the common parameters may be of this operation: a past state is only read, and a selection
// of nodes narrows only questions. kInvalidArgument. Needs no graph.
Status CheckCommon(const Request& request);

// "OPTION: ... looks like seconds", when a time most likely is.
void WarnOfSeconds(Workspace& workspace, const std::string& option, std::int64_t time_ms);

}  // namespace plexus::tools
