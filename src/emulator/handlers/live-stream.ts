/**
 * The server side of the live stream. It reads changes from the store after they are committed, in order. A slow client, or one
 * that reconnects, continues after the last item that it has received, so that no item is lost or repeated.
 */

import * as v from 'valibot';
import { parseRelativeTime } from '../../domain/duration.ts';
import {
  type StreamInput,
  type StreamItem,
  StreamInput as StreamSchema,
  type StreamTopic,
} from '../../operations/stream-schemas.ts';
import { createLinkedController } from '../../platform/abort-signals.ts';
import { yieldToEventLoop } from '../../platform/timers.ts';
import { pickFields } from '../../resources/define-resource.ts';
import { type DeliveryCondition, deliveryFilters } from '../../resources/delivery.ts';
import { type RequestCondition, requestFilters } from '../../resources/request.ts';
import { validate } from '../../resources/validate.ts';
import type { ListenerEndpointCleanup } from '../service/listener-endpoint-cleanup.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { getWebhookRow } from '../service/webhooks.ts';
import { findItem, type HistoryStart, type StreamSelection, waitForCommit } from './stream-changes.ts';
import { toCondition } from './to-condition.ts';

const BATCH_SIZE = 200;

const ALL_TYPES = ['delivery', 'attempt', 'request'] as const satisfies ReadonlyArray<StreamTopic>;

interface StreamStart {
  readonly types: ReadonlySet<StreamTopic>;
  /** Items after this sequence are sent. */
  readonly after: number;
  /** A replacement of all rows after this sequence is new to the client: it gets a `reset`, one for several. */
  readonly stateReplacedSeq: number;
}

/**
 * Follows changes after `since_sequence`, from `since`, or from now on, until `signal` is aborted or the endpoint of a listener is
 * gone.
 * @throws SvcError for invalid input, or a filter by a resource that does not exist.
 */
export function createLiveStream(
  sandbox: Sandbox,
  listenerCleanup: ListenerEndpointCleanup,
  input: StreamInput,
  signal: AbortSignal,
): AsyncIterable<StreamItem> {
  const validated = validate(StreamSchema, input, 'invalid_request');
  const {
    types = ALL_TYPES,
    listener: listenerIds = [],
    since_sequence,
    since,
    until,
    ...condition
  } = validated;
  const { store, wall } = sandbox;
  const { status, ...filter } = condition;
  const isDeliveryStatus = v.is(deliveryFilters.status.schema, status);
  const { since: schedule, ...deliveries } = toCondition(
    sandbox,
    {
      ...pickFields(deliveryFilters, filter),
      ...(isDeliveryStatus && { status: status as DeliveryCondition['status'] }),
      since,
      until,
    },
    'schedule',
  );
  const requests = toCondition(
    sandbox,
    {
      ...pickFields(requestFilters, filter),
      ...(!isDeliveryStatus && { status: status as RequestCondition['status'] }),
      until,
    },
    'wall',
  );
  const selectedTypes = new Set<StreamTopic>(types);
  const historyStart =
    since === undefined || since_sequence !== undefined
      ? null
      : {
          newest: store.lastSeq,
          wall: parseRelativeTime(since, wall.now()),
          schedule: schedule ?? 0,
        };
  const stream: StreamSelection & StreamStart = {
    types: selectedTypes,
    deliveries,
    requests,
    listenerIds,
    historyStart,
    after:
      since_sequence ??
      (historyStart === null ? store.lastSeq : findLastSeqBefore(store, historyStart, selectedTypes)),
    // Sequence 0 is the beginning: such a client has no state that a reset could replace.
    stateReplacedSeq: since_sequence || store.stateReplacedSeq,
  };
  for (const id of listenerIds) getWebhookRow(sandbox, id);
  return followAndHoldListeners(sandbox, listenerCleanup, stream, signal);
}

function findLastSeqBefore(
  { changeFeed, lastSeq }: Sandbox['store'],
  { wall, schedule }: HistoryStart,
  types: ReadonlySet<StreamTopic>,
): number {
  return Math.min(
    changeFeed.findLastSeqBeforeDeliveries(schedule) ?? lastSeq,
    types.has('request') ? changeFeed.findLastSeqBeforeRequests(wall) : lastSeq,
  );
}

/**
 * Holds the endpoints of `svc listen`, if there are any, while the stream is open. The stream also ends when one of them was
 * removed, so that the client notices.
 */
async function* followAndHoldListeners(
  sandbox: Sandbox,
  listenerCleanup: ListenerEndpointCleanup,
  stream: StreamSelection & StreamStart,
  signal: AbortSignal,
): AsyncGenerator<StreamItem> {
  const ended = createLinkedController([signal]);
  if (ended.signal.aborted) return;
  const releases = stream.listenerIds.map((id) => listenerCleanup.acquire(id));
  // A client that has disconnected requests no further item, so the iteration would not end on its own.
  ended.signal.addEventListener('abort', () => {
    for (const release of releases) release();
  });
  try {
    yield* follow(sandbox, stream, ended.signal);
  } finally {
    ended.abort();
  }
}

async function* follow(
  sandbox: Sandbox,
  stream: StreamSelection & StreamStart,
  signal: AbortSignal,
): AsyncGenerator<StreamItem> {
  const { store } = sandbox;
  let { after: last, stateReplacedSeq } = stream;
  for (;;) {
    // Rows that a reset or a snapshot has restored are not sent as changes.
    if (store.stateReplacedSeq > stateReplacedSeq) {
      stateReplacedSeq = last = store.stateReplacedSeq;
      yield { type: 'reset', sequence: last };
    }
    if (signal.aborted) return;
    const batch = store.changeFeed.listAfter(last, stream.types, BATCH_SIZE);
    for (const change of batch) {
      last = change.seq;
      const item = findItem(sandbox, change, stream);
      if (item !== null) yield item;
      if (signal.aborted) break;
    }
    if (batch.length === 0 && stream.listenerIds.some((id) => store.webhooks.find(id) === undefined)) return;
    // No commit can happen between the read and this wait: both are in the same turn of the event loop.
    if (batch.length === 0) await waitForCommit(store, signal);
    // More changes may follow, and perhaps none of this batch was selected: yield to the event loop.
    else if (batch.length >= BATCH_SIZE) await yieldToEventLoop();
  }
}
