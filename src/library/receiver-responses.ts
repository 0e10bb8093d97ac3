/** The responses of a receiver for tests. */

import * as v from 'valibot';
import { isObject } from '../domain/json.ts';
import type { ReceivedRequest } from '../receivers/received-request.ts';
import type { ReceiverResponseOptions } from '../receivers/receiver-server.ts';
import { accept, expecting, wholeNumber } from '../resources/value-schemas.ts';
import { checkOptions, OptionalBoolean, type SchemasOf } from './check-options.ts';

/** One response. A number is its status. */
export type ReceiverResponse = number | ReceiverResponseOptions;

/**
 * A single response for every request; an array with one for each request, the last one repeated; or a function of the request
 * and its index, counted from 0.
 */
export type ReceiverResponses =
  | ReceiverResponse
  | readonly ReceiverResponse[]
  | ((request: ReceivedRequest, index: number) => ReceiverResponse | Promise<ReceiverResponse>);

// A status below 200 is informational: the client waits for another one.
const STATUS = 'a status from 200 to 599';
const Status = expecting(STATUS, wholeNumber(200, 599));

const ResponseOptionsSchema = v.strictObject({
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
  delayMs: v.optional(wholeNumber(0)),
  after: v.optional(accept<object>('a promise', (value) => typeof Object(value).then === 'function')),
} satisfies SchemasOf<ReceiverResponseOptions>);

const ResponseSchema = v.lazy((value) => (isObject(value) ? ResponseOptionsSchema : Status));

const ResponsesSchema = v.lazy((value) => {
  if (typeof value === 'function') return v.function();
  if (Array.isArray(value)) return v.array(ResponseSchema);
  if (isObject(value)) return ResponseOptionsSchema;
  return expecting(`${STATUS}, an object such as { status: 503 }, an array of these or a function`, Status);
});

/**
 * Returns a function that gives each request its response, in order. It rejects with SvcError `usage` if a function returned
 * an invalid response, or with the error of that function.
 * @param call the call that got the responses, for error messages
 * @throws SvcError `usage` for an invalid response
 */
export function createResponder(
  responses: ReceiverResponses,
  call: string,
): (request: ReceivedRequest) => Promise<ReceiverResponseOptions> {
  checkOptions(call, ResponsesSchema, responses);
  let count = 0;
  return async (request) => {
    const index = count++;
    const response = await selectResponse(responses, request, index);
    if (typeof responses === 'function') checkOptions(call, ResponseSchema, response);
    return typeof response === 'number' ? { status: response } : response;
  };
}

function selectResponse(
  responses: ReceiverResponses,
  request: ReceivedRequest,
  index: number,
): ReceiverResponse | Promise<ReceiverResponse> {
  if (typeof responses === 'function') return responses(request, index);
  const list = [responses].flat() as readonly ReceiverResponse[];
  return list[Math.min(index, list.length - 1)] ?? {};
}
