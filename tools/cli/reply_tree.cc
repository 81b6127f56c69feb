// Built from events, read by tables.
#include "tools/cli/reply_tree.h"

#include "tools/cli/reply_rows.h"

namespace plexus::tools {

const TreeNode* TreeNode::Find(std::string_view name) const {
  const Object* members = object();
  if (!members) return nullptr;
  for (const auto& [key, member] : *members)
    if (key == name) return &member;
  return nullptr;
}

double TreeNode::number() const {
  return std::visit(
      [](const auto& held) -> double {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(held)>>)
          return static_cast<double>(held);
        else
          return 0;
      },
      value);
}

template <class T>
TreeNode& TreeWriter::Add(T value) {
  if (open_.empty()) {
    root_.value = std::move(value);
    return root_;
  }
  if (auto* members = std::get_if<TreeNode::Object>(&open_.back()->value)) {
    members->push_back({std::move(key_), TreeNode{std::move(value)}});
    return members->back().child;
  }
  auto& elements = std::get<TreeNode::Array>(open_.back()->value);
  elements.push_back(TreeNode{std::move(value)});
  return elements.back();
}

template TreeNode& TreeWriter::Add(std::string);
template TreeNode& TreeWriter::Add(double);
template TreeNode& TreeWriter::Add(float);
template TreeNode& TreeWriter::Add(bool);
template TreeNode& TreeWriter::Add(std::int64_t);
template TreeNode& TreeWriter::Add(std::uint64_t);
template TreeNode& TreeWriter::Add(TreeNode::Json);
template TreeNode& TreeWriter::Add(TreeNode::Node);
template TreeNode& TreeWriter::Add(TreeNode::Array);
template TreeNode& TreeWriter::Add(TreeNode::Object);

std::vector<ReplyRow> RowsOf(const TreeNode& root, const std::string& list) {
  std::vector<ReplyRow> rows;
  const std::size_t slash = list.find('/');
  const TreeNode* found = root.Find(list.substr(0, slash));
  if (!found || !found->array()) return rows;
  for (const TreeNode& element : *found->array()) {
    if (slash == std::string::npos) {
      rows.push_back({nullptr, &element, true, rows.size() + 1});
      continue;
    }
    const TreeNode* inner = element.Find(list.substr(slash + 1));
    if (!inner || !inner->array()) continue;
    std::size_t number = 0;
    for (const TreeNode& row : *inner->array()) {
      rows.push_back({&element, &row, number == 0, number + 1});
      ++number;
    }
  }
  return rows;
}

}  // namespace plexus::tools
