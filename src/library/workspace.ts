/** A workspace of an emulator in this process. */

import type * as v from 'valibot';
import { parseTime } from '../domain/duration.ts';
import {
  type ControlInput,
  type ControlOperations,
  type ControlOutput,
  controlOperations,
} from '../operations/control-operations.ts';
import { listAll } from '../operations/control-plane.ts';
import type { ClockMove, ClockState } from '../operations/emulator-schemas.ts';
import type { Page } from '../resources/define-resource.ts';
import { createDeliveryWait, type DeliveryWait } from './create-delivery-wait.ts';
import { type DeliverySnapshot, toSnapshot } from './delivery-snapshot.ts';
import { type Duration, toMs } from './duration.ts';
import { createEvents, type Events } from './events.ts';
import { withLibraryErrors } from './library-errors.ts';
import { createTrigger, type Trigger } from './trigger.ts';
import type { WorkspaceSetup } from './workspace-setup.ts';

type FieldSetByLibrary = 'id' | 'workspace_id' | 'limit' | 'starting_after' | 'listener' | 'reuse';
type Options<Name extends keyof ControlOperations> = Omit<ControlInput<Name>, FieldSetByLibrary>;

/**
 * The method of an operation. The ID of a resource is an argument, a list returns all pages, and the operation checks the
 * arguments: its error names them.
 */
type Method<Name extends keyof ControlOperations> =
  ControlOutput<Name> extends Page<infer Item>
    ? (filter?: Options<Name>) => Promise<Item[]>
    : ControlInput<Name> extends { readonly id: string }
      ? (id: string, options?: Options<Name>) => Promise<ControlOutput<Name>>
      : (options: Options<Name>) => Promise<ControlOutput<Name>>;

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
  readonly list: Method<'listDeliveries'>;
  /** Returns a delivery with its attempts, each with its request and response. @throws SvcError `not_found` */
  readonly get: Method<'getDelivery'>;
  /**
   * Sends a delivery again at once. With `new_id`, `url` or `body` it becomes a new delivery, otherwise a new attempt.
   * @throws SvcError `not_found`, `validation_failed`, or `conflict` if the endpoint was deleted
   */
  readonly replay: Method<'replayDelivery'>;
  readonly wait: DeliveryWait;
  /** Returns matching deliveries for snapshot tests, oldest first: IDs are numbered, times are relative, local ports are left out. */
  snapshot(filter?: Options<'listDeliveries'>): Promise<DeliverySnapshot[]>;
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
  readonly create: Method<'createWebhook'>;
  /** Lists all endpoints of the workspace. */
  readonly list: Method<'listWebhooks'>;
  /** Returns an endpoint. @throws SvcError `not_found` */
  readonly get: Method<'getWebhook'>;
  /** Changes the given fields of an endpoint. `disabled: true` pauses its deliveries. */
  readonly update: Method<'updateWebhook'>;
  /** Deletes an endpoint. Its pending deliveries are canceled. */
  readonly delete: Method<'deleteWebhook'>;
  /** Replaces the secret. Deliveries also carry a signature of the old one for `overlap_ms` of schedule time, such as `1h` (default: 24 hours). */
  readonly rotateSecret: Method<'rotateWebhookSecret'>;
}

export interface Requests {
  /** Lists the requests to `/v1` made with a key of this workspace, newest first. */
  readonly list: Method<'listRequests'>;
}

/** Injected faults on requests with a key of this workspace and on its deliveries, see docs/faults.md. */
export interface Faults {
  /** Adds a fault. @throws SvcError `validation_failed` for an unknown or invalid field, or fields that contradict each other */
  readonly add: Method<'addFault'>;
  /** Lists the faults, newest first, with the number of times that each was applied. */
  readonly list: Method<'listFaults'>;
  /** Removes a fault, or all of this workspace. @returns the number of faults removed */
  clear(id?: string): Promise<number>;
}

export function createWorkspace(setup: WorkspaceSetup): Workspace {
  const { emulator, control, workspaceId, apiKey, closing } = setup;
  const { url, base_url: baseUrl } = emulator.status();
  const inWorkspace = { workspace_id: workspaceId };

  const method = <Name extends keyof ControlOperations>(name: Name) => bindOperation(name, setup);
  const webhooks: Webhooks = {
    create: method('createWebhook'),
    list: method('listWebhooks'),
    get: method('getWebhook'),
    update: method('updateWebhook'),
    delete: method('deleteWebhook'),
    rotateSecret: method('rotateWebhookSecret'),
  };
  const faults: Faults = {
    add: method('addFault'),
    list: method('listFaults'),
    clear: async (id) => (await control.clearFaults({ ...inWorkspace, id })).cleared,
  };
  const clock: Clock = {
    show: () => control.getClock(inWorkspace),
    advance: (by) => control.advanceClock({ ...inWorkspace, ms: typeof by === 'number' ? toMs(by) : by }),
    advanceTo: (time) => control.advanceClock({ ...inWorkspace, to: toTimestamp(time) }),
    next: () => control.nextClock(inWorkspace),
    settle: () => control.settleClock(inWorkspace),
    freeze: () => control.setClock({ ...inWorkspace, frozen: true }),
    resume: () => control.setClock({ ...inWorkspace, frozen: false }),
    speed: (speed) => control.setClock({ ...inWorkspace, speed }),
  };
  const listDeliveries = method('listDeliveries');
  const deliveries: Deliveries = {
    list: listDeliveries,
    get: method('getDelivery'),
    replay: method('replayDelivery'),
    wait: createDeliveryWait(setup),
    async snapshot(filter) {
      const oldestFirst = (await listDeliveries(filter)).reverse();
      return toSnapshot(await Promise.all(oldestFirst.map(({ id }) => control.getDelivery({ id }))));
    },
  };
  const trigger = createTrigger(setup);

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
    trigger: (...args) => withLibraryErrors(() => trigger(...args)),
    events: createEvents(setup),
    deliveries,
    clock,
    webhooks,
    requests: { list: method('listRequests') },
    faults,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function bindOperation<Name extends keyof ControlOperations>(
  name: Name,
  { control, workspaceId }: WorkspaceSetup,
): Method<Name> {
  const { path, input } = controlOperations[name];
  const { entries } = input as { readonly entries: v.ObjectEntries };
  const scope = 'workspace_id' in entries ? { workspace_id: workspaceId } : {};
  const run = control[name] as (input: object) => Promise<never>;
  const method = path.includes('{id}')
    ? (id: string, options?: object) => run({ ...options, id })
    : 'starting_after' in entries
      ? (filter?: object) => listAll((page) => run({ ...page, ...filter, ...scope }))
      : (options?: object) => run({ ...options, ...scope });
  // The conditions are those of the type.
  return method as unknown as Method<Name>;
}

/** A text that is not a time is passed unchanged, so that the operation rejects it. */
function toTimestamp(time: Date | string): string {
  const at = time instanceof Date ? time.getTime() : parseTime(time);
  return Number.isNaN(at) ? String(time) : new Date(at).toISOString();
}
