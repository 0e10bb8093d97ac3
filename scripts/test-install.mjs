// npm run test:install: installs the packed package with each package manager on each Node.js version, runs it, and writes the table
// of docs/contributing/installation.md.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { formatRow, updateTable } from './install-table.mjs';
import { getNode, withNode } from './node-versions.mjs';
import { npmPack } from './npm-pack.mjs';

const HELP = `Install the packed package with each package manager on each Node.js version

Each combination installs into an empty folder, with an empty home folder and the manager's defaults, and installs again from the
lockfile. Then it runs svc emulator start, svc trigger and svc emulator stop. With npm, it also runs npm ci and npm run demo in a clone
of the last commit. On Node.js 22 and later, PATH contains neither Python nor a compiler. On Node.js 20, better-sqlite3 12 is installed
too. Rows of the table in docs/contributing/installation.md are replaced. Package managers and Node.js versions are downloaded from npm
and kept in node_modules/.cache.

Usage: npm run test:install -- [options]

Options:
  --only NAMES      Package managers to test (choices: npm10, npm11, npm12, pnpm, yarn, bun; default: all)
  --node VERSIONS   Node.js versions to test (default: 20,22,24,26)
  --json            Print the results as JSON and do not change the document
  --help            Show this text

The exit code is 1 when a combination does not work, unless svc or the package manager says that it is not supported.

Examples:
  # Write the whole table
  npm run test:install

  # Replace two rows
  npm run test:install -- --only npm12,pnpm --node 24
`;

const root = join(import.meta.dirname, '..');
const cacheFolder = join(root, 'node_modules/.cache/svc-managers');
const documentFile = join(root, 'docs/contributing/installation.md');
const INSTALL_TIMEOUT_MS = 15 * 60_000;
const COMMAND_TIMEOUT_MS = 60_000;
/** The error code of svc if the SQLite driver does not support this Node.js version. */
const UNSUPPORTED = 'sqlite_unavailable';

/**
 * `install` and `run` are the arguments before the packages and before `svc`, and `reinstall` those that install the lockfile. `allow` lets
 * better-sqlite3 12 compile.
 */
const npm = { program: 'npm', install: ['install', '-D'], reinstall: ['ci'], allow: [] };
const managers = {
  npm10: { ...npm, title: 'npm 10', package: 'npm@10' },
  npm11: { ...npm, title: 'npm 11', package: 'npm@11' },
  npm12: { ...npm, title: 'npm 12', package: 'npm@12' },
  pnpm: {
    ...{ title: 'pnpm 12', package: 'pnpm@12', program: 'pnpm' },
    ...{ install: ['add', '-D'], reinstall: ['install', '--frozen-lockfile'] },
    allow: ['--allow-build=better-sqlite3'],
  },
  yarn: {
    ...{ title: 'yarn 4', package: '@yarnpkg/cli-dist@4', program: 'yarn', run: ['run'] },
    ...{ install: ['add', '-D'], reinstall: ['install', '--immutable'], allow: [] },
  },
  bun: {
    ...{ title: 'bun 1', package: 'bun@1', program: 'bun' },
    ...{ install: ['add', '-d'], reinstall: ['install', '--frozen-lockfile'], allow: ['--trust'] },
  },
};
/** The programs in PATH on Node.js 22 and later, beside Node.js: package managers and what they install run them. */
const bareTools = [
  'basename',
  'bash',
  'cat',
  'dirname',
  'env',
  'git',
  'ls',
  'mkdir',
  'rm',
  'sed',
  'sh',
  'tar',
  'uname',
];
const allNodes = ['20', '22', '24', '26'];

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: Object.keys(managers).join(',') },
      node: { type: 'string', default: allNodes.join(',') },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) process.stdout.write(HELP);
  else
    await main({
      ...values,
      only: choose(values.only, Object.keys(managers)),
      node: choose(values.node, allNodes),
    });
} catch (error) {
  console.error(`${error.message}\nSee: npm run test:install -- --help`);
  process.exitCode = 2;
}

function choose(text, choices) {
  const chosen = text.split(',');
  const wrong = chosen.find((each) => !choices.includes(each));
  if (wrong === undefined) return chosen;
  throw new Error(`${JSON.stringify(wrong)} is not one of ${choices.join(', ')}.`);
}

async function main({ only, node: nodeVersions, json }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-install-'));
  try {
    console.error('Packing the package…');
    await execa(process.execPath, [join(root, 'scripts/build-if-needed.mjs')], { stdio: 'inherit' });
    const { filename } = await npmPack(folder);
    const tarball = join(folder, filename);
    const barePath = await createBarePath(folder);
    const registry = await readRegistrySettings();
    const nodes = [];
    for (const version of nodeVersions) nodes.push(await getNode(version));
    const results = [];
    for (const name of only) {
      const manager = await getManager(name);
      for (const node of nodes) {
        const path = node.version.startsWith('20.') ? process.env.PATH : barePath;
        const isNpm = manager.program === 'npm';
        for (const test of isNpm ? [testProject, testClone] : [testProject]) {
          const result = await test({ manager, node, tarball, registry, folder, path });
          console.error(formatRow(result));
          if (result.status === 'broken') console.error(result.output);
          results.push(result);
        }
      }
    }
    if (json) console.log(JSON.stringify(results, null, 2));
    else writeTable(results);
    process.exitCode = results.some(({ status }) => status === 'broken') ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder with links to the few programs that a bare machine has. */
async function createBarePath(folder) {
  if (process.platform === 'win32') return process.env.PATH;
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of bareTools) {
    const { stdout } = await execa('sh', ['-c', `command -v ${name}`]);
    symlinkSync(stdout, join(bin, name));
  }
  return bin;
}

/** Each combination has its own home folder, so it gets the registry settings of this machine explicitly. */
async function readRegistrySettings() {
  const names = ['registry', 'cafile', 'userconfig', 'globalconfig'];
  const values = await Promise.all(
    names.map(async (name) => (await execa('npm', ['config', 'get', name])).stdout.trim()),
  );
  return Object.fromEntries(names.map((name, index) => [name, values[index]]));
}

/** A package manager, installed from npm into the cache folder. */
async function getManager(name) {
  const manager = managers[name];
  const folder = join(cacheFolder, name);
  if (!existsSync(join(folder, 'node_modules/.bin', manager.program))) {
    mkdirSync(folder, { recursive: true });
    // pnpm and bun put their binary in place with an install script.
    writeFileSync(join(folder, 'package.json'), '{"private":true,"allowScripts":{"bun":true,"pnpm":true}}');
    await execa('npm', ['install', '--no-audit', '--no-fund', manager.package], { cwd: folder });
  }
  const packageName = manager.package.slice(0, manager.package.lastIndexOf('@'));
  const manifest = join(folder, 'node_modules', packageName, 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return { ...manager, version, programFile: join(folder, 'node_modules/.bin', manager.program) };
}

/** Installs the package in a project, and again from the lockfile. */
async function testProject({ manager, node, tarball, registry, folder, path }) {
  const { home, project, execute, remove } = createCombination({ manager, node, registry, folder, path });
  const names = nameRow(manager, node);
  writeFileSync(join(project, 'package.json'), '{"name":"project","private":true}');
  try {
    const refusal = await findRefusal(manager, node, execute);
    if (refusal !== null) return { ...names, status: 'not run', reason: refusal };
    const packages = [
      `svc-emulator@file:${tarball}`,
      ...(node.version.startsWith('20.') ? [...manager.allow, 'better-sqlite3@12'] : []),
    ];
    const startedAt = performance.now();
    const installed = await execute(
      manager.programFile,
      [...manager.install, ...packages],
      INSTALL_TIMEOUT_MS,
    );
    const seconds = Math.ceil((performance.now() - startedAt) / 1000);
    const output = { output: installed.all };
    if (installed.exitCode !== 0)
      return { ...names, ...output, status: 'broken', reason: `${manager.title} could not install it` };
    const figures = { seconds, ...measure({ project, home }) };
    rmSync(join(project, 'node_modules'), { recursive: true, force: true });
    const reinstalled = await execute(manager.programFile, manager.reinstall, INSTALL_TIMEOUT_MS);
    if (reinstalled.exitCode !== 0) {
      const reason = `${manager.title} could not install the lockfile`;
      return { ...names, ...figures, status: 'broken', reason, output: reinstalled.all };
    }
    const svc = manager.run
      ? [manager.programFile, ...manager.run, 'svc']
      : [join(project, 'node_modules/.bin/svc')];
    const run = (...args) => execute(svc[0], [...svc.slice(1), ...args], COMMAND_TIMEOUT_MS);
    return { ...names, ...(await tryProgram(run)), ...figures };
  } finally {
    remove();
  }
}

/** Runs the first commands of README.md in a clone. */
async function testClone({ manager, node, registry, folder, path }) {
  const { project, execute, remove } = createCombination({ manager, node, registry, folder, path });
  const names = nameRow(manager, node, 'clone, ');
  try {
    const refusal = await findRefusal(manager, node, execute);
    if (refusal !== null) return { ...names, status: 'not run', reason: refusal };
    await execa('git', ['clone', '--quiet', '--depth=1', pathToFileURL(root).href, project]);
    const startedAt = performance.now();
    for (const args of [['ci'], ['run', 'demo']]) {
      const { exitCode, all } = await execute(manager.programFile, args, INSTALL_TIMEOUT_MS);
      if (exitCode !== 0)
        return {
          ...names,
          status: 'broken',
          reason: `npm ${args.join(' ')} exited with ${exitCode}`,
          output: all,
        };
    }
    return { ...names, status: 'works', seconds: Math.ceil((performance.now() - startedAt) / 1000) };
  } finally {
    remove();
  }
}

/** The beginning of a row, without figures. */
function nameRow(manager, node, prefix = '') {
  const name = `${prefix}${manager.title.split(' ')[0]} ${manager.version}`;
  return { manager: name, node: node.version, reason: null, seconds: null, packages: null, megabytes: null };
}

/** An empty project and an empty home folder, and a function that runs programs with them. */
function createCombination({ manager, node, registry, folder, path }) {
  const combinationFolder = mkdtempSync(join(folder, 'combination-'));
  const home = join(combinationFolder, 'home');
  const project = join(combinationFolder, 'project');
  for (const each of [home, project]) mkdirSync(each);
  // bun runs itself in install scripts.
  const env = environment({
    node,
    home,
    registry,
    path: [dirname(manager.programFile), path].join(delimiter),
  });
  const options = { cwd: project, env, extendEnv: false, reject: false, stdin: 'ignore', all: true };
  return {
    home,
    project,
    execute: (file, args, timeout) => execa(file, args, { ...options, timeout }),
    remove: () => rmSync(combinationFolder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Whether the package manager says that it does not support this Node.js version. */
async function findRefusal(manager, node, execute) {
  const { all } = await execute(manager.programFile, ['--version'], COMMAND_TIMEOUT_MS);
  return /does not support Node/.test(all)
    ? `${manager.title} does not support Node.js ${node.version}`
    : null;
}

/** Starts an emulator, creates an event and stops the emulator again. */
async function tryProgram(run) {
  const start = ['emulator', 'start', '--detach', '--port', '0', '--json'];
  try {
    for (const args of [start, ['trigger', 'order.shipped', '--json'], ['emulator', 'stop', '--json']]) {
      const { exitCode, stderr, all } = await run(...args);
      if (exitCode === 0) continue;
      const error = readError(stderr);
      // An error message with this code is expected behavior. Anything else is a defect.
      const status = error?.code === UNSUPPORTED ? 'refused' : 'broken';
      return {
        status,
        reason: error ? error.message : `svc ${args.join(' ')} exited with ${exitCode}`,
        output: all,
      };
    }
    return { status: 'works' };
  } finally {
    await run('emulator', 'stop');
  }
}

/** The error object of `--json`, or null if standard error contains something else. */
function readError(stderr) {
  try {
    return JSON.parse(stderr).error;
  } catch {
    return null;
  }
}

/** The environment variables of this process, without those of the user, the project and the package manager. */
function environment({ node, home, registry, path }) {
  const foreign =
    /^(?:npm|pnpm|yarn|bun|svc|xdg|corepack|berry)_|^(?:home|userprofile|init_cwd|node|node_options|ci)$/i;
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  inherited.PATH = path;
  if (existsSync(registry.userconfig)) symlinkSync(registry.userconfig, join(home, '.npmrc'));
  return {
    ...withNode(node, inherited),
    HOME: home,
    USERPROFILE: home,
    npm_config_registry: registry.registry,
    npm_config_globalconfig: registry.globalconfig,
    // Yarn does not read .npmrc.
    YARN_NPM_REGISTRY_SERVER: registry.registry,
    YARN_ENABLE_TELEMETRY: '0',
    // For better-sqlite3 12.
    YARN_ENABLE_SCRIPTS: `${node.version.startsWith('20.')}`,
    ...(registry.cafile !== 'null' && { YARN_HTTPS_CA_FILE_PATH: registry.cafile }),
  };
}

/** Counts the packages of an installation and the size of its files. Yarn stores packages as archives in the home folder. */
function measure({ project, home }) {
  const archives = listFiles(join(home, '.yarn/berry/cache')).filter((file) => file.endsWith('.zip'));
  const files = [...listFiles(project), ...archives];
  const manifests = files.filter((file) =>
    /[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/@.][^\\/]*[\\/]package\.json$/.test(file),
  );
  // By inode, because some package managers create several links to the same file.
  const sizes = new Map(files.map((file) => statSync(file)).map(({ ino, size }) => [ino, size]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { packages: archives.length || manifests.length, megabytes: Math.round(bytes / 1e6) };
}

/** Every regular file below a folder, without following links. */
function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function writeTable(results) {
  const titles = Object.values(managers).map(({ title }) => title);
  const clones = titles.filter((title) => title.startsWith('npm')).map((title) => `clone, ${title}`);
  const order = [...titles, ...clones].flatMap((title) => allNodes.map((node) => `${title}/${node}`));
  writeFileSync(documentFile, updateTable(readFileSync(documentFile, 'utf8'), results, order));
  console.error(`Wrote ${documentFile}`);
}
