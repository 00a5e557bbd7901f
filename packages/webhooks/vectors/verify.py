"""Checks the vectors of this folder with a verifier in standard Python: `python3 verify.py`."""

import base64
import hashlib
import hmac
import json
import pathlib
import re
import sys

TOLERANCE_SECONDS = 300
MAX_ENTRIES = 32
SIGNATURE_FORM = re.compile(r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=")


def verify(secrets, now, headers, body):
    """The index of the secret that signed the attempt, or the reason to refuse it."""
    headers = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    webhook_id, timestamp, signature = (headers.get(name, "") for name in names)
    if "" in (webhook_id, timestamp, signature):
        return "missing-header"
    entries = [entry for entry in signature.split(" ") if entry]
    if len(entries) > MAX_ENTRIES or not re.fullmatch("[0-9]+", timestamp):
        return "malformed-header"
    if int(timestamp) < now - TOLERANCE_SECONDS:
        return "timestamp-too-old"
    if int(timestamp) > now + TOLERANCE_SECONDS:
        return "timestamp-too-new"
    given = [entry[3:] for entry in entries if entry.startswith("v1,") and SIGNATURE_FORM.fullmatch(entry[3:])]
    for index, secret in enumerate(secrets):
        expected = hmac.new(key_of(secret), f"{webhook_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
        if any([hmac.compare_digest(base64.b64decode(each), expected) for each in given]):
            return index
    return "no-matching-signature"


def key_of(secret):
    text = secret.removeprefix("whsec_").rstrip("=").replace("+", "-").replace("/", "_")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def run(case):
    body = base64.b64decode(case["body_base64"]) if "body_base64" in case else case["body"].encode()
    expected = case["expected"]
    answer = verify(case["secrets"], case["now"], case["headers"], body)
    return answer == (expected["secret_index"] if expected["status"] == "verified" else expected["reason"])


files = sorted(pathlib.Path(__file__).parent.glob("*.json"))
outcomes = [(file.name, case["name"], run(case)) for file in files for case in json.loads(file.read_bytes())["cases"]]
wrong = [f"{file}: {name}" for file, name, right in outcomes if not right]
print(f"{len(outcomes) - len(wrong)} of {len(outcomes)} vectors answered as expected", *wrong, sep="\n")
sys.exit(1 if wrong else 0)
