"""The table of all doors: the requests of tests/tools/limits/request_table.h, with the same bytes."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import plexus


def without_times(text):
    return re.sub(rb'"stage_ms":\[[^]]*', b'"stage_ms":[', text)


class Table(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        program = os.path.join(os.environ["PLEXUS_BUILD"], "tests", "tools", "c", "c_test")
        if not os.path.exists(program):
            self.skipTest("c_test is not built")
        subprocess.run([program, "--gtest_filter=CSameBytes.TheTable*"], check=True,
                       stdout=subprocess.DEVNULL, env=dict(os.environ, PLEXUS_TABLE=self.folder))

    def test_the_same_bytes(self):
        with open(os.path.join(self.folder, "table.jsonl"), encoding="utf-8") as lines:
            table = [json.loads(line) for line in lines]
        self.assertGreaterEqual(len(table), 200)
        failed = 0
        with plexus.open(os.path.join(self.folder, "graph"), create=False) as graph:
            for asked in table:
                request, expected = asked["request"].encode(), asked["reply"].encode()
                with self.subTest(asked["operation"], request=request):
                    try:
                        got = graph._call(asked["operation"], json.loads(request)).bytes
                    except plexus.Error as wrong:
                        failed += 1
                        error = json.loads(asked["reply"])["error"]
                        self.assertEqual((wrong.code, wrong.message),
                                         (error["code"], error["message"]))
                        self.assertNotEqual(asked["code"], 0)
                    else:
                        self.assertEqual(without_times(got), without_times(expected))
                        self.assertEqual(asked["code"], 0)
        self.assertGreater(failed, 50)


if __name__ == "__main__":
    unittest.main()
