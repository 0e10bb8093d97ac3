/** A workspace of an emulator in this process. */

import * as v from 'valibot';
import {
  type ControlInput,
  type ControlOperations,
  type ControlOutput,
  controlOperations,
  MAX_ADVANCE_MS,
} from '../contract/control-operations.ts';
import { listAll } from '../contract/control-plane.ts';
import type { Delivery, DeliveryDetail } from '../contract/delivery-schemas.ts';
import type { ClockMove, ClockState } from '../contract/emulator-schemas.ts';
import { type Fault, NewFaultInput } from '../contract/fault-schemas.ts';
import type { ApiRequest } from '../contract/resources.ts';
import { formatDuration } from '../domain/duration.ts';
import { Speed } from '../validation/value-schemas.ts';
import { type Duration, DurationValue, fieldsSetByLibrary, Id, Time, toMs } from './argument-schemas.ts';
import { checkArguments, withArgumentChecks } from './check-arguments.ts';
import { createDeliveryWait, type DeliveryWait, WaitOptionsSchema } from './create-delivery-wait.ts';
import { type DeliverySnapshot, toSnapshot } from './delivery-snapshot.ts';
import { createEvents, type Events, eventParameters } from './events.ts';
import { withLibraryErrors } from './library-errors.ts';
import { createTrigger, type Trigger, triggerParameters } from './trigger.ts';
import type { WorkspaceSetup } from './workspace-setup.ts';

/** The input of a control-plane operation without the fields that the library sets, and without the ID, which is an argument. */
type LibraryInput<Name extends keyof ControlOperations> = Omit<
  ControlInput<Name>,
  'id' | (typeof fieldsSetByLibrary)[number]
>;

/**
 * A workspace with its own API key, endpoints, clock and faults. Methods and their options are named in camelCase. Resources,
 * filters and inputs of the API keep the names of the API (§2).
 */
export interface Workspace extends AsyncDisposable {
  /** ID of the workspace (`ws_…`). */
  readonly workspaceId: string;
  /** An API key with all scopes, for this workspace only (§5). */
  readonly apiKey: string;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Base URL of the API, ends in `/v1`. */
  readonly baseUrl: string;
  /**
   * Sends a request without the network. A path such as `/v1/events` is requested with the API key of the workspace, and a
   * body is sent as JSON, unless the headers say otherwise. A `Request` is sent unchanged.
   */
  fetch(target: Request | URL | string, init?: RequestInit): Promise<Response>;
  /**
   * Creates an event with `POST /v1/events` (§4).
   * @param payload default: the fixture of the type, or `{}`
   * @throws SvcError with the error of the API, such as `validation_failed`
   */
  trigger: Trigger;
  readonly events: Events;
  readonly deliveries: Deliveries;
  readonly clock: Clock;
  readonly webhooks: Webhooks;
  readonly requests: Requests;
  readonly faults: Faults;
  /** Deletes the endpoints of the workspace, so that nothing more is sent. The data can still be read. */
  close(): Promise<void>;
}

export interface Deliveries {
  /** Lists all matching deliveries, newest first. */
  list(filter?: LibraryInput<'listDeliveries'>): Promise<Delivery[]>;
  /** Returns a delivery with its attempts, each with its request and response. @throws SvcError `not_found` */
  get(id: string): Promise<DeliveryDetail>;
  /**
   * Sends a delivery again at once. With `new_id`, `url` or `body` it becomes a new delivery, otherwise a new attempt.
   * @throws SvcError `not_found`, `validation_failed`, or `conflict` if the endpoint was deleted
   */
  replay(id: string, changes?: LibraryInput<'replayDelivery'>): Promise<Delivery>;
  wait: DeliveryWait;
  /** Returns matching deliveries for snapshot tests, oldest first: IDs are numbered, times are relative, local ports are left out. */
  snapshot(filter?: LibraryInput<'listDeliveries'>): Promise<DeliverySnapshot[]>;
}

/** The schedule clock of a workspace, which decides when a retry is due. */
export interface Clock {
  /** Returns the schedule time, the speed and the next due time. */
  show(): Promise<ClockState>;
  /** Moves the clock forward. Resolves when every attempt that this caused has ended. */
  advance(by: Duration): Promise<ClockMove>;
  /** Moves the clock to a schedule time. Resolves when every attempt that this caused has ended. @throws SvcError `usage` for a time in the past */
  advanceTo(time: Date | string): Promise<ClockMove>;
  /** Moves the clock to the next due time. Resolves when every attempt that this caused has ended. */
  next(): Promise<ClockMove>;
  /** Moves the clock until no delivery is pending, except those to disabled endpoints, and every attempt has ended. */
  settle(): Promise<ClockMove>;
  /** Freezes the clock until `resume`. */
  freeze(): Promise<ClockState>;
  /** Lets the clock run again at its speed. */
  resume(): Promise<ClockState>;
  /** Sets the schedule seconds per real second. */
  speed(factor: number): Promise<ClockState>;
}

export interface Webhooks {
  /** Registers an endpoint (§6). Without `events` it receives all event types. The result contains the secret. */
  create(
    webhook: Omit<LibraryInput<'createWebhook'>, 'listener' | 'reuse'>,
  ): Promise<ControlOutput<'createWebhook'>>;
  /** Lists all endpoints of the workspace. */
  list(): Promise<ControlOutput<'getWebhook'>[]>;
  /** Returns an endpoint. @throws SvcError `not_found` */
  get(id: string): Promise<ControlOutput<'getWebhook'>>;
  /** Changes the given fields of an endpoint. `disabled: true` pauses its deliveries. */
  update(id: string, changes: LibraryInput<'updateWebhook'>): Promise<ControlOutput<'updateWebhook'>>;
  /** Deletes an endpoint. Its pending deliveries are canceled. */
  delete(id: string): Promise<ControlOutput<'deleteWebhook'>>;
  /** Replaces the secret. Deliveries also carry a signature of the old one for `overlap` of schedule time (default: 24 hours). */
  rotateSecret(
    id: string,
    options?: LibraryInput<'rotateWebhookSecret'>,
  ): Promise<ControlOutput<'rotateWebhookSecret'>>;
}

export interface Requests {
  /** Lists the requests to `/v1` made with a key of this workspace, newest first. */
  list(filter?: LibraryInput<'listRequests'>): Promise<ApiRequest[]>;
}

/** Injected faults on requests with a key of this workspace and on its deliveries, see docs/faults.md. */
export interface Faults {
  /** Adds a fault. @throws SvcError `usage` for an unknown or invalid field, `validation_failed` for fields that contradict each other */
  add(fault: LibraryInput<'addFault'>): Promise<Fault>;
  /** Lists the faults, newest first, with the number of times that each was applied. */
  list(): Promise<Fault[]>;
  /** Removes a fault, or all of this workspace. @returns the number of faults removed */
  clear(id?: string): Promise<number>;
}

const DeliveryFilterSchema = v.omit(controlOperations.listDeliveries.input, fieldsSetByLibrary);

export const deliveryParameters = {
  list: { filter: v.optional(DeliveryFilterSchema) },
  get: { id: Id },
  replay: { id: Id, changes: v.optional(v.omit(controlOperations.replayDelivery.input, ['id'])) },
  wait: {
    filter: v.optional(v.omit(DeliveryFilterSchema, ['status', 'until'])),
    options: WaitOptionsSchema,
  },
  snapshot: { filter: v.optional(DeliveryFilterSchema) },
};

export const clockParameters = {
  show: {},
  advance: {
    by: v.pipe(
      DurationValue,
      v.check((by) => toMs(by) <= MAX_ADVANCE_MS, `must be at most ${formatDuration(MAX_ADVANCE_MS)}`),
    ),
  },
  advanceTo: { time: Time },
  next: {},
  settle: {},
  freeze: {},
  resume: {},
  speed: { factor: Speed },
};

export const faultParameters = {
  add: { fault: v.omit(v.strictObject(NewFaultInput.entries), ['workspace_id']) },
  list: {},
  clear: { id: v.optional(Id) },
};

export const requestParameters = {
  list: {
    filter: v.optional(
      v.omit(v.strictObject(controlOperations.listRequests.input.entries), fieldsSetByLibrary),
    ),
  },
};

export const webhookParameters = {
  create: { webhook: v.omit(controlOperations.createWebhook.input, ['workspace_id', 'listener', 'reuse']) },
  list: {},
  get: { id: Id },
  update: { id: Id, changes: v.omit(controlOperations.updateWebhook.input, ['id']) },
  delete: { id: Id },
  rotateSecret: {
    id: Id,
    options: v.optional(v.omit(v.strictObject(controlOperations.rotateWebhookSecret.input.entries), ['id'])),
  },
};

export function createWorkspace(setup: WorkspaceSetup): Workspace {
  const { emulator, control, workspaceId, apiKey, closing } = setup;
  const { url, base_url: baseUrl } = emulator.status();
  const inWorkspace = { workspace_id: workspaceId };

  const webhooks: Webhooks = {
    create: (webhook) => control.createWebhook({ ...webhook, ...inWorkspace }),
    list: () => listAll((page) => control.listWebhooks({ ...page, ...inWorkspace })),
    get: (id) => control.getWebhook({ id }),
    update: (id, changes) => control.updateWebhook({ ...changes, id }),
    delete: (id) => control.deleteWebhook({ id }),
    rotateSecret: (id, options) => control.rotateWebhookSecret({ ...options, id }),
  };
  const requests: Requests = {
    list: (filter) => listAll((page) => control.listRequests({ ...page, ...filter, ...inWorkspace })),
  };
  const faults: Faults = {
    add: (fault) => control.addFault({ ...fault, ...inWorkspace }),
    list: () => listAll((page) => control.listFaults({ ...page, ...inWorkspace })),
    clear: async (id) => (await control.clearFaults({ ...inWorkspace, ...(id ? { id } : {}) })).cleared,
  };
  const clock: Clock = {
    show: () => control.getClock(inWorkspace),
    advance: async (by) => control.advanceClock({ ...inWorkspace, ms: toMs(by) }),
    advanceTo: async (time) => control.advanceClock({ ...inWorkspace, to: new Date(time).toISOString() }),
    next: () => control.nextClock(inWorkspace),
    settle: () => control.settleClock(inWorkspace),
    freeze: () => control.setClock({ ...inWorkspace, frozen: true }),
    resume: () => control.setClock({ ...inWorkspace, frozen: false }),
    speed: (speed) => control.setClock({ ...inWorkspace, speed }),
  };
  const listDeliveries: Deliveries['list'] = (filter) =>
    listAll((page) => control.listDeliveries({ ...page, ...filter, ...inWorkspace }));
  const deliveries: Deliveries = {
    list: listDeliveries,
    get: (id) => control.getDelivery({ id }),
    replay: (id, changes) => control.replayDelivery({ ...changes, id }),
    wait: createDeliveryWait(setup),
    async snapshot(filter) {
      const oldestFirst = (await listDeliveries(filter)).reverse();
      return toSnapshot(await Promise.all(oldestFirst.map(({ id }) => control.getDelivery({ id }))));
    },
  };
  const triggerUnchecked = createTrigger(setup);

  async function close(): Promise<void> {
    // A closed emulator sends nothing.
    if (closing.aborted) return;
    for (const { id } of await webhooks.list()) await webhooks.delete(id);
  }

  return {
    workspaceId,
    apiKey,
    url,
    baseUrl,
    fetch: (target, init) => fetchWithKey(setup, target, init),
    async trigger(...args) {
      checkArguments('trigger', triggerParameters, args);
      return withLibraryErrors(() => triggerUnchecked(...args));
    },
    events: withArgumentChecks('events', createEvents(setup), eventParameters),
    deliveries: withArgumentChecks('deliveries', deliveries, deliveryParameters),
    clock: withArgumentChecks('clock', clock, clockParameters),
    webhooks: withArgumentChecks('webhooks', webhooks, webhookParameters),
    requests: withArgumentChecks('requests', requests, requestParameters),
    faults: withArgumentChecks('faults', faults, faultParameters),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Responds as the server would. A path is requested with the API key of the workspace and with a JSON body, unless the headers
 * say otherwise. A `Request` is sent unchanged.
 */
async function fetchWithKey(
  { emulator, apiKey }: WorkspaceSetup,
  target: Request | URL | string,
  init: RequestInit = {},
): Promise<Response> {
  if (typeof target !== 'string' && !(target instanceof URL))
    return emulator.fetch(new Request(target, init));
  const headers = new Headers(init.headers);
  if (!headers.has('authorization')) headers.set('authorization', `Bearer ${apiKey}`);
  if (init.body !== undefined && !headers.has('content-type')) {
    headers.set('content-type', 'application/json');
  }
  return emulator.fetch(new Request(new URL(target, emulator.status().url), { ...init, headers }));
}
