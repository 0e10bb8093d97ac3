/** Compares the serializers with the recorded results of the real programs. `test/e2e/serializers.test.ts` runs the programs. */
import { expect, it } from 'vitest';
import { parseJson, serializers, writeJson } from '../../src/signature/json-serializers.ts';
import { payloads, programNames, readRecorded } from './serializers/programs.ts';

const findSerializer = (name: string) => {
  const serializer = serializers.find((candidate) => candidate.name === name);
  if (serializer === undefined) throw new Error(`no serializer has the name ${name}`);
  return serializer;
};

/** @returns null for text that is not JSON */
function write(text: string, name: string): string | null {
  const json = parseJson(text);
  return json && writeJson(json, findSerializer(name).choices);
}

const recorded = programNames.flatMap((name) => Object.entries(readRecorded(name).ways));

it.each(recorded)('%s is described exactly', (name, results) => {
  const written = payloads.map((text) => [text, write(text, name)]);
  expect(written).toEqual(payloads.map((text, index) => [text, results[index]]));
});

it('only the serializers without an installed program are not recorded', () => {
  const names = new Set(recorded.map(([name]) => name));
  const others = serializers.map(({ name }) => name).filter((name) => !names.has(name));
  const isDocumented = (name: string) => /of \.NET|a library that keeps|with pretty_generate$/.test(name);
  expect(others.filter((name) => !isDocumented(name))).toEqual([]);
});

it.each([
  [
    'System.Text.Json of .NET',
    '["<é+\'\\"\\u001f😀",1.50]',
    '["\\u003C\\u00E9\\u002B\\u0027\\u0022\\u001F\\uD83D\\uDE00",1.50]',
  ],
  ['System.Text.Json of .NET with UnsafeRelaxedJsonEscaping', '["<é+\'😀"]', '["<é+\'\\uD83D\\uDE00"]'],
  ['JSON.generate of Ruby with pretty_generate', '{"a":[],"b":{}}', '{\n  "a": [],\n  "b": {}\n}'],
  [
    'a library that keeps numbers and escapes with sorted fields',
    '{"b":1.50,"a":"\\u00e9"}',
    '{"a":"\\u00e9","b":1.50}',
  ],
])('%s writes %s', (name, text, written) => {
  expect(write(text, name)).toBe(written);
});

it.each(['', 'text', '{', '{"a":1}}', `${'['.repeat(20_000)}${']'.repeat(20_000)}`])(
  'text that is not JSON, or is nested too deeply, is not parsed: %.20s',
  (text) => {
    expect(parseJson(text)).toBeNull();
  },
);

it('a string of any length and a repeated name are parsed', () => {
  const long = JSON.stringify({ a: '\\"é'.repeat(50_000) });
  expect(write(long, 'JSON.stringify')).toBe(long);
  expect(write('{"a":1,"b":2,"a":3}', 'json.dumps of Python')).toBe('{"a": 3, "b": 2}');
});
