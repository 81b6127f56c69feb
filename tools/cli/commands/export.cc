// export: the graph, or a neighbourhood of it, out as text.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/traversal/bfs.h"
#include "storage/formats/export.h"
#include "tools/cli/arguments.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

struct ExportArguments {
  std::string format = "jsonl", table = "edges", edges_key = "links", output;
  std::vector<std::string> around, kinds;
  std::optional<std::uint64_t> hops, limit;
  bool keys = false;
};

// The nodes within some hops of --around, or of --scope, or nullopt = all.
Result<std::optional<NodeSubset>> Selected(Session& session, const ExportArguments& given,
                                           const std::vector<EdgeKindId>& kinds) {
  const Snapshot& snapshot = session.snapshot();
  if (given.around.empty()) {
    if (!session.scope()) return std::nullopt;
    return *session.scope();
  }
  std::vector<NodeId> sources;
  for (const std::string& key : given.around) {
    PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, key));
    sources.push_back(node);
  }
  BfsOptions options;
  options.max_depth =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(given.hops.value_or(1), 1'000'000));
  options.direction = Direction::kBoth;
  options.kinds = kinds;
  options.subset = session.scope();
  if (given.limit) options.budget.nodes = *given.limit;
  options.executor = &session.executor();
  PLEXUS_ASSIGN(const BfsResult reached, Bfs(snapshot, sources, options));
  std::vector<NodeId> nodes;
  for (const BfsNode& node : reached.nodes) nodes.push_back(node.node);
  PLEXUS_ASSIGN(NodeSubset subset, NodeSubset::Of(snapshot, nodes));
  return subset;
}

Status Write(Session& session, const ExportArguments& given, std::ostream& out) {
  const Snapshot& snapshot = session.snapshot();
  text::ExportOptions options;
  options.progress = session.progress();
  PLEXUS_ASSIGN(options.kinds, FindEdgeKinds(snapshot.schema(), given.kinds));
  PLEXUS_ASSIGN(const std::optional<NodeSubset> selected, Selected(session, given, options.kinds));
  if (given.format == "jsonl") {
    if (selected || !given.kinds.empty())
      return Fail(ErrorCode::kInvalidArgument,
                  "jsonl is the whole graph, lossless; --around, --kinds, --scope and --where go "
                  "with the other formats");
    return text::ExportJsonLines(snapshot, out, options);
  }
  if (selected) options.include = [&](NodeId node) { return selected->contains(node); };
  if (given.format == "csv") {
    options.csv_table = given.table == "nodes" ? text::CsvTable::kNodes : text::CsvTable::kEdges;
    return text::ExportCsv(snapshot, out, options);
  }
  if (given.format == "mtx") return text::ExportMatrixMarket(snapshot, out, options);
  if (given.format == "graphml") return text::ExportGraphMl(snapshot, out, options);
  if (given.format == "node-link") {
    options.edges_key = given.edges_key;
    return text::ExportNodeLink(snapshot, out, options);
  }
  if (given.format == "mcp-memory") return text::ExportMcpMemory(snapshot, out, options);
  if (!given.keys) options.dot_label = [&](NodeId node) { return ShownName(snapshot, node); };
  return given.format == "gexf" ? text::ExportGexf(snapshot, out, options)
                                : text::ExportDot(snapshot, out, options);
}

// Written beside its place and renamed, so that no half file is ever seen.
Result<std::uint64_t> WriteFile(Session& session, const ExportArguments& given) {
  const std::string temporary = given.output + ".part" + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  if (!file) return Fail(ErrorCode::kIo, "cannot write '" + temporary + "'");
  Status written = Write(session, given, file);
  const std::streamoff size = file.tellp();
  file.close();
  if (written && !file)
    written = Fail(ErrorCode::kIo, "cannot write '" + temporary + "'; is the disk full?");
  if (written && std::rename(temporary.c_str(), given.output.c_str()) != 0)
    written = Fail(ErrorCode::kIo, "cannot rename to '" + given.output + "'");
  if (!written) {
    std::remove(temporary.c_str());
    return std::unexpected(written.error());
  }
  return static_cast<std::uint64_t>(size);
}

Result<int> RunExport(const Globals& globals, const ExportArguments& given) {
  PLEXUS_TRY(Needs(given.hops.has_value(), "--hops", !given.around.empty(), "--around"));
  PLEXUS_TRY(Needs(given.limit.has_value(), "--limit", !given.around.empty(), "--around"));
  PLEXUS_TRY(Needs(given.table == "nodes", "--table nodes", given.format == "csv", "--format csv"));
  PLEXUS_TRY(Needs(given.edges_key == "edges", "--edges-key edges", given.format == "node-link",
                   "--format node-link"));
  if (globals.json && given.output.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "--json with export needs --output FILE: stdout holds one of them");
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const SignalGuard guard;
  if (given.output.empty()) {
    PLEXUS_TRY(Write(*session, given, Out()));
    return kDone;
  }
  PLEXUS_ASSIGN(const std::uint64_t bytes, WriteFile(*session, given));
  session->EndProgress();
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("sequence", session->snapshot().sequence());
    json.Field("format", given.format);
    json.Field("file", given.output);
    json.Field("bytes", bytes);
    json.EndObject();
    Out() << '\n';
  }
  return kDone;
}

}  // namespace

void AddExport(Cli& cli) {
  static ExportArguments given;
  cli.Add("Files", "export", "Write the graph, or a neighbourhood of it, as text",
          [](const Globals& globals) { return RunExport(globals, given); })
      .Choice("--format", given.format,
              {"jsonl", "csv", "mtx", "graphml", "node-link", "mcp-memory", "gexf", "dot"},
              "jsonl is lossless, the others show the facts (default jsonl)")
      .Option("-o,--output", "FILE", given.output, "write there instead of to stdout")
      .Choice("--table", given.table, {"edges", "nodes"}, "csv: which table (default edges)")
      .Repeated("--around", "KEY", given.around,
                "not jsonl: only what is near this node; repeatable")
      .Option("--hops", "H", given.hops, "with --around: how near, both ways (default 1)")
      .Option("--limit", "N", given.limit, "with --around: at most N nodes, nearest first")
      .List("--kinds", "A,B", given.kinds, "not jsonl: only these edge kinds (default: all facts)")
      .Flag("--keys", given.keys, "dot, gexf: show keys instead of texts")
      .Choice("--edges-key", given.edges_key, {"links", "edges"},
              "node-link: name of the list of edges; NetworkX 3.4 and later reads edges (default "
              "links)")
      .Example("plexus export --db g > g.jsonl", "everything; import reads it back")
      .Example("plexus export --db g --format dot --around alice --hops 2 | dot -Tpng > alice.png",
               "a picture of alice's surroundings");
}

}  // namespace plexus::tools
