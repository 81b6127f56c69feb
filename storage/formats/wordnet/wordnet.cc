// Reading WordNet's data files; see wordnet_parser.h. A line, after wndb(5WN):
//   offset lex_filenum ss_type w_cnt (word lex_id)... p_cnt (symbol offset pos
//   source/target)... [frames] | gloss
#include "storage/formats/wordnet/wordnet_parser.h"

#include <algorithm>
#include <array>

#include "engine/vocabulary.h"
#include "storage/formats/base/text.h"

namespace plexus::formats::internal {

namespace {

// How a pointer symbol of wninput(5WN) is stored.
struct WordNetPointer {
  std::string_view symbol = {};  // "@", "~i", "#m" ...
  std::string_view kind = {};    // name of the edge kind
  bool reversed = false;         // the edge goes from the pointer's target to its source
};

constexpr WordNetPointer kPointers[] = {
    {"@", "is-a"},          {"~", "is-a", true},
    {"@i", "instance-of"},  {"~i", "instance-of", true},
    {"#p", "part-of"},      {"%p", "part-of", true},
    {"#m", "member-of"},    {"%m", "member-of", true},
    {"#s", "substance-of"}, {"%s", "substance-of", true},
    {";c", "in-topic"},     {"-c", "in-topic", true},
    {";r", "in-region"},    {"-r", "in-region", true},
    {";u", "in-usage"},     {"-u", "in-usage", true},
    {"!", "antonym"},       {"&", "similar"},
    {"+", "derivation"},    {"=", "attribute"},
    {"^", "also-see"},      {"$", "verb-group"},
    {"*", "entails"},       {">", "causes"},
    {"\\", "pertains-to"},  {"<", "participle-of"},
};

std::string_view NextField(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end);
  return field;
}

Result<int> NextNumber(std::string_view& line, int base, std::string_view what) {
  const std::string_view field = NextField(line);
  int value = -1;
  if (!ReadWhole(field, value, base) || value < 0)
    return Invalid("bad ", what, " '", field.substr(0, 40), "'");
  return value;
}

bool IsOffset(std::string_view field) {
  return field.size() == 8 &&
         std::all_of(field.begin(), field.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string Key(char letter, std::string_view offset) { return letter + std::string(offset); }

struct Pointer {
  const WordNetPointer* sort;
  std::string target;
};

struct Synset {
  std::string key, text;
  std::vector<Pointer> pointers;
};

const WordNetPointer* FindPointer(std::string_view symbol) {
  for (const WordNetPointer& p : kPointers)
    if (p.symbol == symbol) return &p;
  return nullptr;
}

// "domestic_dog" -> "domestic dog"; "galore(ip)" -> "galore" (a syntactic marker).
std::string Lemma(std::string_view word) {
  if (word.ends_with(')'))
    if (auto open = word.rfind('('); open != std::string_view::npos && open > 0)
      word = word.substr(0, open);
  std::string lemma(word);
  std::replace(lemma.begin(), lemma.end(), '_', ' ');
  return lemma;
}

Result<Pointer> ReadPointer(std::string_view& line) {
  const std::string_view symbol = NextField(line);
  const std::string_view offset = NextField(line);
  const std::string_view pos = NextField(line);
  const std::string_view words = NextField(line);
  Pointer pointer{FindPointer(symbol), {}};
  if (!pointer.sort) return Invalid("unknown pointer symbol '", symbol.substr(0, 8), "'");
  if (!IsOffset(offset) || words.size() != 4) return Invalid("a pointer is cut short or damaged");
  if (pos != "n" && pos != "v" && pos != "a" && pos != "s" && pos != "r")
    return Invalid("unknown part of speech '", pos.substr(0, 8), "'");
  pointer.target = Key(pos == "s" ? 'a' : pos[0], offset);
  return pointer;
}

Result<Synset> ReadSynset(std::string_view line, char letter) {
  Synset synset;
  const std::size_t bar = line.find(" | ");
  if (bar == std::string_view::npos) return Invalid("no gloss (\" | \")");
  std::string_view gloss = line.substr(bar + 3);
  while (gloss.ends_with(' ') || gloss.ends_with('\r')) gloss.remove_suffix(1);
  std::string_view rest = line.substr(0, bar);
  const std::string_view offset = NextField(rest);
  if (!IsOffset(offset)) return Invalid("a line must begin with an offset of 8 digits");
  synset.key = Key(letter, offset);
  NextField(rest);  // lexicographer file
  const std::string_view type = NextField(rest);
  if (type != std::string_view(&letter, 1) && !(letter == 'a' && type == "s"))
    return Invalid("synset type '", type.substr(0, 8), "' does not belong in this file");
  PLEXUS_ASSIGN(int words, NextNumber(rest, 16, "word count"));
  if (words == 0) return Invalid("a synset without words");
  for (int i = 0; i < words; ++i) {
    const std::string_view word = NextField(rest);
    if (word.empty()) return Invalid("fewer words than counted");
    if (i) synset.text += ", ";
    synset.text += Lemma(word);
    NextField(rest);  // lex_id
  }
  synset.text += '\n';
  synset.text += gloss;
  if (!IsValidUtf8(synset.text)) return Invalid("not valid UTF-8");
  if (synset.text.size() > Limits::kMaxPayloadBytes)
    return Invalid("words and gloss over ", Limits::kMaxPayloadBytes, " bytes");
  PLEXUS_ASSIGN(int pointers, NextNumber(rest, 10, "pointer count"));
  for (int i = 0; i < pointers; ++i) {
    PLEXUS_ASSIGN(Pointer pointer, ReadPointer(rest));
    synset.pointers.push_back(std::move(pointer));
  }
  return synset;
}

}  // namespace

std::size_t WordNetParser::Parse(std::string_view text, std::uint64_t first_line,
                                 const ParseContext& context, Piece& piece) const {
  return TakeLines(
      text, first_line, context, piece, [&](std::string_view line, std::uint64_t number) {
        if (line.starts_with("  ") || line.find_first_not_of(" \r") == std::string_view::npos)
          return true;
        Result<Synset> synset = ReadSynset(line, letter_);
        if (!synset) {
          if (is_synset_) return true;  // written in the first pass
          ++piece.records;
          return NoteError(context, piece, number, synset.error().message);
        }
        if (!is_synset_) {
          ++piece.records;
          piece.notes.states_kinds = true;
          if (context.check) piece.notes.kinds.push_back({synset->key, "concept"});
          if (context.touched) context.touched->Mark(synset->key);
          const NodeRef node = piece.batch.UpsertNode(synset->key, NodeKindRef(builtin::kConcept));
          piece.batch.SetPayload(node, NodeField::kText, synset->text);
          return true;
        }
        NodeRef node;
        bool named = false;
        for (const Pointer& pointer : synset->pointers) {
          ++piece.pointers;
          if (pointer.target == synset->key) {
            ++piece.self_loops;
            continue;
          }
          if (!is_synset_(pointer.target)) {
            if (!NoteError(context, piece, number,
                           "pointer to an unknown synset " + pointer.target))
              return false;
            continue;
          }
          if (!std::exchange(named, true)) node = piece.batch.Node(synset->key);
          const NodeRef target = piece.batch.Node(pointer.target);
          WriteBatch::EdgeInput edge;
          edge.source = pointer.sort->reversed ? target : node;
          edge.target = pointer.sort->reversed ? node : target;
          edge.kind = piece.batch.EdgeKindNamed(pointer.sort->kind);
          piece.batch.Link(edge);
          ++piece.fact_edges;
        }
        return true;
      });
}

std::span<const EdgeKind> WordNetKinds() {
  static const std::vector<EdgeKind> kinds = [] {
    std::vector<EdgeKind> out;
    auto add = [&](const char* name, bool symmetric) {
      EdgeKind kind;
      kind.name = name;
      kind.symmetric = symmetric;
      kind.self_loops = false;
      out.push_back(kind);
    };
    for (const char* name : {"instance-of", "member-of", "substance-of", "in-topic", "in-region",
                             "in-usage", "entails", "pertains-to", "participle-of"})
      add(name, false);
    for (const char* name : {"derivation", "attribute", "also-see", "verb-group"}) add(name, true);
    return out;
  }();
  return kinds;
}

std::span<const std::string_view> WordNetFiles() {
  static constexpr std::array<std::string_view, 4> kFiles = {"data.noun", "data.verb", "data.adj",
                                                             "data.adv"};
  return kFiles;
}

}  // namespace plexus::formats::internal
