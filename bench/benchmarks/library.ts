/** Measures the cost of emulators inside a test process. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Benchmark } from '../benchmark.ts';
import type { LibraryCosts } from '../children/library.ts';
import { programs } from '../programs.ts';
import { alternate, median } from '../statistics.ts';

const run = promisify(execFile);

export const library: Benchmark = async (bench) => {
  const measure = async () => {
    const { stdout } = await run(process.execPath, ['--expose-gc', programs.library], { timeout: 120_000 });
    return JSON.parse(stdout) as LibraryCosts;
  };
  const { svc } = await alternate(bench.rounds, { svc: measure });
  const of = (what: keyof LibraryCosts) => median(svc.map((costs) => costs[what]));
  const toFinding = (name: string, what: keyof LibraryCosts) => ({
    name,
    measured: { svc: of(what) },
    ratio: { value: of(what) },
  });
  return [
    {
      name: 'ms from createEmulator() to the first delivery',
      measured: { first: of('firstMs'), further: of('furtherDeliveredMs') },
      ratio: { value: of('firstMs'), floor: { max: 50 } },
    },
    toFinding('ms, another emulator in the process', 'furtherMs'),
    toFinding('MB, another emulator in the process', 'furtherMegabytes'),
    toFinding('ms, createWorkspace()', 'workspaceMs'),
  ];
};
