// The modules that a program of the build loads while it runs, and the cache of its compiled code.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { createFolder, root, run, runNode } from './projects.mjs';

const program = join(root, 'bin/svc.js');
const library = pathToFileURL(join(root, 'dist/index.js')).href;
const recorder = pathToFileURL(join(import.meta.dirname, 'record-modules.mjs')).href;
const signed = '--payload {} --secret a';
const fetchModule = 'internal/deps/undici/undici';

/** Commands, and the slow modules of Node.js that each loads. None of them loads SQLite or h3. */
const commands = [
  ['--help', []],
  ['--version', []],
  [`verify ${signed} --signature v1=00 --timestamp 2026-11-20T12:00:00Z`, ['crypto', 'http']],
  [`sign ${signed}`, ['crypto', 'http']],
  ['deliveries list', ['http']],
  ['deliveries list --url http://127.0.0.1:9', ['http']],
];

export const rows = [
  ...commands.map(([command, builtins]) => ({
    title: `svc ${command} loads neither SQLite nor h3, and of the slow modules of Node.js [${builtins}]`,
    async run() {
      assert.deepEqual(await listLoaded([program, ...command.split(' ')]), { packages: [], builtins });
    },
  })),
  {
    title: 'svc emulator start responds without the fetch of Node.js',
    async run() {
      const args = ['emulator', 'start', '--port', '0', '--db', ':memory:', '--json'];
      const { packages, builtins } = await listLoaded([program, ...args], async (line) => {
        const { type, url, api_key: apiKey } = JSON.parse(line);
        if (type !== 'ready') return false;
        const headers = { authorization: `Bearer ${apiKey}` };
        for (const path of ['/healthz', '/v1/events', '/_svc/deliveries'])
          assert.equal((await fetch(url + path, { headers })).status, 200);
        return true;
      });
      assert.deepEqual(packages, ['better-sqlite3', 'h3']);
      assert.ok(!builtins.includes(fetchModule));
    },
  },
  {
    title: 'the library delivers an event without the fetch of Node.js',
    async run() {
      const code = `
        import { createEmulator, createReceiver } from '${library}';
        const receiver = await createReceiver(204);
        const emulator = await createEmulator();
        await emulator.webhooks.create({ url: receiver.url });
        await emulator.trigger('order.shipped');
        await receiver.waitFor(1);
        await emulator.close();
        await receiver.close();`;
      const { builtins } = await listLoaded(['--input-type=module', '--eval', code]);
      assert.ok(builtins.includes('http') && !builtins.includes(fetchModule), `${builtins}`);
    },
  },
  {
    title: 'svc keeps compiled code for its next start, and compiles damaged code again',
    skip: () => ('enableCompileCache' in module ? null : 'this Node.js keeps no compiled code'),
    async run() {
      const cache = createFolder();
      const start = async (env = {}) => {
        const { exitCode, all } = await runNode(cache, [program, '--version'], {
          env: { XDG_CACHE_HOME: cache, ...env },
        });
        assert.deepEqual(
          [exitCode, all],
          [0, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version],
        );
        return Object.fromEntries(listFiles(cache).map((file) => [file, statSync(file).ino]));
      };
      assert.deepEqual(await start({ NODE_DISABLE_COMPILE_CACHE: '1' }), {});
      const written = await start();
      const [file] = Object.keys(written).sort((a, b) => statSync(b).size - statSync(a).size);
      // V8 crashes if it gets this code.
      writeFileSync(file, readFileSync(file).fill(0, 4_096, 8_192));
      const replaced = await start();
      assert.deepEqual(Object.keys(replaced), Object.keys(written));
      assert.notDeepEqual(readFileSync(file).subarray(4_096, 8_192), Buffer.alloc(4_096));
      assert.deepEqual(await start(), replaced);
    },
  },
  {
    title: 'svc starts without a cache on a Node.js that keeps no compiled code',
    skip: () => ('enableCompileCache' in module ? 'this Node.js keeps compiled code' : null),
    async run() {
      const cache = createFolder();
      const { exitCode, stderr } = await runNode(cache, [program, '--version'], {
        env: { XDG_CACHE_HOME: cache },
      });
      assert.deepEqual([exitCode, stderr, readdirSync(cache)], [0, '', []]);
    },
  },
];

/** The packages and the slow modules of Node.js that a program loads. `onLine` ends it by returning true. */
async function listLoaded(args, onLine = async () => false) {
  const cwd = createFolder();
  const record = join(cwd, 'modules');
  const subprocess = run(cwd, process.execPath, ['--import', recorder, ...args], {
    env: { MODULE_RECORD: record },
  });
  for await (const line of createInterface(subprocess.stdout))
    if (await onLine(line)) subprocess.kill('SIGINT');
  await subprocess;
  const addresses = readFileSync(record, 'utf8').split('\n');
  // A bundled package is found by the paths in its chunk.
  const chunks = addresses.filter((address) => address.includes('/dist/'));
  assert.ok(chunks.length > 0);
  const text = chunks.map((address) => readFileSync(new URL(address), 'utf8')).join('\n');
  const packages = ['better-sqlite3', 'h3'].filter(
    (name) =>
      addresses.some((address) => address.includes(`/${name}/lib/`)) ||
      text.includes(`node_modules/${name}/`),
  );
  const slow = ['crypto', 'dns', 'http', 'https', 'zlib', fetchModule];
  return { packages, builtins: slow.filter((name) => addresses.includes(`NativeModule ${name}`)) };
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
