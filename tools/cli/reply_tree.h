// A reply held whole: what tables and CSV are made from.
//
// Members keep their order and numbers their types. A node stays a node, so that a table can show
// its text and a CSV its stored key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/snapshot.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

struct TreeNode {
  struct Node {
    NodeId id;
  };
  struct Json {
    std::string text;
  };
  struct Member;
  using Array = std::vector<TreeNode>;
  using Object = std::vector<Member>;
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, float, std::string, Node,
               Json, Array, Object>
      value;

  const Array* array() const;
  const Object* object() const;
  const NodeId* node() const;
  // A member of an object; null if it does not exist.
  const TreeNode* Find(std::string_view name) const;
  // A number of any type; 0 for anything else.
  double number() const;
};

struct TreeNode::Member {
  std::string key;
  TreeNode child;
};

inline const TreeNode::Array* TreeNode::array() const { return std::get_if<Array>(&value); }
inline const TreeNode::Object* TreeNode::object() const { return std::get_if<Object>(&value); }
inline const NodeId* TreeNode::node() const {
  const Node* node = std::get_if<Node>(&value);
  return node ? &node->id : nullptr;
}

class TreeWriter final : public ReplyWriter {
 public:
  void BeginObject() override { Open(TreeNode::Object()); }
  void EndObject() override { open_.pop_back(); }
  void BeginArray() override { Open(TreeNode::Array()); }
  void EndArray() override { open_.pop_back(); }
  void Key(std::string_view name) override { key_ = name; }
  void Value(std::string_view text) override { Add(std::string(text)); }
  void Value(double number) override { Add(number); }
  void Value(float number) override { Add(number); }
  void Value(bool truth) override { Add(truth); }
  void Integer(std::int64_t number) override { Add(number); }
  void Unsigned(std::uint64_t number) override { Add(number); }
  void Raw(std::string_view json) override { Add(TreeNode::Json{std::string(json)}); }
  void Node(const Snapshot& snapshot, NodeId node) override {
    snapshot_ = snapshot;
    Add(TreeNode::Node{node});
  }
  using ReplyWriter::BeginArray;
  using ReplyWriter::BeginObject;
  using ReplyWriter::Node;
  using ReplyWriter::Value;

  const TreeNode& root() const { return root_; }
  // Of the nodes.
  const Snapshot& snapshot() const { return snapshot_; }

 private:
  template <class T>
  TreeNode& Add(T value) {
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
  template <class T>
  void Open(T empty) {
    open_.push_back(&Add(std::move(empty)));
  }

  TreeNode root_;
  // Only the innermost one grows, so those around it stay where they are.
  std::vector<TreeNode*> open_;
  std::string key_;
  Snapshot snapshot_;
};

// A row of a list: its object, and for a list in a list the object around it.
struct ReplyRow {
  const TreeNode* outer = nullptr;
  const TreeNode* inner = nullptr;
  bool first = true;  // of its outer one
  std::size_t number = 1;

  // "event/query" is a field of the object "event".
  const TreeNode* Find(const std::string& field) const {
    if (const std::size_t slash = field.find('/'); slash != std::string::npos) {
      const TreeNode* object = inner->Find(field.substr(0, slash));
      return object ? object->Find(field.substr(slash + 1)) : nullptr;
    }
    if (const TreeNode* found = inner->Find(field)) return found;
    return outer && first ? outer->Find(field) : nullptr;
  }
};

// Of "nodes", or of "sets/nodes": the elements of a list in the elements of a list.
std::vector<ReplyRow> RowsOf(const TreeNode& root, const std::string& list);

}  // namespace plexus::tools
