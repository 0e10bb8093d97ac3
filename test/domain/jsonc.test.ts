import { expect, it } from 'vitest';
import { readJsoncField, removeJsoncField, setJsoncField, toPlainJson } from '../../src/domain/jsonc.ts';

const value = { command: 'npx' };

it.each([
  ['{}', '{\n  "s": {\n    "a": {\n      "command": "npx"\n    }\n  }\n}'],
  ['', '{\n  "s": {\n    "a": {\n      "command": "npx"\n    }\n  }\n}\n'],
  ['{"s": {}}', '{"s": {\n    "a": {\n      "command": "npx"\n    }\n  }}'],
  [
    '{\n\t"t": 1 // one\n}',
    '{\n\t"t": 1,\n\t"s": {\n\t\t"a": {\n\t\t\t"command": "npx"\n\t\t}\n\t} // one\n}',
  ],
  [
    '{\n  "s": {\n    "b": [1, {}], // b\n  },\n}',
    '{\n  "s": {\n    "b": [1, {}],\n    "a": {\n      "command": "npx"\n    }, // b\n  },\n}',
  ],
  ['{"s": {"a": {"x": "}"}, "b": 2}}', '{"s": {"a": {\n      "command": "npx"\n    }, "b": 2}}'],
])('a field is added to %j or replaced in it, and the rest of the text stays', (text, expected) => {
  const changed = setJsoncField(text, 's', 'a', value);
  expect(changed).toBe(expected);
  expect(readJsoncField(changed, 's', 'a')).toEqual(value);
});

it.each([
  '{\n  // "s": {}\n  "t": "/* no comment */"\n}',
  '{\n  "s": {\n    "b": 1 /* b */\n  }\n}',
  '{\n  "s": {\n    "b": 1\n  },\n  "t": 2\n}\n',
])('removing an added field of %j restores the text', (text) => {
  expect(removeJsoncField(setJsoncField(text, 's', 'a', value), 's', 'a')).toBe(text);
});

it.each([
  ['{"s": {"a": 1, "b": 2}}', '{"s": {"b": 2}}'],
  ['{"s": {"a": 1}, "t": 2}', '{"t": 2}'],
  ['{"s": {"a": 1}}', '{}'],
  ['{"s": {"b": 1}}', '{"s": {"b": 1}}'],
  ['{"s": {/* mine */ "a": 1}}', '{"s": {/* mine */}}'],
])('removing a field from %j leaves %j', (text, expected) => {
  expect(removeJsoncField(text, 's', 'a')).toBe(expected);
});

it('the plain JSON of a text has no comments and trailing commas, and the same positions', () => {
  const text = '\uFEFF{ // one\n "a": "// \\" /*", /* two\n */ "b": [1,],\n}';
  expect(toPlainJson(text)).toHaveLength(text.length);
  expect(JSON.parse(toPlainJson(text))).toEqual({ a: '// " /*', b: [1] });
});
