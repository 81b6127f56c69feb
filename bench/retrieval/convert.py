#!/usr/bin/env python3
"""Turns public sets of questions with known evidence into the lines that retrieval_eval reads.

    bench/retrieval/convert.py FORMAT FILE... > data.jsonl

Several files of a format make one set: the union of their passages, their questions one after the
other. What is read of each format:

    hotpotqa, 2wikimultihopqa   a JSON array, or JSON lines, of {"_id", "question", "context",
                                "supporting_facts"}; context: [[title, [sentence...]]...], or
                                {"title": [...], "sentences": [...]}; supporting_facts:
                                [[title, sentence number]...], or {"title": [...]}
    musique                     the same of {"id", "question", "paragraphs"}; a paragraph is {"title",
                                "paragraph_text" or "text", "is_supporting"}
    locomo                      an array of {"sample_id", "conversation", "qa"}, or one file a
                                conversation with the members of "conversation" beside "qa":
                                session_N: [{"speaker", "dia_id", "text", "blip_caption"?}...]; qa:
                                [{"question", "evidence": ["D1:3"...]}...]
    corpus                      passages alone, beside those of another format: [{"title", "text"}...]
                                or {title: text or [sentence...]}. Given as corpus:FILE.

A passage is a paragraph with its title, or a turn of a conversation. Links need no model:

    a text names the title of another passage: the longest title at each place, whole words as they
    are written, without a part in brackets; weight 1 / sqrt(passages that name it)
    passages of one title, weight 0.5
    a turn and the next one of its session, weight 1

A question has "names": the passages whose title stands in it, found in the same way.
Questions without evidence are left out and counted on standard error.
"""
import json
import math
import re
import sys

WORD = re.compile(r"\w+")
SAME_TITLE, NAMED_AT_MOST = 0.5, 8


class Bad(Exception):
    pass


def load(path):
    """The records of a JSON array, an object, or JSON lines."""
    try:
        text = open(path, encoding="utf-8").read()
    except (OSError, UnicodeDecodeError) as error:
        raise Bad(f"{path}: {error}") from error
    try:
        return json.loads(text)
    except json.JSONDecodeError as whole:
        records = []
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError as error:
                first = whole if number == 1 else error
                raise Bad(f"{path}: line {number}: no JSON: {first.msg}") from None
        if not records:
            raise Bad(f"{path}: it is empty")
        return records


def member(place, record, *names, of=None):
    """The first of these members that the record has."""
    if not isinstance(record, dict):
        raise Bad(f"{place}: an object is wanted")
    for name in names:
        if name in record:
            if of and not isinstance(record[name], of):
                raise Bad(f"{place}: '{name}' is of another type")
            return record[name]
    raise Bad(f"{place}: it has no '{names[0]}'")


class Set:
    """Passages by title and text, and questions whose evidence are numbers of passages."""

    def __init__(self):
        self.passages, self.numbers, self.by_title = [], {}, {}
        self.questions, self.links, self.ids = [], {}, set()
        self.without_evidence = 0

    def passage(self, place, title, text, known_as=None):
        if not isinstance(title, str) or not isinstance(text, str):
            raise Bad(f"{place}: title and text are texts")
        key = known_as or (title, text)
        if key not in self.numbers:
            self.numbers[key] = len(self.passages)
            self.passages.append((title, text))
            if title:
                self.by_title.setdefault(title, []).append(self.numbers[key])
        return self.numbers[key]

    def question(self, place, identity, text, evidence):
        if not isinstance(text, str) or not text.strip():
            raise Bad(f"{place}: a question is a text")
        if not evidence:
            self.without_evidence += 1
        elif identity not in self.ids:
            self.ids.add(identity)
            self.questions.append((identity, text.strip(), sorted(set(evidence))))

    def link(self, a, b, weight):
        if a != b and (b, a) not in self.links:
            self.links[(a, b)] = max(weight, self.links.get((a, b), 0))


def hotpotqa(out, path, records):
    for number, record in enumerate(records):
        place = f"{path}: question {number}"
        context = member(place, record, "context", of=(list, dict))
        if isinstance(context, dict):
            context = list(zip(member(place, context, "title", of=list),
                               member(place, context, "sentences", of=list)))
        by_title = {}
        for pair in context:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not isinstance(pair[1], list):
                raise Bad(f"{place}: context is a list of [title, [sentence...]]")
            if not all(isinstance(sentence, str) for sentence in pair[1]):
                raise Bad(f"{place}: sentences are texts")
            text = " ".join(" ".join(pair[1]).split())
            by_title[pair[0]] = out.passage(place, pair[0], text)
        facts = member(place, record, "supporting_facts", of=(list, dict))
        if isinstance(facts, dict):
            titles = member(place, facts, "title", of=list)
        else:
            titles = [fact[0] if isinstance(fact, list) and fact else None for fact in facts]
        for title in titles:
            if not isinstance(title, str) or title not in by_title:
                raise Bad(f"{place}: supporting_facts names '{title}', which context does not have")
        out.question(place, str(member(place, record, "_id", "id")),
                     member(place, record, "question"), [by_title[title] for title in titles])


def musique(out, path, records):
    for number, record in enumerate(records):
        place = f"{path}: question {number}"
        evidence = []
        for paragraph in member(place, record, "paragraphs", of=list):
            at = out.passage(place, member(place, paragraph, "title"),
                             member(place, paragraph, "paragraph_text", "text"))
            if member(place, paragraph, "is_supporting", of=bool):
                evidence.append(at)
        out.question(place, str(member(place, record, "id")), member(place, record, "question"),
                     evidence)


def locomo(out, path, records):
    if isinstance(records, dict):
        records = [records]
    for number, record in enumerate(records):
        place = f"{path}: conversation {number}"
        if not isinstance(record, dict):
            raise Bad(f"{place}: an object is wanted")
        talk = record.get("conversation", record)
        name = str(record.get("sample_id", re.sub(r".*/|\.json$", "", path)))
        sessions = [key for key in talk if re.fullmatch(r"session_\d+", key)]
        if not sessions:
            raise Bad(f"{place}: it has no 'session_1'")
        turns = {}
        for session in sorted(sessions, key=lambda key: int(key[8:])):
            before = None
            for turn in member(place, talk, session, of=list):
                at = f"{place}: {session}"
                identity = member(at, turn, "dia_id", of=str)
                text = f"{member(at, turn, 'speaker', of=str)}: {member(at, turn, 'text', of=str)}"
                if turn.get("blip_caption"):
                    text += f" [{turn['blip_caption']}]"
                turns[identity] = out.passage(at, "", text, (name, identity))
                if before is not None:
                    out.link(before, turns[identity], 1)
                before = turns[identity]
        for asked, qa in enumerate(member(place, record, "qa", of=list)):
            at = f"{place}: question {asked}"
            text = member(at, qa, "question")
            named = re.findall(r"D\d+:\d+", json.dumps(qa.get("evidence", [])))
            out.question(at, f"{name}/{asked}", text,
                         [turns[turn] for turn in named if turn in turns])


def corpus(out, path, records):
    pairs = records.items() if isinstance(records, dict) else (
        (member(path, r, "title"), member(path, r, "text", "paragraph_text")) for r in records)
    for title, text in pairs:
        if isinstance(text, list) and all(isinstance(sentence, str) for sentence in text):
            text = " ".join(" ".join(text).split())
        out.passage(path, title, text)


class Titles:
    """Finds the longest titles in a text, word by word."""

    def __init__(self, by_title):
        self.known, self.longest = {}, 0
        for title, passages in by_title.items():
            words = tuple(WORD.findall(re.sub(r"\s*\([^()]*\)\s*$", "", title)))
            if not words or (len(words) == 1 and len(words[0]) < 3):
                continue
            self.known.setdefault(words, []).extend(passages)
            self.longest = max(self.longest, len(words))

    def named_in(self, text):
        words, found, at = WORD.findall(text), set(), 0
        while at < len(words):
            for length in range(min(self.longest, len(words) - at), 0, -1):
                passages = self.known.get(tuple(words[at:at + length]))
                if passages:
                    found.update(passages[:NAMED_AT_MOST])
                    at += length - 1
                    break
            at += 1
        return found


def link_titles(out):
    titles = Titles(out.by_title)
    named = [titles.named_in(text) for _, text in out.passages]
    times = {}
    for number, passages in enumerate(named):
        for passage in passages - {number}:
            times[passage] = times.get(passage, 0) + 1
    for number, passages in enumerate(named):
        for passage in sorted(passages - {number}):
            out.link(number, passage, 1 / math.sqrt(times[passage]))
    for passages in out.by_title.values():
        for a, b in zip(passages, passages[1:]):
            out.link(a, b, SAME_TITLE)
    return titles


FORMATS = {"hotpotqa": hotpotqa, "2wikimultihopqa": hotpotqa, "musique": musique, "locomo": locomo}


def convert(form, paths):
    if form not in FORMATS:
        raise Bad(f"'{form}' is not one of {', '.join(FORMATS)}")
    out = Set()
    for path in paths:
        reader = FORMATS[form]
        if path.startswith("corpus:"):
            path, reader = path[len("corpus:"):], corpus
        records = load(path)
        if reader in (hotpotqa, musique) and isinstance(records, dict) and "question" in records:
            records = [records]  # JSON lines of one line
        if not isinstance(records, list) and (reader in (hotpotqa, musique)
                                              or not isinstance(records, dict)):
            raise Bad(f"{path}: a list of questions is wanted")
        reader(out, path, records)
    return out, link_titles(out)


def lines(out, titles):
    for number, (title, text) in enumerate(out.passages):
        yield {"passage": f"p{number}", "text": text, **({"title": title} if title else {})}
    for (a, b), weight in out.links.items():
        yield {"link": [f"p{a}", f"p{b}"], "weight": round(weight, 4)}
    for identity, text, evidence in out.questions:
        names = sorted(titles.named_in(text))
        yield {"question": text, "id": identity, "evidence": [f"p{p}" for p in evidence],
               **({"names": [f"p{p}" for p in names]} if names else {})}


def main():
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(FORMATS)} [corpus:]FILE... > data.jsonl")
    try:
        out, titles = convert(sys.argv[1], sys.argv[2:])
    except Bad as error:
        sys.exit(f"convert.py: {error}")
    for line in lines(out, titles):
        print(json.dumps(line, ensure_ascii=False))
    print(f"{len(out.passages)} passages, {len(out.links)} links, {len(out.questions)} questions; "
          f"{out.without_evidence} questions without evidence left out", file=sys.stderr)


if __name__ == "__main__":
    main()
