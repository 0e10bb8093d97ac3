/** Measures the time from process start to the first response, and idle memory. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark } from '../benchmark.ts';
import { fillDatabase } from '../fill-database.ts';
import { programs, startProgram } from '../programs.ts';
import type { Finding } from '../report.ts';
import { alternate, median } from '../statistics.ts';

/** Node.js keeps compiled code from version 22.8 on. */
const MAX_COMMAND_RATIO = Number.parseInt(process.versions.node, 10) >= 24 ? 1.35 : 1.75;
/** Time until the work of the start has ended. */
const IDLE_AFTER_MS = 1_500;

export const boot: Benchmark = async (bench) => {
  const db = join(bench.folder, 'boot.db');
  fillDatabase({ db, events: 1_000, at: Date.now() });
  const measure = (program: string, args: readonly string[]) => async () => {
    const runningProgram = await startProgram(program, args);
    await sleep(IDLE_AFTER_MS);
    const megabytes = runningProgram.memory() / 1e6;
    await runningProgram.stop();
    return { ms: runningProgram.bootMs, megabytes };
  };
  const command = ['emulator', 'start', '--json', '--port', '0', '--db', db];
  const results = await alternate(bench.quick ? 1 : bench.rounds * 2 + 1, {
    bare: measure(programs.bareServer, [db]),
    library: measure(programs.emulator, [db]),
    command: measure(programs.svc, command),
  });
  const of = (who: keyof typeof results, what: 'ms' | 'megabytes') =>
    median(results[who].map((result) => result[what]));
  return (['library', 'command'] as const).flatMap((who): Finding[] => {
    const [svc, bare] = [of(who, 'ms'), of('bare', 'ms')];
    const [idle, bareIdle] = [of(who, 'megabytes'), of('bare', 'megabytes')];
    return [
      {
        name: `ms to the first response, the ${who}`,
        measured: { svc, bare },
        ratio: { value: svc / bare, ...(who === 'command' && { floor: { max: MAX_COMMAND_RATIO } }) },
      },
      {
        name: `MB more than bare at idle, the ${who}`,
        measured: { svc: idle, bare: bareIdle },
        ratio: { value: idle - bareIdle, ...(who === 'command' && { floor: { max: 9 } }) },
      },
    ];
  });
};
