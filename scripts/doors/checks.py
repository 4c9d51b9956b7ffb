"""Compares the checks of one conformance scenario with what is expected of them.

Usage: checks.py REVISION SCENARIO RESULTS EXPECTED

Ends with 1 when a check fails that is not in the table of expected failures, when one of the
table does not fail any more, or when nothing was checked at all.
"""

import glob
import json
import sys


def main():
    revision, scenario, results, table = sys.argv[1:]
    checks = []
    for path in glob.glob(f"{results}/*/checks.json"):
        with open(path, encoding="utf-8") as file:
            checks += json.load(file)
    with open(table, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    expected = {row[2] for row in rows if row[:2] == [revision, scenario]}
    failed = {check["id"]: check for check in checks if check["status"] == "FAILURE"}
    passed = sum(check["status"] == "SUCCESS" for check in checks)
    for name in sorted(failed.keys() - expected):
        print(f"conformance {revision} {scenario}: {name} fails: {failed[name].get('errorMessage')}")
    for name in sorted(expected - failed.keys()):
        print(f"conformance {revision} {scenario}: {name} is expected to fail and does not")
    if failed.keys() != expected or not passed:
        raise SystemExit(1)
    note = f", {len(failed)} not testable as listed" if failed else ""
    print(f"conformance {revision} {scenario}: {passed} passed{note}")


main()
