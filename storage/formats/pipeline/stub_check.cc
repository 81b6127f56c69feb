// Names that nothing states; see stub_check.h.
#include "storage/formats/pipeline/stub_check.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/vocabulary.h"

namespace plexus::formats::internal {

void StubCheck::Take(const std::string& file, const std::vector<std::uint64_t>* lines,
                     const Piece& piece, const Snapshot& graph) {
  if (files_.empty() || files_.back() != file) files_.push_back(file);
  for (const std::string& node : piece.notes.stated) {
    stated_.insert(node);
    missing_.erase(node);
  }
  for (const PieceNotes::End& end : piece.notes.ends) {
    if (stated_.contains(end.node)) continue;
    if (const auto node = graph.Find(end.node); node && graph.alive(*node)) continue;
    const bool mapped = lines && !lines->empty();
    missing_.try_emplace(end.node,
                         Place{files_.size() - 1, mapped ? (*lines)[end.line - 1] : end.line});
  }
}

std::vector<ImportError> StubCheck::Missing() const {
  std::vector<std::pair<Place, const std::string*>> all;
  all.reserve(missing_.size());
  for (const auto& [node, place] : missing_) all.emplace_back(place, &node);
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    return std::tie(a.first.file, a.first.line, *a.second) <
           std::tie(b.first.file, b.first.line, *b.second);
  });
  std::vector<ImportError> errors;
  for (std::size_t i = 0; i < all.size();) {
    const Place place = all[i].first;
    std::string nodes;
    for (; i < all.size() &&
           std::tie(all[i].first.file, all[i].first.line) == std::tie(place.file, place.line);
         ++i)
      if (nodes.size() < 200)
        nodes += (nodes.empty() ? "'" : ", '") + all[i].second->substr(0, 80) + "'";
    errors.push_back({files_[place.file], place.line,
                      nodes + ": named here, but no record states it and the graph has none"});
  }
  return errors;
}

std::uint64_t CountStubs(const Snapshot& before, const Snapshot& after) {
  std::uint64_t stubs = 0;
  for (NodeId node{before.node_count()}; node < after.node_count(); ++node)
    stubs += after.alive(node) && after.is_fact(node) && after.node_kind(node) == builtin::kNode &&
             !after.i64(builtin::kCreatedAt, node) && !after.payload_ref(node, NodeField::kText) &&
             !after.payload_ref(node, NodeField::kProperties);
  return stubs;
}

}  // namespace plexus::formats::internal
