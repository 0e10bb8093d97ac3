/** The names of causes and layers, without their texts, which the page does not show. */
import { noResponseOutcomes } from './delivery.ts';

/**
 * What the outcome of an attempt shows.
 * - `accepted_invalid`: the receiver accepted a delivery that an injected fault made invalid.
 * - `injected_fault`: a fault made the attempt fail: always, or because the receiver rejected what the fault had changed.
 * - `redirect`, `wrong_path`, `rate_limited`: 3xx; 404, 405 or 410; 429.
 * - `rejected`, `receiver_error`: the code of the receiver returned another 4xx or a 5xx, for a reason that only it knows.
 * - The outcomes of an attempt without a complete response.
 */
export const attemptCauses = [
  'delivered',
  'accepted_invalid',
  'injected_fault',
  'redirect',
  'wrong_path',
  'rate_limited',
  'rejected',
  'receiver_error',
  ...noResponseOutcomes,
] as const;
export type AttemptCause = (typeof attemptCauses)[number];

/**
 * Why a delivery is in its state: what the outcome of its attempt shows, or one of these.
 * - `not_sent`, `paused`, `canceled`: it has no attempt.
 * - `not_reached`: something in front of the code that verifies responded, see `layer`.
 * - `signature_rejected`: the verification was reached, and rejected the delivery.
 * - `receiver_clock`: the clock of the receiver differs by more than the tolerance.
 */
export const deliveryCauses = [
  ...attemptCauses,
  'not_sent',
  'paused',
  'canceled',
  'not_reached',
  'signature_rejected',
  'receiver_clock',
] as const;
export type DeliveryCause = (typeof deliveryCauses)[number];

/** What can respond to a delivery. The first that applies counts: see `layers.ts`. */
export const layerKinds = [
  ...['secret_unset', 'parsed_body', 'signature_header', 'signature_time', 'signature', 'csrf'],
  ...['blocked_host', 'tunnel', 'protected_preview', 'sign_in', 'waf', 'credentials', 'body_limit'],
  ...['content_type', 'method', 'plain_http', 'http2_only', 'redirect', 'route', 'proxy', 'index_page'],
  ...['bad_request', 'fatal_error'],
] as const;
export type LayerKind = (typeof layerKinds)[number];
