// Binary files written out by hand: GAP's serialized graphs, .npy, .fvecs, plain values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plexus::formats::internal {

template <class T>
void Put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

using Rows = std::vector<std::vector<std::pair<std::uint32_t, std::int32_t>>>;

inline void PutSide(std::string& out, const Rows& rows, bool weighted) {
  std::int64_t offset = 0;
  Put(out, offset);
  for (const auto& row : rows) Put(out, offset += static_cast<std::int64_t>(row.size()));
  for (const auto& row : rows)
    for (const auto& [target, weight] : row) {
      Put(out, target);
      if (weighted) Put(out, weight);
    }
}

// The suite's layout, written out by hand.
inline std::string Serialized(const Rows& out_rows, bool directed, bool weighted) {
  std::int64_t arcs = 0;
  for (const auto& row : out_rows) arcs += static_cast<std::int64_t>(row.size());
  std::string out;
  Put(out, static_cast<std::uint8_t>(directed));
  Put(out, arcs);
  Put(out, static_cast<std::int64_t>(out_rows.size()));
  PutSide(out, out_rows, weighted);
  if (!directed) return out;
  Rows in_rows(out_rows.size());
  for (std::uint32_t u = 0; u < out_rows.size(); ++u)
    for (const auto& [v, weight] : out_rows[u]) in_rows[v].push_back({u, weight});
  PutSide(out, in_rows, weighted);
  return out;
}

template <class T>
std::string Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string NpyOf(const std::string& dict, const std::string& values, char major = 1) {
  std::string header = dict;
  const std::size_t before = major == 1 ? 10 : 12;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += major;
  file += '\0';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  if (major > 1) file.append(2, '\0');
  return file + header + values;
}
inline std::string Npy(const std::string& descr, const std::string& shape,
                       const std::string& values) {
  return NpyOf("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }",
               values);
}
inline std::string Fvecs(const std::vector<std::vector<float>>& rows) {
  std::string file;
  for (const auto& row : rows)
    file += Bytes(std::vector<std::int32_t>{static_cast<std::int32_t>(row.size())}) + Bytes(row);
  return file;
}

}  // namespace plexus::formats::internal
