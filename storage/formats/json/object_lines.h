// TakeObjectLines: the frame of a parser whose records are JSON objects, one a line.
//
// Internal to storage/formats.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "storage/formats/base/json_tree.h"
#include "storage/formats/json/json_record.h"
#include "storage/formats/pipeline/batch_builder.h"

namespace plexus::formats::internal {

// take(json, object, line number, builder) for each line that is not blank; what it returns, or
// what is wrong with the line itself, is the record's error. quick(line, line number, builder) is
// asked before: true when it took the whole line. Returns the bytes taken.
template <class Take, class Quick>
std::size_t TakeObjectLines(std::string_view text, std::uint64_t first_line,
                            const ParseContext& context, Piece& piece, Take&& take, Quick&& quick) {
  JsonParser json(context.options->limits.field_bytes);
  BatchBuilder builder(context, piece);
  const std::size_t limit = context.options->limits.line_bytes;
  const auto record = [&](std::string_view line, std::uint64_t number) -> Status {
    if (line.size() > limit) return Bad("record over " + std::to_string(limit) + " bytes");
    PLEXUS_ASSIGN(const JsonValue* root, json.Parse(line));
    if (root->type != JsonType::kObject)
      return Bad("expected an object, got " + std::string(JsonTypeName(root->type)));
    return take(json, *root, number, builder);
  };
  return TakeLines(text, first_line, context, piece,
                   [&](std::string_view line, std::uint64_t number) {
                     if (line.find_first_not_of(" \t\r") == std::string_view::npos) return true;
                     ++piece.records;
                     builder.set_line(number);
                     if (quick(line, number, builder)) return true;
                     Status ok = record(line, number);
                     return ok || NoteError(context, piece, number, std::move(ok.error().message));
                   });
}

template <class Take>
std::size_t TakeObjectLines(std::string_view text, std::uint64_t first_line,
                            const ParseContext& context, Piece& piece, Take&& take) {
  return TakeObjectLines(text, first_line, context, piece, take,
                         [](std::string_view, std::uint64_t, BatchBuilder&) { return false; });
}

}  // namespace plexus::formats::internal
