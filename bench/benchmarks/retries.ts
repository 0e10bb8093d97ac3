/** Measures many deliveries through all eight attempts with one clock command. */
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { fillDatabase } from '../fill-database.ts';
import { programs, type RunningProgram, startProgram } from '../programs.ts';
import { startReceiver } from '../receiver.ts';
import { alternate, median } from '../statistics.ts';

const ATTEMPTS = 8;
const HOUR_MS = 3_600_000;

interface Attempt {
  readonly delivery_id: string;
  readonly number: number;
  readonly scheduled_at: string;
}

export const retries: Benchmark = async (bench) => {
  const deliveries = bench.quick ? 200 : 10_000;
  const receiver = await startReceiver(503);
  let runs = 0;
  const run = async () => {
    const db = join(bench.folder, `retries-${runs++}.db`);
    const at = Date.now() - HOUR_MS;
    fillDatabase({ db, events: deliveries, at, deliveries: { url: receiver.url, dueAt: at + 1_000 } });
    receiver.reset();
    const emulator = await startProgram(programs.emulator, [db, 'FULL', 'frozen'], bench);
    try {
      const startedAt = performance.now();
      const move = await advance(emulator);
      const perSecond = (receiver.count / (performance.now() - startedAt)) * 1000;
      bench.note(`${receiver.count} attempts, ${Math.round(perSecond)} a second`);
      const missing = Math.abs(deliveries * ATTEMPTS - receiver.count) + move.pending;
      return { perSecond, missing, disordered: countDisordered(move.attempts) };
    } finally {
      await emulator.stop();
    }
  };
  const { svc } = await alternate(bench.rounds, { svc: run });
  receiver.close();
  const perSecond = median(svc.map((run) => run.perSecond));
  const worst = (what: 'missing' | 'disordered') => Math.max(...svc.map((run) => run[what]));
  return [
    {
      name: `attempts/s, ${deliveries} deliveries, advance 72h`,
      measured: { svc: perSecond },
      ratio: { value: perSecond, floor: { min: 7_500 } },
    },
    {
      name: 'attempts missing, too many or out of order',
      measured: { missing: worst('missing'), disordered: worst('disordered') },
      ratio: { value: worst('missing') + worst('disordered'), floor: { max: 0 } },
    },
  ];
};

async function advance({ url }: RunningProgram): Promise<{ attempts: Attempt[]; pending: number }> {
  const response = await fetch(`${url}/_svc/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ms: 73 * HOUR_MS }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { attempts: Attempt[]; pending: number };
}

/** Counts attempts that are out of order within their delivery, or due before the attempt recorded before them. */
function countDisordered(attempts: readonly Attempt[]): number {
  const made = new Map<string, number>();
  let dueAt = '';
  return attempts.filter((attempt) => {
    const isNext = attempt.number === (made.get(attempt.delivery_id) ?? 0) + 1;
    const isLater = attempt.scheduled_at >= dueAt;
    made.set(attempt.delivery_id, attempt.number);
    dueAt = attempt.scheduled_at;
    return !isNext || !isLater;
  }).length;
}
