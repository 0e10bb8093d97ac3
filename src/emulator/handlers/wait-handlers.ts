/** The operation that waits for deliveries: counts them again and again, until the wait is over. */

import { describeDelivery } from '../../diagnosis/describe-delivery.ts';
import {
  countByStatus,
  type DeliveryGroup,
  decideWait,
  describeEmptyWait,
  describeWait,
  findRejections,
  type NextAttempt,
} from '../../diagnosis/describe-wait.ts';
import { settledStatuses } from '../../domain/delivery.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import { suggestEventType } from '../../fixtures/event-fixtures.ts';
import type { ControlOperations } from '../../operations/control-operations.ts';
import type { ControlHandlers } from '../../operations/control-plane.ts';
import type { ValidatedInput } from '../../operations/operation.ts';
import type { WaitReport } from '../../operations/wait-schemas.ts';
import { withAnySignal } from '../../platform/abort-signals.ts';
import { monotonic, sleep } from '../../platform/timers.ts';
import { type DeliveryRow, type DeliverySelection, toDelivery } from '../../store/delivery-queries.ts';
import { toListBody } from '../../store/row-page.ts';
import { toWebhookDetail } from '../../store/webhooks.ts';
import type { ClockController } from '../deliveries/clock-controller.ts';
import { createNotFoundError } from '../service/access.ts';
import type { Sandbox } from '../service/sandbox.ts';
import type { LoadedWorkspace } from '../service/workspace-registry.ts';
import { toDeliveryDetail } from './delivery-handlers.ts';
import { findWorkspace, toCondition } from './to-condition.ts';

const DEFAULT_TIMEOUT_MS = 30 * SECOND_MS;
/** Maximum number of deliveries in a response. */
const MAX_LISTED = 1_000;
const MAX_DESCRIBED = 20;
/** The events, requests and endpoints that describe a wait without deliveries. */
const NEWEST = { limit: 100, beforeSeq: null };

const POLL_INTERVAL_MS = 15;
/** A pause is at least this many times as long as the last count took, so that waits leave most of the time to deliveries. */
const MIN_PAUSE_RATIO = 4;
/**
 * Consecutive polls in which no delivery could settle before a wait ends: about a second, because the code that waits can be about
 * to move the clock. Not a time, because a busy process delays that code as much as the polls.
 */
const STALLED_POLLS = 60;

interface WaitDependencies {
  readonly clock: ClockController;
  readonly fixtureFolders: readonly string[];
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

export function createWaitHandlers(sandbox: Sandbox, dependencies: WaitDependencies) {
  const { closing } = dependencies;
  return {
    waitForDeliveries: async (input, signal) => {
      const signals = signal === undefined ? [closing] : [closing, signal];
      try {
        const wait = new DeliveryWait(sandbox, dependencies, input);
        return await withAnySignal(signals, (end) => wait.run(end));
      } catch (error) {
        throw closing.aborted ? new SvcError('conflict', 'The emulator is stopping.') : error;
      }
    },
  } satisfies Partial<ControlHandlers>;
}

class DeliveryWait {
  readonly #sandbox: Sandbox;
  readonly #dependencies: WaitDependencies;
  readonly #input: ValidatedInput<ControlOperations['waitForDeliveries']>;
  readonly #timeoutMs: number;
  /** A duration is relative to the start of the wait. */
  readonly #since: number | undefined;

  constructor(
    sandbox: Sandbox,
    dependencies: WaitDependencies,
    input: ValidatedInput<ControlOperations['waitForDeliveries']>,
  ) {
    this.#sandbox = sandbox;
    this.#dependencies = dependencies;
    this.#input = input;
    this.#timeoutMs = input.timeout_ms ?? DEFAULT_TIMEOUT_MS;
    this.#since = this.#select().since;
  }

  async run(signal: AbortSignal): Promise<WaitReport> {
    const { status, count, retries = true, keep_waiting: keepsWaiting = count !== undefined } = this.#input;
    const endAt = monotonic() + this.#timeoutMs;
    let stalledPolls = 0;
    for (;;) {
      const startedAt = monotonic();
      const groups = this.#count();
      const countedAt = monotonic();
      const leftMs = endAt - countedAt;
      const canSettle =
        groups.length === 0 ? this.#canAnyArrive() : groups.some((group) => this.#canChange(group, leftMs));
      stalledPolls = keepsWaiting || canSettle ? 0 : stalledPolls + 1;
      // The deliveries of an event are created with it.
      const isHopeless = groups.length === 0 && this.#input.event_id !== undefined;
      const isStalled = stalledPolls >= (leftMs > 0 && !isHopeless ? STALLED_POLLS : 1);
      const reason =
        decideWait(groups, { status, count, retries }, (seq) => this.#nowOf(seq)) ??
        (isStalled ? 'stalled' : leftMs > 0 ? null : 'timeout');
      if (reason !== null) return this.#report(reason, groups);
      const pauseMs = Math.max(POLL_INTERVAL_MS, MIN_PAUSE_RATIO * (countedAt - startedAt));
      await sleep(Math.min(leftMs, pauseMs), signal);
      if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
    }
  }

  /** @throws SvcError `not_found` for what does not exist or was removed by a reset */
  #count(): readonly DeliveryGroup[] {
    const { deliveryQueries } = this.#sandbox.store;
    const groups = deliveryQueries.countMatches(this.#select());
    const ids = new Set(this.#input.ids);
    if (ids.size > countAll(groups)) {
      const missing = [...ids].find((id) => deliveryQueries.find(id) === undefined);
      if (missing !== undefined) throw createNotFoundError('delivery', missing);
    }
    return groups;
  }

  #select(): DeliverySelection {
    const { ids } = this.#input;
    const condition = toCondition(this.#sandbox, { ...this.#input, status: undefined }, 'schedule');
    return {
      ...condition,
      since: this.#since ?? condition.since,
      ids: ids && JSON.stringify(ids),
    };
  }

  /** Whether a delivery can change in the time: an attempt is due or in flight, or a request moves the clock. */
  #canChange({ workspace_seq, disabled, due_at: dueAt }: DeliveryGroup, withinMs: number): boolean {
    if (dueAt === null || disabled === 1) return false;
    const workspace = this.#sandbox.workspaces.get(workspace_seq);
    if (this.#dependencies.clock.isBusy(workspace)) return true;
    return dueAt <= workspace.clock.now() + workspace.clock.currentSpeed * Math.max(0, withinMs);
  }

  /** No event has a mistyped type. */
  #canAnyArrive(): boolean {
    return this.#input.event_id === undefined && this.#findMeantType() === null;
  }

  /** `Did you mean order.shipped?` for a type without a fixture and without events; null for any other. */
  #findMeantType(): string | null {
    const { type } = this.#input;
    const suggestion = type === undefined ? null : suggestEventType(type, this.#dependencies.fixtureFolders);
    return suggestion === null || this.#listEvents({ type }).length > 0 ? null : suggestion;
  }

  #listEvents(filter: { readonly type?: string | undefined } = {}) {
    const workspace_id = this.#getWorkspace().id;
    return this.#sandbox.store.events.listSummaries({ ...filter, workspace_id }, NEWEST).rows;
  }

  #getWorkspace(): LoadedWorkspace {
    const { workspaces } = this.#sandbox;
    return findWorkspace(this.#sandbox, this.#input.workspace_id) ?? workspaces.default;
  }

  #report(reason: WaitReport['reason'], groups: readonly DeliveryGroup[]): WaitReport {
    const { store } = this.#sandbox;
    // What the response says must be on disk.
    store.flush();
    const { limit = MAX_LISTED } = this.#input;
    const { rows, hasMore } = store.deliveryQueries.list(this.#select(), { limit, beforeSeq: null });
    return {
      settled: reason === 'settled',
      reason,
      ...(groups.length === 0 && reason !== 'settled'
        ? this.#describeEmpty()
        : this.#describe(reason, groups, rows)),
      counts: countByStatus(groups),
      ...toListBody({ rows, hasMore }, toDelivery),
    };
  }

  #describe(
    reason: WaitReport['reason'],
    groups: readonly DeliveryGroup[],
    newest: readonly DeliveryRow[],
  ): Pick<WaitReport, 'message' | 'hint' | 'details'> {
    const { status, count } = this.#input;
    const others = this.#listOthers(newest);
    const counts = countByStatus(groups);
    const otherCount = countAll(groups) - counts[status ?? 'succeeded'];
    const details = others.map((row) =>
      describeDelivery(toDeliveryDetail(this.#sandbox, row), this.#nowOf(row.workspace_seq)),
    );
    if (otherCount > details.length) details.push(`… and ${otherCount - details.length} more.`);
    const wait = {
      reason,
      timeoutMs: this.#timeoutMs,
      status,
      count,
      counts,
      others: others.map(toDelivery),
      next: this.#findNext(groups),
      paused: groups.flatMap(({ webhook_id, disabled, due_at, count: deliveries }) =>
        disabled === 1 && due_at !== null ? [{ webhook_id, deliveries }] : [],
      ),
    };
    return { ...describeWait(wait), details };
  }

  /** The newest deliveries that settled with another status, then those that are pending, then those whose replay failed. */
  #listOthers(newest: readonly DeliveryRow[]): readonly DeliveryRow[] {
    const { deliveryQueries } = this.#sandbox.store;
    const { status: wanted = 'succeeded' } = this.#input;
    const page = { limit: MAX_DESCRIBED, beforeSeq: null };
    const others = [...settledStatuses, 'pending' as const]
      .filter((status) => status !== wanted)
      .flatMap((status) => deliveryQueries.list({ ...this.#select(), status }, page).rows);
    const isFailedReplay = ({ status, settled_reason: reason }: DeliveryRow) =>
      status === 'succeeded' && reason === 'replay_failed';
    const failedReplays = wanted === 'succeeded' ? newest.filter(isFailedReplay) : [];
    return [...others, ...failedReplays].slice(0, MAX_DESCRIBED);
  }

  #findNext(groups: readonly DeliveryGroup[]): NextAttempt | null {
    const { workspaces } = this.#sandbox;
    const [next] = groups
      .flatMap(({ workspace_seq, disabled, due_at: at }) =>
        disabled === 1 || at === null ? [] : [{ workspace: workspaces.get(workspace_seq), at }],
      )
      .sort((a, b) => a.at - b.at);
    if (next === undefined) return null;
    const { clock, id: workspaceId } = next.workspace;
    return {
      workspaceId,
      isDefaultWorkspace: workspaceId === workspaces.default.id,
      inMs: Math.max(0, next.at - clock.now()),
      speed: clock.currentSpeed,
    };
  }

  #describeEmpty(): Pick<WaitReport, 'message' | 'hint' | 'details'> {
    const { store } = this.#sandbox;
    const { seq, id } = this.#getWorkspace();
    const { type, event_id: eventId } = this.#input;
    const events = this.#listEvents();
    const newest = events.find(
      (event) => (eventId ?? event.id) === event.id && (type ?? event.type) === event.type,
    );
    const isDelivered = newest && store.deliveryQueries.countMatches({ event_id: newest.id }).length > 0;
    const requests = (['4xx', '5xx'] as const).flatMap(
      (status) => store.apiRequests.list({ method: 'POST', path: '/v1/events', status }, NEWEST).rows,
    );
    return describeEmptyWait({
      timeoutMs: this.#timeoutMs,
      type,
      suggestion: this.#findMeantType(),
      eventTypes: new Set(events.map((event) => event.type)),
      undelivered: isDelivered ? undefined : newest,
      rejections: findRejections(requests, id),
      endpoints: store.webhooks.list(seq, NEWEST).rows.map((row) => toWebhookDetail(row)),
    });
  }

  #nowOf(workspaceSeq: number): number {
    return this.#sandbox.workspaces.get(workspaceSeq).clock.now();
  }
}

function countAll(groups: readonly DeliveryGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}
