/**
 * A model of the whole service: what an emulator with several workspaces has to contain after any sequence of operations. It
 * shares no code with the emulator. All its rules come from the service description and the gap register.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Schedule time from the first attempt to each of the others, in minutes (gap `retry.schedule`). */
const OFFSETS_MS = [0, 5, 35, 155, 515, 1235, 2675, 4115].map((minutes) => minutes * MINUTE_MS);
const KEY_RETENTION_MS = 24 * HOUR_MS;

/** How a receiver responds: always with 200, always with 500, or with 200 to the third attempt and later ones. */
export const behaviors = ['accepts', 'fails', 'recovers'] as const;
export type Behavior = (typeof behaviors)[number];

export function respond(behavior: Behavior, attemptNumber: number): number {
  return behavior === 'accepts' || (behavior === 'recovers' && attemptNumber >= 3) ? 200 : 500;
}

export interface ModelEndpoint {
  readonly id: string;
  readonly behavior: Behavior;
  /** Event types, or `*`. */
  readonly types: readonly string[];
}

interface ModelEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: number;
}

interface ModelWorkspace {
  readonly apiKey: string;
  readonly endpoints: readonly ModelEndpoint[];
  /** Schedule time. The clock is frozen, so only moves change it. */
  now: number;
  readonly events: ModelEvent[];
}

interface StoredKey {
  readonly workspaceId: string;
  readonly body: string;
  readonly eventId: string;
  readonly expiresAt: number;
}

interface State {
  readonly workspaces: Map<string, ModelWorkspace>;
  readonly keys: Map<string, StoredKey>;
}

export interface ExpectedAttempt {
  readonly scheduledAt: number;
  readonly status: number;
}

export interface ExpectedDelivery {
  readonly eventId: string;
  readonly webhookId: string;
  readonly status: string;
  readonly attempts: readonly ExpectedAttempt[];
  readonly nextAttemptAt: number | null;
  readonly settledAt: number | null;
}

export type CreationOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'replayed'; readonly eventId: string }
  | { readonly kind: 'key reused' };

export class ServiceModel {
  #state: State = { workspaces: new Map(), keys: new Map() };
  /** The state that a reset restores: the one after the last start or loaded snapshot. */
  #baseline = structuredClone(this.#state);
  #snapshot: State | null = null;

  get workspaces(): ReadonlyMap<string, ModelWorkspace> {
    return this.#state.workspaces;
  }

  addWorkspace(id: string, workspace: Omit<ModelWorkspace, 'events'>): void {
    this.#state.workspaces.set(id, { ...workspace, events: [] });
  }

  /** What a request with an `Idempotency-Key` leads to. */
  predictCreation(apiKey: string, key: string, body: string): CreationOutcome {
    const stored = this.#state.keys.get(`${apiKey} ${key}`);
    // The clock of the workspace to which the first request went decides.
    if (stored === undefined || stored.expiresAt <= this.#get(stored.workspaceId).now) {
      return { kind: 'created' };
    }
    return stored.body === body ? { kind: 'replayed', eventId: stored.eventId } : { kind: 'key reused' };
  }

  addEvent(workspaceId: string, event: Omit<ModelEvent, 'createdAt'>): void {
    const workspace = this.#get(workspaceId);
    workspace.events.push({ ...event, createdAt: workspace.now });
  }

  storeKey(apiKey: string, key: string, stored: Omit<StoredKey, 'expiresAt'>): void {
    const expiresAt = this.#get(stored.workspaceId).now + KEY_RETENTION_MS;
    this.#state.keys.set(`${apiKey} ${key}`, { ...stored, expiresAt });
  }

  advance(workspaceId: string, ms: number): void {
    this.#get(workspaceId).now += ms;
  }

  restart(): void {
    this.#baseline = structuredClone(this.#state);
  }

  save(): void {
    this.#snapshot = structuredClone(this.#state);
  }

  /** @returns whether there is a snapshot */
  load(): boolean {
    if (this.#snapshot === null) return false;
    this.#state = structuredClone(this.#snapshot);
    this.#baseline = structuredClone(this.#snapshot);
    return true;
  }

  reset(): void {
    this.#state = structuredClone(this.#baseline);
  }

  /** IDs of the events of a workspace, newest first (gap `list.order`). */
  listEventIds(workspaceId: string): string[] {
    return this.#get(workspaceId)
      .events.map(({ id }) => id)
      .toReversed();
  }

  listDeliveries(workspaceId: string): ExpectedDelivery[] {
    const { events, endpoints, now } = this.#get(workspaceId);
    return events.flatMap((event) =>
      endpoints
        .filter(({ types }) => types.includes('*') || types.includes(event.type))
        .map((endpoint) => predictDelivery(event, endpoint, now)),
    );
  }

  #get(workspaceId: string): ModelWorkspace {
    const workspace = this.#state.workspaces.get(workspaceId);
    if (workspace === undefined) throw new Error(`The model has no workspace ${workspaceId}.`);
    return workspace;
  }
}

/** A delivery follows from its event, its receiver and the time (§6.retries.schedule). */
function predictDelivery(event: ModelEvent, endpoint: ModelEndpoint, now: number): ExpectedDelivery {
  const attempts: ExpectedAttempt[] = [];
  for (const offset of OFFSETS_MS) {
    const scheduledAt = event.createdAt + offset;
    if (scheduledAt > now || attempts.at(-1)?.status === 200) break;
    attempts.push({ scheduledAt, status: respond(endpoint.behavior, attempts.length + 1) });
  }
  const last = attempts.at(-1);
  const nextOffset = OFFSETS_MS[attempts.length];
  const settledAt = last?.scheduledAt ?? null;
  const common = { eventId: event.id, webhookId: endpoint.id, attempts };
  if (last?.status === 200) return { ...common, status: 'succeeded', nextAttemptAt: null, settledAt };
  return nextOffset === undefined
    ? { ...common, status: 'failed', nextAttemptAt: null, settledAt }
    : { ...common, status: 'pending', nextAttemptAt: event.createdAt + nextOffset, settledAt: null };
}
