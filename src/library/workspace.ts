/** One workspace of an emulator in this process: what a test does with it. */
import type { ControlInput, ControlOperations, ControlOutput } from '../contract/control-operations.ts';
import type { Delivery, DeliveryDetail } from '../contract/delivery-schemas.ts';
import type { ClockMove, ClockState } from '../contract/emulator-schemas.ts';
import type { Fault } from '../contract/fault-schemas.ts';
import type { ApiRequest } from '../contract/resources.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { listAll } from '../control/list-all.ts';
import { SvcError } from '../errors.ts';
import { fetchWithKey } from './api-request.ts';
import {
  clockParameters,
  deliveryParameters,
  eventParameters,
  faultParameters,
  requestParameters,
  triggerParameters,
  webhookParameters,
} from './argument-schemas.ts';
import { checkArguments, withArgumentChecks } from './check-arguments.ts';
import { type DeliverySnapshot, toSnapshot } from './delivery-snapshot.ts';
import { createDeliveryWait, type DeliveryWait } from './delivery-wait.ts';
import { type Duration, toMs } from './duration-argument.ts';
import { createEvents, type Events } from './events.ts';
import { createTrigger, type Trigger, type TriggerSetup } from './trigger.ts';

/** The input of an operation of the control plane, but for what the library says itself. */
type Input<Name extends keyof ControlOperations> = Omit<
  ControlInput<Name>,
  'id' | 'workspace_id' | 'limit' | 'starting_after'
>;

/**
 * Methods and their options are named in camelCase. What goes over the wire, resources and filters by their members, is
 * named as it is there (§2 of the service description).
 */
export interface Workspace extends AsyncDisposable {
  readonly workspaceId: string;
  /** A key that may do everything in this workspace, and nothing in others. */
  readonly apiKey: string;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Base address of the API; ends in `/v1`. */
  readonly baseUrl: string;
  /**
   * Answers without the network. A path, such as `/v1/events`, is asked with the key of the workspace, and a body is
   * JSON, unless the headers say otherwise; a `Request` is taken as it is.
   */
  fetch(target: Request | URL | string, init?: RequestInit): Promise<Response>;
  /**
   * Creates an event through the API. Without a payload it has that of the fixture of its type, or an empty one.
   * @throws SvcError as the API refuses it.
   */
  trigger: Trigger;
  readonly events: Events;
  readonly deliveries: Deliveries;
  readonly clock: Clock;
  readonly webhooks: Webhooks;
  readonly requests: Requests;
  readonly faults: Faults;
  /** Deletes its endpoints, so that nothing is sent any more; what happened can still be read. */
  close(): Promise<void>;
}

export interface Deliveries {
  /** All that match, newest first. */
  list(filter?: Input<'listDeliveries'>): Promise<Delivery[]>;
  /** With its attempts: what was sent and what was answered. */
  get(id: string): Promise<DeliveryDetail>;
  /** Sends it again: as a new attempt, or as a new delivery where its id, address or body is to differ. */
  replay(id: string, changes?: Input<'replayDelivery'>): Promise<Delivery>;
  wait: DeliveryWait;
  /** The matching deliveries, oldest first, for snapshot tests: ids are numbered, times are relative, local ports are left out. */
  snapshot(filter?: Input<'listDeliveries'>): Promise<DeliverySnapshot[]>;
}

/** The schedule clock: it decides when a retry is due. */
export interface Clock {
  show(): Promise<ClockState>;
  /** Moves it forward; resolves when all that this caused has been sent and answered. */
  advance(by: Duration): Promise<ClockMove>;
  /** Moves it forward to a schedule time, which must not be before the current one. */
  advanceTo(time: Date | string): Promise<ClockMove>;
  /** Moves it to the next instant at which something is due. */
  next(): Promise<ClockMove>;
  /** Moves it until no delivery is pending any more. */
  settle(): Promise<ClockMove>;
  freeze(): Promise<ClockState>;
  resume(): Promise<ClockState>;
  /** Schedule time that passes in a unit of real time. */
  speed(factor: number): Promise<ClockState>;
}

export interface Webhooks {
  /** Registers an endpoint, for every type of event when `events` is left out. */
  create(
    webhook: Omit<Input<'createWebhook'>, 'listener' | 'reuse'>,
  ): Promise<ControlOutput<'createWebhook'>>;
  list(): Promise<ControlOutput<'getWebhook'>[]>;
  get(id: string): Promise<ControlOutput<'getWebhook'>>;
  update(id: string, change: Input<'updateWebhook'>): Promise<ControlOutput<'updateWebhook'>>;
  /** Its pending deliveries are canceled. */
  delete(id: string): Promise<ControlOutput<'deleteWebhook'>>;
  /** The old secret signs as well for a day of schedule time, unless told otherwise. */
  rotateSecret(
    id: string,
    options?: Input<'rotateWebhookSecret'>,
  ): Promise<ControlOutput<'rotateWebhookSecret'>>;
}

export interface Requests {
  /** The requests made to `/v1` with a key of this workspace, newest first. */
  list(filter?: Input<'listRequests'>): Promise<ApiRequest[]>;
}

/** What goes wrong on purpose: on requests with a key of this workspace, and on its deliveries. */
export interface Faults {
  add(fault: Input<'addFault'>): Promise<Fault>;
  /** Newest first, with how often each has fired. */
  list(): Promise<Fault[]>;
  /** Takes one back, or all of this workspace. @returns how many. */
  clear(id?: string): Promise<number>;
}

export interface WorkspaceSetup extends TriggerSetup {
  /** Aborted when the emulator is closed. */
  readonly closing: AbortSignal;
}

export function createWorkspace(setup: WorkspaceSetup): Workspace {
  const { emulator, control, workspaceId, apiKey, closing } = setup;
  const { url, base_url: baseUrl } = emulator.status();
  const webhooks = withArgumentChecks('webhooks.', createWebhooks(control, workspaceId), webhookParameters);
  const send = createTrigger(setup);

  const trigger: Trigger = async (...args) => {
    checkArguments('trigger', triggerParameters, args);
    return send(...args);
  };

  async function close(): Promise<void> {
    // Nothing is sent any more.
    if (closing.aborted) return;
    for (const { id } of await webhooks.list()) await webhooks.delete(id);
  }

  return {
    ...{ workspaceId, apiKey, url, baseUrl, webhooks, close },
    fetch: (target, init) => fetchWithKey(setup, target, init),
    trigger,
    events: withArgumentChecks('events.', createEvents(setup), eventParameters),
    deliveries: withArgumentChecks('deliveries.', createDeliveries(setup), deliveryParameters),
    clock: withArgumentChecks('clock.', createClock(control, workspaceId), clockParameters),
    faults: withArgumentChecks('faults.', createFaults(control, workspaceId), faultParameters),
    requests: withArgumentChecks('requests.', createRequests(control, workspaceId), requestParameters),
    [Symbol.asyncDispose]: close,
  };
}

function createDeliveries(setup: WorkspaceSetup): Deliveries {
  const { control, workspaceId } = setup;
  const list: Deliveries['list'] = (filter) =>
    listAll((page) => control.listDeliveries({ ...page, ...filter, workspace_id: workspaceId }));
  return {
    list,
    get: (id) => control.getDelivery({ id }),
    replay: (id, changes) => control.replayDelivery({ ...changes, id }),
    wait: createDeliveryWait(setup),
    async snapshot(filter) {
      const found = (await list(filter)).reverse();
      return toSnapshot(await Promise.all(found.map(({ id }) => control.getDelivery({ id }))));
    },
  };
}

function createClock(control: ControlPlane, workspaceId: string): Clock {
  const workspace_id = workspaceId;
  return {
    show: () => control.getClock({ workspace_id }),
    advance: async (by) => control.advanceClock({ workspace_id, ms: toMs(by) }),
    async advanceTo(time) {
      const { now } = await control.getClock({ workspace_id });
      const ms = new Date(time).getTime() - Date.parse(now);
      if (ms >= 0) return control.advanceClock({ workspace_id, ms });
      throw new SvcError(
        'usage',
        `clock.advanceTo: ${new Date(time).toISOString()} is before the schedule time ${now}.`,
        {
          hint: 'Pass a later time. The schedule clock only moves forward.',
        },
      );
    },
    next: () => control.nextClock({ workspace_id }),
    settle: () => control.settleClock({ workspace_id }),
    freeze: () => control.setClock({ workspace_id, frozen: true }),
    resume: () => control.setClock({ workspace_id, frozen: false }),
    speed: (speed) => control.setClock({ workspace_id, speed }),
  };
}

function createRequests(control: ControlPlane, workspaceId: string): Requests {
  return {
    list: (filter) =>
      listAll((page) => control.listRequests({ ...page, ...filter, workspace_id: workspaceId })),
  };
}

function createFaults(control: ControlPlane, workspaceId: string): Faults {
  const workspace_id = workspaceId;
  return {
    add: (fault) => control.addFault({ ...fault, workspace_id }),
    list: () => listAll((page) => control.listFaults({ ...page, workspace_id })),
    clear: async (id) => (await control.clearFaults({ workspace_id, ...(id ? { id } : {}) })).cleared,
  };
}

function createWebhooks(control: ControlPlane, workspaceId: string): Webhooks {
  return {
    create: (webhook) => control.createWebhook({ ...webhook, workspace_id: workspaceId }),
    list: () => listAll((page) => control.listWebhooks({ ...page, workspace_id: workspaceId })),
    get: (id) => control.getWebhook({ id }),
    update: (id, change) => control.updateWebhook({ ...change, id }),
    delete: (id) => control.deleteWebhook({ id }),
    rotateSecret: (id, options) => control.rotateWebhookSecret({ ...options, id }),
  };
}
