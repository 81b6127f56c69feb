// Texts to terms: folding, boundaries, stop words, and what no text may do.
#include "algorithms/retrieval/terms.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace plexus {
using namespace retrieval;
namespace {

std::string Joined(std::string_view text, const TermOptions& options = {}) {
  auto splitter = TermSplitter::Make(options);
  EXPECT_TRUE(splitter);
  const auto terms = splitter->Split(text);
  EXPECT_TRUE(terms);
  std::string out;
  for (const std::string& term : *terms) out.append(out.empty() ? "" : "|").append(term);
  return out;
}

TEST(Terms, FoldsAndCuts) {
  EXPECT_EQ(Joined("The QUICK brown fox, fox-trot; and 3.14 of C++!"),
            "quick|brown|fox|fox|trot|3.14|c");
  EXPECT_EQ(Joined("Don't read example.com"), "don't|read|example.com");
  EXPECT_EQ(Joined("snake_case x1"), "snake_case|x1");
  EXPECT_EQ(Joined(""), "");
  EXPECT_EQ(Joined(" \t\n--- !? \u2026"), "");
}

TEST(Terms, FoldsBeyondAscii) {
  EXPECT_EQ(Joined("STRASSE Stra\u00dfe"), "strasse|strasse");
  EXPECT_EQ(Joined("\u041c\u043e\u0441\u043a\u0432\u0430 \u041c\u041e\u0421\u041a\u0412\u0410"),
            "\u043c\u043e\u0441\u043a\u0432\u0430|\u043c\u043e\u0441\u043a\u0432\u0430");
  EXPECT_EQ(Joined("\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3"),
            "\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c3");
  EXPECT_EQ(Joined("\uff21\uff22\uff23 \ufb01n"), "abc|fin");  // full width, ligature
  EXPECT_EQ(Joined("e\u0301t\u00e9"), "\u00e9t\u00e9");        // composed and not: one term
  EXPECT_EQ(Joined("co\u00adoperate"), "cooperate");           // soft hyphen
  EXPECT_EQ(Joined("\u6211\u7231\u5317\u4eac"),
            "\u6211|\u7231|\u5317\u4eac");  // a dictionary's cuts
  EXPECT_NE(Joined("\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22").find('|'), std::string::npos);
}

TEST(Terms, StopWordsAndLimits) {
  TermOptions own;
  own.stop_words = {"FOX"};
  EXPECT_EQ(Joined("the fox runs", own), "runs");
  own.default_stop_words = false;
  EXPECT_EQ(Joined("the fox runs", own), "the|runs");
  TermOptions brief;
  brief.max_term_bytes = 5;
  EXPECT_EQ(Joined("short longer short", brief), "short|short");
  EXPECT_EQ(EnglishStopWords().size(), 33u);
  brief.max_term_bytes = 1001;
  EXPECT_EQ(TermSplitter::Make(brief).error().code, ErrorCode::kInvalidArgument);
}

TEST(Terms, AccentsFoldInLatinAndGreekAlone) {
  TermOptions fold;
  fold.fold_accents = true;
  EXPECT_EQ(Joined("Caf\u00c9 cafe\u0301 cafe", fold), "cafe|cafe|cafe");
  EXPECT_EQ(Joined("\u0141\u00f3d\u017a \u00d8re \u0153uvre", fold), "lodz|ore|oeuvre");
  EXPECT_EQ(Joined("\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3", fold),
            "\u03c3\u03b9\u03c3\u03c5\u03c6\u03bf\u03c3");
  EXPECT_EQ(Joined("\u043c\u043e\u0439", fold), "\u043c\u043e\u0439");  // a letter of its own
  EXPECT_EQ(Joined("\u304c", fold), "\u304c");
}

TEST(Terms, IdentifiersAreTheirPartsToo) {
  TermOptions split;
  split.split_identifiers = true;
  EXPECT_EQ(Joined("get_user_by_id", split), "get_user_by_id|get|user|id");  // "by" is a stop word
  EXPECT_EQ(Joined("getUserById", split), "getuserbyid|get|user|id");
  EXPECT_EQ(Joined("HTTPServer utf8Decode", split),
            "httpserver|utf8decode|http|server|utf8|decode");
  EXPECT_EQ(Joined("src/engine/graph.cc", split), "src|engine|graph.cc|graph|cc");
  EXPECT_EQ(Joined("user-login v3.14 a_b plain Word", split), "user|login|v3.14|a_b|plain|word");
  EXPECT_EQ(Joined("foo_barBaz", split), "foo_barbaz|foo|barbaz|bar|baz");
  EXPECT_EQ(Joined("M\u00fcllerStra\u00dfe", split), "m\u00fcllerstrasse");
  EXPECT_EQ(Joined(std::string(200, 'a') + "B", split), "");
}

TEST(Terms, PairsOfCharactersBesideADictionarysWords) {
  TermOptions pairs;
  pairs.cjk_bigrams = true;
  EXPECT_EQ(Joined("\u6771\u4eac", pairs), "\u6771\u4eac");
  const std::string terms = Joined("\u6771\u4eac\u90fd\u5e81 x", pairs);  // whatever the cuts are
  for (const char* pair : {"\u6771\u4eac", "\u4eac\u90fd", "\u90fd\u5e81"})
    EXPECT_NE(terms.find(pair), std::string::npos) << terms;
  EXPECT_EQ(Joined("ab cd", pairs), "ab|cd");
}

TEST(Terms, StemsOfALanguage) {
  TermOptions stem;
  stem.stemmer = "english";
  EXPECT_EQ(Joined("Leopards were running, the leopard runs", stem),
            "leopard|were|run|leopard|run");
  EXPECT_EQ(Joined("snake_cases x1s", stem), "snake_cases|x1s");  // no words of a language
  stem.stemmer = "german";
  stem.fold_accents = true;
  EXPECT_EQ(Joined("H\u00e4user Haus", stem), "haus|haus");
  stem.stemmer = "klingon";
  const auto none = TermSplitter::Make(stem);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(none.error().message.find("english"), std::string::npos);
}

// An index that was made in the old order is asked in it.
TEST(Terms, AccentsAndEnglishStems) {
  TermOptions stem;
  stem.stemmer = "english";
  stem.fold_accents = true;
  EXPECT_EQ(Joined("caf\u00e9s r\u00e9sum\u00e9", stem), "cafe|resume");
  stem.fold_before_stems = true;
  EXPECT_EQ(Joined("caf\u00e9s r\u00e9sum\u00e9", stem), "cafe|resum");
  EXPECT_TRUE(TermOptions::Recommended().fold_before_stems);
}

TEST(Terms, Apostrophes) {
  TermOptions fold;
  fold.fold_apostrophes = true;
  EXPECT_EQ(Joined("Ada's number, Ada\u2019s phone", fold), "ada|number|ada|phone");
  EXPECT_EQ(Joined("O'Brien and O\u2019BRIEN's don\u2019t", fold), "o'brien|o'brien|don't");
  EXPECT_EQ(Joined("It's \u2019 students' the", fold), "students");  // "it" is a stop word
  EXPECT_EQ(Joined("Ada's", {}), "ada's");  // as an index was made before
  fold.stemmer = "english";
  EXPECT_EQ(Joined("leopards\u2019 leopard's", fold), "leopard|leopard");
  auto splitter = TermSplitter::Make(fold);
  ASSERT_TRUE(splitter);
  EXPECT_EQ(*splitter->Words("Ada\u2019s phone"), (std::vector<std::string>{"ada", "phone"}));
  EXPECT_TRUE(TermOptions::Recommended().fold_apostrophes);
}

TEST(Terms, WordsForPhrases) {
  TermOptions plain = TermOptions::Recommended();
  plain.stemmer.clear();
  auto splitter = TermSplitter::Make(plain);
  ASSERT_TRUE(splitter);
  using Words = std::vector<std::string>;
  EXPECT_EQ(*splitter->Words("The getUser_byId of Caf\u00e9s"),
            (Words{"the", "get", "user", "by", "id", "of", "cafes"}));
  EXPECT_EQ(*splitter->Words("x\u6771\u4eac\u90fd a \u6771, \u4eac"),
            (Words{"x", "\u6771\u4eac", "\u4eac\u90fd", "a", "\u6771", "\u4eac"}));
  EXPECT_EQ(*splitter->PhraseTerms("the getUser \u6771\u4eac"),
            (Words{"get", "user", "\u6771\u4eac"}));
  EXPECT_EQ(*splitter->PhraseTerms("to be"), Words{});
}

// A key's words count where the text lacks them; numbers, hashes and UUIDs have none.
TEST(Terms, KeysOfDocuments) {
  TermOptions keys = TermOptions::Recommended();
  auto splitter = TermSplitter::Make(keys);
  ASSERT_TRUE(splitter);
  const auto counts = [&](std::string_view text, std::string_view key) {
    std::string all;
    const std::vector<TermCount> terms = splitter->CountDocument(text, key).value();
    for (const TermCount& t : terms)
      all += t.term + ":" + std::to_string(t.count) + " ";
    return all;
  };
  EXPECT_EQ(counts("Gateways forward cards", "payment-gateway"),
            "card:1 forward:1 gateway:1 payment:1 ");
  EXPECT_EQ(counts("a note", "m17"), "note:1 ");
  EXPECT_EQ(counts("a note", "deadbeef-cafe-0abe"), "note:1 ");
  EXPECT_EQ(counts("a note", "cafe-facade"), "cafe:1 facad:1 note:1 ");
  EXPECT_EQ(counts("a note", "user_login"), "login:1 note:1 user:1 user_login:1 ");
  EXPECT_EQ(counts("a note", ""), "note:1 ");
  EXPECT_EQ(counts("a note", "да нет ab"), "note:1 нет:1 ");  // characters, not bytes
  EXPECT_EQ(counts("a note", "猫"), "note:1 猫:1 ");
  keys.keys = false;
  splitter = TermSplitter::Make(keys);
  ASSERT_TRUE(splitter);
  EXPECT_EQ(counts("a note", "payment-gateway"), "note:1 ");
}

TEST(Terms, BrokenBytesAreHarmless) {
  for (const char* text : {"aB\xff", "\xe6\x9d", "_._", "a_\xc3", "x.\xff.y"}) {
    TermOptions all = TermOptions::Recommended();
    all.stemmer = "english";
    auto splitter = TermSplitter::Make(all);
    ASSERT_TRUE(splitter);
    EXPECT_TRUE(splitter->Split(text));
    EXPECT_TRUE(splitter->Words(text));
    EXPECT_TRUE(splitter->PhraseTerms(text));
  }
  EXPECT_EQ(Joined("ab\xff"
                   "cd \xc3"),
            "ab|cd");
  EXPECT_EQ(Joined(std::string_view("a1\0b2\x1f"
                                    "c3",
                                    8)),
            "a1|b2|c3");
  EXPECT_EQ(Joined(std::string(1'000'000, 'x')), "");
}

TEST(Terms, CountsAreSortedAndRandomTextsAgreeWithTheObvious) {
  std::mt19937_64 random(11);
  auto splitter = TermSplitter::Make();
  ASSERT_TRUE(splitter);
  for (int round = 0; round < 200; ++round) {
    std::map<std::string, std::uint32_t> expected;
    std::string text;
    for (int word = 0; word < static_cast<int>(random() % 60); ++word) {
      std::string lower;
      for (std::uint64_t i = 0, n = 3 + random() % 3; i < n; ++i) {
        const char c = "abcx19"[random() % 6];
        lower += c;
        text += random() % 2 && c >= 'a' ? static_cast<char>(c - 32) : c;
      }
      ++expected[lower];
      text += "  !?()\n"[random() % 7];
    }
    const auto counts = splitter->Count(text);
    ASSERT_TRUE(counts);
    std::vector<TermCount> wanted;
    for (const auto& [term, count] : expected) wanted.push_back({term, count});
    EXPECT_EQ(*counts, wanted) << text;
  }
}

}  // namespace
}  // namespace plexus
