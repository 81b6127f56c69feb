// Lines to records, ids to numbers at the end; and the graph of it.
#include "bench/retrieval/dataset.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <utility>

#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "bench/support.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/json_tree.h"

namespace plexus::bench {
namespace {

using formats::internal::JsonParser;
using formats::internal::JsonType;
using formats::internal::JsonValue;

struct Reader {
  JsonParser parser;
  RetrievalData data;
  std::map<std::string, std::uint32_t, std::less<>> numbers;
  // Named before they are known: what, line, ids.
  struct Named {
    std::size_t line;
    std::vector<std::string> ids;
  };
  std::vector<Named> links, evidence;

  static std::unexpected<Error> Bad(std::size_t line, const std::string& why) {
    return Fail(ErrorCode::kInvalidArgument, "line " + std::to_string(line) + ": " + why);
  }
  Result<std::vector<std::string>> Ids(std::size_t line, const JsonValue& value) {
    std::vector<std::string> ids;
    if (value.type == JsonType::kArray)
      for (const JsonValue& id : parser.children(value)) {
        if (!id.is_string()) break;
        ids.emplace_back(id.text);
      }
    if (ids.empty() || ids.size() != value.count) return Bad(line, "a list of ids is wanted");
    return ids;
  }

  Status AddPassage(std::size_t line, const JsonValue& object) {
    Passage passage;
    std::string title;
    for (const JsonValue& member : parser.children(object)) {
      if (!member.is_string()) return Bad(line, "members of a passage are texts");
      if (member.key == "passage")
        passage.id = member.text;
      else if (member.key == "text")
        passage.text = member.text;
      else if (member.key == "title")
        title = member.text;
      else
        return Bad(line, "a passage has no '" + std::string(member.key) + "'");
    }
    if (!title.empty()) passage.text = title + ". " + passage.text;
    const auto number = static_cast<std::uint32_t>(data.passages.size());
    if (passage.id.empty() || !numbers.emplace(passage.id, number).second)
      return Bad(line, "passage '" + passage.id + "' is empty or stands twice");
    data.passages.push_back(std::move(passage));
    return {};
  }
  Status AddLink(std::size_t line, const JsonValue& object) {
    PassageLink link;
    for (const JsonValue& member : parser.children(object)) {
      if (member.key == "link") {
        PLEXUS_ASSIGN(std::vector<std::string> ids, Ids(line, member));
        if (ids.size() != 2) return Bad(line, "a link has two ends");
        links.push_back({line, std::move(ids)});
      } else if (member.key == "weight") {
        link.weight = formats::internal::JsonToFloat(member).value_or(0);
        if (!(link.weight > 0 && link.weight <= 1)) return Bad(line, "a weight is in (0, 1]");
      } else {
        return Bad(line, "a link has no '" + std::string(member.key) + "'");
      }
    }
    data.links.push_back(link);
    return {};
  }
  Status AddQuestion(std::size_t line, const JsonValue& object) {
    Question question;
    Named named{line, {}};
    for (const JsonValue& member : parser.children(object)) {
      if (member.key == "question" && member.is_string()) {
        question.text = member.text;
      } else if (member.key == "evidence") {
        PLEXUS_ASSIGN(named.ids, Ids(line, member));
      } else if (member.key == "id" && member.is_string()) {
        question.id = member.text;
      } else {
        return Bad(line, "a question has no '" + std::string(member.key) + "' of this type");
      }
    }
    if (question.text.empty() || named.ids.empty())
      return Bad(line, "a question has words and evidence");
    if (question.id.empty()) question.id = question.text;
    data.questions.push_back(std::move(question));
    evidence.push_back(std::move(named));
    return {};
  }

  Status AddLine(std::size_t line, std::string_view text) {
    const auto root = parser.Parse(text);
    if (!root) return Bad(line, root.error().message);
    if ((*root)->type != JsonType::kObject) return Bad(line, "an object is wanted");
    if (parser.Find(**root, "passage")) return AddPassage(line, **root);
    if (parser.Find(**root, "link")) return AddLink(line, **root);
    if (parser.Find(**root, "question")) return AddQuestion(line, **root);
    return Bad(line, "neither a passage, a link nor a question");
  }
  Result<std::uint32_t> NumberOf(std::size_t line, const std::string& id) {
    const auto at = numbers.find(id);
    if (at == numbers.end()) return Bad(line, "no passage '" + id + "'");
    return at->second;
  }
  Result<std::vector<std::uint32_t>> NumbersOf(const Named& named) {
    std::vector<std::uint32_t> list;
    for (const std::string& id : named.ids) {
      PLEXUS_ASSIGN(const std::uint32_t number, NumberOf(named.line, id));
      list.push_back(number);
    }
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    return list;
  }
  Status Resolve() {
    for (std::size_t i = 0; i < links.size(); ++i) {
      PLEXUS_ASSIGN(data.links[i].source, NumberOf(links[i].line, links[i].ids[0]));
      PLEXUS_ASSIGN(data.links[i].target, NumberOf(links[i].line, links[i].ids[1]));
    }
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      PLEXUS_ASSIGN(data.questions[i].evidence, NumbersOf(evidence[i]));
    }
    return {};
  }
};

}  // namespace

bool IsReported(const Question& question) {
  const std::string hash =
      memory::QueryHash(question.id);  // Its first digits: the last ones mix little.
  return hash[hash.find(':') + 1] % 2 == 1;
}

Result<RetrievalData> ParseRetrievalData(std::string_view lines) {
  Reader reader;
  for (std::size_t line = 1; !lines.empty(); ++line) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) PLEXUS_TRY(reader.AddLine(line, lines.substr(0, end)));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  PLEXUS_TRY(reader.Resolve());
  return std::move(reader.data);
}

Result<RetrievalData> ReadRetrievalData(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Fail(ErrorCode::kIo, "cannot read " + file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return ParseRetrievalData(text);
}

RetrievalData MakeRetrievalData(std::uint64_t seed, std::size_t passages, std::size_t questions) {
  constexpr std::size_t kTopics = 12, kTopicWords = 40, kRare = 3;
  std::mt19937_64 random(seed);
  RetrievalData data;
  std::vector<std::vector<std::string>> rare(passages);
  for (std::size_t p = 0; p < passages; ++p) {
    const std::size_t topic = p % kTopics;
    std::string text;
    for (int w = 0; w < 20; ++w)
      text += "topic" + std::to_string(topic) + "word" + std::to_string(random() % kTopicWords) +
              " common" + std::to_string(random() % 30) + " ";
    for (std::size_t r = 0; r < kRare; ++r) {
      // Another passage or two have the same word.
      rare[p].push_back("rare" + std::to_string((p * kRare + r) % (passages * kRare * 2 / 3)));
      text += rare[p].back() + " ";
    }
    data.passages.push_back({"p" + std::to_string(p), text});
    for (int l = 0; l < 2 && p > 0; ++l)
      data.links.push_back({static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(random() % p),
                            static_cast<float>(1 + random() % 4) / 4});
  }
  for (std::size_t q = 0; q < questions; ++q) {
    const PassageLink& link = data.links[random() % data.links.size()];
    const std::string& words = data.passages[link.target].text;
    // Two rare words of the source, and a few words of the target's topic.
    std::string text = rare[link.source][random() % kRare] + " " +
                       rare[link.source][random() % kRare] + " common" +
                       std::to_string(random() % 30) + " " + words.substr(0, words.find(' '));
    data.questions.push_back({text, {link.source, link.target}, std::to_string(q)});
    std::ranges::sort(data.questions.back().evidence);
  }
  return data;
}

std::unique_ptr<Graph> MakePassageGraph(const RetrievalData& data, const std::string& stemmer) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  for (const Passage& passage : data.passages)
    batch.SetPayload(batch.UpsertNode(passage.id, NodeKindRef(builtin::kMemory)), NodeField::kText,
                     passage.text);
  Must(graph->Apply(batch), "passages");
  WriteBatch links(2);
  for (const PassageLink& link : data.links)
    if (link.source != link.target)
      links.Link(NodeRef::Id(link.source), builtin::kRelatesTo, NodeRef::Id(link.target),
                 link.weight);
  Must(graph->Apply(links), "links");
  const auto apply = [&](const WriteBatch& changes) -> Status {
    PLEXUS_TRY(graph->Apply(changes));
    return {};
  };
  retrieval::IndexTermsOptions terms;
  terms.terms = retrieval::TermOptions::Recommended();
  terms.terms.stemmer = stemmer;
  Must(retrieval::IndexTerms(graph->snapshot(), terms, apply), "terms");
  retrieval::TextVectorOptions vectors;
  vectors.dimensions = 256;
  Must(retrieval::MakeTextVectors(graph->snapshot(), vectors, apply), "vectors");
  Must(graph->Compact(), "compaction");
  return graph;
}

}  // namespace plexus::bench
