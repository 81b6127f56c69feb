"""The package as people get it: pip without a network, the program, the README's lines."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[3]
PACKAGE = TREE / "tools" / "python"


def run(arguments, **options):
    return subprocess.run([str(a) for a in arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, **options)


def a_python_with_venv():
    """This one, or another whose module venv brings pip."""
    for python in (sys.executable, shutil.which("python3")):
        if python and run([python, "-c", "import ensurepip"]).returncode == 0:
            return python
    return None


class Document:
    """What a framework would hand over."""

    def __init__(self, **members):
        self.__dict__.update(members)


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, str(self.folder))

    def test_the_readme_runs(self):
        text = (PACKAGE / "README.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            done = run([sys.executable, "-c", block], cwd=str(self.folder))
            self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("Deploys stop on Fridays", run([sys.executable, "-c", blocks[0]],
                                                     cwd=str(self.folder)).stdout)

    def test_the_agent_loop_runs(self):
        for _ in range(2):  # the second finds what the first wrote
            done = run([sys.executable, PACKAGE / "examples" / "agent_loop.py", "g"],
                       cwd=str(self.folder))
            self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("when do deploys stop: Deploys stop on Thursdays.", done.stdout)
        self.assertNotIn("Fridays", done.stdout)
        self.assertIn("['helpful']", done.stdout)

    def test_the_decisions_run(self):
        for _ in range(2):
            done = run([sys.executable, PACKAGE / "examples" / "decisions.py", "g"],
                       cwd=str(self.folder))
            self.assertEqual(done.returncode, 0, done.stdout)
        for line in ("ancestors ['writer', 'storage']", "descendants ['writer', 'readers']",
                     "contradictions 1", "paths 1", "salience storage", "nodes 4"):
            self.assertIn(line, done.stdout)

    def test_the_graph_stores_run(self):
        done = run([sys.executable, PACKAGE / "examples" / "graph_stores.py", "g"],
                   cwd=str(self.folder))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("[['depends_on', 'engine']]", done.stdout)
        self.assertIn("['engine', 'part_of', 'plexus']", done.stdout)
        sys.path.insert(0, str(PACKAGE / "examples"))
        self.addCleanup(sys.path.remove, str(PACKAGE / "examples"))
        import plexus
        from graph_stores import PropertyGraph

        nodes = [Document(id=i, type="memory", properties={"text": "note %s" % i}) for i in "ab"]
        edge = Document(source=nodes[0], target=nodes[1], type="supports",
                        properties={"weight": 0.5})
        with plexus.open(str(self.folder / "p")) as graph:
            store = PropertyGraph(graph)
            store.add_graph_documents([Document(nodes=nodes, relationships=[edge])])
            self.assertEqual([hit["key"] for hit in store.query("note b")], ["b"])
            self.assertEqual(graph.neighbors("a")["neighbors"][0]["weight"], 0.5)

    def test_versions_are_those_of_the_library(self):
        sys.path.insert(0, str(PACKAGE))
        self.addCleanup(sys.path.remove, str(PACKAGE))
        import backend
        import plexus

        self.assertEqual(backend.python_version("1.0.0"), "1.0.0")
        self.assertEqual(backend.python_version("1.2.0-rc.1"), "1.2.0rc1")
        self.assertEqual(backend.version_of(plexus._lib._name),
                         backend.python_version(plexus.__version__))

    def test_the_program_starts(self):
        import plexus

        done = run([sys.executable, "-m", "plexus", "--version"])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual("plexus %s\n" % plexus.__version__, done.stdout)

    def test_pip_installs_without_a_network(self):
        python = a_python_with_venv()
        if not python:
            self.skipTest("no Python with ensurepip")
        made = run([python, "-m", "venv", self.folder / "venv"])
        self.assertEqual(made.returncode, 0, made.stdout)
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("PLEXUS_LIBRARY", "PLEXUS_PROGRAM", "PYTHONPATH")}
        environment["PIP_NO_INDEX"] = "1"
        pip = self.folder / "venv" / "bin" / "pip"
        done = run([pip, "install", PACKAGE], env=environment)
        self.assertEqual(done.returncode, 0, done.stdout)
        text = ("import plexus\nwith plexus.open('g') as g:\n g.put('m1', text='a')\n"
                " print(g.get('m1')['key'], plexus.__file__)\n")
        inside = self.folder / "venv" / "bin" / "python"
        done = run([inside, "-c", text], cwd=str(self.folder), env=environment)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("site-packages", done.stdout)
        program = run([self.folder / "venv" / "bin" / "plexus", "stats", "--db", "g"],
                      cwd=str(self.folder), env=environment)
        self.assertEqual(program.returncode, 0, program.stdout)


if __name__ == "__main__":
    unittest.main()
