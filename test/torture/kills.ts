/** Kills an emulator again and again while it works, then looks for what got lost. */
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

/** Two schedule hours in a third of a second: retries come due between the kills. */
const SPEED = 20_000;
/** A killed process lives this long at most, from its start; its boot takes a third of that. */
const RANDOM_KILL_WITHIN_MS = 1_200;
const NTH_AT_MOST = 50;
/** Clients of the live stream that read nothing, in every third life that ends at any moment. */
const STALLED_STREAMS = 30;
/** File descriptors of every other such life. */
const FEW_DESCRIPTORS = 64;
/** By then a point must have been passed, however slow the machine. */
const LIFE_AT_MOST_MS = 30_000;

const troubles = ['plain', 'stalled', 'fewDescriptors'] as const;
type Trouble = (typeof troubles)[number];

export interface KillOptions {
  /** Where the database lives. */
  readonly folder: string;
  readonly kills: number;
  /** The same seed plans the same kills; when they strike is up to the machine. */
  readonly seed: number;
}

export interface Tally extends Audit {
  /** How often each was the end. */
  readonly kills: Readonly<Record<KillPoint | 'random', number>>;
  /** Lives that ended before their first answer: deliveries go on before there is one. */
  readonly killedAtBoot: number;
  /** Lives with clients of the live stream that read nothing, and with {@link FEW_DESCRIPTORS} file descriptors. */
  readonly withStalledStreams: number;
  readonly withFewDescriptors: number;
  readonly created: number;
  readonly accepted: number;
  /** Creations that were never answered. */
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
  for (let life = 0; life < kills; life++) {
    const point = points[life % points.length] ?? 'random';
    const trouble = point === 'random' ? troubles[troubled++ % troubles.length] : undefined;
    if (trouble !== undefined) lives[trouble]++;
    const wasReady = await (point === 'random'
      ? liveUntil(folder, load, random() * RANDOM_KILL_WITHIN_MS, trouble)
      : liveUpTo(folder, load, point, 1 + Math.floor(random() * NTH_AT_MOST)));
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

/** Starts an emulator, does something with it, and stops it as a person would. */
async function prepare(
  folder: string,
  act: (svc: Awaited<ReturnType<typeof getReady>>) => Promise<void>,
): Promise<void> {
  await using svc = startSvc({ folder, speed: SPEED });
  await act(await getReady(svc));
  const { code, stderr } = await svc.end('SIGTERM');
  if (code !== 0) throw new Error(`it did not stop in order: ${code} ${stderr}`);
}

/** A life that ends itself when it passes a point for the nth time. @returns whether it was answering by then. */
async function liveUpTo(folder: string, load: Load, point: KillPoint, nth: number): Promise<boolean> {
  await using svc = startSvc({ folder, killAt: { point, nth } });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void svc.end('SIGKILL');
  }, LIFE_AT_MOST_MS);
  const wasReady = await live(svc, load);
  clearTimeout(timer);
  if (isLate) throw new Error(`it did not pass ${point} ${nth} times within ${LIFE_AT_MOST_MS} ms`);
  return wasReady;
}

/** A life that ends at any moment. @returns whether it was answering by then. */
async function liveUntil(folder: string, load: Load, ms: number, trouble?: Trouble): Promise<boolean> {
  const under = ['sh', '-c', `ulimit -n ${FEW_DESCRIPTORS} && exec "$@"`, 'sh'];
  await using svc = startSvc({ folder, ...(trouble === 'fewDescriptors' && { under }) });
  setTimeout(() => svc.end('SIGKILL'), ms);
  const streams = trouble === undefined || trouble === 'plain' ? [] : await openStalledStreams(svc);
  const wasReady = await live(svc, load);
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

async function live(svc: SvcProcess, load: Load): Promise<boolean> {
  const ready = await svc.ready;
  if (ready) await load.run(ready);
  const { signal, stderr } = await svc.exited;
  if (signal !== 'SIGKILL') throw new Error(`it ended by itself: ${stderr}`);
  return ready !== null;
}
