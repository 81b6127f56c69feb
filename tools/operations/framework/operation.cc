// Builders of rows; kept out of line, so that tables of rows compile quickly.
#include "tools/operations/framework/operation.h"

#include <algorithm>
#include <utility>

#include "tools/operations/framework/shape.h"

namespace plexus::tools {

Parameter Parameter::Default(Value value) && {
  default_value = std::move(value);
  return std::move(*this);
}
Parameter Parameter::Between(double from, double to) && {
  least = from;
  most = to;
  return std::move(*this);
}
Parameter Parameter::AtLeast(double from) && {
  least = from;
  return std::move(*this);
}
Parameter Parameter::Named(Means what) && {
  means = what;
  return std::move(*this);
}
Parameter Parameter::Required() && {
  required = true;
  return std::move(*this);
}
Parameter Parameter::Positional() && {
  positional = required = true;
  return std::move(*this);
}
Parameter Parameter::OrPositional() && {
  or_positional = required = true;
  help += "; the flag may be left out";
  return std::move(*this);
}
Parameter Parameter::MayBeEmpty() && {
  may_be_empty = true;
  return std::move(*this);
}
Parameter Parameter::Lines() && {
  means = Means::kContent;
  lines = true;
  return std::move(*this);
}
Parameter Parameter::Literally(std::vector<std::string> texts) && {
  literals = std::move(texts);
  return std::move(*this);
}
Parameter Parameter::Letter(char c) && {
  letter = c;
  return std::move(*this);
}
Parameter Parameter::ForPeople(std::uint64_t count) && {
  for_people = count;
  return std::move(*this);
}

Parameters operator+(Parameters left, const Parameters& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

namespace {

Parameter Make(Type type, std::string name, std::string shown, std::string help) {
  Parameter made;
  made.name = std::move(name);
  made.type = type;
  made.shown = std::move(shown);
  made.help = std::move(help);
  return made;
}

}  // namespace

Parameter Flag(std::string name, std::string help) {
  return Make(Type::kFlag, std::move(name), "", std::move(help));
}
Parameter Count(std::string name, std::string shown, std::string help) {
  return Make(Type::kCount, std::move(name), std::move(shown), std::move(help));
}
Parameter Number(std::string name, std::string shown, std::string help) {
  return Make(Type::kNumber, std::move(name), std::move(shown), std::move(help));
}
Parameter Text(std::string name, std::string shown, std::string help) {
  return Make(Type::kText, std::move(name), std::move(shown), std::move(help));
}
Parameter Choice(std::string name, std::vector<std::string> choices, std::string help) {
  std::string shown;
  for (const std::string& choice : choices) shown += (shown.empty() ? "" : "|") + choice;
  Parameter made = Make(Type::kText, std::move(name), std::move(shown), std::move(help));
  made.default_value = choices.front();
  made.choices = std::move(choices);
  return made;
}
Parameter MaybeChoice(std::string name, std::vector<std::string> choices, std::string help) {
  Parameter made = Choice(std::move(name), std::move(choices), std::move(help));
  made.default_value = {};
  return made;
}
Parameter Optional(Parameter parameter) {
  parameter.required = false;
  return parameter;
}
Parameter List(std::string name, std::string shown, std::string help) {
  Parameter made = Make(Type::kList, std::move(name), std::move(shown), std::move(help));
  made.commas = true;
  return made;
}
Parameter Repeated(std::string name, std::string shown, std::string help) {
  return Make(Type::kList, std::move(name), std::move(shown), std::move(help));
}

const Parameter* Operation::Find(std::string_view parameter) const {
  const auto at = std::ranges::find(parameters, parameter, &Parameter::name);
  return at == parameters.end() ? nullptr : &*at;
}

Access Operation::AccessFor(const Request& request) const {
  if (access) return access(request);
  return effect == Effect::kRead ? Access::kRead : Access::kWrite;
}

bool Operation::MayApply() const {
  return group != "Care" && (effect != Effect::kRead || Find("dry_run"));
}

std::string Operation::ReplyMembers() const {
  const auto members = ParseShape(reply).members;
  std::string all = reply;
  if (std::ranges::find(members, "truncated", &ShapeMember::name) == members.end())
    all += (all.empty() ? "truncated?:b" : ", truncated?:b");
  return MayApply() ? all + ", time_moved?:b" : all;
}

Access OpensNothing(const Request&) { return Access::kNothing; }

}  // namespace plexus::tools
