// The bytes of an answer: all of its fields, numbers by their bits. Two answers are the same when
// their bytes are.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/plan.h"
#include "engine/write_batch.h"
#include "tests/support/kernels/fields.h"

namespace plexus::testing {

// Times are no part of an answer. What a batch would make of the graph, its row asks Preview.
template <class T>
concept NoAnswer = std::same_as<T, RunStats> || std::same_as<T, retrieval::RetrieveStats> ||
                   std::same_as<T, WriteBatch>;

template <class T>
void AddBytes(std::string& out, const T& value) {
  if constexpr (NoAnswer<T>) {
    (void)value;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    const std::string_view text = value;
    AddBytes(out, text.size());
    out.append(text);
  } else if constexpr (std::same_as<T, NodeSubset>) {
    AddBytes(out, value.ToList());
  } else if constexpr (requires { static_cast<bool>(value), *value; }) {  // an optional, a pointer
    AddBytes(out, static_cast<bool>(value));
    if (value) AddBytes(out, *value);
  } else if constexpr (requires { value.size(), value[0]; }) {
    AddBytes(out, value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      if constexpr (requires { typename T::value_type; })
        AddBytes(out, static_cast<typename T::value_type>(value[i]));
      else
        AddBytes(out, value[i]);
    }
  } else if constexpr (requires { value.first, value.second; }) {
    AddBytes(out, value.first);
    AddBytes(out, value.second);
  } else if constexpr (!std::is_aggregate_v<T> && std::has_unique_object_representations_v<T>) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));  // an id
  } else if constexpr (std::derived_from<T, retrieval::RetrieveHit> &&
                       !std::same_as<T, retrieval::RetrieveHit>) {  // a recall's
    AddBytes(out, static_cast<const retrieval::RetrieveHit&>(value));
    AddBytes(out, value.why);
    AddBytes(out, value.related);
    AddBytes(out, value.related_truncated);
    AddBytes(out, value.superseded_by);
    AddBytes(out, value.contradicted_by);
    AddBytes(out, value.near_duplicate_of);
  } else {
    WithFields(value, [&](const auto&... fields) { (AddBytes(out, fields), ...); });
  }
}

// The same without the 64-bit counts beside the fields of the answer itself.
template <class T>
void AddContent(std::string& out, const T& value) {
  if constexpr (std::is_aggregate_v<T>)
    WithFields(value, [&](const auto&... fields) {
      const auto add = [&]<class Field>(const Field& field) {
        if constexpr (!std::same_as<Field, std::uint64_t>) AddBytes(out, field);
      };
      (add(fields), ...);
    });
  else
    AddBytes(out, value);
}

}  // namespace plexus::testing
