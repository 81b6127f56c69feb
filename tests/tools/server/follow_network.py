#!/usr/bin/env python3
"""Followers on three hosts of this machine: network namespaces with veth behind a bridge.

  follow_network.py --program build/release/tools/plexus [--seconds 30] [--seed 1] [--keep]

One source and two followers, in namespaces of their own. Beside writes, purges and trims the links
are cut, and each of the three is killed with -9. What a follower answers has to be, whole, a state
that the source had; at the end all exports are equal. The driver talks to each through the socket
in its directory, so it sees both sides of a cut. Exit 77: not root, or no namespaces.
"""
import argparse
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HOSTS = {"source": "10.77.0.1", "one": "10.77.0.2", "two": "10.77.0.3"}
SWITCH = "plexus-switch"
TOKEN = "a-token-of-the-followers"


def run(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


def space(name):
    return "plexus-" + name


class Network:
    def __init__(self):
        self.remove()
        run("ip", "netns", "add", SWITCH)
        on = ("ip", "netns", "exec", SWITCH)
        run(*on, "ip", "link", "add", "br0", "type", "bridge")
        run(*on, "ip", "link", "set", "br0", "up")
        for name, address in HOSTS.items():
            run("ip", "netns", "add", space(name))
            run("ip", "link", "add", "eth0", "netns", space(name), "type", "veth", "peer", "name",
                "to-" + name, "netns", SWITCH)
            run(*on, "ip", "link", "set", "to-" + name, "master", "br0", "up")
            inside = ("ip", "netns", "exec", space(name))
            run(*inside, "ip", "address", "add", address + "/24", "dev", "eth0")
            run(*inside, "ip", "link", "set", "eth0", "up")
            run(*inside, "ip", "link", "set", "lo", "up")

    def set_link(self, name, up):
        run("ip", "netns", "exec", SWITCH, "ip", "link", "set", "to-" + name,
            "up" if up else "down")

    @staticmethod
    def remove():
        for name in [space(n) for n in HOSTS] + [SWITCH]:
            run("ip", "netns", "del", name, check=False)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Server:
    """A process in a namespace; `ask` is thread-safe."""

    def __init__(self, program, name, root, words):
        self.name, self.directory = name, os.path.join(root, name)
        self.words = ["ip", "netns", "exec", space(name), program, "serve", "--db", self.directory,
                      "--http", HOSTS[name] + ":8080", "--tokens", os.path.join(root, "tokens")]
        self.words += words
        self.log = open(os.path.join(root, name + ".log"), "ab")
        self.process = None
        self.up_since = None

    def start(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log)
        self.up_since = time.monotonic()

    def kill(self):
        self.up_since = None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.up_since = None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def ask(self, method, target, body=None, headers=None, timeout=30):
        connection = UnixConnection(os.path.join(self.directory, "serve.sock"), timeout)
        try:
            connection.request(method, target, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def post(self, operation, request):
        status, body = self.ask("POST", "/v1/" + operation, json.dumps(request),
                                {"Content-Type": "application/json"})
        if status != 200:
            raise OSError(f"{self.name} {operation}: {status} {body[:300]}")
        return json.loads(body)

    def export(self, **request):
        status, body = self.ask("POST", "/v1/export", json.dumps({"format": "jsonl", **request}),
                                {"Content-Type": "application/json"})
        if status != 200:
            raise OSError(f"{self.name} export: {status} {body[:300]}")
        return body

    def sequence(self):
        status, body = self.ask("GET", "/v1/history")
        if status != 200:
            raise OSError(f"{self.name} history: {status}")
        return json.loads(body)["sequence"]

    def ready(self, seconds=60):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                self.sequence()
                return
            except OSError:
                time.sleep(0.01)
            except http.client.HTTPException:
                time.sleep(0.01)
        raise RuntimeError(self.name + " does not answer")


FAILURES = (OSError, http.client.HTTPException, ValueError)


def tick_of(export):
    for line in export.splitlines():
        if b'"node":"clock"' in line:
            text = json.loads(line).get("text", "")
            return int(text.split()[-1])
    return 0


def digest(export):
    return hashlib.sha256(export).digest()


FORGOTTEN_WITHIN = 2.0  # seconds, on a busy machine: words and tags, after the text
CONNECTED_WITHIN = 8.0  # seconds: a poll that a cut has left without an answer, and a pause


def key_of(secret):
    return "m" + secret[1:].split("x")[0]


class Test:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.root = tempfile.mkdtemp(prefix="follow-network-")
        tokens = {"name": "followers", "rights": ["read"],
                  "sha256": hashlib.sha256(TOKEN.encode()).hexdigest()}
        self.write("tokens", json.dumps(tokens) + "\n")
        self.write("token", TOKEN + "\n")
        self.network = Network()
        follow = ["--follow", "http://10.77.0.1:8080", "--follow-token", self.root + "/token"]
        program = os.path.abspath(options.program)
        self.source = Server(program, "source", self.root, [])
        self.followers = [Server(program, name, self.root, follow) for name in ("one", "two")]
        self.tick = 0
        self.lock = threading.Lock()
        self.states = {}     # digest -> tick
        self.by_tick = {}    # tick -> sequences
        self.recorded = -1   # sequence
        self.live, self.dead = [], {}    # memories; secret -> tick of the purge
        self.asked_to_purge = set()      # of these a killed source may have purged without a reply
        self.dead_since = {}             # secret -> time when it was purged
        self.linked = {s.name: time.monotonic() for s in self.followers}  # None: cut
        self.answers, self.lags, self.wrong = 0, [], []
        self.counts = dict.fromkeys(
            ["writes", "purges", "trims", "cuts", "source kills", "follower kills", "later"], 0)
        self.stop = threading.Event()
        self.source_up = threading.Event()
        self.source_since = 0.0

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="ascii") as out:
            os.fchmod(out.fileno(), 0o600)
            out.write(text)

    def fail(self, what):
        with self.lock:
            self.wrong.append(what)
        print("wrong:", what, flush=True)
        if len(self.wrong) > 10:
            self.stop.set()

    # What the source has, after each step of it.
    def record(self):
        now = self.source.sequence()
        tick = self.tick
        for sequence in range(self.recorded + 1, now + 1):
            state = self.source.export(as_of=str(sequence))
            tick = tick_of(state)
            with self.lock:
                self.states.setdefault(digest(state), tick)
                self.by_tick.setdefault(tick, []).append(sequence)
        state = self.source.export()
        with self.lock:
            self.states.setdefault(digest(state), tick_of(state))
        self.tick = max(self.tick, tick)
        self.recorded = now

    def step(self):
        tick = self.tick + 1
        kind = self.random.random()
        if kind < 0.04 and len(self.live) > 20:
            secret = self.live.pop(self.random.randrange(len(self.live)))
            with self.lock:
                self.asked_to_purge.add(secret)
            self.source.post("purge", {"key": key_of(secret)})
            with self.lock:
                self.dead[secret] = self.tick
                self.dead_since[secret] = time.monotonic()
            self.counts["purges"] += 1
            return None
        if kind < 0.045 and self.recorded > 400:
            self.source.post("trim", {"before": str(self.recorded - 300)})
            self.counts["trims"] += 1
            return None
        secret = f"s{tick}x{self.random.randrange(10**9)}"
        lines = [{"node": "clock", "kind": "memory", "text": f"tick {tick}"},
                 {"node": key_of(secret), "kind": "memory", "text": f"the word {secret} and others",
                  "tags": [f"t{tick % 5}", "tag" + secret]}]
        if self.live:
            other = self.random.choice(self.live)
            lines.append({"edge": [key_of(secret), key_of(other)], "kind": "supports", "weight": 0.5})
            if self.random.random() < 0.2 or len(self.live) > 300:
                lines.append({"remove": key_of(self.live.pop(0))})
        body = "".join(json.dumps(line) + "\n" for line in lines)
        status, answer = self.source.ask("POST", "/v1/import?format=jsonl", body,
                                         {"Content-Type": "application/x-ndjson"})
        if status != 200:
            raise OSError(f"import: {status} {answer[:300]}")
        self.live.append(secret)
        self.counts["writes"] += 1
        return json.loads(answer)["sequence"]

    def write_loop(self):
        while not self.stop.is_set():
            try:
                sequence = self.step()
                if sequence:
                    self.measure(sequence)
                self.record()
            except FAILURES as error:
                if self.stop.is_set():
                    return
                if self.source_up.is_set() and time.monotonic() - self.source_since > 20:
                    self.fail(f"the source: {error}")
                time.sleep(0.05)
                # Whether the step was kept is seen by what the source has then.
            time.sleep(0.02)

    def measure(self, sequence):
        written = time.monotonic()
        for server in self.followers:
            linked, up = self.linked[server.name], server.up_since
            steady = min(written - since if since else 0 for since in
                         (linked, up, self.source_since))
            if steady > 8:
                threading.Thread(target=self.lag, args=(server, sequence, written)).start()

    def lag(self, server, sequence, written):
        try:
            status, _ = server.ask("GET", "/v1/get?key=clock",
                                   headers={"Plexus-Min-Sequence": str(sequence)}, timeout=5)
        except FAILURES:
            return
        took = time.monotonic() - written
        linked, up = self.linked[server.name], server.up_since
        steady = linked and up and self.source_since and max(linked, up, self.source_since) < written
        if steady and status in (200, 503):
            with self.lock:
                self.lags.append(took)

    # What a follower answers.
    def read_loop(self, server):
        seen = 0
        while not self.stop.is_set():
            time.sleep(0.05)
            asked = time.monotonic()  # the state may be of then, however long the answer takes
            try:
                state = server.export()
            except FAILURES:
                continue
            tick = tick_of(state)
            if tick < seen:
                self.fail(f"{server.name} went back from tick {seen} to {tick}")
            seen = max(seen, tick)
            self.judge(server.name, state, tick, asked)

    # Words and tags that only purged memories had are forgotten a moment after the purge.
    def without_dying_words(self, state):
        now = time.monotonic()
        with self.lock:
            dying = [s for s, at in self.dead_since.items() if now - at < FORGOTTEN_WITHIN + 10]
        for secret in dying:
            state = re.sub(rb'\{"node":"(tag)?%s",[^\n]*\n' % secret.encode(), b"", state)
        return state

    # What purged memories leave, and words and tags, which purges and trims forget when no other
    # memory has them: a follower and a later look at the source may differ by these.
    def without_dead(self, state):
        with self.lock:
            keys = "|".join(key_of(secret) for secret in self.asked_to_purge) or "-"
        line = re.compile(f'"({keys})"|"kind":"(term|tag|has_term|has_tag)"'.encode())
        return b"\n".join(re.sub(rb'"tags":\[[^\]]*\],', b"", each)
                          for each in state.split(b"\n") if not line.search(each))

    def judge(self, name, state, tick, asked):
        with self.lock:
            self.answers += 1
            # Words and tags go when the replica hears of it, while it is connected; before the next
            # write, too.
            up = next(one.up_since for one in self.followers if one.name == name)
            heard = (self.linked[name], up, self.source_since)
            steady = asked - max(heard) - CONNECTED_WITHIN if all(heard) else 0
            gone = [s for s, at in self.dead.items() if s.encode() in state and
                    (at < tick and f"the word {s}".encode() in state or
                     min(steady, asked - self.dead_since[s]) > FORGOTTEN_WITHIN)]
        if gone:
            self.fail(f"{name} at tick {tick} answers what was purged: {gone[0]}")
        # The writer records a state a moment after it is there; and a follower that was behind a
        # purge shows states as the source shows them since.
        for attempt in range(200):
            digests = {digest(state), digest(self.without_dying_words(state))}
            with self.lock:
                if not digests.isdisjoint(self.states):
                    return
                sequences = list(self.by_tick.get(tick, []))
            if attempt % 10 == 9 and sequences:
                self.counts["later"] += 1
                try:
                    for sequence in sequences:
                        if self.without_dead(self.source.export(as_of=str(sequence))) == \
                                self.without_dead(state):
                            return
                except FAILURES:
                    pass
            time.sleep(0.05)
            if self.stop.is_set():
                return
        path = os.path.join(self.root, f"wrong-{name}-{tick}.jsonl")
        with open(path, "wb") as out:
            out.write(state)
        for sequence in sequences:  # what to compare it with, as long as the source has it
            try:
                expected = self.source.export(as_of=str(sequence))
            except FAILURES:
                continue
            with open(f"{path}.source-{sequence}", "wb") as out:
                out.write(expected)
        self.fail(f"{name} at tick {tick}: no state of the source ({path}; records {sequences})")

    def trouble(self):
        draw = self.random.random()
        server = self.random.choice(self.followers)
        if draw < 0.4:
            self.counts["cuts"] += 1
            self.linked[server.name] = None
            self.network.set_link(server.name, False)
            self.stop.wait(self.random.choice([0.3, 1, 4]))
            self.network.set_link(server.name, True)
            self.linked[server.name] = time.monotonic()
        elif draw < 0.7:
            self.counts["follower kills"] += 1
            server.kill()
            self.stop.wait(self.random.choice([0, 0.5, 3]))
            server.start()
        else:
            self.counts["source kills"] += 1
            self.source_up.clear()
            self.source_since = 0.0
            self.source.kill()
            self.stop.wait(self.random.choice([0, 0.5, 2]))
            self.start_source()

    def start_source(self):
        self.source.start()
        self.source.ready()
        self.source_since = time.monotonic()
        self.source_up.set()

    def run(self):
        self.start_source()
        for server in self.followers:
            server.start()
        for server in self.followers:
            server.ready()
        threads = [threading.Thread(target=self.write_loop)]
        threads += [threading.Thread(target=self.read_loop, args=(s,)) for s in self.followers]
        for thread in threads:
            thread.start()
        end = time.monotonic() + self.options.seconds
        while time.monotonic() < end and not self.stop.is_set():
            # Troubles come in bursts; between them the lag is measured.
            if self.stop.wait(min(14 if self.random.random() < 0.3 else 2,
                                  max(0.1, end - time.monotonic()))):
                break
            self.trouble()
        self.stop.set()
        for thread in threads:
            thread.join(60)
        self.check_end()

    def check_end(self):
        self.source.ready()
        last = self.source.sequence()
        whole = self.source.export()
        for server in self.followers:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                try:
                    if server.sequence() >= last and server.export() == whole:
                        break
                except FAILURES:
                    pass
                time.sleep(0.1)
            else:
                self.fail(f"{server.name} is not equal to the source after healing")
                continue
            for secret in self.dead:
                if secret.encode() in server.export():
                    self.fail(f"{server.name} answers {secret}, which was purged")
            status, body = server.ask("POST", "/v1/put", json.dumps({"key": "x"}),
                                      {"Content-Type": "application/json"})
            if status != 409 or b"replica of http://10.77.0.1:8080" not in body:
                self.fail(f"{server.name} takes a write: {status} {body[:200]}")
        for server in self.followers + [self.source]:
            if server.end() != 0:
                self.fail(f"{server.name} ended badly")
        for server in self.followers:
            for secret in list(self.dead)[-30:]:
                if run("grep", "-rqa", secret, server.directory, check=False).returncode == 0:
                    self.fail(f"{server.name} has {secret} in its files, which was purged")

    def report(self):
        lags = sorted(self.lags)
        at = lambda share: f"{1000 * lags[int(share * (len(lags) - 1))]:.1f}" if lags else "-"
        print(f"follow_network: seed {self.options.seed}: {self.counts}, {self.answers} states "
              f"compared, {len(self.states)} known; lag ms of {len(lags)}: p50 {at(0.5)}, "
              f"p90 {at(0.9)}, p99 {at(0.99)}, max {at(1)}; {len(self.wrong)} wrong", flush=True)

    def clean(self):
        for server in self.followers + [self.source]:
            if server.process and server.process.poll() is None:
                server.kill()
        Network.remove()
        if not self.wrong and not self.options.keep:
            shutil.rmtree(self.root, ignore_errors=True)
        else:
            print("follow_network: the directory is", self.root)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("ip"):
        print("follow_network: skipped: it needs root and iproute2")
        return 77
    try:
        Network()
    except subprocess.CalledProcessError as error:
        Network.remove()
        print("follow_network: skipped: no network namespaces here:", error.stderr.strip())
        return 77
    test = Test(options)
    try:
        test.run()
    finally:
        test.clean()
    test.report()
    return 1 if test.wrong or not test.answers else 0


if __name__ == "__main__":
    sys.exit(main())
