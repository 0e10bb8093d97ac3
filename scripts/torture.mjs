// Kills an emulator again and again while it works: `npm run torture -- --kills 500`, and `--seed <n>` to plan the same
// kills once more. Prints what became of it.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { kills, seed } = parseArgs({
  options: { kills: { type: 'string', default: '500' }, seed: { type: 'string' } },
}).values;

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'torture', 'kills'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TORTURE_KILLS: kills, ...(seed !== undefined && { TORTURE_SEED: seed }) },
});
process.exitCode = status ?? 1;
