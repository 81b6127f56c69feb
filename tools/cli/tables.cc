// Cells are made first, then columns are measured and the text is cut to what is left.
#include "tools/cli/tables.h"

#include <algorithm>
#include <set>
#include <vector>

#include "tools/operations/framework/layout.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/text_table.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kLeastText = 20, kListShown = 12, kSharesShown = 8;

class Printer {
 public:
  Printer(const Request& request, const TreeWriter& reply, const TableOptions& options)
      : request_(request), snapshot_(reply.snapshot()), options_(options) {}

  void Print(const Layout& layout, const std::vector<ReplyRow>& rows, std::ostream& out) {
    columns_.clear();
    for (const TableColumn& column : layout.columns)
      if (column.flag.empty() || request_.Flag(column.flag)) columns_.push_back(&column);
    lines_.clear();
    texts_.clear();
    for (const ReplyRow& row : rows) AddRow(row);
    Lay(out);
  }

 private:
  // A line of the table, or of its own below one.
  struct Line {
    std::vector<std::string> cells;
    std::string below = {};
  };

  static bool Below(As as) {
    return as == As::kPath || as == As::kSteps || as == As::kShares || as == As::kRelated;
  }
  static bool Many(As as) { return as == As::kNodes; }

  // A node as one or two cells. `line`: the one of its text that a hit shows instead of the first.
  void AddNode(std::vector<std::string>& cells, const TreeNode* cell,
               const TreeNode* line = nullptr) const {
    const NodeId* node = cell ? cell->node() : nullptr;
    if (!node) {
      cells.insert(cells.end(), options_.names ? 1 : 2, "");
      return;
    }
    if (options_.names) {
      cells.push_back(ShownName(snapshot_, *node));
      return;
    }
    cells.push_back(ShownKey(snapshot_, *node));
    const auto* text = line ? std::get_if<std::string>(&line->value) : nullptr;
    cells.push_back(text ? *text : TextHead(snapshot_, *node));
  }

  std::string Key(NodeId node) const {
    return options_.names ? ShownName(snapshot_, node) : ShownKey(snapshot_, node);
  }

  std::string Plain(const TreeNode& cell, int digits) const {
    if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
    if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth ? "yes" : "no";
    if (const auto* count = std::get_if<std::uint64_t>(&cell.value)) return std::to_string(*count);
    if (const auto* number = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*number);
    if (const auto* json = std::get_if<TreeNode::Json>(&cell.value)) return json->text;
    if (const NodeId* node = cell.node()) return Key(*node);
    return Number(cell.number(), digits);
  }

  // Up to twelve elements; of an object its first text and its "score".
  std::string Listed(const TreeNode& cell, int digits) const {
    std::string text;
    std::size_t shown = 0;
    bool numbers = false;
    for (const TreeNode& element : *cell.array()) {
      numbers = std::holds_alternative<std::uint64_t>(element.value);
      if (shown++ == kListShown) {
        text += " ... of " + Grouped(cell.array()->size());
        break;
      }
      if (!text.empty()) text += numbers ? " " : ", ";
      if (const auto* members = element.object()) {
        text += members->empty() ? "" : Plain(members->front().child, digits);
        if (const TreeNode* score = element.Find("score")) text += " " + Plain(*score, digits);
      } else {
        text += numbers ? Grouped(static_cast<std::uint64_t>(element.number()))
                        : Plain(element, digits);
      }
    }
    return text;
  }

  std::string Cell(const TableColumn& column, const TreeNode* cell, const ReplyRow& row) const {
    if (column.as == As::kRank) return std::to_string(row.number);
    if (!cell) return "";
    switch (column.as) {
      case As::kGrouped:
        return Grouped(static_cast<std::uint64_t>(cell->number()));
      case As::kPercent:
        return Number(cell->number() * 100, column.digits) + " %";
      case As::kTime:  // A text where the request wants times so.
        if (std::holds_alternative<std::string>(cell->value)) return Plain(*cell, 0);
        return IsoTime(static_cast<std::int64_t>(cell->number()));
      case As::kTrait:
        return cell->number() != 0 ? column.heading : "";
      case As::kArrow: {
        const std::string way = Plain(*cell, 0);
        return way == "out" || row.Find("inverse") ? "-->" : way == "in" ? "<--" : "---";
      }
      case As::kList:
        return Listed(*cell, column.digits);
      default:
        return Plain(*cell, column.digits);
    }
  }

  // What an edge of a path says, and where it leads from `at`.
  struct Step {
    std::string words;
    bool symmetric, forward;  // An inverse name points forward.
    NodeId to;
  };
  Step StepOf(const TreeNode& edge, NodeId at) const {
    Step step{};
    const NodeId source = *edge.Find("source")->node(), target = *edge.Find("target")->node();
    step.forward = source == at;
    step.to = step.forward ? target : source;
    step.words = Plain(*edge.Find("kind"), 0);
    if (const auto match = snapshot_.schema().FindEdgeKind(step.words)) {
      const EdgeKind& kind = snapshot_.schema().edge_kind(match->kind);
      step.symmetric = kind.symmetric;
      if (!step.forward && !kind.inverse.empty()) {
        step.words = kind.inverse;
        step.forward = true;
      }
    }
    if (const TreeNode* label = edge.Find("label")) step.words += ":" + Plain(*label, 0);
    const double weight = edge.Find("weight")->number();
    if (weight != 1) step.words += " " + Number(weight, 3);
    return step;
  }

  // Where a path begins: the end of its first edge that the second one does not touch, or the
  // node that the row says it is from.
  static NodeId StartOf(const TreeNode::Array& edges, const ReplyRow& row) {
    if (const TreeNode* from = row.Find("from"); from && from->node()) return *from->node();
    const NodeId source = *edges[0].Find("source")->node(),
                 target = *edges[0].Find("target")->node();
    if (edges.size() == 1) return source;
    const auto touches = [&](NodeId node) {
      return *edges[1].Find("source")->node() == node || *edges[1].Find("target")->node() == node;
    };
    return touches(target) ? source : touches(source) ? target : source;
  }

  // "a --kind 0.7--> b <--kind 1-- c", with short names.
  std::string Path(const TreeNode::Array& edges, const ReplyRow& row) const {
    if (edges.empty()) return "";
    NodeId at = StartOf(edges, row);
    std::string text = ShortName(snapshot_, at);
    for (const TreeNode& edge : edges) {
      const Step step = StepOf(edge, at);
      text += step.symmetric ? " --" + step.words + "-- "
              : step.forward ? " --" + step.words + "--> "
                             : " <--" + step.words + "-- ";
      text += ShortName(snapshot_, step.to);
      at = step.to;
    }
    return text;
  }

  static std::string Joined(std::string key, const std::string& text) {
    return text.empty() ? key : key + "  " + text;
  }
  std::string Whole(NodeId node) const {
    return options_.names ? ShownName(snapshot_, node)
                          : Joined(ShownKey(snapshot_, node), TextHead(snapshot_, node));
  }

  void AddSteps(const TreeNode::Array& edges, const ReplyRow& row) {
    if (edges.empty()) return;
    NodeId at = StartOf(edges, row);
    AddBelow("  " + Whole(at));
    for (const TreeNode& edge : edges) {
      const Step step = StepOf(edge, at);
      AddBelow(std::string("    ") + (step.symmetric || step.forward ? "--" : "<--") + step.words +
               (step.symmetric || !step.forward ? "--" : "-->"));
      AddBelow("  " + Whole(step.to));
      at = step.to;
    }
  }

  void AddBelow(std::string text) { lines_.push_back({{}, std::move(text)}); }

  void AddShares(const TableColumn& column, const TreeNode::Array& shared) {
    std::string text = "    " + column.heading + " ";
    for (std::size_t i = 0; i < std::min(kSharesShown, shared.size()); ++i)
      text += (i ? ", " : "") + ShownKey(snapshot_, *shared[i].Find("key")->node()) + " " +
              Number(shared[i].Find("weight")->number(), column.digits);
    if (shared.size() > kSharesShown)
      text += ", and " + std::to_string(shared.size() - kSharesShown) + " more";
    AddBelow(std::move(text));
  }

  // "<--supports-- key  text"; of what is further than a hop also where that edge begins.
  void AddRelated(const TreeNode& related) {
    const TreeNode* inverse = related.Find("inverse");
    const std::string way = Plain(*related.Find("direction"), 0);
    std::string words = Plain(inverse ? *inverse : *related.Find("relation"), 0);
    if (const TreeNode* label = related.Find("label")) words += ":" + Plain(*label, 0);
    std::string text = way == "in" && !inverse ? "<--" + words + "-- "
                       : way == "both"         ? "--" + words + "-- "
                                               : "--" + words + "--> ";
    if (related.Find("hop")->number() > 1) text.insert(0, Key(*related.Find("from")->node()) + " ");
    AddBelow("    " + text + Whole(*related.Find("key")->node()));
  }

  // "key|members": the list where there is one, else the node.
  static const TreeNode* Choose(const TableColumn& column, const ReplyRow& row) {
    const std::size_t bar = column.field.find('|');
    if (bar == std::string::npos) return row.Find(column.field);
    const TreeNode* many = row.Find(column.field.substr(bar + 1));
    return many ? many : row.Find(column.field.substr(0, bar));
  }

  void AddRow(const ReplyRow& row) {
    std::size_t count = 1;
    for (const TableColumn* column : columns_)
      if (Many(column->as))
        if (const TreeNode* cell = Choose(*column, row); cell && cell->array())
          count = std::max(count, cell->array()->size());
    for (std::size_t i = 0; i < count; ++i) {
      Line line;
      for (const TableColumn* column : columns_) {
        if (Below(column->as)) continue;
        const TreeNode* cell = Choose(*column, row);
        if (Many(column->as)) {
          const TreeNode* one = cell;
          if (cell && cell->array())
            one = i < cell->array()->size() ? &(*cell->array())[i] : nullptr;
          AddNode(line.cells, one);
        } else if (column->as == As::kNode) {
          AddNode(line.cells, i == 0 ? cell : nullptr,
                  column->field == "key" ? row.Find("line") : nullptr);
        } else {
          const bool is_text = cell && std::holds_alternative<std::string>(cell->value);
          if ((is_text && column->as != As::kTime) || (cell && cell->node()))
            texts_.insert(line.cells.size());
          line.cells.push_back(i == 0 ? Cell(*column, cell, row) : "");
        }
      }
      lines_.push_back(std::move(line));
    }
    for (const TableColumn* column : columns_) {
      const TreeNode* cell = Below(column->as) ? row.Find(column->field) : nullptr;
      if (!cell || !cell->array()) continue;
      if (column->as == As::kPath) {
        if (!cell->array()->empty()) AddBelow("    " + Path(*cell->array(), row));
      } else if (column->as == As::kSteps) {
        AddSteps(*cell->array(), row);
      } else if (column->as == As::kRelated) {
        for (const TreeNode& related : *cell->array()) AddRelated(related);
      } else {
        AddShares(*column, *cell->array());
      }
    }
  }

  static bool Numeric(As as) {
    return as == As::kPlain || as == As::kGrouped || as == As::kPercent || as == As::kRank;
  }

  // Headings; which cells are numbers; which may be cut.
  struct Head {
    std::string heading;
    bool right = false, cuttable = false;
    std::size_t width = 0;
  };
  std::vector<Head> Heads() const {
    std::vector<Head> heads;
    for (const TableColumn* column : columns_) {
      if (Below(column->as)) continue;
      if (column->as == As::kNode || column->as == As::kNodes) {
        if (options_.names) {
          heads.push_back({"node", false, true});
        } else {
          heads.push_back({"key"});
          heads.push_back({"text", false, true});
        }
        continue;
      }
      const bool speaks = column->as == As::kTrait || column->as == As::kArrow;
      heads.push_back(
          {speaks ? "" : column->heading, Numeric(column->as), column->as == As::kList});
    }
    return heads;
  }

  void Lay(std::ostream& out) {
    std::vector<Head> heads = Heads();
    for (Head& head : heads) head.width = DisplayWidth(head.heading);
    bool any_number_like = false;
    for (Line& line : lines_) {
      for (std::size_t i = 0; i < line.cells.size(); ++i) {
        line.cells[i] = Escaped(line.cells[i]);
        heads[i].width = std::max(heads[i].width, DisplayWidth(line.cells[i]));
      }
      any_number_like |= !line.cells.empty();
    }
    if (!any_number_like) return;
    for (const std::size_t i : texts_) heads[i].right = false;
    DropEmpty(heads);
    Fit(heads);
    std::vector<std::string> headings;
    for (const Head& head : heads) headings.push_back(head.heading);
    PrintLine(heads, headings, out);
    for (const Line& line : lines_) {
      if (line.cells.empty())
        out << Below(line.below) << '\n';
      else
        PrintLine(heads, line.cells, out);
    }
  }

  std::string Below(const std::string& text) const {
    const std::string escaped = Escaped(text);
    return options_.width ? Cut(escaped, options_.width) : escaped;
  }

  // A column without a single value goes.
  void DropEmpty(std::vector<Head>& heads) {
    for (std::size_t i = heads.size(); i-- > 0;) {
      const auto empty = [&](const Line& line) {
        return line.cells.empty() || line.cells[i].empty();
      };
      if (!std::ranges::all_of(lines_, empty)) continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      heads.erase(heads.begin() + at);
      for (Line& line : lines_)
        if (!line.cells.empty()) line.cells.erase(line.cells.begin() + at);
    }
  }

  // Columns that may be cut share what the others leave of the terminal.
  void Fit(std::vector<Head>& heads) const {
    if (options_.width == 0) return;
    std::size_t total = heads.empty() ? 0 : 2 * (heads.size() - 1), cuttable = 0;
    for (const Head& head : heads) {
      total += head.width;
      cuttable += head.cuttable;
    }
    if (total <= options_.width || cuttable == 0) return;
    std::size_t over = total - options_.width;
    for (std::size_t i = heads.size(); i-- > 0 && over > 0;) {
      if (!heads[i].cuttable || heads[i].width <= kLeastText) continue;
      const std::size_t less = std::min(over, heads[i].width - kLeastText);
      heads[i].width -= less;
      over -= less;
    }
  }

  static void PrintLine(const std::vector<Head>& heads, const std::vector<std::string>& cells,
                        std::ostream& out) {
    std::string text;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (i) text += "  ";
      const std::string& whole = i < cells.size() ? cells[i] : cells.front();
      const std::string cell = heads[i].cuttable ? Cut(whole, heads[i].width) : whole;
      const std::size_t width = DisplayWidth(cell);
      const std::string pad(heads[i].width > width ? heads[i].width - width : 0, ' ');
      text += heads[i].right ? pad + cell : cell + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }

  const Request& request_;
  const Snapshot& snapshot_;
  const TableOptions& options_;
  std::vector<const TableColumn*> columns_;
  std::vector<Line> lines_;
  std::set<std::size_t> texts_;  // columns of texts stand to the left
};

}  // namespace

bool PrintTables(const Request& request, const TreeWriter& reply, const TableOptions& options,
                 std::ostream& out) {
  Printer printer(request, reply, options);
  bool any = false;
  for (const Layout& layout : LayoutsOf(request.operation())) {
    const std::vector<ReplyRow> rows = RowsOf(reply.root(), layout.list);
    if (rows.empty()) continue;
    if (any) out << '\n';
    printer.Print(layout, rows, out);
    any = true;
  }
  if (!request.operation().tables.empty()) return any;
  TextTable members;
  members.Column("").Column("");
  for (const auto& [name, member] : *reply.root().object())
    members.Row({name, CsvCell(&member, reply.snapshot())});
  out << members.Text();
  return true;
}

}  // namespace plexus::tools
