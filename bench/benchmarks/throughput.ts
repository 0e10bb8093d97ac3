/** Measures the events per second that are accepted, delivered and recorded, and the time from request to arrival. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, BenchmarkContext } from '../benchmark.ts';
import { ARRIVAL_LIMIT_MS, CONNECTIONS, ENDPOINTS, registerEndpoints, toTarget } from '../event-load.ts';
import { type SentRequest, saturate, sendAtRate, type Target } from '../load.ts';
import { programs, type RunningProgram, startProgram } from '../programs.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import type { Finding } from '../report.ts';
import { alternate, median, quantile } from '../statistics.ts';

const EVENT_ID = /"id":"(evt_\w+)"/;

interface Run {
  readonly perSecond: number;
  readonly p50At200: number;
  readonly p99At200: number;
  readonly p50At2000: number;
  readonly p99At2000: number;
  readonly lost: number;
  readonly repeated: number;
  readonly bytesPerEvent: number;
}

export const throughput: Benchmark = async (bench) => {
  const receiver = await startReceiver();
  let runs = 0;
  const runOn = async (start: (db: string) => Promise<RunningProgram>, register: boolean) => {
    const db = join(bench.folder, `throughput-${runs++}.db`);
    const runningProgram = await start(db);
    try {
      if (register) await registerEndpoints(runningProgram, receiver.url);
      const { events, run } = await measure(bench, toTarget(runningProgram), receiver);
      await runningProgram.stop();
      bench.note(`${db.split('/').at(-1)}: ${Math.round(run.perSecond)} events/s`);
      return { ...run, bytesPerEvent: statSync(db).size / events };
    } finally {
      await runningProgram.stop();
    }
  };
  const emulator = (synchronous: string) => (db: string) =>
    startProgram(programs.emulator, [db, synchronous], bench);
  const results = await alternate<'bare' | 'full' | 'normal', Run>(bench.rounds, {
    bare: () => runOn((db) => startProgram(programs.barePipeline, [db, receiver.url, `${ENDPOINTS}`]), false),
    full: () => runOn(emulator('FULL'), true),
    normal: () => runOn(emulator('NORMAL'), true),
  });
  receiver.close();
  return toFindings(results);
};

async function measure({ quick }: BenchmarkContext, target: Target, receiver: Receiver) {
  const [warmUp, load, seconds] = quick ? [200, 1_000, 1] : [2_000, 10_000, 3];
  let [events, lost, repeated] = [0, 0, 0];
  const settled = async (sending: Promise<SentRequest[]>) => {
    const startedAt = performance.now();
    const sent = await sending;
    await receiver.until(sent.length, ARRIVAL_LIMIT_MS);
    const tookMs = performance.now() - startedAt;
    const latencies = sent.map(({ answer, at }) => {
      const id = EVENT_ID.exec(answer)?.[1] ?? '';
      return (receiver.arrivals.get(id)?.at ?? Number.NaN) - at;
    });
    events += sent.length;
    lost += latencies.filter(Number.isNaN).length;
    for (const { times } of receiver.arrivals.values()) repeated += times - 1;
    receiver.reset();
    return { perSecond: (sent.length / tookMs) * 1000, latencies };
  };
  await settled(saturate(target, warmUp, CONNECTIONS));
  const at200 = await settled(sendAtRate(target, 200, seconds));
  const at2000 = await settled(sendAtRate(target, 2000, seconds));
  const { perSecond } = await settled(saturate(target, load, CONNECTIONS));
  const run = {
    perSecond,
    p50At200: quantile(at200.latencies, 0.5),
    p99At200: quantile(at200.latencies, 0.99),
    p50At2000: quantile(at2000.latencies, 0.5),
    p99At2000: quantile(at2000.latencies, 0.99),
    lost,
    repeated,
  };
  return { events, run };
}

function toFindings(results: Record<'bare' | 'full' | 'normal', Run[]>): Finding[] {
  const of = (who: keyof typeof results, what: keyof Run) => median(results[who].map((run) => run[what]));
  const compare = (what: keyof Run, reach: number, better: 'higher' | 'lower', name: string): Finding => {
    const [svc, bare] = [of('full', what), of('bare', what)];
    return { name, measured: { svc, bare }, ratio: { value: svc / bare, reach, better } };
  };
  const [full, normal] = [of('full', 'perSecond'), of('normal', 'perSecond')];
  const sum = (what: keyof Run) =>
    [...results.full, ...results.normal].reduce((total, run) => total + run[what], 0);
  const latencyAt2000 = (what: 'p50At2000' | 'p99At2000') => of('full', what) / of('bare', what);
  return [
    compare('perSecond', 0.6, 'higher', 'events/s accepted and delivered'),
    compare('p50At200', 1.25, 'lower', 'p50 ms to arrival at 200/s'),
    compare('p99At200', 1.5, 'lower', 'p99 ms to arrival at 200/s'),
    {
      name: 'ms to arrival at 2 000/s, svc / bare',
      measured: {
        p50: latencyAt2000('p50At2000'),
        p99: latencyAt2000('p99At2000'),
        'svc p50': of('full', 'p50At2000'),
        'svc p99': of('full', 'p99At2000'),
      },
    },
    {
      name: 'events/s with FULL against NORMAL',
      measured: { full, normal },
      ratio: { value: full / normal, reach: 0.8, better: 'higher' },
    },
    {
      name: 'events lost or sent twice',
      measured: { lost: sum('lost'), repeated: sum('repeated') },
      ratio: { value: sum('lost') + sum('repeated'), reach: 0, better: 'lower' },
    },
    {
      name: 'file bytes an event, delivery and request logged',
      measured: { svc: of('full', 'bytesPerEvent'), bare: of('bare', 'bytesPerEvent') },
    },
  ];
}
