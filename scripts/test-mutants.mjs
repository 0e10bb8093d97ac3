// npm run test:mutants: changes the source in small ways, and reports which changes make no test fail.
// Stryker does not fit: version 10 needs Node.js 22, and version 9 runs the tests in a worker thread, where those that set the umask, the
// working folder or limits of the process fail. It does not start if a test fails.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { loadConfigFromFile } from 'vite';
import { startVitest } from 'vitest/node';
import { findMutations, withMutations } from './mutants/mutations.mjs';
import { Results } from './mutants/results.mjs';

const HELP = `Change the source in small ways, and report which changes make no unit test fail

Usage: npm run test:mutants -- <path> [options]

Arguments:
  path               Folder or file in src

Options:
  --tests PATHS      More test folders or files, separated by commas. The tests of the same folder in test always run.
  --filter TEXT      Only mutants whose line in the output contains this text, such as the name of a file or "finally"
  --max-test-ms N    Leave out tests that take longer, for a quick list. They can kill some of the listed mutants.
  --concurrency N    Number of processes (default: 2)
  --list             List the mutants without running them
  --help             Show this text

A test that fails kills the mutant. The others survive and are listed with their file and line. The score is the share of killed
mutants. It does not count those in test/mutants/equivalent.json, which no test can kill. Source files are never changed.

Examples:
  # Test the tests of the clock
  npm run test:mutants -- src/clock

  # Only the mutants of "finally" in one file
  npm run test:mutants -- src/delivery/dispatcher.ts --filter finally
`;

const root = join(import.meta.dirname, '..');
const EQUIVALENT_FILE = 'test/mutants/equivalent.json';

process.chdir(root);
try {
  const options = readArguments(process.argv.slice(2));
  if (options === null) process.stdout.write(HELP);
  else await main(options);
} catch (error) {
  console.error(`${error.message}\nSee: npm run test:mutants -- --help`);
  process.exitCode = 2;
}

/** @returns null for --help */
function readArguments(args) {
  const options = {
    tests: [],
    filter: '',
    maxTestMs: Number.MAX_SAFE_INTEGER,
    concurrency: 2,
    isList: false,
  };
  for (let i = 0; i < args.length; i++) {
    const value = () => args[++i] ?? fail(`${args[i - 1]} needs a value.`);
    if (args[i] === '--help') return null;
    if (args[i] === '--tests') options.tests = value().split(',');
    else if (args[i] === '--filter') options.filter = value();
    else if (args[i] === '--max-test-ms') options.maxTestMs = readWholeNumber(args[i], value());
    else if (args[i] === '--concurrency') options.concurrency = readWholeNumber(args[i], value());
    else if (args[i] === '--list') options.isList = true;
    else if (args[i].startsWith('-')) fail(`Unknown option: ${args[i]}`);
    else if (options.path) fail(`Unexpected argument: ${args[i]}`);
    else options.path = relative(root, resolve(args[i]));
  }
  if (!/^src\//.test(options.path ?? '') || !existsSync(options.path))
    fail('The path must be a folder or a file in src.');
  return options;
}

function readWholeNumber(option, text) {
  if (!/^[1-9]\d*$/.test(text)) fail(`${option} must be a whole number from 1.`);
  return Number(text);
}

function fail(message) {
  throw new Error(message);
}

async function main({ path, tests, filter, maxTestMs, concurrency, isList }) {
  const startedAt = performance.now();
  const files = listFiles(path).filter((file) => /\.tsx?$/.test(file));
  const sources = new Map(files.map((file) => [join(root, file), findMutants(file)]));
  const equivalents = readEquivalents();
  let id = 0;
  /** The text of each file with its mutants. */
  const changed = {};
  const selected = [];
  for (const [file, { text, mutants }] of sources) {
    changed[file] = withMutations(text, mutants, id);
    for (const mutant of mutants) {
      mutant.id = id++;
      if (describe(mutant).includes(filter)) selected.push(mutant);
    }
  }
  for (const mutant of selected) {
    mutant.equivalent = equivalents.find(
      ({ file, code, mutation }) => file === mutant.file && code === mutant.code && mutation === mutant.name,
    );
  }
  if (isList) {
    for (const mutant of selected) console.log(describe(mutant));
    return;
  }

  const folder = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  const planned = selected.filter((mutant) => !mutant.equivalent);
  const results = new Results(folder);
  writeFileSync(
    `${folder}/plan.json`,
    JSON.stringify({ folder, maxTestMs, mutants: planned.map(({ id, isStatic }) => ({ id, isStatic })) }),
  );
  const testFiles = findTests(path, tests);
  await runTests({ testFiles, changed, folder, results, concurrency, total: planned.length });
  report({
    path,
    selected,
    results,
    testFiles,
    equivalents,
    files,
    filter,
    seconds: (performance.now() - startedAt) / 1000,
  });
}

function findMutants(file) {
  const text = readFileSync(file, 'utf8');
  const mutants = findMutations(text, file.endsWith('x') ? 'tsx' : 'ts');
  for (const mutant of mutants) mutant.file = file;
  return { text, mutants };
}

function listFiles(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** The test of the file, the named ones, and those in the same folder of test, in this order: the first ones end most mutants. */
function findTests(path, named) {
  const folder = join('test', relative('src', statSync(path).isFile() ? dirname(path) : path));
  const own = folder === 'test' ? [] : [folder];
  const names = [path.replace(/^src(.*)\.tsx?$/, 'test$1.test.ts'), ...named, `${folder}.test.ts`, ...own];
  const tests = listFiles('test').filter(
    (file) => file.endsWith('.test.ts') && !/^test\/(?:e2e|binary|browser|torture)\//.test(file),
  );
  return [
    ...new Set(names.flatMap((name) => tests.filter((file) => file === name || file.startsWith(`${name}/`)))),
  ];
}

/** Runs the tests until each file is done. A mutant that ends its process leaves the others of the file to the next run. */
async function runTests({ testFiles, changed, folder, results, concurrency, total }) {
  process.env.TEST_MUTANTS_PLAN = `${folder}/plan.json`;
  const { config } = await loadConfigFromFile(
    { command: 'serve', mode: 'test' },
    join(root, 'vitest.config.ts'),
  );
  const { projects, ...test } = config.test;
  const { resolve } = projects[0];
  const load = (id) => changed[id];
  const progress = setInterval(() => showProgress(results, total), 1000);
  try {
    for (let previous = -1; ; ) {
      const entries = results.read();
      const cost = (file) => entries.find(({ path, ms }) => path === file && ms !== undefined)?.ms ?? 0;
      const open = testFiles
        .filter((file) => !entries.some(({ path, isDone }) => path === file && isDone))
        .sort((a, b) => cost(a) - cost(b));
      if (open.length === 0) break;
      if (entries.length === previous) fail(`These test files do not run: ${open.join(', ')}`);
      previous = entries.length;
      const vitest = await startVitest(
        'test',
        open.map((file) => join(root, file)),
        {
          ...test,
          root,
          config: false,
          watch: false,
          include: open,
          exclude: [],
          pool: 'forks',
          isolate: true,
          maxWorkers: concurrency,
          runner: join(root, 'scripts/mutants/mutant-runner.mjs'),
          sequence: { ...test.sequence, sequencer: inOrder(open) },
          reporters: [{}],
          silent: true,
          update: 'none',
          teardownTimeout: 1000,
          dangerouslyIgnoreUnhandledErrors: true,
        },
        { resolve, logLevel: 'silent', plugins: [{ name: 'mutants', enforce: 'pre', load }] },
      );
      await vitest.close();
    }
  } finally {
    clearInterval(progress);
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    process.exitCode = 0;
  }
}

/** @returns a sequencer of Vitest that keeps the order of the files */
function inOrder(files) {
  return class {
    sort(specifications) {
      const position = ({ moduleId }) => files.indexOf(relative(root, moduleId));
      return specifications.sort((a, b) => position(a) - position(b));
    }
  };
}

function showProgress(results, total) {
  if (!process.stderr.isTTY) return;
  const done = results.read().filter(({ isDone }) => isDone).length;
  process.stderr.write(
    `\r${results.readKills().size} of ${total} mutants killed, ${done} test files done\x1b[K`,
  );
}

function report({ path, selected, results, testFiles, equivalents, files, filter, seconds }) {
  const killed = results.readKills();
  const entries = results.read();
  const reached = new Set(entries.flatMap(({ reached }) => reached ?? []));
  const counted = selected.filter(({ equivalent }) => !equivalent);
  const survivors = counted.filter(({ id }) => !killed.has(id));
  for (const mutant of survivors) {
    console.log(`${describe(mutant)}${reached.has(mutant.id) ? '' : '  [no test runs it]'}`);
  }
  for (const { path, excluded, reason } of entries.filter((entry) => entry.excluded)) {
    console.error(`Not used: ${path} › ${excluded}: ${reason}`);
  }
  if (filter === '') {
    const stale = equivalents.filter(
      (entry) => files.includes(entry.file) && !selected.some(({ equivalent }) => equivalent === entry),
    );
    for (const { file, code, mutation } of stale)
      console.error(`${EQUIVALENT_FILE}: ${file} has no "${mutation}" in "${code}".`);
  }
  const timeouts = counted.filter(({ id }) => killed.get(id) === 'a timeout').length;
  const percent = counted.length === 0 ? 100 : Math.floor((killed.size / counted.length) * 1000) / 10;
  console.log(
    `${path}: ${percent} %: ${killed.size} of ${counted.length} mutants killed (${timeouts} by timeout), ` +
      `${survivors.length} survived, ${selected.length - counted.length} equivalent; ` +
      `${testFiles.length} test files, ${Math.round(seconds)} s`,
  );
}

function describe({ file, line, column, name }) {
  return `${file}:${line}:${column}  ${name}`;
}

function readEquivalents() {
  const entries = JSON.parse(readFileSync(EQUIVALENT_FILE, 'utf8'));
  for (const { file, code, mutation, reason } of entries) {
    if (![file, code, mutation, reason].every((text) => typeof text === 'string' && text !== '')) {
      fail(`Each entry in ${EQUIVALENT_FILE} needs file, code, mutation and reason.`);
    }
  }
  return entries;
}
