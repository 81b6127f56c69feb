// Numbers between dots, FNV-1a digests of the question and of the text.
#include "algorithms/memory/frontier/internal/frontier_cursor.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "algorithms/memory/internal/fnv.h"

namespace plexus::memory::internal {

namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kHead = 5;  // numbers before the members

class Digest {
 public:
  void Add(std::uint64_t value) {
    char bytes[8];
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
    state_ = Fnv1a64({bytes, sizeof bytes}, state_);
  }
  void Add(double value) { Add(std::bit_cast<std::uint64_t>(value)); }
  void Add(std::string_view text) {
    Add(std::uint64_t{text.size()});
    state_ = Fnv1a64(text, state_);
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = kFnvBasis;
};

std::uint64_t DigestOf(const NeverComposedOptions& o) {
  Digest digest;
  for (const std::uint64_t n :
       {std::uint64_t(o.lens), std::uint64_t(o.arity), std::uint64_t{o.include_superseded},
        std::uint64_t(o.match), std::uint64_t(o.terms), std::uint64_t(o.trust),
        o.level ? 1 + std::uint64_t(*o.level) : 0, std::uint64_t{o.structural_fit},
        std::uint64_t{o.pool != nullptr}, std::uint64_t{o.band.has_value()}})
    digest.Add(n);
  digest.Add(o.structural_fit_weight);
  digest.Add(o.min_structural_fit);
  for (const double x : {o.likely.half_life, o.likely.shared_weight, o.likely.activity_weight,
                         o.likely.trust_weight, o.likely.outcome_weight})
    digest.Add(x);
  digest.Add(std::uint64_t{o.tags.size()});
  for (const std::string& tag : o.tags) digest.Add(std::string_view(tag));
  digest.Add(o.kinds.given() ? std::uint64_t{o.kinds.size()} : ~std::uint64_t{0});
  for (const EdgeKindId kind : o.kinds) digest.Add(std::uint64_t{kind.value()});
  if (o.band) {
    digest.Add(std::string_view(o.band->space));
    digest.Add(o.band->least);
    digest.Add(o.band->below);
    digest.Add(std::uint64_t{o.band->pool_limit});
  }
  if (o.pool)
    for (std::size_t w = 0; w < o.pool->word_count(); ++w) digest.Add(o.pool->word(w));
  if (o.inside)
    for (std::size_t w = 0; w < o.inside->word_count(); ++w) digest.Add(o.inside->word(w));
  return digest.value();
}

// The numbers of a cursor's text; nothing when it is none.
std::optional<std::vector<std::uint64_t>> Numbers(std::string_view text) {
  const std::size_t last = text.rfind('.');
  if (last == std::string_view::npos ||
      text.substr(last + 1) != Hex16(Fnv1a64(text.substr(0, last))))
    return {};
  text = text.substr(0, last);
  std::vector<std::uint64_t> numbers;
  while (!text.empty()) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + dot, number, 16);
    if (error != std::errc{} || end != text.data() + dot || dot == 0) return {};
    numbers.push_back(number);
    text.remove_prefix(dot);
    if (!text.empty()) {
      text.remove_prefix(1);
      if (text.empty()) return {};
    }
  }
  if (numbers.size() < kHead + 2 || numbers.size() > kHead + 5 || numbers[0] != kVersion) return {};
  return numbers;
}

std::unexpected<Error> Refused(const std::string& why) {
  return Invalid("cursor: ", why, "; ask for the first page again");
}

}  // namespace

std::string WriteCursor(const Snapshot& snapshot, const NeverComposedOptions& options,
                        const PageEnd& end) {
  std::vector<std::uint64_t> numbers = {kVersion, snapshot.sequence(),
                                        static_cast<std::uint64_t>(options.now_ms),
                                        DigestOf(options), std::bit_cast<std::uint64_t>(end.score)};
  numbers.insert(numbers.end(), end.members.begin(), end.members.end());
  std::string text;
  for (const std::uint64_t number : numbers) {
    char digits[16];
    const auto [to, error] = std::to_chars(digits, digits + sizeof digits, number, 16);
    if (!text.empty()) text += '.';
    text.append(digits, to);
  }
  return text + "." + Hex16(Fnv1a64(text));
}

Result<std::optional<PageEnd>> ReadCursor(const Snapshot& snapshot,
                                          const NeverComposedOptions& options) {
  if (options.cursor.empty()) return std::nullopt;
  const auto numbers = Numbers(options.cursor);
  if (!numbers) return Refused("'" + options.cursor + "' is none");
  const auto& n = *numbers;
  if (n[1] != snapshot.sequence())
    return Refused("it is of sequence " + std::to_string(n[1]) + ", the graph is at " +
                   std::to_string(snapshot.sequence()));
  if (n[2] != static_cast<std::uint64_t>(options.now_ms)) return Refused("it is of another time");
  if (n[3] != DigestOf(options)) return Refused("it is of another question");
  PageEnd end{std::bit_cast<double>(n[4]), {}};
  if (!std::isfinite(end.score)) return Refused("its score is no number");
  for (std::size_t i = kHead; i < n.size(); ++i) {
    if (n[i] >= snapshot.node_count()) return Refused("it names no node");
    end.members.push_back(static_cast<NodeId>(n[i]));
  }
  return end;
}

}  // namespace plexus::memory::internal

namespace plexus::memory {

std::optional<std::int64_t> TimeOfCursor(std::string_view cursor) {
  const auto numbers = internal::Numbers(cursor);
  if (!numbers) return std::nullopt;
  return static_cast<std::int64_t>((*numbers)[2]);
}

}  // namespace plexus::memory
