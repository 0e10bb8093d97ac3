/** The mutations of `npm run test:mutants`, and the script itself. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterEach, expect, it } from 'vitest';

interface Mutation {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

interface Mutations {
  findMutations(text: string): Mutation[];
  withMutations(text: string, mutations: readonly Mutation[], firstId: number): string;
}

const root = join(import.meta.dirname, '../..');
const { findMutations, withMutations }: Mutations = await import(
  pathToFileURL(join(root, 'scripts/mutants/mutations.mjs')).href
);

const globals = globalThis as { __mutant?: (id: number) => boolean };
afterEach(() => {
  delete globals.__mutant;
});

const FIRST_ID = 100;

/** Runs the body of an async function `(input) => …` without and with each mutation, and returns the results. */
async function runAll(body: string, input?: unknown): Promise<Record<string, unknown>> {
  const text = `const run = async (input) => { ${body} }`;
  const mutations = findMutations(text);
  const run = new Function(`${withMutations(text, mutations, FIRST_ID)}; return run;`)();
  const results: Record<string, unknown> = {};
  for (const [index, { name }] of [{ name: 'original' }, ...mutations].entries()) {
    globals.__mutant = (id) => id === FIRST_ID + index - 1;
    results[name] = await run(input).catch((error: Error) => `throws ${error.message}`);
  }
  return results;
}

it.each([
  ['return input < 3;', 2, { original: true, 'input < 3 → input <= 3': true, '3 → 4': true }],
  ['return input < 3;', 3, { original: false, 'input < 3 → input <= 3': true, '3 → 4': true }],
  ['return input === 1;', 1, { original: true, 'input === 1 → input !== 1': false, '1 → 2': false }],
  ['return 1 + input;', 5, { original: 6, '1 + input → 1 - input': -4, '1 → 2': 7 }],
  ['return "a" + input;', 5, { original: 'a5' }],
  ['return !input;', true, { original: false, '!input → input': true }],
  ['return input ?? "x";', null, { original: 'x', 'input ?? "x" → input': null }],
  [
    'return input.a && input.b;',
    { a: 'a', b: 'b' },
    { original: 'b', 'input.a && input.b → input.a': 'a', 'input.a && input.b → input.b': 'b' },
  ],
  [
    'if (input) return "yes"; return "no";',
    'x',
    { original: 'yes', 'input → true': 'yes', 'input → false': 'no' },
  ],
  ['return input ? "yes" : "no";', '', { original: 'no', 'input → true': 'yes', 'input → false': 'no' }],
  [
    'let sum = 1n; sum += input; return sum;',
    2n,
    { original: 3n, 'sum += input; removed': 1n, 'sum += input → sum -= input': -1n },
  ],
  [
    'return input.filter((x) => x > 1n);',
    [1n, 2n],
    {
      original: [2n],
      '.filter((x) => x > 1n) removed': [1n, 2n],
      'x > 1n → true': [1n, 2n],
      'x > 1n → x >= 1n': [1n, 2n],
    },
  ],
  ['return Math.max(...input);', [1, 2], { original: 2, '.max() → .min()': 1 }],
  ['return input?.a.slice().length;', undefined, { original: undefined }],
  [
    'const list = []; const add = async () => { await 0n; list.push("a"); }; await add(); return list.join();',
    undefined,
    {
      original: 'a',
      'await 0n; removed': 'a',
      'await 0n: await removed': 'a',
      'list.push("a"); removed': '',
      'await add(); removed': '',
      'await add(): await removed': '',
    },
  ],
])('withMutations runs each mutation of `%s`', async (body, input, expected) => {
  expect(await runAll(body, input)).toEqual(expected);
});

it('findMutations weakens each condition, limit and order in SQL', () => {
  const sql = 'sql.all(`SELECT * FROM keys WHERE seq = ? AND at <= @now ORDER BY at DESC`, [], "a = b");';
  expect(findMutations(sql).map(({ name }) => name)).toEqual([
    `${sql.slice(0, 69)}… removed`,
    'SQL WHERE seq = ? → WHERE (seq = ? OR 1)',
    'SQL AND at <= @now → AND (at <= @now OR 1)',
    'SQL <= → <',
    'SQL DESC → ASC',
  ]);
});

it('findMutations does not change types, names of properties and module paths', () => {
  const text = `import type { A } from './a.ts';
    export type Limit = 1 | 2;
    export const list = { 1: 'a' } as Record<number, string>;
    function f(this: A, limit: 3): limit is 3 { return undefined!; }`;
  expect(findMutations(text)).toEqual([]);
});

it('findMutations shows the position of a mutation', () => {
  const found = findMutations('const a = 1;\nconst f = () => {\n  return 2n * b;\n};\n');
  expect(found).toMatchObject([
    { line: 1, column: 11, name: '1 → 2' },
    { line: 3, column: 10, name: '2n * b → 2n / b' },
  ]);
});

const testMutants = (...args: string[]) =>
  execa(process.execPath, [join(root, 'scripts/test-mutants.mjs'), ...args], { cwd: root, reject: false });

it('npm run test:mutants counts a mutant that makes a test of the same folder fail', async () => {
  const { stdout } = await testMutants('src/profile', '--filter', "['retry.410'] !== 'stop'");
  expect(stdout).toMatch(/^src\/profile: 100 %: 1 of 1 mutants killed; \d+ test files, \d+ s$/);
});

it('npm run test:mutants lists each mutant that survives, with its file and line', async () => {
  const { stdout } = await testMutants('src/emulator.ts', '--filter', 'loadSqlite(); removed');
  expect(stdout).toMatch(
    /^src\/emulator\.ts:\d+:\d+ {2}loadSqlite\(\); removed {2}\[no test runs it\]\nsrc\/emulator\.ts: 0 %: 0 of 1 /,
  );
});

it.each([
  ['a path outside of src', ['test/resources'], 'The path must be a folder or a file in src.'],
  ['an invalid sample', ['src/resources', '--sample', '0'], '--sample must be a whole number from 1.'],
])('npm run test:mutants refuses %s', async (_, args, message) => {
  const { exitCode, stderr } = await testMutants(...args);
  const help = 'See: npm run test:mutants -- --help';
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `${message}\n${help}` });
});
