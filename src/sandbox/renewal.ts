import type { Sandbox } from './sandbox.ts';

/**
 * Builds what is kept in memory anew from the rows: at the end of boot, and whenever the rows were replaced. Because
 * it is the same each time, a sandbox that was reset goes on just as one that has booted.
 * @param seq the place of the newest row when the rows were as they are now. Whatever is made moves the store on from
 *   it, and so no two series of things are made from the same beginning.
 */
export function renew({ store, mint, workspaces, bus }: Sandbox, seq: number): void {
  mint.restart(`after ${seq}`);
  for (const newest of [store.workspaces.findNewestId(), store.apiKeys.findNewestId()]) {
    if (newest !== undefined) mint.ids('resources').startAfter(newest);
  }
  workspaces.forget();
  bus.publish({ type: 'renewed' });
}
