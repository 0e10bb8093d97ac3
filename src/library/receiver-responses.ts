/** The responses of a receiver for tests. */

import * as v from 'valibot';
import { SvcError } from '../domain/errors.ts';
import { isObject } from '../domain/json.ts';
import type { ReceivedRequest } from '../receivers/received-request.ts';
import type { ReceiverResponseOptions } from '../receivers/receiver-server.ts';
import { accept, expecting, wholeNumber } from '../resources/value-schemas.ts';
import { checkOptions, DurationValue, OptionalBoolean, type SchemasOf } from './check-options.ts';
import { type Duration, toMs } from './duration.ts';

/** One response. A number is its status. */
export type ReceiverResponse = number | ReceiverResponseOptions;

/** Fails for a duration of schedule time from when it is set, and then responds with 200. */
export interface Outage extends Pick<ReceiverResponseOptions, 'headers' | 'body' | 'drop'> {
  readonly downFor: Duration;
  /** HTTP status during the outage (default: 503). */
  readonly status?: number;
}

/** The clock of a workspace, from which an {@link Outage} reads the schedule time. */
export interface ScheduleClockReader {
  show(): Promise<{ readonly now: string }>;
}

/**
 * A single response for every request; an array with one for each request, the last one repeated; an outage; or a function
 * of the request and its index, counted from 0.
 */
export type ReceiverResponses =
  | ReceiverResponse
  | readonly ReceiverResponse[]
  | Outage
  | ((request: ReceivedRequest, index: number) => ReceiverResponse | Promise<ReceiverResponse>);

// A status below 200 is informational: the client waits for another one.
const STATUS = 'a status from 200 to 599';
const Status = expecting(STATUS, wholeNumber(200, 599));

const responseSchemas = {
  status: v.optional(Status),
  headers: v.optional(
    v.record(
      v.string(),
      expecting('a string or an array of strings', v.union([v.string(), v.array(v.string())])),
    ),
  ),
  body: v.optional(
    accept<string>(
      'a string or a Uint8Array',
      (value) => typeof value === 'string' || ArrayBuffer.isView(value),
    ),
  ),
  drop: OptionalBoolean,
};

const ResponseOptionsSchema = v.strictObject({
  ...responseSchemas,
  delayMs: v.optional(wholeNumber(0)),
  after: v.optional(accept<object>('a promise', (value) => typeof Object(value).then === 'function')),
} satisfies SchemasOf<ReceiverResponseOptions>);

const OutageSchema = v.strictObject({
  ...responseSchemas,
  downFor: DurationValue,
} satisfies SchemasOf<Outage>);

const ResponseSchema = v.lazy((value) => (isObject(value) ? ResponseOptionsSchema : Status));

const ResponsesSchema = v.lazy((value) => {
  if (typeof value === 'function') return v.function();
  if (Array.isArray(value)) return v.array(ResponseSchema);
  if (isObject(value)) return 'downFor' in Object(value) ? OutageSchema : ResponseOptionsSchema;
  return expecting(`${STATUS}, an object such as { status: 503 }, an array of these or a function`, Status);
});

type GetResponse = (request: ReceivedRequest, index: number) => ReceiverResponse | Promise<ReceiverResponse>;

/**
 * Returns a function that gives each request its response, in order. It rejects with SvcError `usage` if a function returned
 * an invalid response, or with the error of that function.
 * @param call the call that got the responses, for error messages
 * @throws SvcError `usage` for an invalid response, or an outage without a clock
 */
export function createResponder(
  responses: ReceiverResponses,
  call: string,
  clock?: ScheduleClockReader,
): (request: ReceivedRequest) => Promise<ReceiverResponseOptions> {
  checkOptions(call, ResponsesSchema, responses);
  const getResponse = toGetResponse(responses, call, clock);
  let index = 0;
  return async (request) => {
    const response = await getResponse(request, index++);
    return typeof response === 'number' ? { status: response } : response;
  };
}

function toGetResponse(
  responses: ReceiverResponses,
  call: string,
  clock: ScheduleClockReader | undefined,
): GetResponse {
  if (typeof responses === 'function') {
    return async (request, index) => {
      const response = await responses(request, index);
      checkOptions(call, ResponseSchema, response);
      return response;
    };
  }
  if (typeof responses === 'number') return () => responses;
  if (isList(responses)) return (_, index) => responses[Math.min(index, responses.length - 1)] ?? {};
  return 'downFor' in responses ? toOutageResponse(responses, call, clock) : () => responses;
}

function toOutageResponse(
  { downFor, ...response }: Outage,
  call: string,
  clock: ScheduleClockReader | undefined,
): () => Promise<ReceiverResponse> {
  if (clock === undefined) {
    throw new SvcError(
      'usage',
      `${call}: downFor needs a schedule clock. Pass the clock of a workspace: createReceiver({ downFor: '2h' }, { clock: workspace.clock })`,
    );
  }
  const readTime = async () => Date.parse((await clock.show()).now);
  const endsAt = readTime().then((startedAt) => startedAt + toMs(downFor));
  // The next request rejects with the error.
  endsAt.catch(() => undefined);
  return async () => ((await readTime()) < (await endsAt) ? { status: 503, ...response } : 200);
}

function isList(
  responses: ReceiverResponseOptions | Outage | readonly ReceiverResponse[],
): responses is readonly ReceiverResponse[] {
  return Array.isArray(responses);
}
