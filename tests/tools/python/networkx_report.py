"""A pytest plugin: how many of NetworkX's own tests asked Plexus, of which functions, and passed."""

import functools
from collections import Counter

import pytest

import plexus.networkx_backend as backend

_asked = Counter()  # functions that answered in this test
_tests, _failed = Counter(), []


def _counted(name, function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        answer = function(*args, **kwargs)
        _asked[name] += 1
        return answer
    return call


for _name in backend.RULES:
    setattr(backend, _name, _counted(_name, getattr(backend, _name)))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed and call.excinfo is not None and "'scipy'" in str(call.excinfo.value):
        report.outcome = "skipped"
        report.longrepr = (str(item.fspath), 0, "Skipped: NetworkX needs SciPy for it")


def pytest_runtest_setup(item):
    _asked.clear()


def pytest_runtest_logreport(report):
    if report.when != "call" or not _asked:
        return
    if report.failed:
        _failed.append(report.nodeid)
    elif report.passed:
        _tests.update(list(_asked) + ["all"])


def pytest_terminal_summary(terminalreporter):
    write = terminalreporter.write_line
    write("tests that Plexus answered, passed: %d, failed: %d" % (_tests.pop("all", 0), len(_failed)))
    for name, count in sorted(_tests.items()):
        write("  %-40s %4d" % (name, count))
    missing = sorted(set(backend.RULES) - set(_tests))
    write("functions that no test asked: %s" % (", ".join(missing) or "none"))
