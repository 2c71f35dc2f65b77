"""Validates against a schema: each line of standard input is the name of a definition, a tab, and a JSON text.

Fields that the schema does not know are errors here, so that it stays complete. Prints what is wrong.
"""

import json
import sys

import jsonschema


def closed(schema):
    """The schema with no room for more fields in its objects."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    known = {name: closed(value) for name, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        known.setdefault("additionalProperties", False)
    return known


with open(sys.argv[1], encoding="utf-8") as file:
    whole = json.load(file)
jsonschema.Draft202012Validator.check_schema(whole)
definitions = closed(whole["$defs"])
for line in sys.stdin:
    name, text = line.rstrip("\n").split("\t", 1)
    schema = {"$ref": f"#/$defs/{name}", "$defs": definitions}
    checker = jsonschema.Draft202012Validator(schema)
    for error in checker.iter_errors(json.loads(text)):
        print(f"{name}: {error.json_path}: {error.message[:300]}")
        for part in error.context or []:
            print(f"  {part.json_path}: {part.message[:300]}")
