/** The `webhooks` section of the OpenAPI document: the requests that a receiver gets (§6). */
import { formatDuration } from '../domain/duration.ts';
import { idPatterns } from '../domain/ids.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import type { Rules } from '../profile/rules.ts';

type Json = Record<string, unknown>;

export interface EventTypeDocumentation {
  readonly type: string;
  readonly description: string;
  readonly payload: Json;
  /** JSON Schema of the payload. */
  readonly payloadSchema: Json;
}

export interface WebhooksSectionOptions {
  readonly eventTypes: readonly EventTypeDocumentation[];
  readonly rules: Pick<Rules, 'signature' | 'signatureToleranceMs' | 'retry' | 'delivery'>;
}

/**
 * Documents the delivery of each event type.
 * @param schemas components of the document; the schemas of payloads and envelopes are added to it.
 */
export function createWebhooksSection(
  { eventTypes, rules: { signature, signatureToleranceMs, retry, delivery } }: WebhooksSectionOptions,
  schemas: Record<string, Json>,
): Json {
  const parameters = documentHeaders(signature, signatureToleranceMs);
  const policy = {
    'x-retry-schedule-ms': retry.gapsMs,
    'x-retry-window-ms': retry.windowMs,
    'x-retry-max-gap-ms': retry.maxGapMs,
    'x-retry-jitter': retry.jitter,
    'x-retry-after-respected': retry.honorRetryAfter,
    'x-response-timeout-ms': delivery.attemptTimeoutMs,
  };
  const webhooks = eventTypes.map((eventType) => {
    let name = toPascalCase(eventType.type);
    // `a.b_c` and `a_b.c` have the same name.
    while (`${name}Delivery` in schemas) name += '_';
    schemas[`${name}Payload`] = eventType.payloadSchema;
    schemas[`${name}Delivery`] = envelopeOf(eventType.type, `${name}Payload`);
    const schema = { $ref: `#/components/schemas/${name}Delivery` };
    const post = {
      operationId: `on${name}`,
      summary: `Receive ${eventType.type}`,
      description: eventType.description,
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: exampleOf(eventType) } },
      },
      responses: RESPONSES,
      ...policy,
    };
    return [eventType.type, { post }];
  });
  return Object.fromEntries(webhooks);
}

const RESPONSES: Json = {
  '2XX': { description: 'The delivery is accepted for processing (§6).' },
  '4XX': { description: 'The signature is invalid (400, §6), or the delivery is refused. It is retried.' },
  default: { description: 'Any other response is a failure, redirects included. The delivery is retried.' },
};

/** `order.shipped` → `OrderShipped` */
function toPascalCase(type: string): string {
  return type.replace(/(?:^|[._])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function documentHeaders({ headers }: SignatureScheme, toleranceMs: number): Json[] {
  const tolerance = formatDuration(toleranceMs);
  const described: [string | null, string, Json][] = [
    [headers.signature, 'Signature of the raw body.', {}],
    [headers.timestamp, `Time of the attempt. Reject a delivery that is older than ${tolerance}.`, {}],
    [
      headers.id,
      'Identifies the delivery; the same for each attempt.',
      { pattern: idPatterns.delivery.source },
    ],
  ];
  return described.flatMap(([name, description, schema]) =>
    name === null
      ? []
      : [{ name, in: 'header', required: true, description, schema: { type: 'string', ...schema } }],
  );
}

/** Decisions `envelope` and `event.record`. */
function envelopeOf(type: string, payload: string): Json {
  const workspace = { type: 'string', pattern: idPatterns.workspace.source };
  const time = { type: 'string', format: 'date-time' };
  return {
    type: 'object',
    required: ['type', 'workspace_id', 'created_at', 'data'],
    properties: {
      type: { const: type },
      workspace_id: workspace,
      created_at: time,
      data: {
        type: 'object',
        required: ['id', 'workspace_id', 'type', 'payload', 'created_at'],
        properties: {
          id: {
            type: 'string',
            pattern: idPatterns.event.source,
            description: 'Deduplicate on this id: a delivery can arrive more than once (§6).',
          },
          workspace_id: workspace,
          type: { const: type },
          payload: { $ref: `#/components/schemas/${payload}` },
          created_at: time,
        },
      },
    },
  };
}

const OPAQUE = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
const EXAMPLE = { workspace_id: `ws_${OPAQUE}`, created_at: '2026-11-20T14:05:00.000Z' };

function exampleOf({ type, payload }: EventTypeDocumentation): Json {
  const { workspace_id, created_at } = EXAMPLE;
  return {
    type,
    workspace_id,
    created_at,
    data: { id: `evt_${OPAQUE}`, workspace_id, type, payload, created_at },
  };
}
