#!/usr/bin/env python3
"""Loads on `plexus serve`, printed as one line each. Figures are in notes/server.md.

  server_load.py PROGRAM flat [N] [WRITES]   resident memory on the way to N = 10^6 requests, of
                                             which WRITES of a thousand write (0)
  server_load.py PROGRAM connections [N]     N connections at a time: how many are refused, and how
  server_load.py PROGRAM half-open           200 half-open sockets beside normal requests
  server_load.py PROGRAM graphs [N] [M]      N graphs of M memories below --root, in any order
  server_load.py PROGRAM tenants [N] [M] [S] [F]   N graphs of M memories below --root, asked and
                                             written for S seconds, F replicas of the busiest
  server_load.py PROGRAM copy DIR            a replica takes the files of a graph, beside writes
  server_load.py PROGRAM start DIR           cold start to the first answer, of an existing graph
  server_load.py PROGRAM stdio               a read tool on standard input, one at a time
"""
import atexit
import contextlib
import http.client
import json
import os
import random
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {},
              "clientInfo": {"name": "load", "version": "1"}}


def resident_mb(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


class Http:
    """plexus serve --http 0, and its port."""

    def __init__(self, program, words):
        self.process = subprocess.Popen([program, "serve", *words, "--http", "0"],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        for line in self.process.stderr:
            if "http=http://127.0.0.1:" in line:
                self.port = int(line.split("http=http://127.0.0.1:")[1].split()[0])
                return
        raise SystemExit("the server did not start")

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def end(self):
        self.process.terminate()
        self.process.wait()


class Lines:
    """plexus serve --mcp on pipes."""

    def __init__(self, program, words):
        self.process = subprocess.Popen([program, "serve", *words, "--mcp", "--quiet"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.process.kill)
        self.next = 0

    def ask(self, method, params):
        self.next += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def post(connection, path, body):
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def flat(program, folder, requests=1_000_000, writes=0):
    """Over one connection, many requests in flight; `writes` of a thousand change a memory."""
    server = Http(program, ["--db", folder + "/g"])
    with contextlib.closing(server.connect()) as connection:
        for i in range(1000):
            post(connection, "/v1/put", {"key": f"m{i}", "text": f"memory {i} of a test"})
    plain = socket.create_connection(("127.0.0.1", server.port))
    batch, answered = 500, 0
    for first in range(0, requests, batch):
        text = ""
        for i in range(first, first + batch):
            if i % 1000 < writes:
                body = json.dumps({"key": f"m{i // 1000 % 1000}", "text": f"memory {i % 7}"})
                text += ("POST /v1/put HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                         f"\r\nContent-Length: {len(body)}\r\n\r\n{body}")
            elif i % 100 == 99:
                text += "GET /v1/find?text=memory&top=5 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            else:
                text += f"GET /v1/get?key=m{i % 1000} HTTP/1.1\r\nHost: localhost\r\n\r\n"
        plain.sendall(text.encode())
        seen, tail = 0, b""
        while seen < batch:
            piece = plain.recv(1 << 20)
            if not piece:
                raise SystemExit("the server closed the connection")
            seen += (tail + piece).count(b"HTTP/1.1 ")
            tail = piece[-8:]
        answered += batch
        if answered in (batch, 10_000, 100_000, 200_000, 500_000) or answered == requests:
            print(f"flat: {answered} requests, {resident_mb(server.process.pid):.1f} MB resident, "
                  f"{cpu_seconds(server.process.pid):.1f} s of processor time", flush=True)
    server.end()


def connections(program, folder, many=10_000):
    resource.setrlimit(resource.RLIMIT_NOFILE, (many + 100, many + 100))
    server = Http(program, ["--db", folder + "/g"])
    held, refused = [], 0
    begun = time.perf_counter()
    for _ in range(many):
        held.append(socket.create_connection(("127.0.0.1", server.port), timeout=30))
    for one in held:
        one.setblocking(False)
    time.sleep(1)
    closed = 0
    for one in held:
        try:
            answer = one.recv(4096)
            refused += answer.startswith(b"HTTP/1.1 503") and b"Retry-After" in answer
            closed += answer == b""
        except BlockingIOError:
            pass
        except ConnectionResetError:
            closed += 1
    took = time.perf_counter() - begun
    print(f"connections: {many} in {took:.1f} s: {refused} refused with 503 and Retry-After, "
          f"{closed} closed without a word, {many - refused - closed} held, "
          f"{resident_mb(server.process.pid):.1f} MB resident")
    for one in held:
        one.close()
    time.sleep(0.5)
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", "/health")
        print("connections: afterwards /health is", connection.getresponse().status)
    server.end()


def half_open(program, folder):
    server = Http(program, ["--db", folder + "/g"])
    held = []
    for _ in range(200):
        held.append(socket.create_connection(("127.0.0.1", server.port)))
        held[-1].sendall(b"POST /v1/stats HTTP/1.1\r\nHost: loc")
    times = []
    for _ in range(200):
        begun = time.perf_counter()
        with contextlib.closing(server.connect()) as connection:
            connection.request("GET", "/v1/stats")
            assert connection.getresponse().status == 200
        times.append(time.perf_counter() - begun)
    print(f"half-open: 200 requests beside them, p50 {percentile(times, 0.5) * 1e3:.1f} ms, "
          f"slowest {max(times) * 1e3:.1f} ms")
    server.end()


def make_root(program, folder, many, memories):
    """Below folder/root: one graph is made, and copied."""
    first = folder + "/root/g0"
    os.makedirs(folder + "/root")
    lines = folder + "/lines.jsonl"
    with open(lines, "w") as file:
        for i in range(memories):
            file.write(json.dumps({"node": f"m{i}", "kind": "memory",
                                   "text": f"memory {i}: an agent has seen thing {i * 7919 % 1009}"})
                       + "\n")
    subprocess.run([program, "import", "--quiet", "--db", first, lines], check=True)
    for i in range(1, many):
        shutil.copytree(first, f"{folder}/root/g{i}")


def graphs(program, folder, many=10_000, memories=1000):
    """Each graph is opened by its first request, in any order."""
    make_root(program, folder, many, memories)
    server = Http(program, ["--root", folder + "/root", "--max-memory", "1024"])
    order = list(range(many))
    random.Random(1).shuffle(order)
    times, again, most = [], [], 0.0
    with contextlib.closing(server.connect()) as connection:
        for count, i in enumerate(order):
            for to in (times, again):
                begun = time.perf_counter()
                status, body = post(connection, f"/graphs/g{i}/v1/get", {"key": ["m7"]})
                to.append(time.perf_counter() - begun)
                if status != 200:
                    raise SystemExit(f"g{i}: {status} {body[:200]}")
            if count % 100 == 0:
                most = max(most, resident_mb(server.process.pid))
    most = max(most, resident_mb(server.process.pid))
    print(f"graphs: {many} of {memories} memories, first request (opens it) "
          f"p50 {percentile(times, 0.5) * 1e3:.2f} ms, p99 {percentile(times, 0.99) * 1e3:.2f} ms; "
          f"second p50 {percentile(again, 0.5) * 1e3:.2f} ms; at most {most:.0f} MB resident; "
          f"{cpu_seconds(server.process.pid) / many * 1e3:.2f} ms of processor time a graph")
    server.end()


class Replica(Http):
    """A replica that answers, of a graph of a server on this machine."""

    def __init__(self, program, source, directory):
        super().__init__(program, ["--db", directory, "--follow", source])

    def following(self):
        with contextlib.closing(self.connect()) as connection:
            connection.request("GET", "/v1/following")
            return json.loads(connection.getresponse().read())

    def wait_for(self, sequence, seconds):
        until = time.perf_counter() + seconds
        while self.following().get("sequence", -1) < sequence:
            if time.perf_counter() > until:
                raise SystemExit(f"a replica has not caught up: {self.following()}")
            time.sleep(0.02)


def tenants(program, folder, many=1000, memories=1000, seconds=60, followers=10):
    """Tenant i is asked 1 / (i + 1) times as often as tenant 0; of ten requests one writes. The
    replicas of tenant 0 answer its questions in turn."""
    make_root(program, folder, many, memories)
    server = Http(program, ["--root", folder + "/root"])
    replicas = [Replica(program, f"http://127.0.0.1:{server.port}/graphs/g0", f"{folder}/r{i}")
                for i in range(followers)]
    random_ = random.Random(7)
    weights = [1 / (i + 1) for i in range(many)]
    times = {"get": [], "recall": [], "put": [], "read of a replica": []}
    lags, most, opened = [], 0.0, set()
    begun = time.perf_counter()
    links = [one.connect() for one in replicas]
    with contextlib.closing(server.connect()) as connection:
        while time.perf_counter() < begun + seconds:
            tenant = random_.choices(range(many), weights)[0]
            what = random_.choices(("get", "recall", "put"), (5, 4, 1))[0]
            body = {"get": {"key": [f"m{random_.randrange(memories)}"]},
                    "recall": {"words": f"agent thing {random_.randrange(1009)}"},
                    "put": {"key": f"new{random_.randrange(1000)}", "text": "an agent wrote this"}}
            link, path = connection, f"/graphs/g{tenant}/v1/{what}"
            name = what
            if tenant == 0 and what != "put" and links:
                link, path = links[random_.randrange(len(links))], f"/v1/{what}"
                name = "read of a replica"
            before = time.perf_counter()
            status, answer = post(link, path, body[what])
            times[name].append(time.perf_counter() - before)
            opened.add(tenant)
            if status != 200:
                raise SystemExit(f"{path}: {status} {answer[:200]}")
            if tenant == 0 and what == "put":
                newest = json.loads(answer)["sequence"]
                written = time.perf_counter()
                for one in replicas:
                    one.wait_for(newest, 60)
                lags.append(time.perf_counter() - written)
            if sum(len(one) for one in times.values()) % 100 == 0:
                most = max(most, resident_mb(server.process.pid))
    took = time.perf_counter() - begun
    asked = sum(len(one) for one in times.values())
    print(f"tenants: {many} of {memories} memories, {len(opened)} were asked, {asked / took:.0f} "
          f"requests a second of one client; the server {most:.0f} MB resident, "
          f"{cpu_seconds(server.process.pid) / took:.2f} processors")
    for name, all_ in times.items():
        if all_:
            print(f"tenants: {name} p50 {percentile(all_, 0.5) * 1e3:.2f} ms, "
                  f"p99 {percentile(all_, 0.99) * 1e3:.2f} ms of {len(all_)}")
    if lags:
        print(f"tenants: all {followers} replicas have a write after p50 "
              f"{percentile(lags, 0.5) * 1e3:.1f} ms, p99 {percentile(lags, 0.99) * 1e3:.1f} ms of "
              f"{len(lags)}; a replica is "
              f"{sum(resident_mb(one.process.pid) for one in replicas) / followers:.0f} MB resident")
    for one in replicas:
        one.end()
    server.end()


def copy(program, folder, directory):
    """How fast a replica takes the files, and what writes cost meanwhile."""
    source = folder + "/source"
    shutil.copytree(directory, source)
    server = Http(program, ["--db", source])
    with contextlib.closing(server.connect()) as connection:
        alone, beside, process, begun = [], [], None, 0.0
        for i in range(10_000_000):
            before = time.perf_counter()
            status, answer = post(connection, "/v1/put", {"key": f"copy{i}", "text": "a write"})
            assert status == 200, answer
            took = time.perf_counter() - before
            if process is None:
                alone.append(took)
                if i == 50:
                    begun = time.perf_counter()
                    process = subprocess.Popen(
                        [program, "follow", f"http://127.0.0.1:{server.port}", "--db",
                         folder + "/replica", "--once"], stderr=subprocess.DEVNULL)
                    atexit.register(process.kill)
            else:
                beside.append(took)
                if process.poll() is not None:
                    break
            time.sleep(0.02)
        took = time.perf_counter() - begun
        assert process.returncode == 0, process.returncode
    megabytes = sum(os.path.getsize(os.path.join(base, one)) / 1e6
                    for base, _, files in os.walk(folder + "/replica") for one in files)
    print(f"copy: {megabytes:.0f} MB in {took:.1f} s, {megabytes / took:.0f} MB/s, with the opening; "
          f"a write p50 {percentile(alone, 0.5) * 1e3:.1f} ms before, "
          f"{percentile(beside, 0.5) * 1e3:.1f} ms beside (p99 {percentile(beside, 0.99) * 1e3:.1f})")
    server.end()


def start(program, _, directory, runs=15):
    times = []
    for _ in range(int(runs)):
        begun = time.perf_counter()
        server = Lines(program, ["--db", directory])
        server.ask("initialize", INITIALIZE)
        answer = server.ask("tools/call", {"name": "status", "arguments": {}})
        times.append(time.perf_counter() - begun)
        assert b'"isError":true' not in answer and b"structuredContent" in answer, answer[:300]
        server.end()
    print(f"start: to the first answer of status, best {min(times) * 1e3:.0f} ms, "
          f"p50 {percentile(times, 0.5) * 1e3:.0f} ms of {len(times)}")


def stdio(program, folder):
    server = Lines(program, ["--db", folder + "/g"])
    server.ask("initialize", INITIALIZE)
    server.ask("tools/call", {"name": "remember", "arguments": {"key": "m1", "text": "a memory"}})
    for name, arguments in (("status", {}), ("explore", {"from": ["m1"]}),
                            ("recall", {"words": "memory"})):
        times = []
        before = cpu_seconds(server.process.pid)
        for _ in range(3000):
            begun = time.perf_counter()
            server.ask("tools/call", {"name": name, "arguments": arguments})
            times.append(time.perf_counter() - begun)
        used = (cpu_seconds(server.process.pid) - before) / 3000
        print(f"stdio: {name} p50 {percentile(times, 0.5) * 1e3:.3f} ms, p99 "
              f"{percentile(times, 0.99) * 1e3:.3f} ms, {used * 1e3:.3f} ms of processor time")
    server.end()


def main():
    loads = {"flat": flat, "connections": connections, "half-open": half_open, "graphs": graphs,
             "tenants": tenants, "copy": copy, "start": start, "stdio": stdio}
    if len(sys.argv) < 3 or sys.argv[2] not in loads:
        raise SystemExit(__doc__)
    more = [int(word) if word.isdigit() else word for word in sys.argv[3:]]
    with tempfile.TemporaryDirectory(prefix="plexus-load-") as folder:
        loads[sys.argv[2]](os.path.abspath(sys.argv[1]), folder, *more)


main()
