/** The mutations of `npm run test:mutants`, and the script itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterEach, expect, it } from 'vitest';

interface Mutation {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly isStatic: boolean;
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

it('withMutations skips the block of finally after an error, also of the catch block, but not after a result', async () => {
  const body = (block: string) => `try { ${block} } finally { input.push("cleanup"); }`;
  const runs = async (block: string) => {
    const text = `const run = async (input) => { ${body(block)} }`;
    const mutations = findMutations(text);
    const run = new Function(`${withMutations(text, mutations, FIRST_ID)}; return run;`)();
    const log = async (name: string) => {
      globals.__mutant = (id) => mutations[id - FIRST_ID]?.name === name;
      const list: string[] = [];
      const result = await run(list).catch((error: Error) => error.message);
      return [...list, result];
    };
    return [await log('none'), await log('finally only if nothing is thrown')];
  };

  expect(await runs('return "done";')).toEqual([
    ['cleanup', 'done'],
    ['cleanup', 'done'],
  ]);
  expect(await runs('throw Error("failed");')).toEqual([['cleanup', 'failed'], ['failed']]);
  expect(await runs('throw Error("failed"); } catch { throw Error("again");')).toEqual([
    ['cleanup', 'again'],
    ['again'],
  ]);
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

it('findMutations shows the position and the line of a mutation, and whether it runs only while the module is loaded', () => {
  const found = findMutations('const a = 1;\nconst f = () => {\n  return 2n * b;\n};\n');
  expect(found).toMatchObject([
    { line: 1, column: 11, code: 'const a = 1;', name: '1 → 2', isStatic: true },
    { line: 3, column: 10, code: 'return 2n * b;', name: '2n * b → 2n / b', isStatic: false },
  ]);
});

interface Equivalent {
  readonly file: string;
  readonly code: string;
  readonly mutation: string;
  /** Number of lines with this code, if it is not one. */
  readonly lines?: number;
}

it('each entry in test/mutants/equivalent.json is a mutation of as many lines of a source file as it says', () => {
  const entries: Equivalent[] = JSON.parse(readFileSync(join(root, 'test/mutants/equivalent.json'), 'utf8'));
  const countLines = ({ file, code, mutation }: Equivalent) =>
    new Set(
      findMutations(readFileSync(join(root, file), 'utf8'))
        .filter((found) => found.code === code && found.name === mutation)
        .map(({ line }) => line),
    ).size;
  expect(entries.filter((entry) => countLines(entry) !== (entry.lines ?? 1))).toEqual([]);
});

const testMutants = (...args: string[]) =>
  execa(process.execPath, [join(root, 'scripts/test-mutants.mjs'), ...args], { cwd: root, reject: false });

it('npm run test:mutants counts a mutant that makes a test of the same folder fail', async () => {
  const { exitCode, stdout } = await testMutants('src/clock', '--filter', '.max() → .min()');
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(
      /^src\/clock: 100 %: 1 of 1 mutants killed \(0 by timeout\), 0 survived, 0 equivalent; 1 test files, \d+ s$/,
    ),
  });
});

it('npm run test:mutants lists each mutant that survives, with its file and line', async () => {
  const { stdout } = await testMutants('src/errors.ts', '--filter', 'error instanceof Error → true');
  expect(stdout).toMatch(
    /^src\/errors\.ts:\d+:\d+ {2}error instanceof Error → true {2}\[no test runs it\]\nsrc\/errors\.ts: 0 %: 0 of 1 mutants killed \(0 by timeout\), 1 survived/,
  );
});

it.each([
  [['test/clock'], 'The path must be a folder or a file in src.'],
  [['src/clock', '--speed'], 'Unknown option: --speed'],
  [['src/clock', '--concurrency', 'x'], '--concurrency must be a whole number from 1.'],
])('npm run test:mutants refuses the arguments %j', async (args, message) => {
  const { exitCode, stderr } = await testMutants(...args);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `${message}\nSee: npm run test:mutants -- --help`,
  });
});
