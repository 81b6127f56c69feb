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
                                session_N: [{"speaker", "dia_id", "text", "blip_caption"?}...], or
                                "clean_text", as REALTALK has it; qa:
                                [{"question", "evidence": ["D1:3"...]}...]
    smart                       three files, as the collections CACM and CISI have them: documents (.I
                                number, .T, .A, .W, .K text, .X lines that begin with a number),
                                queries (.I, .W), judgements (query and document a line)
    documents                   one file of {"question", "document", "section"}, and the folder of these
                                documents in Markdown: a passage is a section of any README or other
                                document that is kept there
    corpus                      passages alone, beside those of another format: [{"title", "text"}...]
                                or {title: text or [sentence...]}. Given as corpus:FILE, or as
                                corpus:N:FILE: only until there are N passages.

A passage is a paragraph with its title, a turn of a conversation, a document or a section. Its id is its
title; another one of that title is "Title (2)". Links need no model:

    a text names the title of another passage: the longest title at each place, whole words as they
    are written, without a part in brackets; weight 1 / sqrt(passages that name it)
    passages of one title, weight 0.5
    a turn and the next one of its session, weight 1; so a section and the next one of its document
    a document's .X lines, and a section's links to another document: weight 1 / sqrt(links to that one)

Questions without evidence are left out and counted on standard error.
"""
import json
import math
import os
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
                text = (f"{member(at, turn, 'speaker', of=str)}: "
                        f"{member(at, turn, 'text', 'clean_text', of=str)}")
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


def fields(path):
    """The records of a file in SMART's form: {field: [line...]} each."""
    try:
        lines = open(path, encoding="latin-1").read().split("\n")
    except OSError as error:
        raise Bad(f"{path}: {error}") from error
    records, field = [], None
    for line in lines:
        mark = re.fullmatch(r"\.([A-Z])(?:\s+(\d+))?\s*", line)
        if mark and mark[1] == "I" and mark[2]:
            records.append({"I": mark[2]})
            field = None
        elif mark and not mark[2]:
            field = mark[1]
        elif field and records and line.strip():
            records[-1].setdefault(field, []).append(line.strip())
    if not records:
        raise Bad(f"{path}: it has no line '.I NUMBER'")
    return records


def link_fairly(out, pairs):
    """Links whose weight falls with the links that their end has."""
    to = {}
    for _, end in pairs:
        to[end] = to.get(end, 0) + 1
    for begin, end in sorted(pairs):
        out.link(begin, end, 1 / math.sqrt(to[end]))


def smart(out, paths):
    if len(paths) != 3:
        raise Bad("documents, queries and judgements are wanted")
    number, pairs = {}, set()
    records = fields(paths[0])
    for record in records:
        text = " ".join(line for field in "TWAK" for line in record.get(field, []))
        number[record["I"]] = out.passage(paths[0], "", text, (paths[0], record["I"]))
    for record in records:
        for line in record.get("X", []):
            end = number.get(line.split()[0])
            if end is not None and end != number[record["I"]]:
                pairs.add((number[record["I"]], end))
    link_fairly(out, pairs)
    relevant = {}
    for line in open(paths[2], encoding="latin-1"):
        words = line.split()
        if len(words) >= 2 and words[1] in number:
            relevant.setdefault(str(int(words[0])), []).append(number[words[1]])
    for record in fields(paths[1]):
        out.question(paths[1], record["I"], " ".join(record.get("W", [])) or "?",
                     relevant.get(record["I"], []))


HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
TO_DOCUMENT = re.compile(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)")


def sections(text):
    """(heading, lines) of a document; code between fences has no headings."""
    found, fenced = [("", [])], False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        heading = None if fenced else HEADING.match(line)
        if heading:
            found.append((heading[2], []))
        else:
            found[-1][1].append(line)
    return [(heading, lines) for heading, lines in found if "".join(lines).strip()]


def documents(out, paths):
    if len(paths) != 2:
        raise Bad("a file of questions and a folder are wanted")
    number, first, links = {}, {}, []
    for folder, below, names in os.walk(paths[1]):
        below[:] = sorted(name for name in below if not name.startswith((".", "build", "node_modules")))
        for name in sorted(name for name in names if name.endswith(".md")):
            path = os.path.relpath(os.path.join(folder, name), paths[1])
            before = None
            for heading, lines in sections(open(os.path.join(folder, name), encoding="utf-8").read()):
                at = out.passage(path, heading or path, "\n".join(lines), (path, heading))
                number.setdefault((path, heading), at)
                first.setdefault(path, at)
                if before is not None:
                    out.link(before, at, 1)
                before = at
                for target in TO_DOCUMENT.findall("\n".join(lines)):
                    links.append((at, os.path.normpath(os.path.join(os.path.dirname(path), target))))
    link_fairly(out, {(at, first[path]) for at, path in links if path in first and first[path] != at})
    records = load(paths[0])
    for asked, record in enumerate(records if isinstance(records, list) else [records]):
        place = f"{paths[0]}: question {asked}"
        text = member(place, record, "question", of=str)
        section = (member(place, record, "document", of=str), member(place, record, "section", of=str))
        if section not in number:
            raise Bad(f"{place}: no section '{section[1]}' in {section[0]}")
        out.question(place, text, text, [number[section]])


def corpus(out, path, records, most=None):
    pairs = records.items() if isinstance(records, dict) else (
        (member(path, r, "title"), member(path, r, "text", "paragraph_text")) for r in records)
    for title, text in pairs:
        if isinstance(text, list) and all(isinstance(sentence, str) for sentence in text):
            text = " ".join(" ".join(text).split())
        if most is not None and len(out.passages) >= most:
            break
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


# By file, and of several files together.
FORMATS = {"hotpotqa": hotpotqa, "2wikimultihopqa": hotpotqa, "musique": musique, "locomo": locomo}
WHOLE = {"smart": smart, "documents": documents}


def convert(form, paths):
    out = Set()
    if form in WHOLE:
        WHOLE[form](out, paths)
        return out
    if form not in FORMATS:
        raise Bad(f"'{form}' is not one of {', '.join([*FORMATS, *WHOLE])}")
    for path in paths:
        reader = FORMATS[form]
        alone = re.match(r"corpus:(?:(\d+):)?", path)
        if alone:
            path = path[alone.end():]
            records = load(path)
            corpus(out, path, records, int(alone[1]) if alone[1] else None)
            continue
        records = load(path)
        if reader in (hotpotqa, musique) and isinstance(records, dict) and "question" in records:
            records = [records]  # JSON lines of one line
        if not isinstance(records, list) and (reader in (hotpotqa, musique)
                                              or not isinstance(records, dict)):
            raise Bad(f"{path}: a list of questions is wanted")
        reader(out, path, records)
    link_titles(out)
    return out


def ids(out):
    """Of each passage: its title, which is what people call it by."""
    taken, made = set(), []
    for number, (title, _) in enumerate(out.passages):
        title = " ".join(title.split())[:200]
        name, again = title or f"p{number}", 1
        while name in taken:
            again += 1
            name = f"{title} ({again})"
        taken.add(name)
        made.append(name)
    return made


def lines(out):
    names = ids(out)
    for name, (title, text) in zip(names, out.passages):
        yield {"passage": name, "text": text, **({"title": title} if title else {})}
    for (a, b), weight in out.links.items():
        yield {"link": [names[a], names[b]], "weight": round(weight, 4)}
    for identity, text, evidence in out.questions:
        yield {"question": text, "id": identity, "evidence": [names[p] for p in evidence]}


def main():
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join([*FORMATS, *WHOLE])} [corpus:[N:]]FILE... > data.jsonl")
    try:
        out = convert(sys.argv[1], sys.argv[2:])
    except Bad as error:
        sys.exit(f"convert.py: {error}")
    for line in lines(out):
        print(json.dumps(line, ensure_ascii=False))
    print(f"{len(out.passages)} passages, {len(out.links)} links, {len(out.questions)} questions; "
          f"{out.without_evidence} questions without evidence left out", file=sys.stderr)


if __name__ == "__main__":
    main()
