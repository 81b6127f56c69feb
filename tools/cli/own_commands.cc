// Each prints a text of its own, so a reply is a stream.
#include "tools/cli/own_commands.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {
namespace {

Reply TextReply(std::string text) {
  Reply reply;
  reply.stream = [text = std::move(text)](std::ostream& out) -> Status {
    out << text;
    return {};
  };
  return reply;
}

Result<Reply> RunCompletion(Workspace&, const Request& request) {
  return TextReply(request.Text("shell") == "zsh" ? ZshCompletion() : BashCompletion());
}

Result<Reply> RunMan(Workspace&, const Request& request) {
  if (!request.Given("command")) return TextReply(ManPage(nullptr));
  const Operation* command = FindCommand(request.Text("command"));
  if (!command) return Invalid(NoSuchOperation(request.Text("command")));
  return TextReply(ManPage(command));
}

Result<Reply> RunReference(Workspace&, const Request&) { return TextReply(ReferencePage()); }

Result<Reply> RunPromote(Workspace& workspace, const Request&) {
  PLEXUS_TRY(workspace.CheckDirectory());
  OpenOptions options;
  options.replica_of.emplace();
  PLEXUS_ASSIGN(const auto database, Database::Open(workspace.directory(), options));
  PLEXUS_TRY(database->Promote());
  const Sequence sequence = database->snapshot().sequence();
  PLEXUS_TRY(database->Close());
  return TextReply(workspace.directory() + " is a writer from sequence " +
                   std::to_string(sequence) + " on\n");
}

// The shell and the server ask no single question: main() runs them.
Result<Reply> RunNothing(Workspace&, const Request&) { return Reply(); }

std::vector<Operation> MakeCommands() {
  std::vector<Operation> commands = AllOperations();
  Parameter shell = Optional(Choice("shell", {"bash", "zsh"}, "bash or zsh").Positional());
  shell.shown = "SHELL";
  const auto add = [&](const char* name, const char* title, const char* summary,
                       Parameters parameters, std::vector<Example> examples,
                       Result<Reply> (*run)(Workspace&, const Request&)) {
    commands.push_back({.name = name,
                        .group = "Help",
                        .title = title,
                        .summary = summary,
                        .parameters = std::move(parameters),
                        .examples = std::move(examples),
                        .run = run,
                        .access = OpensNothing});
  };
  add("completion", "Completion", "Print the completion of commands for a shell",
      {std::move(shell)},
      {{"plexus completion bash > ~/.local/share/bash-completion/completions/plexus",
        "bash completes from its next start on"},
       {"plexus completion zsh > ~/.zfunc/_plexus", "zsh, where ~/.zfunc is in fpath"}},
      RunCompletion);
  add("man", "Man pages", "Print the man page of the program or of a command",
      {Optional(Text("command", "COMMAND", "only this one (default: the program)")
                    .Named(Means::kOperation)
                    .Positional())},
      {{"plexus man pagerank | man -l -", "read the page of pagerank"},
       {"plexus man > plexus.1", "the page of the program"}},
      RunMan);
  add("reference", "Reference", "Print the reference of all commands as Markdown", {},
      {{"plexus reference > tools/REFERENCE.md", "the page in the repository"},
       {"plexus reference | less", "everything on one page"}},
      RunReference);
  add("shell", "Shell",
      "Answer commands line by line, on a graph that stays open; with --scope no line sees, counts "
      "or writes anything of other scopes",
      {Flag("keep_going", "a script continues after a line that failed; by default it ends there"),
       Flag("keep_history", "~/.plexus_history also keeps lines that write or erase")},
      {{"plexus shell --db g", "with history and completion; quit ends it"},
       {"plexus shell --db g --json < questions.txt",
        "a script: a command a line, or a request {\"get\":{\"key\":\"a\"}}; # comments"},
       {"plexus shell --db g --scope anna", "for a user who may see only anna's nodes"}},
      RunNothing);
  Parameter log = Choice("log_format", {"words", "json"}, "how a line of the log is written");
  add("serve", "Server",
      "Answer agents: MCP on standard input and output, MCP and plain HTTP on an address; with "
      "--scope no request sees, counts or writes anything of other scopes",
      {Flag("mcp", "MCP on standard input and output; ends with the input"),
       Text("http", "ADDRESS",
            "MCP at /mcp, operations at /v1/NAME; a port, or an address of this machine with one; "
            "others need --tokens"),
       List("tools", "SET,...",
            "the sets of tools for the model: memory, ledger, concepts, decisions, retrieval, "
            "graph, admin, server-memory, all (default: memory)"),
       Text("tokens", "FILE", "who may ask over HTTP; a file of mode 600, a token's hash a line")
           .Named(Means::kPath),
       List("allow_host", "NAME,...", "other names of this server than localhost, for browsers"),
       Text("root", "DIR",
            "many graphs, the folders below DIR, at /graphs/NAME/..; instead of --db, with --http")
           .Named(Means::kPath),
       Count("max_open", "N", "of --root: at most N graphs are open")
           .Default(std::uint64_t{64})
           .AtLeast(1),
       Count("max_memory", "MIB", "of --root: close idle graphs above this much memory")
           .Default(std::uint64_t{1024})
           .AtLeast(64),
       Count("max_rate", "N",
             "over HTTP at most N requests a second for each token without a rate of its own, or "
             "for each address without a token; 0: no limit")
           .Default(std::uint64_t{0}),
       Flag("read_only", "refuse requests that write, except of tokens with that right"),
       Text("follow", "URL",
            "the graph is a replica: it follows the server at URL, and answers what only reads"),
       Text("follow_token", "FILE", "the token for it, one line in a file of mode 600")
           .Named(Means::kPath),
       Flag("check", "open the graph, print what would be served, and end"), log},
      {{"plexus serve --db g --mcp", "what a client of MCP starts"},
       {"plexus serve --db g --http 8080 --tools memory,ledger",
        "for clients of this machine, and curl"}},
      RunNothing);
  add("follow", "Follow",
      "Keep a replica: a durable copy of another server's graph, which only it writes; it goes on "
      "after every break",
      {Text("source", "URL", "the server, as http://HOST:PORT or http://HOST:PORT/graphs/NAME")
           .OrPositional(),
       Text("token_file", "FILE", "the token for it, one line in a file of mode 600")
           .Named(Means::kPath),
       Flag("once", "end when the replica has all that the source had at the beginning"),
       std::move(log)},
      {{"plexus follow http://10.0.0.1:8080 --db replica", "until a signal ends it"},
       {"plexus follow http://10.0.0.1:8080 --db replica --once", "catch up, and end"}},
      RunNothing);
  add("promote", "Promote",
      "Make a replica a writer; its source is refused as a source from then on", {},
      {{"plexus promote --db replica", "when the source is lost; end its follower first"},
       {"plexus promote --db replica --wait 30",
        "the same, when another process may hold it for a while"}},
      RunPromote);
  add("explore", "Explorer",
      "Show the graph in a browser of this machine: a page that asks this process and no other "
      "host; with --scope it sees nothing else",
      {Count("port", "N", "the page is at http://localhost:N; 0: any that is free")
           .Default(std::uint64_t{8484})
           .Between(0, 65535),
       Flag("write", "the page may also write, after a dry run; else it only reads"),
       Text("tokens", "FILE", "who may ask, as of serve: the page wants a token and has its rights")
           .Named(Means::kPath),
       Flag("once",
            "for a script: end when a browser that opened the page has gone, or has asked "
            "nothing for half a minute")},
      {{"plexus explore --db g", "then open http://localhost:8484"},
       {"plexus explore --db g --port 0 --write",
        "link, supersede, resolve, label, forget, each shown first and taken back by a click; the "
        "log says where"}},
      RunNothing);
  return commands;
}

}  // namespace

const std::vector<Operation>& AllCommands() {
  static const std::vector<Operation> commands = MakeCommands();
  return commands;
}

std::string CommandWord(std::string_view operation) {
  std::string word = CommandName(operation);
  std::ranges::replace(word, ' ', '-');
  return word;
}

const Operation* FindCommand(std::string_view name) {
  for (const Operation& command : AllCommands())
    if (CommandName(command.name) == name || CommandWord(command.name) == name) return &command;
  return nullptr;
}

}  // namespace plexus::tools
