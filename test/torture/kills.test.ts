import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { runKills } from './kills.ts';
import { killPoints } from './svc-process.ts';

const kills = Number(process.env.TORTURE_KILLS ?? 50);
const seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 32));

describe(`an emulator that is killed ${kills} times (seed ${seed})`, () => {
  it(
    'the emulator loses no accepted event and continues its deliveries [§6.6, envelope, storage.crashes]',
    async () => {
      const { breaches, ...tally } = await runKills({ folder: createTemporaryFolder(), kills, seed });
      process.stdout.write(`seed ${seed}: ${JSON.stringify(tally, null, 2)}\n`);
      expect(breaches).toEqual([]);
      expect(Object.values(tally.kills).reduce((sum, count) => sum + count)).toBe(kills);
      if (kills >= 50) for (const point of killPoints) expect(tally.kills[point]).toBeGreaterThan(3);
      if (kills >= 50) {
        expect(Math.min(tally.withStalledStreams, tally.withFewDescriptors)).toBeGreaterThan(3);
      }
      expect(tally.accepted).toBeGreaterThan(kills);
      expect(tally.failed).toBeGreaterThan(0);
    },
    60_000 + kills * 5_000,
  );
});
