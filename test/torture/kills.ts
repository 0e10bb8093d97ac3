/** Kills an emulator repeatedly while it works, then checks that nothing was lost. */
import { connect, type Socket } from 'node:net';
import { createRandomSource } from '../../src/domain/random-source.ts';
import { type Audit, audit } from './audit.ts';
import { createUnreliableReceiver, Load, settle, subscribe } from './load.ts';
import {
  databaseIn,
  getReady,
  type KillPoint,
  killPoints,
  type SvcProcess,
  startSvc,
} from './svc-process.ts';

/** Two schedule hours in a third of a second, so that retries become due between the kills. */
const SPEED = 20_000;
/** Maximum time from start to kill; a boot takes a third of that. */
const RANDOM_KILL_WITHIN_MS = 1_200;
const NTH_AT_MOST = 50;
/** Live stream clients that do not read, in every third run with a random kill. */
const STALLED_STREAMS = 30;
/** Limit of file descriptors in every third run with a random kill. */
const FEW_DESCRIPTORS = 64;
/** Time limit for passing a kill point on a slow machine. */
const LIFE_AT_MOST_MS = 30_000;

const troubles = ['plain', 'stalled', 'fewDescriptors'] as const;
type Trouble = (typeof troubles)[number];

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
  readonly unanswered: number;
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
  const lives = { plain: 0, stalled: 0, fewDescriptors: 0 };
  let troubled = 0;
  let killedAtBoot = 0;
  for (let run = 0; run < kills; run++) {
    const point = points[run % points.length] ?? 'random';
    const trouble = point === 'random' ? troubles[troubled++ % troubles.length] : undefined;
    if (trouble !== undefined) lives[trouble]++;
    const wasReady = await (point === 'random'
      ? runFor(folder, load, random() * RANDOM_KILL_WITHIN_MS, trouble)
      : runToPoint(folder, load, point, 1 + Math.floor(random() * NTH_AT_MOST)));
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
    withStalledStreams: lives.stalled,
    withFewDescriptors: lives.fewDescriptors,
    created: creations.length,
    accepted,
    unanswered: creations.length - accepted,
    arrived: receiver.requests.length,
  };
}

/** Starts an emulator, runs `act` and stops it with SIGTERM. */
async function prepare(
  folder: string,
  act: (svc: Awaited<ReturnType<typeof getReady>>) => Promise<void>,
): Promise<void> {
  await using svc = startSvc({ folder, speed: SPEED });
  await act(await getReady(svc));
  const { code, stderr } = await svc.end('SIGTERM');
  if (code !== 0) throw new Error(`svc did not stop with SIGTERM: ${code} ${stderr}`);
}

/** Runs an emulator until it passes a kill point for the nth time. @returns whether it was ready by then. */
async function runToPoint(folder: string, load: Load, point: KillPoint, nth: number): Promise<boolean> {
  await using svc = startSvc({ folder, killAt: { point, nth } });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void svc.end('SIGKILL');
  }, LIFE_AT_MOST_MS);
  const wasReady = await runLoad(svc, load);
  clearTimeout(timer);
  if (isLate) throw new Error(`svc did not pass ${point} ${nth} times within ${LIFE_AT_MOST_MS} ms`);
  return wasReady;
}

/** Runs an emulator for `ms`, then kills it. @returns whether it was ready by then. */
async function runFor(folder: string, load: Load, ms: number, trouble?: Trouble): Promise<boolean> {
  const under = ['sh', '-c', `ulimit -n ${FEW_DESCRIPTORS} && exec "$@"`, 'sh'];
  await using svc = startSvc({ folder, ...(trouble === 'fewDescriptors' && { under }) });
  setTimeout(() => svc.end('SIGKILL'), ms);
  const streams = trouble === undefined || trouble === 'plain' ? [] : await openStalledStreams(svc);
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
    socket.write(`GET /_svc/events?since_sequence=0 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
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
