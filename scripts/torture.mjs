// npm run torture: kills an emulator repeatedly while it works (`--kills 500`), removes its database (`--losses 20`) and makes
// it load hostile snapshots (`--snapshots 200`). `--seed <n>` repeats a plan. Prints a tally of each.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';

const root = join(import.meta.dirname, '..');
const { kills, losses, snapshots, seed } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    losses: { type: 'string', default: '20' },
    snapshots: { type: 'string', default: '200' },
    seed: { type: 'string' },
  },
}).values;

const files = ['kills', 'removed-database', 'hostile-snapshot'].map((name) => `test/torture/${name}`);

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { exitCode } = await execa(process.execPath, [vitest, 'run', ...files], {
  cwd: root,
  stdio: 'inherit',
  reject: false,
  env: {
    TORTURE_KILLS: kills,
    TORTURE_LOSSES: losses,
    TORTURE_SNAPSHOTS: snapshots,
    ...(seed !== undefined && { TORTURE_SEED: seed }),
  },
});
process.exitCode = exitCode ?? 1;
