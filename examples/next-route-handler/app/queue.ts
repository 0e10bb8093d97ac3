export interface Event {
  readonly id: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const jobs = new Map<string, Event>();

/**
 * Where work waits to be taken up after the answer, once for each event however often it is delivered. In production a
 * table with a unique column.
 */
export const queue = {
  put(event: Event): void {
    if (!jobs.has(event.id)) jobs.set(event.id, event);
  },
  list: (): Event[] => [...jobs.values()],
  clear: (): void => jobs.clear(),
};
