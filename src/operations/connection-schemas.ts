/** The schema of the test of a connection. */
import * as v from 'valibot';
import { attemptOutcomes } from '../domain/delivery.ts';
import { described, idOf, resource, Timestamp, Url } from '../resources/values.ts';

export const WebhookConnection = resource('Result of connecting to an endpoint.', {
  webhook_id: described('ID of the endpoint.', idOf('webhook')),
  url: described('URL that deliveries are sent to.', Url),
  outcome: described('`connected`, or the kind of failure.', v.picklist(['connected', ...attemptOutcomes])),
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
});

export type WebhookConnection = v.InferOutput<typeof WebhookConnection>;
