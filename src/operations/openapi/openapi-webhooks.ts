/** The `webhooks` section of the OpenAPI document: the requests that a receiver gets (§6). */
import { formatDuration } from '../../domain/duration.ts';
import { idPatterns, toExampleId } from '../../domain/ids.ts';
import type { Rules } from '../../profile/rules.ts';
import { Event } from '../../resources/event.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';
import { toSchema } from './openapi-schema.ts';

type Json = Record<string, unknown>;

export interface EventTypeDocumentation {
  readonly type: string;
  readonly description: string;
  readonly payload: Json;
  /** JSON Schema of the payload. */
  readonly payloadSchema: Json;
}

interface WebhooksSectionOptions {
  readonly eventTypes: readonly EventTypeDocumentation[];
  readonly rules: Pick<Rules, 'signature' | 'signatureToleranceMs' | 'retry'>;
}

export const WEBHOOKS_TAG = 'Deliveries';

/**
 * Documents the delivery of each event type.
 * @param schemas components of the document; the schemas of payloads and envelopes are added to it.
 */
export function createWebhooksSection(
  { eventTypes, rules: { signature, signatureToleranceMs, retry } }: WebhooksSectionOptions,
  schemas: Record<string, Json>,
): Json {
  const parameters = documentHeaders(signature, signatureToleranceMs);
  const responses = describeResponses(retry.stopOn410);
  const webhooks = eventTypes.map((eventType) => {
    let name = toPascalCase(eventType.type);
    // `a.b_c` and `a_b.c` both become `ABC`.
    while (`${name}Delivery` in schemas) name += '_';
    schemas[`${name}Payload`] = eventType.payloadSchema;
    schemas[`${name}Delivery`] = toEnvelopeSchema(eventType.type, `${name}Payload`);
    const post = {
      operationId: `on${name}`,
      tags: [WEBHOOKS_TAG],
      summary: `Receive ${eventType.type}`,
      description: eventType.description,
      security: [],
      parameters,
      requestBody: {
        description: 'The event. Verify the signature against the raw body before you parse it.',
        required: true,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${name}Delivery` },
            example: toExample(eventType),
          },
        },
      },
      responses,
    };
    return [eventType.type, { post }];
  });
  return Object.fromEntries(webhooks);
}

function describeResponses(stopOn410: boolean): Json {
  const rejectionText =
    'The receiver rejects the delivery, for example with 400 because the signature is invalid. The delivery is retried.';
  return {
    '2XX': { description: 'The receiver accepts the delivery for processing.' },
    '4XX': { description: stopOn410 ? `${rejectionText} A 410 response is not retried.` : rejectionText },
    default: {
      description: 'Any other response, including a redirect, is a failure. The delivery is retried.',
    },
  };
}

/** `order.shipped` → `OrderShipped` */
function toPascalCase(type: string): string {
  return type.replace(/(?:^|[._])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function documentHeaders({ headers, content }: SignatureScheme, toleranceMs: number): Json[] {
  const signedText =
    content === '{body}' ? 'the raw body' : `the string \`${content}\`, where \`{body}\` is the raw body`;
  const tolerance = formatDuration(toleranceMs);
  const headerTexts: [name: string | null, description: string, schema: Json][] = [
    [headers.signature, `Signature of ${signedText}.`, {}],
    [
      headers.timestamp,
      `Time at which the attempt was sent. Reject deliveries that are older than ${tolerance}.`,
      {},
    ],
    [
      headers.id,
      'ID of the delivery. It is the same for every attempt.',
      { pattern: idPatterns.delivery.source },
    ],
  ];
  return headerTexts.flatMap(([name, description, schema]) =>
    name === null
      ? []
      : [{ name, in: 'header', required: true, description, schema: { type: 'string', ...schema } }],
  );
}

/** The shape follows the gaps `envelope` and `event.record`. */
function toEnvelopeSchema(type: string, payloadSchemaName: string): Json {
  const event = toSchema(Event);
  const fields = event.properties as Readonly<Record<keyof Event, Json>>;
  const eventType = { const: type, description: 'Type of the event.' };
  const payload = {
    $ref: `#/components/schemas/${payloadSchemaName}`,
    description: fields.payload.description,
  };
  return {
    type: 'object',
    description: `Body of a delivery of \`${type}\`.`,
    required: ['type', 'workspace_id', 'created_at', 'data'],
    properties: {
      type: eventType,
      workspace_id: fields.workspace_id,
      created_at: fields.created_at,
      data: { ...event, properties: { ...fields, type: eventType, payload } },
    },
  };
}

function toExample({ type, payload }: EventTypeDocumentation): Json {
  const [workspace_id, created_at] = [toExampleId('workspace'), '2026-11-20T14:05:00.000Z'];
  return {
    type,
    workspace_id,
    created_at,
    data: { id: toExampleId('event'), workspace_id, type, payload, created_at },
  };
}
