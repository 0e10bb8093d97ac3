/** Schemas of deliveries, attempts and signatures. */
import * as v from 'valibot';
import { attemptOutcomes, attemptTriggers, deliveryStatuses, settledReasons } from '../domain/delivery.ts';
import { toExampleId } from '../domain/ids.ts';
import { receiverReasons, refusalReasons } from '../domain/signature/refusals.ts';
import { signedParts } from '../domain/signature/scheme.ts';
import { faultField } from './fault-schemas.ts';
import { Count, described, Headers, idOf, resource, StoredEventType, Timestamp, Url } from './fields.ts';

const PhaseDuration = v.nullable(v.pipe(v.number(), v.minValue(0)));
const ATTEMPT_ERROR = 'the receiver responded with 503 Service Unavailable';
const BODY = '{"type":"order.shipped"}';
const SIGNATURE = `v1=${'a1b2c3d4'.repeat(8)}`;

export const AttemptPhases = resource(
  'How long each phase of an attempt took, in real time. Each phase ends when the next one begins. A phase is `null` if the attempt did not have or did not reach it.',
  {
    queued_ms: described(
      'Time from when the delivery was due until a connection was opened or reused for it, in milliseconds. Includes the wait for other attempts, which is before `sent_at` and not part of `duration_ms`.',
      PhaseDuration.wrapped,
    ),
    reused_connection: described(
      'Whether the request was sent on a connection that was already open. `dns_ms`, `connect_ms` and `tls_ms` are then `null`.',
      v.boolean(),
    ),
    dns_ms: described(
      'Time to resolve the host name, in milliseconds. `null` for an IP address, and if a proxy resolves the name.',
      PhaseDuration,
    ),
    connect_ms: described('Time to connect to the receiver or the proxy, in milliseconds.', PhaseDuration),
    tls_ms: described(
      'Time for the TLS handshake, in milliseconds. `null` without TLS.',
      PhaseDuration,
      null,
    ),
    send_ms: described(
      'Time to send the request, in milliseconds: 0, except with the fault `slow-body`.',
      PhaseDuration,
    ),
    wait_ms: described('Time until the first byte of the response, in milliseconds.', PhaseDuration),
    receive_ms: described(
      'Time to receive the response, up to the size limit, in milliseconds.',
      PhaseDuration,
    ),
  },
);

/** The fields of its last attempt that a delivery contains. */
const attemptResult = {
  number: described(
    'Number of the attempt within its delivery, starting at 1.',
    v.pipe(v.number(), v.integer(), v.minValue(1)),
  ),
  outcome: described(
    'Result of the attempt. `http_error` means a response other than 2xx.',
    v.picklist(attemptOutcomes),
    'http_error',
  ),
  response_status: described('Status of the response. `null` without one.', v.nullable(v.number()), 503),
  error: described('Description of the failure. `null` on success.', v.nullable(v.string()), ATTEMPT_ERROR),
};

/** The fields of an attempt without its request and response. */
export const attemptFields = {
  id: described('ID of the attempt.', v.string(), `${toExampleId('delivery').replace('del_', 'att_')}_1`),
  number: attemptResult.number,
  trigger: described(
    '`schedule` if the retry schedule caused the attempt, `manual` if a replay caused it.',
    v.picklist(attemptTriggers),
  ),
  scheduled_at: described('Schedule time at which the attempt was due.', Timestamp),
  sent_at: described('Wall time at which the attempt was sent.', Timestamp),
  duration_ms: described('Time from the start of the attempt to its end, in milliseconds.', v.number()),
  outcome: attemptResult.outcome,
  response_status: attemptResult.response_status,
  error: attemptResult.error,
  phases: described(
    'Time of each phase. `null` if a fault prevented the request.',
    v.nullable(AttemptPhases),
  ),
  ...faultField,
};

export const Attempt = resource('An attempt to send a delivery.', {
  ...attemptFields,
  request: described(
    'Request that was sent to the receiver.',
    v.object({
      url: described('URL that the request was sent to.', Url),
      headers: described('Headers of the request.', Headers),
      body: described('Body of the request.', v.string(), BODY),
      signed_content: described('Text that is signed.', v.string(), `2026-11-20T14:05:00Z.${BODY}`),
    }),
  ),
  response: described(
    'Response of the receiver. `null` if there was no response.',
    v.nullable(
      v.object({
        headers: described('Headers of the response.', Headers),
        body: described('Body of the response, as text or as base64.', v.string(), 'Service Unavailable'),
        encoding: described('Encoding of `body`.', v.picklist(['utf8', 'base64'])),
        truncated: described('Whether `body` contains only the beginning of a long response.', v.boolean()),
      }),
    ),
  ),
});

/** The field of items in lists that are filtered by a text. */
export const excerptField = {
  excerpt: described(
    'Part of the body or payload around the first match of `text`. Omitted if another field contains the text, and without this filter.',
    v.optional(v.string()),
    '…"carrier":"DHL"…',
  ),
};

export const Delivery = resource('A delivery of an event to an endpoint.', {
  id: described('ID of the delivery. Each attempt sends it in a header.', idOf('delivery')),
  event_id: described('ID of the event.', idOf('event')),
  event_type: described('Type of the event.', StoredEventType),
  workspace_id: described('ID of the workspace that the delivery belongs to.', idOf('workspace')),
  webhook_id: described('ID of the endpoint that receives the delivery.', idOf('webhook')),
  url: described('URL that the delivery is sent to.', Url),
  status: described(
    'Status of the delivery. A delivery has settled when it is no longer `pending`.',
    v.picklist(deliveryStatuses),
  ),
  settled_reason: described(
    'Why the delivery failed or was canceled. `replay_failed` if its last replay failed, even if an earlier attempt succeeded. `null` otherwise.',
    v.nullable(v.picklist(settledReasons)),
    null,
  ),
  /** A paused delivery still fails at the end of its retry window, unless a replay waits. */
  paused: described('Whether the delivery is not sent because its endpoint is disabled.', v.boolean()),
  attempt_count: described('Number of attempts so far.', Count),
  last_attempt: described(
    'Result of the last attempt. `null` before the first. A pending delivery is failing if this attempt failed.',
    v.nullable(v.object({ ...attemptResult, ...faultField })),
  ),
  next_attempt_at: described('Schedule time of the next attempt. `null` without one.', v.nullable(Timestamp)),
  created_at: described('Schedule time at which the delivery was created.', Timestamp),
  settled_at: described(
    'Schedule time at which the delivery succeeded, failed or was canceled. `null` while it is pending.',
    v.nullable(Timestamp),
    null,
  ),
  replay_of: described(
    'ID of the delivery that this delivery replays. `null` if it is not a replay.',
    v.nullable(idOf('delivery')),
    null,
  ),
});

export const ListedDelivery = resource('A delivery in a list.', { ...Delivery.entries, ...excerptField });

/** Numbers of deliveries by status. */
export const statusCounts = {
  pending: described('Number of pending deliveries, including those that are failing or paused.', Count),
  failing: described('Number of pending deliveries whose last attempt failed.', Count),
  paused: described('Number of pending deliveries to disabled endpoints.', Count, 0),
  succeeded: described('Number of deliveries that succeeded.', Count),
  failed: described('Number of deliveries that failed.', Count, 0),
  canceled: described('Number of deliveries that were canceled.', Count, 0),
};

const schemeField = { scheme: described('Name of the signature scheme.', v.string(), 'svc') };

export const Verification = resource('Result of verifying a signature, as `svc verify` prints it.', {
  ok: described('Whether the signature is valid.', v.boolean(), true),
  reason: described(
    'Why the signature was rejected. `null` if it is valid.',
    v.nullable(v.picklist([...refusalReasons, ...receiverReasons])),
    null,
  ),
  detail: described(
    'Explanation of the result.',
    v.string(),
    'The signature is valid, and its timestamp was 120ms old at 2026-11-20T23:06:00.120Z.',
  ),
  remedy: described('What to do next. `null` if the signature is valid.', v.nullable(v.string()), null),
  ...schemeField,
});

/** The field of everything that has one attempt. */
export const verificationField = {
  verification: described(
    'Result of verifying the signature with the correct secret. `null` if the secret or the signature scheme no longer exists.',
    v.nullable(Verification),
  ),
};

export const AttemptDetail = resource('An attempt, and the result of verifying its signature.', {
  ...Attempt.entries,
  ...verificationField,
});

export const DeliveryDetail = resource('A delivery with its attempts.', {
  ...Delivery.entries,
  attempts: described('Attempts so far, in order.', v.array(AttemptDetail)),
  due_times: described(
    'Schedule times at which the remaining attempts are due if all of them fail. The times after the next attempt are without jitter and `Retry-After`. Contains at most 100 times.',
    v.array(Timestamp),
  ),
});

export const AttemptSummary = resource('An attempt in a list, without its request and response.', {
  ...attemptFields,
  delivery_id: described('ID of the delivery that the attempt belongs to.', idOf('delivery')),
  event_type: described('Type of the event.', StoredEventType),
  webhook_id: described('ID of the endpoint that the attempt was sent to.', idOf('webhook')),
});

const matchesField = {
  matches: described('Whether the signature header contains this signature.', v.boolean(), true),
};

export const SignatureDetail = resource('How an attempt was signed.', {
  ...schemeField,
  attempt: described('Number of the attempt.', Count),
  headers: described('Headers of the attempt that belong to the signature scheme.', Headers, {
    'Service-Signature': SIGNATURE,
  }),
  signed_parts: described(
    'Parts of the signed text, in order.',
    v.array(
      v.object({
        part: described(
          'What the part contains. `literal` is constant text, such as a separator.',
          v.picklist(signedParts),
          'body',
        ),
        text: described('Text of the part.', v.string(), BODY),
      }),
    ),
  ),
  secrets: described(
    'Secrets of the endpoint.',
    v.array(
      v.object({
        name: described(
          '`current`, or `previous` for the secret that was replaced by a rotation.',
          v.picklist(['current', 'previous']),
        ),
        masked: described('The secret, with most of its characters hidden.', v.string(), 'whsec_…2miI'),
        signature: described('Signature that this secret produces.', v.string(), SIGNATURE),
        ...matchesField,
      }),
    ),
  ),
  ...verificationField,
});

export const DeliveryVerification = resource('Result of verifying the signature of a delivery.', {
  ...Verification.entries,
  signatures: described(
    'Signatures that the secrets produce, in the order of the secrets.',
    v.array(v.object({ signature: described('The signature.', v.string(), SIGNATURE), ...matchesField })),
  ),
});

export type AttemptPhases = v.InferOutput<typeof AttemptPhases>;
export type Attempt = v.InferOutput<typeof Attempt>;
export type AttemptDetail = v.InferOutput<typeof AttemptDetail>;
export type AttemptSummary = v.InferOutput<typeof AttemptSummary>;
export type Delivery = v.InferOutput<typeof Delivery>;
export type ListedDelivery = v.InferOutput<typeof ListedDelivery>;
export type DeliveryVerification = v.InferOutput<typeof DeliveryVerification>;
export type DeliveryDetail = v.InferOutput<typeof DeliveryDetail>;
export type Verification = v.InferOutput<typeof Verification>;
export type SignatureDetail = v.InferOutput<typeof SignatureDetail>;
