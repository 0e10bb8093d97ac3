/** Schemas of the test of an endpoint. */
import * as v from 'valibot';
import { attemptOutcomes } from '../domain/delivery.ts';
import { described, idOf, resource, Timestamp, Url } from '../resources/values.ts';

const ProbeResponse = v.object({
  outcome: described(
    'Result of the test delivery. `http_error` means a response other than 2xx.',
    v.picklist(attemptOutcomes),
  ),
  response_status: described('Status of the response. `null` without one.', v.nullable(v.number())),
  error: described('Description of the failure. `null` on success.', v.nullable(v.string())),
  duration_ms: described('Time from the start of the attempt to its end, in milliseconds.', v.number()),
});

export const WebhookProbe = resource('Result of an endpoint test.', {
  webhook_id: described('ID of the endpoint.', idOf('webhook')),
  url: described('URL that deliveries are sent to.', Url),
  connection: described(
    'The connection to the receiver.',
    v.object({
      outcome: described(
        '`connected`, or the kind of failure.',
        v.picklist(['connected', ...attemptOutcomes]),
      ),
      error: described('Description of the failure. `null` on success.', v.nullable(v.string())),
      duration_ms: described('Time to connect, in milliseconds.', v.number()),
      address: described(
        'IP address that the emulator connected to, which can be the address of a proxy. `null` if the connection failed.',
        v.nullable(v.string()),
      ),
      certificate: described(
        'TLS certificate of the receiver. `null` if the connection failed or does not use TLS.',
        v.nullable(
          v.object({
            issuer: described('Issuer of the certificate.', v.string()),
            valid_to: described('Wall time at which the certificate expires.', Timestamp),
          }),
        ),
      ),
    }),
  ),
  genuine: described(
    'Result of the test delivery that was signed with the correct secret. `null` if it was not sent.',
    v.nullable(ProbeResponse),
  ),
  forged: described(
    'Result of the test delivery that was signed with a wrong secret. `null` if it was not sent.',
    v.nullable(ProbeResponse),
  ),
});

export type WebhookProbe = v.InferOutput<typeof WebhookProbe>;
