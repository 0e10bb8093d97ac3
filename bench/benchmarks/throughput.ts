/** Measures the events per second that are accepted, delivered and recorded, and the time from request to arrival. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, BenchmarkContext } from '../benchmark.ts';
import {
  ARRIVAL_LIMIT_MS,
  type EventLoad,
  MANY_ENDPOINTS,
  ONE_ENDPOINT,
  registerEndpoints,
  toTarget,
} from '../event-load.ts';
import { type SentRequest, saturate, sendAtRate, type Target } from '../load.ts';
import { programs, type RunningProgram, startProgram } from '../programs.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import type { Finding, Floor } from '../report.ts';
import { alternate, median, quantile } from '../statistics.ts';

const EVENT_ID = /"id":"(evt_\w+)"/;

/** `synchronous` of the emulator, or whether the bare pipeline keeps a request log. */
type Variant = 'FULL' | 'NORMAL' | 'log' | 'no-log';

interface Run {
  readonly perSecond: number;
  readonly p50At200: number;
  readonly p99At200: number;
  /** At half of the rate that the emulator sustains. */
  readonly p50AtHalf: number;
  readonly p99AtHalf: number;
  readonly lost: number;
  readonly repeated: number;
  readonly bytesPerEvent: number;
}

interface SaturationRun {
  readonly perSecond: number;
  /** Processor time of the program per event, which other work on the machine affects little. */
  readonly processorMs: number;
}

export const throughput: Benchmark = async (bench) => {
  const receiver = await startReceiver();
  let runs = 0;
  const runOn = async <Result>(
    variant: Variant,
    load: EventLoad,
    run: (program: RunningProgram, db: string) => Promise<Result>,
  ): Promise<Result> => {
    const db = join(bench.folder, `throughput-${runs++}.db`);
    const isBare = variant === 'log' || variant === 'no-log';
    const program = await (isBare
      ? startProgram(programs.barePipeline, [db, receiver.url, `${load.endpoints}`, variant])
      : startProgram(programs.emulator, [db, variant], bench));
    try {
      if (!isBare) await registerEndpoints(program, receiver.url, load);
      return await run(program, db);
    } finally {
      await program.stop();
    }
  };
  const runSaturated = (variant: Variant, load: EventLoad) =>
    runOn(variant, load, (program) => saturateProgram(bench, program, receiver, load));
  const { perSecond: sustained } = await runSaturated('FULL', MANY_ENDPOINTS);
  const halfRate = Math.round(sustained / 2);
  const runMany = (variant: Variant) =>
    runOn(variant, MANY_ENDPOINTS, async (program, db): Promise<Run> => {
      const { events, run } = await measure(bench, toTarget(program, MANY_ENDPOINTS), receiver, halfRate);
      await program.stop();
      bench.note(`${db.split('/').at(-1)}: ${Math.round(run.perSecond)} events/s`);
      return { ...run, bytesPerEvent: statSync(db).size / events };
    });
  const results = await alternate<'bare' | 'full' | 'normal', Run>(bench.rounds, {
    bare: () => runMany('log'),
    full: () => runMany('FULL'),
    normal: () => runMany('NORMAL'),
  });
  const resultsOfOne = await alternate<'bare' | 'bareWithoutLog' | 'svc', SaturationRun>(bench.rounds, {
    bare: () => runSaturated('log', ONE_ENDPOINT),
    bareWithoutLog: () => runSaturated('no-log', ONE_ENDPOINT),
    svc: () => runSaturated('FULL', ONE_ENDPOINT),
  });
  receiver.close();
  return [...toFindings(results, halfRate), ...toFindingsOfOne(resultsOfOne)];
};

/** Sends events as fast as possible. */
async function saturateProgram(
  { quick, note }: BenchmarkContext,
  program: RunningProgram,
  receiver: Receiver,
  load: EventLoad,
): Promise<SaturationRun> {
  const target = toTarget(program, load);
  const deliver = async (count: number) => {
    await saturate(target, count, load.connections);
    await receiver.until(count, ARRIVAL_LIMIT_MS);
    receiver.reset();
  };
  const [warmUp, count] = quick ? [200, 1_000] : [2_000, 10_000];
  await deliver(warmUp);
  const startedAt = performance.now();
  const usedBefore = program.processorMs();
  await deliver(count);
  const perSecond = (count / (performance.now() - startedAt)) * 1000;
  note(`endpoints: ${load.endpoints}, ${Math.round(perSecond)} events/s`);
  return { perSecond, processorMs: (program.processorMs() - usedBefore) / count };
}

async function measure({ quick }: BenchmarkContext, target: Target, receiver: Receiver, halfRate: number) {
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
  await settled(saturate(target, warmUp, MANY_ENDPOINTS.connections));
  const at200 = await settled(sendAtRate(target, 200, seconds));
  const atHalf = await settled(sendAtRate(target, halfRate, seconds));
  const { perSecond } = await settled(saturate(target, load, MANY_ENDPOINTS.connections));
  const run = {
    perSecond,
    p50At200: quantile(at200.latencies, 0.5),
    p99At200: quantile(at200.latencies, 0.99),
    p50AtHalf: quantile(atHalf.latencies, 0.5),
    p99AtHalf: quantile(atHalf.latencies, 0.99),
    lost,
    repeated,
  };
  return { events, run };
}

function toFindings(results: Record<'bare' | 'full' | 'normal', Run[]>, halfRate: number): Finding[] {
  const of = (who: keyof typeof results, what: keyof Run) => median(results[who].map((run) => run[what]));
  const compare = (what: keyof Run, name: string, floor?: Floor): Finding => {
    const [svc, bare] = [of('full', what), of('bare', what)];
    return { name, measured: { svc, bare }, ratio: { value: svc / bare, ...(floor && { floor }) } };
  };
  const [full, normal] = [of('full', 'perSecond'), of('normal', 'perSecond')];
  const sum = (what: keyof Run) =>
    [...results.full, ...results.normal].reduce((total, run) => total + run[what], 0);
  return [
    compare('perSecond', 'events/s accepted and delivered', { min: 0.65 }),
    compare('p50At200', 'p50 ms to arrival at 200/s', { max: 1.4 }),
    compare('p99At200', 'p99 ms to arrival at 200/s', { max: 2 }),
    {
      name: `p50 ms to arrival at ${halfRate}/s, half of svc's rate`,
      measured: { svc: of('full', 'p50AtHalf'), bare: of('bare', 'p50AtHalf') },
    },
    compare('p99AtHalf', `p99 ms to arrival at ${halfRate}/s`),
    {
      name: 'events/s with FULL against NORMAL',
      measured: { full, normal },
      ratio: { value: full / normal },
    },
    {
      name: 'events lost or sent twice',
      measured: { lost: sum('lost'), repeated: sum('repeated') },
      ratio: { value: sum('lost') + sum('repeated'), floor: { max: 0 } },
    },
    {
      name: 'file bytes an event, delivery and request logged',
      measured: { svc: of('full', 'bytesPerEvent'), bare: of('bare', 'bytesPerEvent') },
    },
  ];
}

function toFindingsOfOne(results: Record<'bare' | 'bareWithoutLog' | 'svc', SaturationRun[]>): Finding[] {
  const of = (who: keyof typeof results, what: keyof SaturationRun) =>
    median(results[who].map((run) => run[what]));
  const compare = (baseline: 'bare' | 'bareWithoutLog', name: string, floor?: Floor): Finding => {
    const [svc, bare] = [of('svc', 'perSecond'), of(baseline, 'perSecond')];
    return { name, measured: { svc, bare }, ratio: { value: svc / bare, ...(floor && { floor }) } };
  };
  return [
    compare('bare', 'events/s, one endpoint', { min: 0.65 }),
    compare('bareWithoutLog', 'events/s, one endpoint, of a baseline without a request log'),
    {
      name: 'ms of processor time per event, one endpoint',
      measured: {
        svc: of('svc', 'processorMs'),
        bare: of('bare', 'processorMs'),
        bareWithoutLog: of('bareWithoutLog', 'processorMs'),
      },
    },
  ];
}
