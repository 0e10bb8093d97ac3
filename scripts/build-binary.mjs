// npm run build:binary: makes svc a single executable for this platform, from dist and a Node.js that npm provides.
// Its main script is src/executable.ts, and its assets are files.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { inject } from 'postject';
import { bundle } from './bundle.mjs';
import { EXECUTABLE_NODE, getNode } from './node-versions.mjs';

/** The marker in Node.js that says whether an application follows. */
const SENTINEL_FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'build');
const executable = join(folder, process.platform === 'win32' ? 'svc.exe' : 'svc');
/** The folders of the npm package whose files the program reads. */
const packageFolders = [
  'dist/dashboard',
  'docs',
  ...['completion', 'receivers', 'tests'].map((name) => `fixtures/${name}`),
];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const { program: node, folder: nodeFolder } = await getNode(EXECUTABLE_NODE);
await writeExecutable();
writeLicenses();
const { stdout } = await execa(executable, ['--version'], { stderr: 'inherit' });
console.log(`${executable}: svc ${stdout} with Node.js ${EXECUTABLE_NODE}`);

/** The paths of the assets by their names. */
function listAssets() {
  const files = packageFolders
    .flatMap((name) => readdirSync(join(root, name), { recursive: true }).map((path) => join(name, path)))
    .filter((path) => !path.startsWith(join('docs/images')) && statSync(join(root, path)).isFile());
  const addon = `dist/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`;
  const hash = createHash('sha256')
    .update(readFileSync(join(root, addon)))
    .digest('hex');
  const entries = files.map((path) => [path.replaceAll('\\', '/'), join(root, path)]);
  return { ...Object.fromEntries(entries), [`better-sqlite3-${hash}.node`]: join(root, addon) };
}

/** Writes the licenses of everything in the executable. */
function writeLicenses() {
  const read = (path) => readFileSync(path, 'utf8').trim();
  const texts = [
    read(join(root, 'LICENSE')),
    read(join(root, 'dist/THIRD-PARTY-NOTICES.md')),
    `# Node.js ${EXECUTABLE_NODE}\n\n${read(join(nodeFolder, 'LICENSE'))}`,
  ];
  writeFileSync(join(folder, 'LICENSES.md'), `${texts.join('\n\n')}\n`);
}

async function writeExecutable() {
  const main = join(folder, 'main.cjs');
  const output = { file: main, codeSplitting: false };
  await bundle('src/executable.ts', output, { 'better-sqlite3': 'better-sqlite3-13' });
  const config = join(folder, 'executable.json');
  const blob = join(folder, 'executable.blob');
  const settings = {
    // Relative, because the executable contains the path.
    main: 'main.cjs',
    output: blob,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    // The loader of configuration files is experimental, and this is the only version of Node.js that the program runs with.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // `NODE_OPTIONS` is meant for the commands that svc starts, which may use another version of Node.js.
    execArgvExtension: 'none',
    assets: listAssets(),
  };
  writeFileSync(config, JSON.stringify(settings));
  await execa(node, ['--experimental-sea-config', config], { cwd: folder });
  copyFileSync(node, executable);
  chmodSync(executable, 0o755);
  // Without the names of internal functions, which take 18 MB. Before the assets are added, because `strip` could damage them.
  if (process.platform === 'linux') await execa('strip', [executable]);
  const options = { sentinelFuse: SENTINEL_FUSE, machoSegmentName: 'NODE_SEA' };
  await inject(executable, 'NODE_SEA_BLOB', readFileSync(blob), options);
  // Without a valid signature, macOS refuses to run it. `-` needs no certificate.
  if (process.platform === 'darwin') await execa('codesign', ['--force', '--sign', '-', executable]);
  for (const path of [main, config, blob]) rmSync(path);
}
