/** Kills an emulator repeatedly while it works, then checks that nothing was lost. */
import { connect, type Socket } from 'node:net';
import { createRandomSource } from '../../src/domain/secret.ts';
import { type Audit, audit } from './audit.ts';
import { createUnreliableReceiver, Load, settle, subscribe } from './load.ts';
import {
  databaseIn,
  type KillPoint,
  killPoints,
  type SvcProcess,
  startSvc,
  waitUntilReady,
} from './svc-process.ts';

/** Two schedule hours in a third of a second, so that retries become due between the kills. */
const SPEED = 20_000;
/** Maximum time from start to kill; a boot takes a third of that. */
const RANDOM_KILL_WITHIN_MS = 1_200;
const MAX_NTH = 50;
/** Live stream clients that do not read, in every third run with a random kill. */
const STALLED_STREAMS = 30;
/** Limit of file descriptors in every third run with a random kill. */
const FEW_DESCRIPTORS = 64;
/** Time limit for passing a kill point on a slow machine. */
const KILL_POINT_TIMEOUT_MS = 30_000;

const conditions = ['plain', 'stalled', 'fewDescriptors'] as const;
type Condition = (typeof conditions)[number];

export interface KillOptions {
  /** Folder of the database. */
  readonly folder: string;
  readonly kills: number;
  /** The same seed plans the same kills; their exact timing depends on the machine. */
  readonly seed: number;
}

export interface Tally extends Audit {
  /** Number of kills at each point. */
  readonly kills: Readonly<Record<KillPoint | 'random', number>>;
  /** Kills before the first response. Deliveries already continue at that time. */
  readonly killedAtBoot: number;
  /** Runs with live stream clients that do not read, and with {@link FEW_DESCRIPTORS} file descriptors. */
  readonly withStalledStreams: number;
  readonly withFewDescriptors: number;
  readonly created: number;
  readonly accepted: number;
  /** Creations without any response. */
  readonly withoutResponse: number;
  /** Requests that arrived at the receiver. */
  readonly arrived: number;
}

export async function runKills({ folder, kills, seed }: KillOptions): Promise<Tally> {
  const { next: random } = createRandomSource(seed);
  await using receiver = await createUnreliableReceiver(random);
  const load = new Load(random);
  await prepare(folder, (svc) => subscribe(svc, receiver));
  const points = [...killPoints, 'random', 'random', 'random'] as const;
  const count = Object.fromEntries(points.map((point) => [point, 0])) as Record<KillPoint | 'random', number>;
  const runsByCondition = { plain: 0, stalled: 0, fewDescriptors: 0 };
  let randomKills = 0;
  let killedAtBoot = 0;
  for (let run = 0; run < kills; run++) {
    const point = points[run % points.length] ?? 'random';
    const condition = point === 'random' ? conditions[randomKills++ % conditions.length] : undefined;
    if (condition !== undefined) runsByCondition[condition]++;
    const wasReady = await (point === 'random'
      ? runFor(folder, load, random() * RANDOM_KILL_WITHIN_MS, condition)
      : runToPoint(folder, load, point, 1 + Math.floor(random() * MAX_NTH)));
    count[point]++;
    if (!wasReady) killedAtBoot++;
  }
  await prepare(folder, async (svc) => {
    await load.finish(svc);
    await settle(svc);
  });
  const { creations } = load;
  const accepted = creations.filter(({ records }) => records.length > 0).length;
  return {
    ...audit({ database: databaseIn(folder), creations, requests: receiver.requests }),
    kills: count,
    killedAtBoot,
    withStalledStreams: runsByCondition.stalled,
    withFewDescriptors: runsByCondition.fewDescriptors,
    created: creations.length,
    accepted,
    withoutResponse: creations.length - accepted,
    arrived: receiver.requests.length,
  };
}

/** Starts an emulator, runs `act` and stops it with SIGTERM. */
async function prepare(
  folder: string,
  act: (svc: Awaited<ReturnType<typeof waitUntilReady>>) => Promise<void>,
): Promise<void> {
  await using svc = startSvc({ folder, speed: SPEED });
  await act(await waitUntilReady(svc));
  const { code, stderr } = await svc.end('SIGTERM');
  if (code !== 0) throw new Error(`svc did not stop with SIGTERM: ${code} ${stderr}`);
}

/** Runs an emulator until it passes a kill point for the nth time. @returns whether it was ready by then. */
async function runToPoint(folder: string, load: Load, point: KillPoint, nth: number): Promise<boolean> {
  await using svc = startSvc({ folder, killAt: { point, nth } });
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    void svc.end('SIGKILL');
  }, KILL_POINT_TIMEOUT_MS);
  const wasReady = await runLoad(svc, load);
  clearTimeout(timer);
  if (hasTimedOut)
    throw new Error(`svc did not pass ${point} ${nth} times within ${KILL_POINT_TIMEOUT_MS} ms`);
  return wasReady;
}

/** Runs an emulator for `ms`, then kills it. @returns whether it was ready by then. */
async function runFor(folder: string, load: Load, ms: number, condition?: Condition): Promise<boolean> {
  const wrapper = ['sh', '-c', `ulimit -n ${FEW_DESCRIPTORS} && exec "$@"`, 'sh'];
  await using svc = startSvc({ folder, ...(condition === 'fewDescriptors' && { wrapper }) });
  setTimeout(() => svc.end('SIGKILL'), ms);
  const streams = condition === undefined || condition === 'plain' ? [] : await openStalledStreams(svc);
  const wasReady = await runLoad(svc, load);
  for (const stream of streams) stream.destroy();
  return wasReady;
}

async function openStalledStreams(svc: SvcProcess): Promise<Socket[]> {
  const ready = await svc.ready;
  if (ready === null) return [];
  const { host, port } = new URL(ready.url);
  return Array.from({ length: STALLED_STREAMS }, () => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    socket.pause();
    socket.write(`GET /_svc/stream?since_sequence=0 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    return socket;
  });
}

async function runLoad(svc: SvcProcess, load: Load): Promise<boolean> {
  const ready = await svc.ready;
  if (ready) await load.run(ready);
  const { signal, stderr } = await svc.exited;
  if (signal !== 'SIGKILL') throw new Error(`svc exited by itself: ${stderr}`);
  return ready !== null;
}
