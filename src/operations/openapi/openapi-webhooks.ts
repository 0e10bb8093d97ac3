/** The `webhooks` section of the OpenAPI document: the request that a receiver gets (§6). */
import { formatDuration } from '../../domain/duration.ts';
import { idPatterns } from '../../domain/ids.ts';
import type { Rules } from '../../profile/rules.ts';

type Json = Record<string, unknown>;

export const WEBHOOKS_TAG = 'Deliveries';

/** @param schema of the envelope */
export function createWebhooksSection(
  { signature, signatureToleranceMs, retry }: Pick<Rules, 'signature' | 'signatureToleranceMs' | 'retry'>,
  schema: Json,
): Json {
  const { headers, content } = signature;
  const signedText =
    content === '{body}' ? 'the raw body' : `the string \`${content}\`, where \`{body}\` is the raw body`;
  const tolerance = formatDuration(signatureToleranceMs);
  const rejection =
    'The receiver rejects the delivery, for example with 400 because the signature is invalid. The delivery is retried.';
  const post = {
    operationId: 'onEvent',
    tags: [WEBHOOKS_TAG],
    summary: 'Receive an event',
    description: 'The delivery of an event to an endpoint that subscribes to its type.',
    security: [],
    parameters: [
      ...toHeader(headers.signature, `Signature of ${signedText}.`),
      ...toHeader(
        headers.timestamp,
        `Time at which the attempt was sent. Reject deliveries that are older than ${tolerance}.`,
      ),
      ...toHeader(headers.id, 'ID of the delivery. It is the same for every attempt.', {
        pattern: idPatterns.delivery.source,
      }),
    ],
    requestBody: {
      description: 'The event. Verify the signature against the raw body before you parse it.',
      required: true,
      content: { 'application/json': { schema } },
    },
    responses: {
      '2XX': { description: 'The receiver accepts the delivery for processing.' },
      '4XX': { description: retry.stopOn410 ? `${rejection} A 410 response is not retried.` : rejection },
      default: {
        description: 'Any other response, including a redirect, is a failure. The delivery is retried.',
      },
    },
  };
  return { event: { post } };
}

/** @param name null if the signature scheme has no such header */
function toHeader(name: string | null, description: string, schema: Json = {}): Json[] {
  if (name === null) return [];
  return [{ name, in: 'header', required: true, description, schema: { type: 'string', ...schema } }];
}
