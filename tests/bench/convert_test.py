"""convert.py on tiny samples in the public shapes, and what it refuses."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(__file__), "../../bench/retrieval/convert.py")

HOTPOT = [{
    "_id": "q1", "question": "Who directed Blind Shaft?", "answer": "Li Yang", "type": "bridge",
    "level": "easy", "supporting_facts": [["Blind Shaft (film)", 0], ["Li Yang", 1]],
    "context": [["Blind Shaft (film)", ["Blind Shaft was made", " by Li Yang."]],
                ["Li Yang", ["A director.", "Born in Xi'an."]], ["Xi'an", ["A city."]]]}]
# As the hub of data sets has it: columns instead of pairs.
HOTPOT_COLUMNS = [{
    "id": "q1", "question": "Who?", "supporting_facts": {"title": ["B"], "sent_id": [0]},
    "context": {"title": ["A", "B"], "sentences": [["One."], ["Two."]]}}]
MUSIQUE = [{
    "id": "2hop__1_2", "question": "Where?", "answerable": True, "paragraphs": [
        {"idx": 0, "title": "Green", "paragraph_text": "An album.", "is_supporting": True},
        {"idx": 1, "title": "Green", "paragraph_text": "It was sold.", "is_supporting": False},
        {"idx": 2, "title": "Steve", "paragraph_text": "Steve made it.", "is_supporting": True}]}]
LOCOMO = [{
    "sample_id": "conv-1", "qa": [
        {"question": "When?", "answer": "May", "evidence": ["D1:1; D1:2"], "category": 2},
        {"question": "Never asked?", "evidence": [], "category": 5}],
    "conversation": {
        "speaker_a": "Ann", "speaker_b": "Bob", "session_1_date_time": "8 May",
        "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hey"},
                      {"speaker": "Bob", "dia_id": "D1:2", "text": "Look", "blip_caption": "a dog"}],
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "Again"}]}}]


def run(form, *contents):
    """Exit code, the lines by what they are, and what was said. A text is written as it is."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, content in enumerate(contents):
            prefix = ""
            if isinstance(content, tuple):
                prefix, content = content
            path = os.path.join(folder, f"f{number}.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(content if isinstance(content, str) else json.dumps(content))
            paths.append(prefix + path)
        done = subprocess.run([sys.executable, SCRIPT, form, *paths], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    parts = {what: [line for line in lines if what in line] for what in ("passage", "link", "question")}
    return done.returncode, parts, done.stderr


class Convert(unittest.TestCase):
    def test_hotpotqa(self):
        for form in ("hotpotqa", "2wikimultihopqa"):
            code, parts, said = run(form, HOTPOT)
            self.assertEqual(code, 0, said)
            self.assertEqual([p["title"] for p in parts["passage"]],
                             ["Blind Shaft (film)", "Li Yang", "Xi'an"])
            self.assertEqual(parts["passage"][0]["text"], "Blind Shaft was made by Li Yang.")
            self.assertEqual([link["link"] for link in parts["link"]], [["Blind Shaft (film)", "Li Yang"], ["Li Yang", "Xi'an"]])
            self.assertEqual(parts["question"], [{
                "question": "Who directed Blind Shaft?", "id": "q1",
                "evidence": ["Blind Shaft (film)", "Li Yang"]}])

    def test_columns_lines_and_a_corpus(self):
        code, parts, said = run("hotpotqa", HOTPOT_COLUMNS, json.dumps(HOTPOT[0]) + "\n\n",
                                ("corpus:", {"C": ["Three."], "A": ["One."]}),
                                ("corpus:", [{"title": "D", "text": "Four."}]))
        self.assertEqual(code, 0, said)
        self.assertEqual(len(parts["passage"]), 7)
        self.assertEqual(len(parts["question"]), 1)  # the same id stands twice
        code, parts, said = run("hotpotqa", HOTPOT, ("corpus:4:", {"C": "3", "D": "4", "E": "5"}))
        self.assertEqual([p["passage"] for p in parts["passage"]],
                         ["Blind Shaft (film)", "Li Yang", "Xi'an", "C"], said)

    def test_musique(self):
        code, parts, said = run("musique", "\n".join(json.dumps(q) for q in MUSIQUE))
        self.assertEqual(code, 0, said)
        self.assertEqual(parts["question"][0]["evidence"], ["Green", "Steve"])
        self.assertEqual(parts["link"][-1], {"link": ["Green", "Green (2)"], "weight": 0.5})

    def test_locomo(self):
        for data in (LOCOMO, {**LOCOMO[0]["conversation"], "qa": LOCOMO[0]["qa"]}):
            code, parts, said = run("locomo", data)
            self.assertEqual(code, 0, said)
            self.assertEqual([p["text"] for p in parts["passage"]],
                             ["Ann: Hey", "Bob: Look [a dog]", "Ann: Again"])
            self.assertEqual([link["link"] for link in parts["link"]], [["p0", "p1"]])
            self.assertEqual([q["evidence"] for q in parts["question"]], [["p0", "p1"]])
            self.assertIn("1 questions without evidence", said)

    def test_smart(self):
        documents = (".I 1\n.T\nSorting\n.W\nBy keys.\n.X\n2\t5\t1\n1\t5\t1\n"
                     ".I 2\n.T\nMerging\n.X\n1\t5\t2\n")
        code, parts, said = run("smart", documents, ".I 1\n.W\nHow to\nsort?\n.I 2\n.W\nWhy?\n",
                                "01 2 0 0\n")
        self.assertEqual(code, 0, said)
        self.assertEqual([p["text"] for p in parts["passage"]], ["Sorting By keys.", "Merging"])
        self.assertEqual(parts["link"], [{"link": ["p0", "p1"], "weight": 1.0}])
        self.assertEqual(parts["question"],
                         [{"question": "How to sort?", "id": "1", "evidence": ["p1"]}])
        self.assertIn("1 questions without evidence", said)
        self.assertEqual(run("smart", documents)[0], 1)

    def test_newcomers_questions_name_sections_that_are_there(self):
        root = os.path.join(os.path.dirname(SCRIPT), "../..")
        questions = os.path.join(root, "bench/retrieval/newcomer.jsonl")
        done = subprocess.run([sys.executable, SCRIPT, "documents", questions, root],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count('"question"'), 51)

    def test_documents(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "deep"))
            with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
                file.write("Begin.\n\n# Install\nSee [more](deep/MORE.md#x).\n```\n# no heading\n```\n")
            with open(os.path.join(folder, "deep", "MORE.md"), "w", encoding="utf-8") as file:
                file.write("# Install\nBy hand.\n## Empty\n")
            questions = os.path.join(folder, "q.jsonl")
            for section, good in (("Install", True), ("Empty", False)):
                with open(questions, "w", encoding="utf-8") as file:
                    file.write(json.dumps({"question": "How?", "document": "deep/MORE.md",
                                           "section": section}))
                done = subprocess.run([sys.executable, SCRIPT, "documents", questions, folder],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0 if good else 1, done.stderr)
                if not good:
                    self.assertIn("no section 'Empty' in deep/MORE.md", done.stderr)
                    continue
                lines = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual([line["passage"] for line in lines if "passage" in line],
                                 ["README.md", "Install", "Install (2)"])
                self.assertEqual([line["link"] for line in lines if "link" in line],
                                 [["README.md", "Install"], ["Install", "Install (2)"]])
                self.assertEqual(lines[-1]["evidence"], ["Install (2)"])

    def test_refuses(self):
        def refused(form, content, why):
            code, _, said = run(form, content)
            self.assertEqual(code, 1, said)
            self.assertIn(why, said)
            self.assertNotIn("Traceback", said)

        def without(record, key):
            return [{k: v for k, v in record.items() if k != key}]

        refused("hotpotqa", "", "it is empty")
        refused("hotpotqa", "{", "line 1: no JSON")
        refused("hotpotqa", '{"a":1}\n{', "line 2: no JSON")
        refused("hotpotqa", {"a": 1}, "a list of questions is wanted")
        refused("hotpotqa", [1], "question 0: an object is wanted")
        for key in ("context", "question", "supporting_facts", "_id"):
            refused("hotpotqa", without(HOTPOT[0], key), f"question 0: it has no '{key}'")
        refused("hotpotqa", [{**HOTPOT[0], "context": "x"}], "'context' is of another type")
        refused("hotpotqa", [{**HOTPOT[0], "context": [["A"]]}], "[title, [sentence...]]")
        refused("hotpotqa", [{**HOTPOT[0], "context": [["A", [1]]]}], "sentences are texts")
        refused("hotpotqa", [{**HOTPOT[0], "supporting_facts": [["Nobody", 0]]}], "names 'Nobody'")
        refused("musique", without(MUSIQUE[0], "paragraphs"), "it has no 'paragraphs'")
        refused("musique", [{**MUSIQUE[0], "paragraphs": [{"title": "A"}]}], "no 'paragraph_text'")
        refused("locomo", [{"qa": []}], "it has no 'session_1'")
        refused("locomo", without(LOCOMO[0], "qa"), "it has no 'qa'")
        refused("locomo", [{"conversation": {"session_1": [{"text": "a"}]}, "qa": []}], "'dia_id'")
        refused("locomo", [1], "conversation 0: an object is wanted")
        refused("locomo", 1, "is wanted")
        refused("hotpotqa", [{**HOTPOT[0], "supporting_facts": [[["A"], 0]]}], "supporting_facts")
        refused("squad", [], "is not one of hotpotqa")
        code = subprocess.run([sys.executable, SCRIPT, "locomo", "/nowhere"], capture_output=True,
                              text=True)
        self.assertIn("/nowhere", code.stderr)


if __name__ == "__main__":
    unittest.main()
