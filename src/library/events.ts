/** Lists the events of a workspace and waits for new ones, including those that the code under test creates. */

import { describeRejections, findRejections } from '../diagnosis/describe-wait.ts';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { formatCount } from '../domain/message-parts.ts';
import type { ControlInput } from '../operations/control-operations.ts';
import { listAll } from '../operations/control-plane.ts';
import { abortAfter, withAnySignal } from '../platform/abort-signals.ts';
import type { EventDetail } from '../resources/event.ts';
import { DEFAULT_TIMEOUT_MS, type Duration, toMs } from './duration.ts';
import type { EventType, EventWith } from './event-types.ts';
import type { WorkspaceSetup } from './workspace-setup.ts';

export interface EventSelection<Type extends EventType = EventType> {
  readonly type?: Type;
  /** Selects events (default: all). */
  readonly where?: (event: EventWith<Type>) => boolean;
}

export interface EventWaitOptions {
  /** Minimum number of events (default: 1). */
  readonly count?: number;
  /** Real time to wait (default: 4 seconds). */
  readonly timeout?: Duration;
}

export interface Events {
  /** Lists the matching events with their payloads, newest first. */
  list(
    filter?: Omit<ControlInput<'listEvents'>, 'workspace_id' | 'limit' | 'starting_after'>,
  ): Promise<EventDetail[]>;
  /** Returns one event with its payload. @throws SvcError `not_found` */
  get(id: string): Promise<EventDetail>;
  /**
   * Waits until enough events match. Existing events count.
   * @returns the matching events, newest first
   * @throws SvcError `timeout`, with a message that says what happened instead, or `interrupted` when the emulator is closed
   */
  wait<Type extends EventType = EventType>(
    selection?: EventSelection<Type>,
    options?: EventWaitOptions,
  ): Promise<readonly EventWith<Type>[]>;
}

/** The filter of requests to create an event. */
const creations = { method: 'POST', path: '/v1/events' } as const;

export function createEvents(setup: WorkspaceSetup): Events {
  const { control, workspaceId: workspace_id, closing } = setup;

  async function list(filter: Parameters<Events['list']>[0] = {}): Promise<EventDetail[]> {
    const summaries = await listAll((page) => control.listEvents({ ...page, ...filter, workspace_id }));
    return Promise.all(summaries.map(({ id }) => control.getEvent({ id })));
  }

  async function wait(
    selection: EventSelection = {},
    options: EventWaitOptions = {},
  ): Promise<readonly EventWith<EventType>[]> {
    const { type, where = () => true } = selection;
    const { count = 1, timeout = DEFAULT_TIMEOUT_MS } = options;
    const timeoutMs = toMs(timeout);
    const listMatching = async () => {
      const eventsOfType = await list(type === undefined ? {} : { type });
      // A type that the project has declared is known only to the compiler.
      return (eventsOfType as EventWith<EventType>[]).filter(where);
    };
    let events: readonly EventWith<EventType>[] = [];
    await withAnySignal([closing, abortAfter(timeoutMs)], async (signal) => {
      // Of all workspaces, because a request with a key for all of them belongs to none.
      const stream = control.stream({ types: 'request', ...creations, status: 201 }, signal);
      await stream.ready;
      events = await listMatching();
      if (events.length >= count) return;
      for await (const _ of stream) {
        // Reads all events again, because this request may have created one that matches.
        events = await listMatching();
        if (events.length >= count) return;
      }
    });
    if (events.length >= count) return events;
    if (closing.aborted) throw new SvcError('interrupted', 'Interrupted.');
    throw new SvcError('timeout', await describeTimeout(type, events.length, count, timeoutMs));
  }

  async function describeTimeout(
    type: string | undefined,
    matchCount: number,
    count: number,
    timeoutMs: number,
  ): Promise<string> {
    const kind = type === undefined ? '' : ` of ${type}`;
    const types = [...new Set((await list()).map((event) => event.type))];
    const listFailed = (status: '4xx' | '5xx') =>
      control.listRequests({ ...creations, status, limit: 1_000 });
    const pages = await Promise.all([listFailed('4xx'), listFailed('5xx')]);
    const requests = pages.flatMap(({ data }) => data);
    const lines = [
      types.length === 0
        ? 'No event was created.'
        : `Events of these types were created: ${types.join(', ')}.`,
      ...describeRejections(findRejections(requests, workspace_id)),
    ];
    const total = `${formatCount(count, 'event')}${kind} ${count === 1 ? 'was' : 'were'}`;
    const headline = `${matchCount} of ${total} created within ${formatDuration(timeoutMs)}.`;
    return [headline, ...lines.map((line) => `  ${line}`)].join('\n');
  }

  return { list, get: (id) => control.getEvent({ id }), wait: wait as Events['wait'] };
}
