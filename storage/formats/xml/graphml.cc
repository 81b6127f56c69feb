// Expat's events to elements; see graphml.h.
#include "storage/formats/xml/graphml.h"

#include <expat.h>

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/properties/json_writer.h"
#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/record_parser.h"
#include "storage/formats/xml/graphml_key.h"

namespace plexus::formats::internal {

using namespace engine_internal;

namespace {

constexpr int kChunk = 1 << 18;
constexpr std::size_t kMaxDepth = 64;
constexpr std::string_view kNamespace = "http://graphml.graphdrawing.org/xmlns";

// What an open XML element is to us.
enum class Open { kGraphMl, kKey, kDefault, kGraph, kNode, kEdge, kData, kLabel, kSkipped };

using Attributes = GraphMlAttributes;

}  // namespace

struct GraphMlReader::Impl {
  Impl(std::unique_ptr<ByteSource> s, const ImportOptions& o, ColumnUse* used,
       std::shared_ptr<const Schema> known)
      : source(std::move(s)),
        options(o),
        block_bytes(std::max<std::size_t>(o.block_bytes, 64)),
        limits(o.limits),
        use(used),
        schema(std::move(known)),
        parser(XML_ParserCreateNS(nullptr, '|')) {
    if (!parser) return;
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, &OnStart, &OnEnd);
    XML_SetCharacterDataHandler(parser, &OnText);
    XML_SetStartDoctypeDeclHandler(parser, &OnDoctype);
  }
  ~Impl() {
    if (parser) XML_ParserFree(parser);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // The events. C++ exceptions (memory) must not cross expat, which is C.
  template <class Fn>
  static void Guarded(void* user, Fn&& fn) {
    auto& self = *static_cast<Impl*>(user);
    if (self.failed) return;
    try {
      fn(self);
    } catch (const std::exception& e) {
      self.out_of_memory = true;
      self.Stop();
    }
  }
  static void OnStart(void* user, const XML_Char* name, const XML_Char** attributes) {
    Guarded(user, [&](Impl& self) { self.Start(name, attributes); });
  }
  static void OnEnd(void* user, const XML_Char*) {
    Guarded(user, [&](Impl& self) { self.End(); });
  }
  static void OnText(void* user, const XML_Char* text, int size) {
    Guarded(user, [&](Impl& self) { self.Text({text, static_cast<std::size_t>(size)}); });
  }
  static void OnDoctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    Guarded(user, [&](Impl& self) { self.Refuse("a document type declaration is refused"); });
  }

  std::uint64_t line() const { return XML_GetCurrentLineNumber(parser); }
  void Stop() {
    failed = true;
    XML_StopParser(parser, XML_FALSE);
  }
  // The document is read no further.
  void Refuse(std::string_view reason) {
    Unreadable(reason);
    Stop();
  }
  // Where nothing was read before, nothing of the file can be.
  void Unreadable(std::string_view reason) { lines.Say(elements == 0 ? 'Z' : 'X', line(), reason); }
  // This node or edge is left out.
  void Spoil(std::string reason) {
    if (wrong.empty()) wrong = std::move(reason);
  }

  void Start(std::string_view name, const XML_Char** pairs);
  void End();
  void Text(std::string_view text);
  Open Enter(std::string_view name, const Attributes& attributes);
  void EnterKey(const Attributes& attributes);
  void EnterGraph(const Attributes& attributes);
  void EnterElement(Open sort, const Attributes& attributes);
  void EnterData(const Attributes& attributes);
  void EndData();
  void EndDefault();
  bool AddDefaults(Open sort);
  void EndElement(Open sort);
  void Append(Open sort, std::string_view name, std::string_view json);
  // Whether what is known of the element is longer than a record may be; it is let go then.
  bool TooLong();
  void TellParallelsApart();
  std::string StoredEdge();
  Result<XML_Status> ParseMore();
  Status Feed();

  std::unique_ptr<ByteSource> source;
  const ImportOptions& options;
  const std::size_t block_bytes;
  const ImportLimits& limits;
  ColumnUse* const use;
  const std::shared_ptr<const Schema> schema;
  XML_Parser parser;
  ElementLines lines;
  std::uint64_t fed = 0;
  bool finished = false, failed = false, out_of_memory = false;
  bool last = false;       // the parser has all of the file
  bool suspended = false;  // it stopped inside of a chunk: the block is full

  std::vector<Open> open;
  bool has_graph = false, directed = true;
  GraphMlKeys keys;
  GraphMlKey* key = nullptr;  // of the <key> or <data> that is open
  std::string text;           // of <data> or <default>
  bool markup = false;        // it holds elements
  // The node or edge that is open.
  std::uint64_t element_line = 0, nodes = 0, elements = 0;
  std::string element;  // its JSON so far
  std::string beside;   // data whose names the element has for itself
  std::string wrong;
  std::string drawn;  // the label of yEd's drawing
  std::string label;  // what the file says of it as data, as JSON
  // Of an edge: what says which one it is.
  std::string edge_id, from_key, to_key;
  std::string kind, type;  // data of these names, as JSON
  bool undirected = false;
  std::unordered_set<std::size_t>
      seen_edges;  // hashes of ends, kinds and labels of edges with an id
};

void GraphMlReader::Impl::Start(std::string_view name, const XML_Char** pairs) {
  if (open.size() >= kMaxDepth)
    return Refuse("elements nested over " + std::to_string(kMaxDepth) + " deep");
  const bool inside = !open.empty();
  const Open parent = inside ? open.back() : Open::kGraphMl;
  std::string_view local = name;
  bool foreign = false;
  if (const auto bar = name.rfind('|'); bar != std::string_view::npos) {
    foreign = name.substr(0, bar) != kNamespace;
    local = name.substr(bar + 1);
  }
  if (!inside) {
    if (local != "graphml")
      return Refuse("expected <graphml>, got <" + std::string(local.substr(0, 80)) + ">");
    open.push_back(Open::kGraphMl);
    return;
  }
  if (parent == Open::kData || parent == Open::kDefault) markup = true;
  const bool in_data = parent == Open::kData || parent == Open::kSkipped;
  if (in_data && key && key->drawn && text.empty() &&
      (local == "NodeLabel" || local == "EdgeLabel")) {
    open.push_back(Open::kLabel);
    return;
  }
  if (foreign || parent == Open::kLabel || parent == Open::kSkipped || parent == Open::kData ||
      parent == Open::kDefault) {
    open.push_back(Open::kSkipped);
    return;
  }
  const Open entered = Enter(local, Attributes(pairs));
  if (!failed) open.push_back(entered);
}

Open GraphMlReader::Impl::Enter(std::string_view name, const Attributes& attributes) {
  const Open parent = open.back();
  const bool in_element = parent == Open::kNode || parent == Open::kEdge;
  if (parent == Open::kGraph && (name == "edge" || name == "node")) {
    const Open sort = name == "node" ? Open::kNode : Open::kEdge;
    EnterElement(sort, attributes);
    return sort;
  }
  if (name == "desc" || name == "locator" || name == "port") return Open::kSkipped;
  if (name == "data") {
    if (!in_element) return Open::kSkipped;  // of the graph or the file
    EnterData(attributes);
    return Open::kData;
  }
  if (name == "key" && parent == Open::kGraphMl) {
    EnterKey(attributes);
    return Open::kKey;
  }
  if (name == "default" && parent == Open::kKey) {
    if (key->has_default) Refuse("a second <default> of " + Quoted(key->name));
    key->has_default = true;
    text.clear();
    markup = false;
    return Open::kDefault;
  }
  if (name == "graph") {
    if (parent != Open::kGraphMl)
      Refuse("a graph inside of another is not read");
    else
      EnterGraph(attributes);
    return Open::kGraph;
  }
  if (name == "hyperedge") {
    Refuse("hyperedges are not read");
    return Open::kSkipped;
  }
  Refuse("unexpected element <" + std::string(name.substr(0, 80)) + ">");
  return Open::kSkipped;
}

void GraphMlReader::Impl::EnterKey(const Attributes& attributes) {
  if (has_graph) return Refuse("a <key> stands behind the graph");
  const auto added = keys.Add(attributes, limits.columns, options.columns, use);
  if (!added) return Refuse(added.error().message);
  key = *added;
}

void GraphMlReader::Impl::EnterGraph(const Attributes& attributes) {
  if (has_graph) return Refuse("a second graph is not read");
  has_graph = true;
  const auto way = attributes.Find("edgedefault");
  if (way != "directed" && way != "undirected")
    return Refuse("a graph's edgedefault must be directed or undirected");
  directed = way == "directed";
}

void GraphMlReader::Impl::EnterElement(Open sort, const Attributes& attributes) {
  element_line = line();
  element = "{";
  beside = "{";
  wrong.clear();
  drawn.clear();
  label.clear();
  const auto take = [&](std::string_view name) {
    const auto value = attributes.Find(name);
    if (value)
      AppendJsonMember(element, name, *value);
    else
      Spoil("no \"" + std::string(name) + "\"");
    return value.value_or(std::string_view());
  };
  ++elements;
  if (sort == Open::kNode) {
    take("id");
    return;
  }
  from_key = take("source");
  to_key = take("target");
  edge_id = attributes.Find("id").value_or(std::string_view());
  kind.clear();
  type.clear();
  const auto own = attributes.Find("directed");
  if (own && own != "true" && own != "false") return Spoil("\"directed\" must be true or false");
  undirected = own ? own == "false" : !directed;
  if (undirected) element += ",\"directed\":false";
}

// The edge as it is stored, as far as the file says: an inverse name swaps the ends, and the ends
// of a symmetric kind have no order. No name is the name that an edge then gets.
std::string GraphMlReader::Impl::StoredEdge() {
  const std::string& named = kind.starts_with('"') ? kind : type;
  std::string name = named.size() > 2 && named[0] == '"' ? named.substr(1, named.size() - 2)
                     : undirected                        ? std::string(kLinkedKind)
                                                         : "link";
  bool turned = std::ranges::find(options.reversed_kinds, name) != options.reversed_kinds.end();
  const auto ours = std::ranges::find(options.kind_names, name, &ColumnName::in_file);
  if (ours != options.kind_names.end()) name = ours->meaning;
  bool symmetric = undirected;
  if (const auto match = schema->FindEdgeKind(name)) {
    turned ^= match->reversed;
    symmetric |= schema->edge_kind(match->kind).symmetric;
    name = schema->edge_kind(match->kind).name;
  }
  if (symmetric ? from_key > to_key : turned) std::swap(from_key, to_key);
  return from_key + '\n' + to_key + '\n' + name + '\n' + label;
}

// Parallel edges with equal labels, or with none, differ by their ids: behind the first of
// them the id is the label, and what the file calls label a property.
void GraphMlReader::Impl::TellParallelsApart() {
  const bool again = !edge_id.empty() && edge_id.size() <= Limits::kMaxStringBytes &&
                     !seen_edges.insert(std::hash<std::string>()(StoredEdge())).second;
  if (!label.empty()) {
    std::string& to = again ? beside : element;
    AppendJsonKey(to, "label");
    to += label;
  }
  if (again) AppendJsonMember(element, "label", edge_id);
}

void GraphMlReader::Impl::EnterData(const Attributes& attributes) {
  text.clear();
  markup = false;
  key = nullptr;
  const auto id = attributes.Find("key");
  if (!id) return Spoil("<data> without key");
  key = keys.Find(*id);
  if (!key) return Spoil("no <key> " + Quoted(*id));
  if (!key->drawn && !key->name.empty() && std::exchange(*key->given_in, elements) == elements)
    Spoil(Quoted(key->name) + " stands twice");
}

void GraphMlReader::Impl::Text(std::string_view more) {
  const Open in = open.empty() ? Open::kSkipped : open.back();
  if (in != Open::kData && in != Open::kDefault && in != Open::kLabel) return;
  if (in == Open::kData && key && key->drawn) return;
  if (text.size() <= limits.field_bytes) text += more;
}

// Data may be named as the element's own attributes; it then goes into "props".
void GraphMlReader::Impl::Append(Open sort, std::string_view name, std::string_view json) {
  const bool own = sort == Open::kNode ? name == "id"
                                       : name == "source" || name == "target" || name == "directed";
  if (sort == Open::kEdge && name == "kind") kind = json;
  if (sort == Open::kEdge && name == "type") type = json;
  if (name == "label") {  // until its element ends
    label = json;
    return;
  }
  std::string& to = own ? beside : element;
  AppendJsonKey(to, name);
  to += json;
}

void GraphMlReader::Impl::EndData() {
  if (!key || !wrong.empty()) return;
  if (key->drawn) {
    drawn = Trim(text, " \t\r\n");
    return;
  }
  if (markup) return lines.Say('W', line(), Quoted(key->name) + " holds markup: left out");
  if (key->name.empty()) return;
  if (text.size() > limits.field_bytes)
    return Spoil(Quoted(key->name) + " is over " + std::to_string(limits.field_bytes) + " bytes");
  std::string json;
  const bool weight = open.back() == Open::kEdge && key->name == "weight";
  if (!weight && IsMissing(key->type, text))
    return lines.Say('W', line(),
                     Quoted(key->name) + " is NaN here: read as a value that is missing");
  if (!AppendValue(json, key->type, text))
    return Spoil(Quoted(key->name) + ": " + Quoted(text, 40) + " " + NotOfType(key->type));
  Append(open.back(), key->name, json);
  TooLong();
}

bool GraphMlReader::Impl::TooLong() {
  if (element.size() + beside.size() + label.size() <= limits.line_bytes) return false;
  element = beside = "{";
  label.clear();
  Spoil("element over " + std::to_string(limits.line_bytes) + " bytes");
  return true;
}

void GraphMlReader::Impl::EndDefault() {
  if (key->name.empty() || markup) return;
  if (const Status good = keys.SetDefault(*key, text, limits.field_bytes); !good)
    Refuse(good.error().message);
}

// False when the element became too long, or the document refused.
bool GraphMlReader::Impl::AddDefaults(Open sort) {
  std::size_t added = 0;
  for (const GraphMlKey* const k : keys.Defaults()) {
    if (!(sort == Open::kNode ? k->nodes : k->edges) || *k->given_in == elements) continue;
    Append(sort, k->name, k->fallback);
    added += k->name.size() + k->fallback.size();
    if (TooLong()) return false;
  }
  if (added == 0 || keys.Repeat(added, fed)) return true;
  Refuse(GraphMlKeys::RepeatError());
  return false;
}

void GraphMlReader::Impl::EndElement(Open sort) {
  const std::uint64_t number = sort == Open::kNode ? nodes++ : 0;
  const bool good = wrong.empty() && AddDefaults(sort);
  if (failed) return;  // the document was refused
  if (label.empty() && !drawn.empty()) AppendJsonString(label, drawn);
  if (good && sort == Open::kEdge) {
    TellParallelsApart();
  } else if (good && !label.empty()) {
    AppendJsonKey(element, "label");
    element += label;
  }
  if (good) {
    if (beside != "{") {
      AppendJsonKey(element, "props");
      element += beside + "}";
    }
    lines.text() += sort == Open::kNode ? "N" + std::to_string(number) + " " : "E ";
    lines.text() += element;
    lines.text() += '}';
    lines.EndLine(element_line);
  } else {
    lines.AddError(element_line, wrong);
  }
  if (lines.size() >= block_bytes)
    XML_StopParser(parser, XML_TRUE);  // until the next block is wanted
}

void GraphMlReader::Impl::End() {
  const Open ended = open.back();
  open.pop_back();
  switch (ended) {
    case Open::kData:
      return EndData();
    case Open::kDefault:
      return EndDefault();
    case Open::kLabel:
      if (text.empty()) text = " ";  // so that the first label is the one
      return;
    case Open::kNode:
    case Open::kEdge:
      return EndElement(ended);
    default:
      return;
  }
}

// The rest of the chunk at which the parser was stopped, else the next chunk.
Result<XML_Status> GraphMlReader::Impl::ParseMore() {
  if (suspended) return XML_ResumeParser(parser);
  // Expat begins a token that did not end again with every chunk: what waits doubles the
  // chunk, so that a byte is looked at twice and not once for each chunk behind it.
  const auto at =
      static_cast<std::uint64_t>(std::max<XML_Index>(XML_GetCurrentByteIndex(parser), 0));
  const std::uint64_t waiting = fed - std::min(fed, at);
  const int chunk =
      static_cast<int>(std::clamp<std::uint64_t>(waiting, kChunk, limits.line_bytes + kChunk));
  void* buffer = XML_GetBuffer(parser, chunk);
  if (!buffer) return Exhausted("GraphML: out of memory");
  std::size_t n = 0;
  while (n < static_cast<std::size_t>(chunk)) {
    PLEXUS_ASSIGN(const std::size_t got, source->Read(static_cast<char*>(buffer) + n,
                                                      static_cast<std::size_t>(chunk) - n));
    if (got == 0) break;
    n += got;
  }
  fed += n;
  last = n == 0;
  return XML_ParseBuffer(parser, static_cast<int>(n), last);
}

// Reads on until there is enough for a block or the document ends.
Status GraphMlReader::Impl::Feed() {
  if (!parser) return Exhausted("GraphML: no memory for the parser");
  while (!finished && lines.size() < block_bytes) {
    PLEXUS_ASSIGN(const XML_Status status, ParseMore());
    suspended = status == XML_STATUS_SUSPENDED;
    finished = last && !suspended;
    if (out_of_memory) return Exhausted("GraphML: out of memory");
    if (failed) {
      finished = true;
    } else if (status == XML_STATUS_ERROR) {
      finished = true;
      Unreadable(std::string("XML: ") + XML_ErrorString(XML_GetErrorCode(parser)));
    } else if (finished && !has_graph) {
      Unreadable("the file has no <graph>");
    } else if (const auto at = XML_GetCurrentByteIndex(parser);
               !finished && !suspended &&
               fed - static_cast<std::uint64_t>(std::max<XML_Index>(at, 0)) >
                   limits.line_bytes + kChunk) {
      finished = true;  // a tag or comment that does not end
      Unreadable("one piece of markup is over " + std::to_string(limits.line_bytes) + " bytes");
    }
  }
  return {};
}

GraphMlReader::GraphMlReader(std::unique_ptr<ByteSource> source, const ImportOptions& options,
                             ColumnUse* use, std::shared_ptr<const Schema> schema)
    : impl_(std::make_unique<Impl>(std::move(source), options, use, std::move(schema))) {}
GraphMlReader::~GraphMlReader() = default;

Result<std::optional<Block>> GraphMlReader::Next() {
  PLEXUS_TRY(impl_->Feed());
  return impl_->lines.Take();
}

std::uint64_t GraphMlReader::bytes_read() const { return impl_->fed; }

}  // namespace plexus::formats::internal
