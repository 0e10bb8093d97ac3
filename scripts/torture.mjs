// npm run torture: kills an emulator repeatedly while it works (`--kills 500`), removes its database (`--losses 20`) and makes
// it load hostile snapshots (`--snapshots 200`). `--seed <n>` repeats a plan. Prints a tally of each.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { kills, losses, snapshots, seed } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    losses: { type: 'string', default: '20' },
    snapshots: { type: 'string', default: '200' },
    seed: { type: 'string' },
  },
}).values;

const files = ['kills', 'removed-database', 'hostile-snapshot'];

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'torture', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    TORTURE_KILLS: kills,
    TORTURE_LOSSES: losses,
    TORTURE_SNAPSHOTS: snapshots,
    ...(seed !== undefined && { TORTURE_SEED: seed }),
  },
});
process.exitCode = status ?? 1;
