// Runs svc from the assets of the single executable, and writes V8's code cache of the modules that it used. The cache contains
// the functions that were called, so that svc does not have to compile them again. Runs in the Node.js of the executable.
// Usage: write-code-cache.mjs ASSETS [arguments for svc...]
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createExecutable } from '../src/launcher/executable.ts';

const [, , assets, ...args] = process.argv;
const keys = readdirSync(assets, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(assets.length + 1)
      .replaceAll('\\', '/'),
  );
const scripts = new Map();
const { require } = createExecutable(
  { keys, read: (key) => readFileSync(join(assets, key)) },
  (path, _, script) => scripts.set(path, script),
);

process.on('exit', () => {
  for (const [path, script] of scripts) {
    const file = join(assets, 'code-cache', path);
    if (existsSync(file)) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, script.createCachedData());
  }
});

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  if (text.startsWith('{"type":"ready"')) void useEmulator(JSON.parse(text));
  return write(text, ...rest);
};
process.argv = [process.execPath, process.execPath, ...args];
require('./program/cli.cjs');

/** Sends the requests that usually come first, and stops the emulator. */
async function useEmulator({ base_url: baseUrl, dashboard_url: dashboardUrl, api_key: apiKey }) {
  await fetch(dashboardUrl);
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ type: 'order.shipped', payload: { order_id: 'ord_1' } });
  await fetch(`${baseUrl}/events`, { method: 'POST', headers, body });
  process.emit('SIGTERM', 'SIGTERM');
}
