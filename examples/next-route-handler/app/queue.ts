export interface Event {
  readonly id: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const jobs = new Map<string, Event>();

/** The work that runs after the response, once for each event even if it is delivered again. In production: a table with a unique column. */
export const queue = {
  put(event: Event): void {
    if (!jobs.has(event.id)) jobs.set(event.id, event);
  },
  list: (): Event[] => [...jobs.values()],
  clear: (): void => jobs.clear(),
};
