// npm run test:mutants: changes the source in small ways, and reports which changes make no test fail.
// Stryker does not fit: version 10 needs Node.js 22, and version 9 runs the tests in a worker thread, where those that set the umask, the
// working folder or limits of the process fail. It does not start if a test fails.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, loadConfigFromFile } from 'vite';
import { BaseSequencer, createVitest } from 'vitest/node';
import { findMutations, withMutations } from './mutants/mutations.mjs';

const HELP = `Change the source in small ways, and report which changes make no test fail

Usage: npm run test:mutants -- <path> [tests...] [options]

Arguments:
  path               Folder or file in src
  tests              More test folders or files. The tests of the same folder in test always run. For src/dashboard,
                     the browser tests run too.

Options:
  --filter TEXT      Only mutants whose line in the output contains this text, such as the name of a file or "WHERE"
  --sample N         Only every Nth mutant (default: 1)
  --help             Show this text

A test that fails kills the mutant. The others survive and are listed with their file and line. The score is the share of killed
mutants. Source files are never changed.

Examples:
  # Test the tests of the schemas of values
  npm run test:mutants -- src/resources

  # Only the mutants of conditions in the SQL of a file
  npm run test:mutants -- src/store/deliveries.ts --filter WHERE
`;

const root = join(import.meta.dirname, '..');
/** A mutant that makes a test file take much longer than without it is killed. */
const getLimitMs = (ms) => 10_000 + 5 * ms;

/** Keeps the order of the files, the fastest first. Vitest would start with those that took longest. */
class GivenOrder extends BaseSequencer {
  async sort(files) {
    return files;
  }
}

process.chdir(root);
try {
  const options = {
    filter: { type: 'string', default: '' },
    sample: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h' },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) process.stdout.write(HELP);
  else await main(positionals, values.filter, Number(values.sample));
} catch (error) {
  console.error(`${error.message}\nSee: npm run test:mutants -- --help`);
  process.exitCode = 2;
}

async function main([path, ...named], filter, sample) {
  const source = relative(root, resolve(path ?? ''));
  if (!source.startsWith('src/') || !existsSync(source))
    throw new Error('The path must be a folder or a file in src.');
  if (!Number.isInteger(sample) || sample < 1) throw new Error('--sample must be a whole number from 1.');
  const startedAt = performance.now();
  const { changed, mutants } = mutate(listFiles(source).filter((file) => /\.tsx?$/.test(file)));
  const selected = mutants
    .filter((mutant) => describe(mutant).includes(filter))
    .filter((_, index) => index % sample === 0);
  const folder = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
  const runners = { shared: await createRunner(changed, false), isolated: await createRunner(changed, true) };
  try {
    if (isPage(source)) await buildPage(changed, join(folder, 'page'));
    const log = join(folder, 'log');
    const testFiles = await listReached(runners.isolated, findTests(source, named), log);
    const survivors = [];
    for (const [index, mutant] of selected.entries()) {
      if (process.stderr.isTTY) process.stderr.write(`\r${index} of ${selected.length} mutants tested\x1b[K`);
      const files = testFiles.filter(({ reached }) => reached.has(mutant.id));
      if (files.length === 0 || !(await isKilled(runners, mutant.id, files, log)))
        survivors.push(`${describe(mutant)}${files.length === 0 ? '  [no test runs it]' : ''}`);
    }
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    for (const line of survivors) console.log(line);
    const killed = selected.length - survivors.length;
    const percent = selected.length === 0 ? 100 : Math.floor((killed / selected.length) * 1000) / 10;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(
      `${source}: ${percent} %: ${killed} of ${selected.length} mutants killed; ${testFiles.length} test files, ${seconds} s`,
    );
  } finally {
    for (const runner of Object.values(runners)) await runner.close();
    rmSync(folder, { recursive: true, force: true });
    process.exitCode = 0;
  }
}

/** The text of each file with its mutants, by its full path, and all mutants. */
function mutate(files) {
  const changed = {};
  const mutants = [];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const mutations = findMutations(text, file.endsWith('x') ? 'tsx' : 'ts');
    changed[join(root, file)] = withMutations(text, mutations, mutants.length);
    for (const mutation of mutations) mutants.push({ ...mutation, file, id: mutants.length });
  }
  return { changed, mutants };
}

/** A Vitest in this process that loads the changed sources. It keeps them between its runs. Each run starts new workers. */
async function createRunner(changed, isolate) {
  const { config } = await loadConfigFromFile({ command: 'serve', mode: 'test' }, 'vitest.config.ts');
  const { projects, sequence: _, ...test } = config.test;
  const own = {
    ...{ root, config: false, watch: false, include: ['test/**/*.test.ts'], pool: 'forks', isolate },
    ...{ maxWorkers: 2, reporters: [{}], silent: true, update: 'none' },
    sequence: { sequencer: GivenOrder },
    setupFiles: [join(root, 'scripts/mutants/setup.mjs')],
    // Mutants make the page larger.
    testNamePattern: /^(?!.* less than 60 KB)/,
  };
  const { resolve } = projects[0];
  const plugins = [loadChanged(changed)];
  return createVitest('test', { ...test, ...own }, { resolve, logLevel: 'silent', plugins });
}

function loadChanged(changed) {
  return { name: 'mutants', enforce: 'pre', load: (id) => changed[id] };
}

function isPage(source) {
  return /^src\/dashboard\b/.test(source);
}

/** Builds the dashboard with all mutants, and lets the emulators of the tests serve it. */
async function buildPage(changed, outDir) {
  const configFile = join(root, 'src/dashboard/vite.config.ts');
  const options = { build: { outDir }, logLevel: 'silent', plugins: [loadChanged(changed)] };
  await build({ configFile, ...options });
  const server = join(root, 'src/http/dashboard.ts');
  const opened = `openFolder(${JSON.stringify(outDir)})`;
  const text = readFileSync(server, 'utf8');
  changed[server] = text.replace("findPackageFiles('dist/dashboard')", opened);
  if (changed[server] === text)
    throw new Error(`${server} no longer opens the built page as this script expects.`);
}

/** Runs the tests without a mutant. @returns those that pass, the fastest first, with the mutants that each reaches */
async function listReached(vitest, files, log) {
  const { testModules } = await run(vitest, { mutant: -1, files, log, limitMs: 10 * 60_000, bail: 0 });
  const entries = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(JSON.parse) : [];
  const passed = testModules.filter((module) => module.state() === 'passed');
  for (const module of testModules.filter((each) => !passed.includes(each)))
    console.error(`Not used: ${module.relativeModuleId} fails without a mutant.`);
  return passed
    .map((module) => ({
      file: module.moduleId,
      ms: module.diagnostic().duration,
      reached: new Set(entries.find(({ path }) => path === module.moduleId)?.reached),
    }))
    .sort((a, b) => a.ms - b.ms);
}

/** Runs the tests that share loaded modules first, because they start sooner. */
async function isKilled({ shared, isolated }, mutant, files, log) {
  const limitMs = getLimitMs(Math.max(...files.map(({ ms }) => ms)));
  const names = files.map(({ file }) => file);
  const parts = [
    [shared, names.filter((name) => !replacesModules(name))],
    [isolated, names.filter(replacesModules)],
  ];
  for (const [vitest, part] of parts.filter(([, part]) => part.length > 0)) {
    const options = { mutant, files: part, log, limitMs };
    const result = await run(vitest, { ...options, bail: 1 });
    if (hasFailed(result)) return true;
    // Vitest ended the run at a failure that it does not report.
    const isIncomplete = result.testModules.some((module) => module.state() !== 'passed');
    if (isIncomplete && hasFailed(await run(vitest, { ...options, bail: 0 }))) return true;
  }
  return false;
}

function hasFailed({ testModules, unhandledErrors }) {
  return unhandledErrors.length > 0 || testModules.some((module) => module.state() === 'failed');
}

/** As in `vitest.config.ts`. */
function replacesModules(file) {
  return /\bvi\.(?:mock|resetModules)\(/.test(readFileSync(file, 'utf8'));
}

async function run(vitest, { mutant, files, log, limitMs, bail }) {
  vitest.config.bail = bail;
  Object.assign(process.env, {
    TEST_MUTANT: `${mutant}`,
    TEST_MUTANT_LOG: log,
    TEST_MUTANT_LIMIT_MS: `${Math.ceil(limitMs)}`,
  });
  const project = vitest.getRootProject();
  const specifications = files.map((file) => project.createSpecification(file));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // Vitest also returns the files of earlier runs.
  return { testModules: testModules.filter(({ moduleId }) => files.includes(moduleId)), unhandledErrors };
}

function listFiles(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** The test of the file, the named ones, and those in the same folder of test. */
function findTests(path, named) {
  const folder = join('test', relative('src', statSync(path).isFile() ? dirname(path) : path));
  const own = folder === 'test' ? [] : [folder];
  if (isPage(path)) own.push('test/browser');
  const names = [path.replace(/^src(.*)\.tsx?$/, 'test$1.test.ts'), ...named, `${folder}.test.ts`, ...own];
  return listFiles('test')
    .filter((file) => file.endsWith('.test.ts') && !/^test\/(?:e2e|torture)\//.test(file))
    .filter((file) => names.some((name) => file === name || file.startsWith(`${name}/`)))
    .map((file) => join(root, file));
}

function describe({ file, line, column, name }) {
  return `${file}:${line}:${column}  ${name}`;
}
