#!/usr/bin/env python3
"""A source, two replicas and nginx before them, with the configuration of tools/server/REPLICAS.md.

  follow_pool.py --program build/release/tools/plexus --page tools/server/REPLICAS.md

Writes go to the source, reads to the replicas; what a request asks for by sequence it gets, from
whichever server has it; a replica that dies is passed over. Exit 77: no nginx.
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

TOKEN = "a-token-of-the-pool"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port, target, request=None, headers=None):
    data = None if request is None else json.dumps(request).encode()
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{target}", data,
                                   {"Content-Type": "application/json",
                                    "Authorization": "Bearer " + TOKEN, **(headers or {})})
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


def expect(what, truth, shown=""):
    if not truth:
        raise AssertionError(f"{what}: {shown}")


class Pool:
    def __init__(self, options):
        self.root = tempfile.mkdtemp(prefix="follow-pool-")
        self.options = options
        self.processes = []
        self.ports = {name: free_port() for name in ("source", "one", "two", "pool")}
        self.write("tokens", json.dumps({
            "name": "all", "rights": ["read", "write", "admin"],
            "sha256": hashlib.sha256(TOKEN.encode()).hexdigest()}) + "\n")
        self.write("token", TOKEN + "\n")

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="ascii") as out:
            os.fchmod(out.fileno(), 0o600)
            out.write(text)

    def start(self, *words):
        log = open(os.path.join(self.root, "log"), "ab")
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def serve(self, name):
        words = [os.path.abspath(self.options.program), "serve", "--db", f"{self.root}/{name}",
                 "--http", str(self.ports[name]), "--tokens", f"{self.root}/tokens"]
        if name != "source":
            words += ["--follow", f"http://127.0.0.1:{self.ports['source']}", "--follow-token",
                      f"{self.root}/token"]
        process = self.start(*words)
        self.ready(name)
        return process

    def ready(self, name):
        until = time.monotonic() + 30
        while ask(self.ports[name], "/ready")[0] != 200:
            expect(name + " does not answer", time.monotonic() < until)
            time.sleep(0.05)

    def start_nginx(self):
        with open(self.options.page, encoding="utf-8") as page:
            conf = re.search(r"```nginx\n(.*?)```", page.read(), re.S).group(1)
        for name, host in (("source", 1), ("one", 2), ("two", 3)):
            conf = conf.replace(f"10.0.0.{host}:8080", f"127.0.0.1:{self.ports[name]}")
        conf = conf.replace("listen 8000", f"listen 127.0.0.1:{self.ports['pool']}")
        user = "user root;\n" if os.geteuid() == 0 else ""
        paths = "".join(f"{kind}_temp_path {self.root}/{kind};\n" for kind in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        self.write("nginx.conf", f"daemon off;\n{user}pid {self.root}/pid;\nerror_log stderr;\n"
                   f"events {{}}\nhttp {{\naccess_log off;\n{paths}{conf}}}\n")
        self.start(shutil.which("nginx") or "/usr/sbin/nginx", "-c", f"{self.root}/nginx.conf",
                   "-p", self.root)
        self.ready("pool")

    def run(self):
        self.serve("source")
        one, _ = self.serve("one"), self.serve("two")
        self.start_nginx()
        pool = self.ports["pool"]
        for i in range(100):
            status, reply = ask(pool, "/v1/put", {"key": "m", "text": f"value {i}"})
            expect("a write over the pool", status == 200, reply)
            least = {"Plexus-Min-Sequence": str(reply["sequence"])}
            status, reply = ask(pool, "/v1/get?key=m", headers=least)
            expect("its own write", status == 200 and f"value {i}" in json.dumps(reply), reply)
        # The replicas answer what only reads: the source is the last resort.
        seen = ask(pool, "/v1/following")
        expect("a replica answers", seen[0] == 200 and seen[1]["connected"], seen)
        status, reply = ask(self.ports["one"], "/v1/put", {"key": "m", "text": "x"})
        expect("a replica refuses writes", status == 409 and "a replica of" in reply, reply)
        status, reply = ask(pool, "/v1/get?key=m", headers={"Plexus-Min-Sequence": "1000000"})
        expect("a record that does not exist", status == 503 and "ends at" in reply, reply)
        one.send_signal(signal.SIGKILL)
        one.wait()
        for i in range(20):
            status, reply = ask(pool, "/v1/get?key=m")
            expect("with one replica", status == 200, reply)
        self.serve("one")
        # A stopped replica lags: who asks for a sequence gets it from another.
        two = self.processes[2]
        two.send_signal(signal.SIGSTOP)
        try:
            status, reply = ask(pool, "/v1/put", {"key": "m", "text": "last"})
            least = {"Plexus-Min-Sequence": str(reply["sequence"])}
            status, reply = ask(self.ports["one"], "/v1/get?key=m", headers=least)
            expect("the other replica", status == 200 and "last" in json.dumps(reply), reply)
        finally:
            two.send_signal(signal.SIGCONT)
        metrics = urllib.request.urlopen(urllib.request.Request(
            f"http://127.0.0.1:{self.ports['one']}/metrics",
            headers={"Authorization": "Bearer " + TOKEN}), timeout=10).read().decode()
        expect("the lag is in the metrics", "\nplexus_replica_connected 1" in metrics, metrics)

    def clean(self, keep):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        if keep:
            print("follow_pool: the directory is", self.root)
        else:
            shutil.rmtree(self.root, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--page", required=True)
    options = parser.parse_args()
    if not shutil.which("nginx") and not os.path.exists("/usr/sbin/nginx"):
        print("follow_pool: skipped: no nginx here")
        return 77
    pool = Pool(options)
    failed = True
    try:
        pool.run()
        failed = False
    finally:
        pool.clean(failed)
    print("follow_pool: 100 writes read back over the pool")
    return 0


if __name__ == "__main__":
    sys.exit(main())
