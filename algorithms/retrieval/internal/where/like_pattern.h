// LikePattern: SQL's LIKE without backtracking over more than the last "%".
//
// A pattern is pieces between its "%". The first is bound to the begin of the text, the last to its
// end, and of those between the first place where one fits is as good as any (what is left for the
// others is longest). So a text of n bytes costs
// O(n), and O(n * piece) only for a piece in the middle that has a "_".
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace plexus::retrieval::internal {

class LikePattern {
 public:
  LikePattern() = default;
  // "\" before any character takes it as it is; at the end it means itself. `ignore_case`: the
  // pattern's text and what it is held against are folded (terms.h).
  LikePattern(std::string_view pattern, bool ignore_case);

  bool Matches(std::string_view text) const;

 private:
  struct Symbol {
    char byte = 0;
    bool any = false;  // one character of UTF-8, or one byte that is none
  };
  using Piece = std::vector<Symbol>;

  bool Fits(std::string_view text) const;
  // How many bytes at the front of `text` the piece takes; npos: it does not fit.
  std::size_t Fit(const Piece& piece, std::string_view text) const;

  bool ignore_case_ = false;
  bool open_ = false;                      // a "%" somewhere
  std::vector<Piece> pieces_ = {Piece()};  // between the "%"; some may be empty
};

}  // namespace plexus::retrieval::internal
