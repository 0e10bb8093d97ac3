/** Reads the requests of a HAR file, which proxies and browsers write. */
import * as v from 'valibot';
import { parse } from '../../validation/validate.ts';
import { type CapturedRequest, createCaptureError, describeProblem } from './capture.ts';

const Time = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'must be an ISO 8601 time'),
);

/** The fields that an import needs. */
const Entry = v.object({
  startedDateTime: Time,
  request: v.object({ method: v.string(), postData: v.optional(v.object({ text: v.optional(v.string()) })) }),
  response: v.optional(v.object({ content: v.optional(v.object({ text: v.optional(v.string()) })) })),
  /** Only `svc deliveries export` writes it. `startedDateTime` is then the wall time of an attempt; this is the schedule time of the delivery. */
  _delivery: v.optional(v.object({ created_at: Time })),
});

/** Only `POST` requests with a body can contain an event, so the others are skipped. @param har the parsed file */
export function readHar(
  har: { readonly log: { readonly entries?: unknown } },
  file: string,
): CapturedRequest[] {
  const { entries } = har.log;
  if (!Array.isArray(entries)) throw createCaptureError(file, 'log.entries', 'it must be an array');
  return entries.flatMap((entry: unknown, index) => {
    const position = `entry ${index + 1}`;
    const {
      startedDateTime,
      request,
      response,
      _delivery: delivery,
    } = parse(Entry, entry, (problem) => createCaptureError(file, position, describeProblem(problem)));
    const body = request.postData?.text;
    if (request.method !== 'POST' || body === undefined) return [];
    const at = Date.parse(delivery?.created_at ?? startedDateTime);
    return [{ position, at, body, createdId: findId(response?.content?.text ?? '') }];
  });
}

/** The event ID in the response of the API; null in the response of a receiver. */
function findId(text: string): string | null {
  return /^\s*\{\s*"id"\s*:\s*"(evt_\w+)"/.exec(text)?.[1] ?? null;
}
