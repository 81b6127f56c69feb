// export: the graph, or a neighbourhood of it, out as text.
#include "storage/formats/export.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/traversal/traversal.h"
#include "storage/replica.h"
#include "tools/operations/files/explorer_page.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

// The nodes within some hops of `around`, or of the scope, or nullopt = all.
Result<std::optional<NodeSubset>> Selected(const Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  if (!request.Given("around")) {
    if (!workspace.scope()) return std::nullopt;
    return *workspace.scope();
  }
  PLEXUS_ASSIGN(const std::vector<NodeId> sources,
                FindAliveNodes(snapshot, request.List("around")));
  traversal::BfsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.max_depth =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(request.Count("hops"), 1'000'000));
  options.direction = Direction::kBoth;
  if (const auto limit = request.MaybeCount("limit")) options.run.budget.nodes = *limit;
  PLEXUS_ASSIGN(const traversal::BfsResult reached, traversal::Bfs(snapshot, sources, options));
  if (options.run.budget.Interrupted())  // a file says nowhere that it is less than was asked for
    return Cancelled("what is near was not found yet");
  std::vector<NodeId> nodes;
  for (const traversal::BfsNode& node : reached.nodes) nodes.push_back(node.node);
  PLEXUS_ASSIGN(NodeSubset subset, NodeSubset::Of(snapshot, nodes));
  return subset;
}

// JSON inside a page: no '<' of a text ends its element.
class InPage final : public std::streambuf {
 public:
  explicit InPage(std::ostream& out) : out_(out) {}

 protected:
  int overflow(int c) override {
    if (c == '<')
      out_ << "\\u003c";
    else if (c != traits_type::eof())
      out_.put(static_cast<char>(c));
    return out_ ? c : traits_type::eof();
  }

 private:
  std::ostream& out_;
};

// The explorer's page with the graph inside, as node-link JSON.
Status ExportPage(const Snapshot& snapshot, std::ostream& out,
                  const formats::ExportOptions& options) {
  const std::string_view page = ExplorerPage();
  const std::size_t place = page.find(kExplorerData);
  if (place == std::string_view::npos) return Unsupported(std::string(kNoExplorer));
  out << page.substr(0, place);
  InPage buffer(out);
  std::ostream data(&buffer);
  PLEXUS_TRY(formats::ExportNodeLink(snapshot, data, options));
  out << page.substr(place + kExplorerData.size());
  if (!out) return IoError("the page could not be written");
  return {};
}

// All that is written: independent of the workspace, but for its progress.
struct Exporter {
  Snapshot snapshot;
  formats::ExportOptions options;
  std::string format;
  std::optional<NodeSubset> selected;
  SpaceId space = {};
  replica::GraphIdentity identity;  // csr-parts
  std::vector<NodeId> ids;

  Status Write(std::ostream& out) {
    if (selected) options.include = [this](NodeId node) { return selected->contains(node); };
    if (format == "jsonl") return formats::ExportJsonLines(snapshot, out, options);
    if (format == "csv") return formats::ExportCsv(snapshot, out, options);
    if (format == "mtx") return formats::ExportMatrixMarket(snapshot, out, options);
    if (format == "graphml") return formats::ExportGraphMl(snapshot, out, options);
    if (format == "node-link") return formats::ExportNodeLink(snapshot, out, options);
    if (format == "html") return ExportPage(snapshot, out, options);
    if (format == "cypher") return formats::ExportCypher(snapshot, out, options);
    if (format == "f32") return formats::ExportVectors(snapshot, out, space, options);
    if (format == "csr-parts")
      return formats::ExportCsrParts(snapshot, out, identity.high, identity.low, options);
    if (format == "mcp-memory") return formats::ExportMcpMemory(snapshot, out, options);
    return format == "gexf" ? formats::ExportGexf(snapshot, out, options)
                            : formats::ExportDot(snapshot, out, options);
  }
};

Result<Exporter> MakeExporter(Workspace& workspace, const Request& request) {
  Exporter exporter;
  exporter.snapshot = workspace.snapshot();
  exporter.format = request.Text("format");
  exporter.options.progress = workspace.timed_progress();
  PLEXUS_ASSIGN(exporter.options.kinds, FindEdgeKinds(workspace.schema(), request.List("kinds")));
  PLEXUS_ASSIGN(exporter.selected, Selected(workspace, request));
  if (exporter.format == "jsonl" && (exporter.selected || request.Given("kinds")))
    return Invalid("jsonl is the whole graph, lossless; ", request.Name("around"), ", ",
                   request.Name("kinds"), ", ", request.Name("scope"), " and ",
                   request.Name("where"), " go with the other formats");
  if (exporter.format == "f32")
    PLEXUS_SET(exporter.space, FindSpace(workspace.schema(), request));
  else if (request.Given("space"))
    return Invalid(request.Name("space"), " goes with ", request.Name("format", "f32"));
  if (exporter.format == "csr-parts") {
    if (!workspace.has_database())
      return Unsupported(request.Name("format", "csr-parts"),
                         " is of a graph in a directory, by the ids "
                         "of all of it: not in a session of a scope");
    PLEXUS_ASSIGN(exporter.identity, replica::IdentifyGraph(workspace.directory()));
    PLEXUS_ASSIGN(exporter.ids, FindAliveNodes(exporter.snapshot, request.List("ids")));
  }
  if (exporter.format == "html" && ExplorerPage().empty())
    return Unsupported(std::string(kNoExplorer));
  exporter.options.property_columns = request.Flag("property_columns");
  if (exporter.options.property_columns && exporter.format != "csv" &&
      exporter.format != "graphml" && exporter.format != "gexf")
    return Invalid(request.Name("property_columns"), " goes with csv, graphml and gexf");
  if (request.Text("table") == "nodes") exporter.options.csv_table = formats::CsvTable::kNodes;
  exporter.options.edges_key = request.Text("edges_key");
  if (!request.Flag("keys"))
    exporter.options.dot_label = [snapshot = workspace.snapshot()](NodeId node) {
      return ShownName(snapshot, node);
    };
  return exporter;
}

// Written next to its place and renamed, so that no half file is ever seen.
Result<std::uint64_t> WriteFile(Exporter& exporter, const std::string& output) {
  if (const std::string graph = Database::FolderAround(output); !graph.empty())
    return Invalid(Quoted(output), " lies in ", graph, ", which holds a graph and nothing else");
  const std::string temporary = output + ".part" + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  if (!file) return IoError("cannot write '", temporary, "'");
  Status written = exporter.Write(file);
  const std::streamoff size = file.tellp();
  file.close();
  if (written && !file) written = IoError("cannot write '", temporary, "'; is the disk full?");
  if (written && std::rename(temporary.c_str(), output.c_str()) != 0)
    written = IoError("cannot rename to '", output, "'");
  if (!written) {
    std::remove(temporary.c_str());
    return std::unexpected(written.error());
  }
  return static_cast<std::uint64_t>(size);
}

// Of a choice that means something only with another one.
Status ValueNeeds(const Request& request, const char* name, const char* value, const char* other,
                  const char* other_value) {
  if (request.Text(name) != value || request.Text(other) == other_value) return {};
  return Invalid(request.Name(name, value), " needs ", request.Name(other, other_value));
}

Result<Reply> RunExport(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(Needs(request, "hops", "around"));
  PLEXUS_TRY(Needs(request, "limit", "around"));
  PLEXUS_TRY(Needs(request, "ids", "output"));
  PLEXUS_TRY(ValueNeeds(request, "table", "nodes", "format", "csv"));
  PLEXUS_TRY(ValueNeeds(request, "edges_key", "links", "format", "node-link"));
  PLEXUS_ASSIGN(Exporter exporter, MakeExporter(workspace, request));
  if (request.Given("ids") && exporter.format != "csr-parts")
    return Invalid(request.Name("ids"), " goes with ", request.Name("format", "csr-parts"));
  Reply reply;
  const std::string output = request.Text("output");
  if (output.empty()) {
    reply.stream = [exporter = std::move(exporter)](std::ostream& out) mutable {
      return exporter.Write(out);
    };
    return reply;
  }
  PLEXUS_ASSIGN(const std::uint64_t bytes, WriteFile(exporter, output));
  for (const NodeId node : exporter.ids)
    reply.page += std::to_string(node) + " " + std::string(exporter.snapshot.key(node)) + "\n";
  reply.members = [snapshot = workspace.snapshot(), format = exporter.format, output, bytes,
                   ids = std::move(exporter.ids)](ReplyWriter& json) {
    json.Field("sequence", snapshot.sequence());
    json.Field("format", format);
    json.Field("file", output);
    json.Field("bytes", bytes);
    if (ids.empty()) return;
    json.Objects("ids", ids, [&](NodeId node) {
      json.Node("key", snapshot, node);
      json.Field("id", node);
    });
  };
  reply.quiet = true;
  return reply;
}

}  // namespace

void AddExport(Rows& rows) {
  rows.push_back(
      {.name = "export",
       .group = "Files",
       .title = "Write files",
       .summary = "Write the graph, or a neighbourhood of it, as text",
       .parameters =
           {Choice("format",
                   {"jsonl", "csv", "mtx", "graphml", "node-link", "mcp-memory", "gexf", "dot",
                    "cypher", "html", "f32", "csr-parts"},
                   "jsonl is lossless, the others hold the facts; html is the explorer in one "
                   "file; f32 has the vectors of one space: keys, one a line, an empty line, rows "
                   "of f32; csr-parts has rows by id, without keys and texts, for plexus-dist"),
            Text("output", "FILE", "write there instead of to stdout")
                .Named(Means::kPath)
                .Letter('o'),
            Choice("table", {"edges", "nodes"}, "csv: which table"),
            Repeated("around", "KEY", "not jsonl: only what is near this node; repeatable")
                .Named(Means::kKey),
            Count("hops", "H", "with around: at most H edges away, either way")
                .Default(std::uint64_t{1}),
            Count("limit", "N", "with around: at most N nodes, nearest first"),
            Text("space", "NAME", "f32: whose vectors (default: the only one, or \"default\")"),
            KindsParameter("not jsonl: only these edge kinds (default: all facts)"),
            Flag("property_columns",
                 "csv, graphml, gexf: a column for each property, not all in one"),
            Flag("keys", "dot, gexf: show keys instead of texts"),
            Repeated("ids", "KEY",
                     "csr-parts: also say the id of this node, for a job's seeds; "
                     "repeatable")
                .Named(Means::kKey),
            Choice("edges_key", {"edges", "links"},
                   "node-link: name of the list of edges; NetworkX 3.6 and later reads edges, "
                   "earlier ones and d3 read links")},
       .reply = "sequence:n, format:s, file:s, bytes:n, ids?:[{key:k, id:n}]",
       .examples = {{"plexus export --db g > g.jsonl", "everything; import reads it back"},
                    {"plexus export --db g --format dot --around alice --hops 2 | dot -Tpng > "
                     "alice.png",
                     "a picture of alice's surroundings"},
                    {"plexus export --db g --format html --around alice --hops 2 -o alice.html",
                     "a page that a browser opens without a server"},
                    {"plexus export --db g --format f32 --space text > text.f32",
                     "import --keys - --dimensions D - < text.f32 reads it back"}},
       .run = RunExport,
       .interruptible = true});
}

}  // namespace plexus::tools
