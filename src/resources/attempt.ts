/** An attempt to send a delivery: its fields and the filters of its lists. */
import * as v from 'valibot';
import { attemptPhaseNames, attemptPhases } from '../domain/attempt-phases.ts';
import { attemptOutcomes, attemptTriggers } from '../domain/delivery.ts';
import { formatLatency } from '../domain/duration.ts';
import { defineFields, toResponseFields } from './define-resource.ts';
import { faultField } from './fault.ts';
import { described, Headers, idOf, resource, StoredEventType, Timestamp, Url } from './values.ts';

const PhaseDuration = v.nullable(v.pipe(v.number(), v.minValue(0)));

export const AttemptPhases = resource(
  'How long each phase of an attempt took, in real time. Each phase ends when the next one begins. A phase is `null` if the attempt did not have or did not reach it.',
  {
    queued_ms: described(
      {
        summary:
          'Time from when the delivery was due until a connection was opened or reused for it, in milliseconds',
        detail:
          'Includes the wait for other attempts, which is before `sent_at` and not part of `duration_ms`',
      },
      PhaseDuration.wrapped,
    ),
    reused_connection: described(
      {
        summary: 'Whether the request was sent on a connection that was already open',
        detail: '`dns_ms`, `connect_ms` and `tls_ms` are then `null`',
      },
      v.boolean(),
    ),
    dns_ms: described(
      {
        summary: 'Time to resolve the host name, in milliseconds',
        detail: '`null` for an IP address, and if a proxy resolves the name',
      },
      PhaseDuration,
    ),
    connect_ms: described(
      { summary: 'Time to connect to the receiver or the proxy, in milliseconds' },
      PhaseDuration,
    ),
    tls_ms: described(
      { summary: 'Time for the TLS handshake, in milliseconds', detail: '`null` without TLS' },
      PhaseDuration,
    ),
    send_ms: described(
      { summary: 'Time to send the request, in milliseconds: 0, except with the fault `slow-body`' },
      PhaseDuration,
    ),
    wait_ms: described(
      { summary: 'Time until the first byte of the response, in milliseconds' },
      PhaseDuration,
    ),
    receive_ms: described(
      { summary: 'Time to receive the response, up to the size limit, in milliseconds' },
      PhaseDuration,
    ),
  },
);
export type AttemptPhases = v.InferOutput<typeof AttemptPhases>;

/** The fields of an attempt without its request and response. */
export const attemptTable = defineFields({
  id: {
    schema: v.string(),
    label: 'Attempt',
    summary: 'ID of the attempt',
  },
  number: {
    schema: v.pipe(v.number(), v.integer(), v.minValue(1)),
    label: 'Number',
    summary: 'Number of the attempt within its delivery, starting at 1',
  },
  trigger: {
    schema: v.picklist(attemptTriggers),
    label: 'Trigger',
    summary: '`schedule` if the retry schedule caused the attempt, `manual` if a replay caused it',
  },
  scheduled_at: {
    schema: Timestamp,
    label: 'Scheduled',
    summary: 'Schedule time at which the attempt was due',
  },
  sent_at: {
    schema: Timestamp,
    label: 'Sent',
    summary: 'Wall time at which the attempt was sent',
  },
  duration_ms: {
    schema: v.number(),
    label: 'Took',
    summary: 'Time from the start of the attempt to its end, in milliseconds',
  },
  outcome: {
    schema: v.picklist(attemptOutcomes),
    label: 'Outcome',
    summary: 'Result of the attempt',
    detail: '`http_error` means a response other than 2xx',
  },
  response_status: {
    schema: v.nullable(v.number()),
    label: 'Response',
    summary: 'Status of the response',
    detail: '`null` without one',
  },
  error: {
    schema: v.nullable(v.string()),
    label: 'Error',
    summary: 'Description of the failure',
    detail: '`null` on success',
  },
  phases: {
    schema: v.nullable(AttemptPhases),
    label: 'Phases',
    summary: 'Time of each phase',
    detail: '`null` if a fault prevented the request',
  },
});

export const attemptFields = { ...toResponseFields(attemptTable), ...faultField };

const { number, duration_ms, outcome, response_status, error, fault } = attemptFields;
/** The fields of its last attempt that a delivery contains. */
export const attemptResult = { number, duration_ms, outcome, response_status, error, fault };

export const Attempt = resource('An attempt to send a delivery.', {
  ...attemptFields,
  request: described(
    { summary: 'Request that was sent to the receiver' },
    v.object({
      url: described({ summary: 'URL that the request was sent to' }, Url),
      headers: described({ summary: 'Headers of the request' }, Headers),
      body: described({ summary: 'Body of the request' }, v.string()),
      signed_content: described({ summary: 'Text that is signed' }, v.string()),
    }),
  ),
  response: described(
    { summary: 'Response of the receiver', detail: '`null` if there was no response' },
    v.nullable(
      v.object({
        headers: described({ summary: 'Headers of the response' }, Headers),
        body: described({ summary: 'Body of the response, as text or as base64' }, v.string()),
        encoding: described({ summary: 'Encoding of `body`' }, v.picklist(['utf8', 'base64'])),
        truncated: described(
          { summary: 'Whether `body` contains only the beginning of a long response' },
          v.boolean(),
        ),
      }),
    ),
  ),
});
export type Attempt = v.InferOutput<typeof Attempt>;

export const AttemptSummary = resource('An attempt in a list, without its request and response.', {
  ...attemptFields,
  delivery_id: described({ summary: 'ID of the delivery that the attempt belongs to' }, idOf('delivery')),
  event_type: described({ summary: 'Type of the event' }, StoredEventType),
  webhook_id: described({ summary: 'ID of the endpoint that the attempt was sent to' }, idOf('webhook')),
});
export type AttemptSummary = v.InferOutput<typeof AttemptSummary>;

/** `queued 0.3ms, reused connection, send 0.1ms, wait 11ms, receive 0.4ms` */
export function describePhases(phases: AttemptPhases): string {
  const [queued = '', ...others] = attemptPhases.flatMap((phase) => {
    const ms = phases[`${phase}_ms`];
    return ms === null ? [] : [`${attemptPhaseNames[phase]} ${formatLatency(ms)}`];
  });
  return [queued, ...(phases.reused_connection ? ['reused connection'] : []), ...others].join(', ');
}
