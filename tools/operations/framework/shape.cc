// A recursive descent over a few letters; rows are trusted.
#include "tools/operations/framework/shape.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/error.h"

namespace plexus::tools {
namespace {

constexpr std::string_view kEdge =
    "{source:k, kind:s, target:k, weight:x, label?:s, created_at?:t, created_by?:s, valid_from?:t, "
    "valid_until?:t, props?:j}";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Shape Members(char end) {
    Shape object;
    for (;;) {
      Blanks();
      if (at_ == text_.size() || text_[at_] == end) return object;
      std::string name;
      while (at_ < text_.size() && text_[at_] != ':' && text_[at_] != '?') name += text_[at_++];
      const bool optional = Take('?');
      PLEXUS_CHECK(Take(':'), "a member of a shape has a type");
      if (name == "*")
        object.others.push_back(Type());
      else
        object.members.push_back({std::move(name), optional, Type()});
      Blanks();
      if (!Take(',')) PLEXUS_CHECK(at_ == text_.size() || text_[at_] == end, "a comma is missing");
    }
  }

 private:
  Shape Type() {
    PLEXUS_CHECK(at_ < text_.size(), "a type is missing");
    Shape shape;
    constexpr std::string_view kLetters = "nitxbskj";  // in the order of Shape::Kind
    const char letter = text_[at_++];
    if (const std::size_t kind = kLetters.find(letter); kind != kLetters.npos) {
      shape.kind = static_cast<Shape::Kind>(kind);
    } else if (letter == 'E') {
      return Parser(kEdge).Type();
    } else if (letter == '[') {
      shape.kind = Shape::Kind::kArray;
      shape.parts.push_back(Type());
      PLEXUS_CHECK(Take(']'), "a list is not closed");
    } else {
      PLEXUS_CHECK(letter == '{', "no such type");
      shape = Members('}');
      PLEXUS_CHECK(Take('}'), "an object is not closed");
    }
    return shape;
  }

  void Blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 53> kMeanings = {{
    {"acyclic", "no cycle was met"},
    {"arousal_level", "of the concept from now on"},
    {"average_length", "words in a text, on average"},
    {"bound", "the largest error, with probability 0.9"},
    {"bytes_per_iteration", "modelled: each fetched cache line is used whole"},
    {"candidates", "what was compared"},
    {"certain_top", "no other node can be among these"},
    {"clamped", "a value out of range was taken to the nearest bound"},
    {"clustering", "the share of pairs of neighbours that are linked"},
    {"committed", "whether the changes were written"},
    {"complete", "nothing of the present state is lost"},
    {"contradicted_by", "the other sides of open conflicts"},
    {"converged", "the tolerance was reached"},
    {"decay", "the product of the factors of the steps to it"},
    {"df", "texts that have the term"},
    {"documents", "texts that were searched"},
    {"error", "a bound on the distance to the exact answer"},
    {"exact", "from all nodes, not from a sample"},
    {"excluded", "left out because others contradict them"},
    {"found_by", "the plan's seeds that found it"},
    {"from", "the start node"},
    {"history_floor", "the earliest sequence that can be asked for"},
    {"hops", "edges on the way"},
    {"idf", "how rare a term is: inverse document frequency"},
    {"key", "the stored key, to be given back as it is"},
    {"layout_bytes", "of a private copy of the arcs, if one was made"},
    {"layout_pays_after", "iterations that repay a copy of the arcs; 0: none would"},
    {"left_out", "superseded, expired or out of scope"},
    {"near_duplicate_of", "superseded memories that say nearly the same"},
    {"node_columns", "its values; when 'node_columns' asks for them"},
    {"node_kind", "of the node; when 'details' asks for it"},
    {"node_line", "the first line of its text; when 'details' asks for it"},
    {"node_text", "its text; when 'details' asks for it"},
    {"not_compared", "texts that were not compared with their terms"},
    {"not_indexed", "texts whose terms are not those of the text"},
    {"older_than_text", "vectors that are older than their node's text"},
    {"path", "edges from the start to it"},
    {"percentile", "the share of nodes with at most this score"},
    {"raised", "whose values change"},
    {"reached", "nodes that were reached"},
    {"relevance", "the sum of weight times value over the terms"},
    {"results", "the list that was asked for, or its beginning"},
    {"resume", "a token that continues the search"},
    {"scaled", "the score as a share of the best"},
    {"sequence", "the state of the graph that was asked"},
    {"stage_ms", "milliseconds of each stage; they differ from run to run"},
    {"superseded_by", "the last of the nodes that replaced it"},
    {"tf", "how often the term is in the text"},
    {"time_moved", "the clock is behind the graph's time, which the write got"},
    {"total", "how many there are, listed or not"},
    {"truncated", "the budget ran out: right as far as it goes"},
    {"warnings", "damage that opening bypassed"},
    {"without_term", "candidates that lack a term which the plan requires"},
}};
static_assert(std::ranges::is_sorted(kMeanings));

}  // namespace

Shape ParseShape(std::string_view members) { return Parser(members).Members('\0'); }

const Shape* FindMember(const Shape& object, std::string_view path) {
  const Shape* shape = &object;
  for (std::size_t at = 0; shape && at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (shape->kind == Shape::Kind::kArray) shape = &shape->element();
    const auto found =
        std::ranges::find(shape->members, path.substr(at, end - at), &ShapeMember::name);
    shape = found == shape->members.end() ? nullptr : &found->shape;
    at = end + 1;
  }
  return shape;
}

std::string_view MemberMeaning(std::string_view name) {
  const auto at = std::ranges::lower_bound(kMeanings, name, {},
                                           &std::pair<std::string_view, std::string_view>::first);
  return at != kMeanings.end() && at->first == name ? at->second : std::string_view();
}

}  // namespace plexus::tools
