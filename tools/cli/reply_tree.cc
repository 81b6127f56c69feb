// Built from events, read by tables.
#include "tools/cli/reply_tree.h"

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
