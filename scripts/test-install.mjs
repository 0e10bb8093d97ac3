// npm run test:install: installs the packed package with each package manager on each Node.js version, runs it, and writes the table
// of docs/contributing/installation.md.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { getNode, withNode } from './node-versions.mjs';
import { npmPack } from './npm-pack.mjs';

const HELP = `Install the packed package with each package manager on each Node.js version

Each combination installs into an empty folder, with an empty home folder and the manager's defaults, and installs again from the
lockfile. Then it runs svc emulator start, svc trigger and svc emulator stop. With npm, it also runs npm ci and npm run demo in a clone
of the last commit. On Node.js 22 and later, PATH contains neither Python nor a compiler. On Node.js 20, better-sqlite3 12 is installed
too. Without --only and --node, it writes the table of docs/contributing/installation.md. Package managers and Node.js versions are
downloaded from npm and kept in node_modules/.cache.

Usage: npm run test:install -- [options]

Options:
  --only NAMES      Package managers to test (choices: npm10, npm11, npm12, pnpm, yarn, bun; default: all)
  --node VERSIONS   Node.js versions to test (default: 20,22,24,26)
  --help            Show this text

The exit code is 1 when a combination does not work, unless the package manager does not support the Node.js version.

Examples:
  # Write the whole table
  npm run test:install

  # Print two rows
  npm run test:install -- --only npm12,pnpm --node 24
`;

const root = join(import.meta.dirname, '..');
const cacheFolder = join(root, 'node_modules/.cache/svc-managers');
const documentFile = join(root, 'docs/contributing/installation.md');
const TIMEOUT_MS = 15 * 60_000;
const HEADER = `| package manager | Node.js | works | seconds |
|---|---|---|---|`;

/**
 * `install` and `run` are the arguments before the packages and before `svc`, and `reinstall` those that install the lockfile. `allow`
 * lets better-sqlite3 12 compile.
 */
const npm = { program: 'npm', install: 'install -D', reinstall: 'ci', run: 'exec --', allow: [] };
const managers = {
  npm10: { ...npm, title: 'npm 10', package: 'npm@10' },
  npm11: { ...npm, title: 'npm 11', package: 'npm@11' },
  npm12: { ...npm, title: 'npm 12', package: 'npm@12' },
  pnpm: {
    ...{ title: 'pnpm 12', package: 'pnpm@12', program: 'pnpm', run: 'exec' },
    ...{ install: 'add -D', reinstall: 'install --frozen-lockfile', allow: ['--allow-build=better-sqlite3'] },
  },
  yarn: {
    ...{ title: 'yarn 4', package: '@yarnpkg/cli-dist@4', program: 'yarn', run: 'run' },
    ...{ install: 'add -D', reinstall: 'install --immutable', allow: [] },
  },
  bun: {
    ...{ title: 'bun 1', package: 'bun@1', program: 'bun', run: 'run' },
    ...{ install: 'add -d', reinstall: 'install --frozen-lockfile', allow: ['--trust'] },
  },
};
/** The programs in PATH on Node.js 22 and later, beside Node.js: package managers and what they install run them. */
const bareTools = 'basename bash cat dirname env git ls mkdir rm sed sh tar uname'.split(' ');
const allNodes = ['20', '22', '24', '26'];

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: Object.keys(managers).join(',') },
      node: { type: 'string', default: allNodes.join(',') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) process.stdout.write(HELP);
  else await main(choose(values.only, Object.keys(managers)), choose(values.node, allNodes));
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

async function main(names, nodeVersions) {
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
    /** Those of projects, and those of clones. */
    const rows = [[], []];
    for (const name of names) {
      const manager = await getManager(name);
      for (const node of nodes) {
        const path = node.version.startsWith('20.') ? process.env.PATH : barePath;
        const tests = manager.program === 'npm' ? [testProject, testClone] : [testProject];
        for (const [index, test] of tests.entries()) {
          const row = await runTest(test, { manager, node, tarball, registry, folder, path });
          console.log(row);
          rows[index].push(row);
        }
      }
    }
    if (names.length === Object.keys(managers).length && nodes.length === allNodes.length)
      writeTable(rows.flat());
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

/** Tests one combination in an empty project with an empty home folder. @returns the row of the table */
async function runTest(test, { manager, node, registry, folder, path, tarball }) {
  const combinationFolder = mkdtempSync(join(folder, 'combination-'));
  const [home, project] = ['home', 'project'].map((name) => join(combinationFolder, name));
  for (const each of [home, project]) mkdirSync(each);
  // bun runs itself in install scripts.
  const ownPath = [dirname(manager.programFile), path].join(delimiter);
  const env = environment({ node, home, registry, path: ownPath });
  const options = { cwd: project, env, extendEnv: false, stdin: 'ignore', all: true, timeout: TIMEOUT_MS };
  const execute = (args, ...more) => execa(manager.programFile, [...args.split(' '), ...more], options);
  const name = `${test === testClone ? 'clone, ' : ''}${manager.title.split(' ')[0]} ${manager.version}`;
  const toRow = (...cells) => `| ${[name, node.version, ...cells].join(' | ')} |`;
  try {
    const { all } = await execa(manager.programFile, ['--version'], { ...options, reject: false });
    if (/does not support Node/.test(all))
      return toRow(`not run: ${name} does not support Node.js ${node.version}`, '');
    return toRow('yes', await test({ manager, node, tarball, project, execute }));
  } catch (error) {
    console.error(error.all ?? error.stack);
    process.exitCode = 1;
    return toRow(`no: ${error.shortMessage?.split('\n')[0].replaceAll('|', '\\|') ?? error.message}`, '');
  } finally {
    rmSync(combinationFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Installs the package in a project, and again from the lockfile, and uses it. @returns seconds */
async function testProject({ manager, node, tarball, project, execute }) {
  writeFileSync(join(project, 'package.json'), '{"name":"project","private":true}');
  const driver = node.version.startsWith('20.') ? [...manager.allow, 'better-sqlite3@12'] : [];
  const startedAt = performance.now();
  await execute(manager.install, `svc-emulator@file:${tarball}`, ...driver);
  const seconds = Math.ceil((performance.now() - startedAt) / 1000);
  rmSync(join(project, 'node_modules'), { recursive: true, force: true });
  await execute(manager.reinstall);
  await execute(`${manager.run} svc emulator start --detach --port 0`);
  try {
    await execute(`${manager.run} svc trigger order.shipped`);
  } finally {
    await execute(`${manager.run} svc emulator stop`);
  }
  return seconds;
}

/** Runs the first commands of README.md in a clone. @returns seconds */
async function testClone({ project, execute }) {
  await execa('git', ['clone', '--quiet', '--depth=1', pathToFileURL(root).href, project]);
  const startedAt = performance.now();
  await execute('ci');
  await execute('run demo');
  return Math.ceil((performance.now() - startedAt) / 1000);
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

function writeTable(rows) {
  const document = readFileSync(documentFile, 'utf8');
  const table = [HEADER, ...rows].join('\n');
  writeFileSync(
    documentFile,
    document.replace(/^\| package manager[\s\S]*?\n(?!\|)/m, () => `${table}\n`),
  );
  console.error(`Wrote ${documentFile}`);
}
