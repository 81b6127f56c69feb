// Packing, checksum (XXH3) and hexadecimal text of resume tokens.
#include "algorithms/traversal/internal/resume_token.h"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace plexus::traversal::internal {

namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint64_t kSeed = 0x706C6578'72657375;
constexpr std::size_t kBodyBytes = 2 + 4 * 8, kTokenBytes = kBodyBytes + 8;

void Put(std::string& bytes, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}
std::uint64_t Get(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}
int Digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::unexpected<Error> Bad(const std::string& why) { return Invalid("resume token: ", why); }

}  // namespace

QueryDigest::QueryDigest(const Snapshot& snapshot, SearchKind search)
    : snapshot_(snapshot), search_(search) {}

void QueryDigest::Add(std::uint64_t value) { Put(bytes_, value); }
void QueryDigest::Add(double value) { Put(bytes_, std::bit_cast<std::uint64_t>(value)); }
void QueryDigest::Add(std::string_view text) {
  Put(bytes_, text.size());
  bytes_ += text;
}
void QueryDigest::Add(const EdgeKinds& kinds) {
  Put(bytes_, kinds.given() && kinds.empty() ? ~std::size_t{0} : kinds.size());
  for (EdgeKindId kind : kinds) Put(bytes_, kind);
}
void QueryDigest::Add(const NodeSubset* subset) {
  Put(bytes_, subset != nullptr);
  if (subset) {
    std::vector<std::uint64_t> words(subset->word_count());
    for (std::size_t w = 0; w < words.size(); ++w) words[w] = subset->word(w);
    Put(bytes_, XXH3_64bits_withSeed(words.data(), words.size() * sizeof(std::uint64_t), kSeed));
  }
}

std::string QueryDigest::TokenAt(SearchPosition position) const {
  std::string body = {static_cast<char>(kVersion), static_cast<char>(search_)};
  Put(body, snapshot_.sequence());
  Put(body, XXH3_64bits_withSeed(bytes_.data(), bytes_.size(), kSeed));
  Put(body, position.nodes);
  Put(body, position.edges);
  Put(body, XXH3_64bits_withSeed(body.data(), body.size(), kSeed));
  std::string text;
  for (const char c : body) {
    text.push_back("0123456789abcdef"[static_cast<unsigned char>(c) >> 4]);
    text.push_back("0123456789abcdef"[static_cast<unsigned char>(c) & 15]);
  }
  return text;
}

Result<Budget> QueryDigest::BudgetFrom(std::string_view token, Budget budget) const {
  if (token.size() != 2 * kTokenBytes)
    return Bad(std::to_string(token.size()) + " characters, " + std::to_string(2 * kTokenBytes) +
               " expected");
  std::string body;
  for (std::size_t i = 0; i < token.size(); i += 2) {
    const int high = Digit(token[i]), low = Digit(token[i + 1]);
    if (high < 0 || low < 0)
      return Bad("character " + std::to_string(high < 0 ? i + 1 : i + 2) +
                 " is no hexadecimal digit (0-9, a-f)");
    body.push_back(static_cast<char>(high << 4 | low));
  }
  if (Get(body, kBodyBytes) != XXH3_64bits_withSeed(body.data(), kBodyBytes, kSeed))
    return Bad("it is damaged");
  if (static_cast<std::uint8_t>(body[0]) != kVersion)
    return Bad("made by a later version of Plexus");
  if (body[1] != static_cast<char>(search_)) return Bad("it belongs to another kind of search");
  if (Get(body, 10) != XXH3_64bits_withSeed(bytes_.data(), bytes_.size(), kSeed))
    return Bad("it belongs to another question; start and options must be as they were");
  if (Get(body, 2) != snapshot_.sequence())
    return FailedPrecondition("resume token: made at sequence ", Get(body, 2),
                              " of the graph, which is now at ", snapshot_.sequence(),
                              "; ask as of that sequence, or begin anew");
  auto add = [](std::uint64_t spent, std::uint64_t more) {
    return more > Budget::kUnlimited - spent ? Budget::kUnlimited : spent + more;
  };
  budget.nodes = add(Get(body, 18), budget.nodes);
  budget.edges = add(Get(body, 26), budget.edges);
  return budget;
}

}  // namespace plexus::traversal::internal
