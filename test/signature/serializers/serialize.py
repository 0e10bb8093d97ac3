# Writes what json.dumps with each option makes of each JSON text on standard input; null for an error.
import itertools
import json
import platform
import sys

payloads = json.load(sys.stdin)
layouts = {
    "": {},
    "separators=(',', ':')": {"separators": (",", ":")},
    "indent=2": {"indent": 2},
    "indent=4": {"indent": 4},
}
escapes = {"": {}, "ensure_ascii=False": {"ensure_ascii": False}}
orders = {"": {}, "sort_keys=True": {"sort_keys": True}}


def run(text, options):
    try:
        return json.dumps(json.loads(text), **options).encode().decode()
    except Exception:
        return None


ways = {}
for chosen in itertools.product(layouts.items(), escapes.items(), orders.items()):
    labels = ", ".join(label for label, _ in chosen if label)
    name = " with ".join(filter(None, ["json.dumps of Python", labels]))
    options = {key: value for _, choice in chosen for key, value in choice.items()}
    ways[name] = [run(text, options) for text in payloads]
print(json.dumps({"version": platform.python_version(), "ways": ways}))
