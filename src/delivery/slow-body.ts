/** A body that is written bit by bit. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Real time between two parts at most. */
const PART_MS = 100;

/** The bytes in equal parts, the last of them after `overMs` of real time. */
export async function* writeSlowly(body: Buffer, overMs: number): AsyncGenerator<Buffer> {
  const count = Math.max(1, Math.min(body.length, Math.ceil(overMs / PART_MS)));
  for (let i = 0; i < count; i++) {
    // An attempt that has timed out keeps no process alive.
    await sleep(overMs / count, undefined, { ref: false });
    yield body.subarray(Math.floor((i * body.length) / count), Math.floor(((i + 1) * body.length) / count));
  }
}
