/** The OpenAPI 3.1 documents, generated from the tables of operations and the validation schemas. */
import * as v from 'valibot';
import { PACKAGE_URL, VERSION } from '../../platform/package-info.ts';
import type { Rules } from '../../profile/rules.ts';
import { Envelope } from '../../resources/event.ts';
import { controlOperations, streamedOperations } from '../control-operations.ts';
import { ControlErrorBody, ErrorBody } from '../error-schemas.ts';
import { EXPORT_TYPE } from '../export-schemas.ts';
import { isInputInQuery, type Operation, pathParameters } from '../operation.ts';
import type { PublicOperations } from '../public-operations.ts';
import { describeErrorCodes, describeHeaders } from './openapi-responses.ts';
import { namedSchemas, schemaNames, toSchema } from './openapi-schema.ts';
import { createWebhooksSection, WEBHOOKS_TAG } from './openapi-webhooks.ts';

type Json = Record<string, unknown>;

/** The groups of operations in a document, in its order, with the first segments of their paths. */
type Tags = Readonly<Record<string, { readonly description: string; readonly paths: readonly string[] }>>;

const publicTags: Tags = {
  Workspaces: { description: 'Workspaces, which own events and endpoints.', paths: ['workspaces'] },
  Events: { description: 'Events, which the service delivers to subscribed endpoints.', paths: ['events'] },
  Endpoints: { description: 'Webhook endpoints: URLs that receive events.', paths: ['webhooks'] },
};

const controlTags: Tags = {
  Emulator: {
    description: 'Inspect, reset, snapshot and stop the emulator.',
    paths: ['status', 'diagnosis', 'overview', 'schedule', 'reset', 'snapshot', 'stop'],
  },
  Clock: {
    description: 'The schedule clock of a workspace, which decides when retries are due.',
    paths: ['clock'],
  },
  Deliveries: {
    description: 'Deliveries, their attempts and their signatures.',
    paths: ['deliveries'],
  },
  Faults: { description: 'Faults that you inject into requests and deliveries.', paths: ['faults'] },
  Events: {
    description: 'Stored events, with details that `/v1` does not return.',
    paths: ['events'],
  },
  Endpoints: {
    description: 'Endpoints, including settings that `/v1` does not support.',
    paths: ['webhooks'],
  },
  Workspaces: { description: 'Workspaces and API keys.', paths: ['workspaces', 'keys'] },
  'Request log': { description: 'Requests to `/v1`.', paths: ['requests'] },
  Fixtures: { description: 'Sample payloads for event types.', paths: ['fixtures'] },
  'Live stream': { description: 'Changes as server-sent events.', paths: ['stream'] },
};

interface PublicDocumentOptions {
  readonly serverUrl: string;
  readonly operations: PublicOperations;
  readonly rules: Rules;
}

export function createPublicDocument({ serverUrl, operations, rules }: PublicDocumentOptions): Json {
  const builder = new DocumentBuilder({ isPublic: true });
  builder.addOperations(operations);
  const webhooks = createWebhooksSection(rules, builder.toResponseSchema(Envelope));
  const apiKey = {
    type: 'http',
    scheme: 'bearer',
    description: 'API key. Keys start with `svc_test_` in the sandbox, and with `svc_live_` in production.',
  };
  return {
    ...createDocumentHeader(
      'Workspace Events and Webhooks API',
      'REST API for workspaces, events and webhook endpoints, as implemented by the emulator.',
      serverUrl,
      {
        ...publicTags,
        [WEBHOOKS_TAG]: { description: 'Requests that the service sends to your receiver.', paths: [] },
      },
    ),
    security: [{ apiKey: [] }],
    paths: builder.paths,
    webhooks,
    components: { ...builder.components, securitySchemes: { apiKey } },
  };
}

export function createControlDocument(serverUrl: string): Json {
  const builder = new DocumentBuilder({ isPublic: false });
  builder.addOperations(controlOperations);
  builder.addStreamedOperations();
  const controlToken = {
    type: 'http',
    scheme: 'bearer',
    description:
      'Control token. It is required if other machines can reach the emulator. The emulator prints it at startup.',
  };
  return {
    ...createDocumentHeader(
      'svc control plane',
      [
        'Controls the emulator: moves clocks, injects faults, replays deliveries and resets the state. The emulated service does not have this API.',
        '',
        'Each workspace has a schedule clock that you can move. This clock decides when retries are due, and its time is called schedule time. Wall time is real time.',
      ].join('\n'),
      serverUrl,
      controlTags,
    ),
    security: [{}, { controlToken: [] }],
    paths: builder.paths,
    components: { ...builder.components, securitySchemes: { controlToken } },
  };
}

function createDocumentHeader(title: string, description: string, serverUrl: string, tags: Tags): Json {
  return {
    openapi: '3.1.1',
    info: {
      title,
      description,
      version: VERSION,
      contact: { name: 'svc-emulator', url: PACKAGE_URL },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(tags).map(([name, { description }]) => ({ name, description })),
  };
}

/** Describes operations, and collects the schemas that they refer to. */
class DocumentBuilder {
  readonly paths: Record<string, Json> = {};
  /** By name. Each resource is described once. */
  readonly schemas: Record<string, Json> = {};
  /** Whether the document describes `/v1`, which has API keys and rate limits (§5). Otherwise it is the control plane. */
  readonly #isPublic: boolean;

  constructor({ isPublic }: { readonly isPublic: boolean }) {
    this.#isPublic = isPublic;
  }

  get components(): Json {
    const schema = this.toResponseSchema(this.#isPublic ? ErrorBody : ControlErrorBody);
    const errorBody = this.schemas[this.#isPublic ? 'ErrorBody' : 'ControlErrorBody'] as {
      properties: { error: { properties: Json } };
    };
    errorBody.properties.error.properties.code = describeErrorCodes(this.#isPublic);
    const error = {
      description: 'The request failed. `code` says why.',
      headers: describeHeaders(this.#isPublic, 'error'),
      content: { 'application/json': { schema } },
    };
    return { schemas: this.schemas, responses: { Error: error } };
  }

  addOperations(operations: Readonly<Record<string, Operation>>): void {
    for (const [name, operation] of Object.entries(operations)) {
      const schema = this.toResponseSchema(operation.output);
      this.#addOperation(name, operation, { 'application/json': { schema } });
    }
  }

  /** Adds the export and the live stream of the control plane. */
  addStreamedOperations(): void {
    const types = { exportDeliveries: EXPORT_TYPE, followChanges: 'text/event-stream' } as const;
    for (const [name, type] of Object.entries(types)) {
      const operation = streamedOperations[name as keyof typeof types];
      const contentSchema = this.toResponseSchema(operation.output);
      const schema = { type: 'string', contentMediaType: 'application/json', contentSchema };
      this.#addOperation(name, operation, { [type]: { schema } });
    }
  }

  /** @param content of a response without an error, by its type */
  #addOperation(name: string, operation: Operation, content: Readonly<Record<string, Json>>): void {
    const { path, method, input, output, scope, status = 200, summary, description } = operation;
    const { properties = {}, required = [] } = toSchema(input) as Fields;
    const pathNames = pathParameters(path);
    const otherNames = Object.keys(properties).filter((field) => !pathNames.includes(field));
    const isInQuery = isInputInQuery(method);
    const toParameters = (place: 'path' | 'query', names: readonly string[]) =>
      names.map((field) => toParameter(place, field, properties[field] ?? {}, required.includes(field)));
    const acceptsIdempotencyKey = this.#isPublic && method === 'POST';
    const object = {
      operationId: name,
      tags: [findTag(path, this.#isPublic ? publicTags : controlTags)],
      summary,
      description: scope ? `${description} Required scope: \`${scope}\`.` : description,
      parameters: [
        ...toParameters('path', pathNames),
        ...toParameters('query', isInQuery ? otherNames : []),
        ...(acceptsIdempotencyKey ? [IDEMPOTENCY_KEY_PARAMETER] : []),
        ...(name === 'followChanges' ? [LAST_EVENT_ID_PARAMETER] : []),
      ],
      ...(isInQuery || otherNames.length === 0
        ? {}
        : { requestBody: toRequestBody(otherNames, properties, required) }),
      responses: {
        [status]: {
          description: v.getDescription(output),
          headers: describeHeaders(this.#isPublic, acceptsIdempotencyKey ? 'created' : 'result'),
          content,
        },
        '4XX': ERROR_REFERENCE,
        '5XX': ERROR_REFERENCE,
      },
    };
    this.paths[path] = { ...this.paths[path], [method.toLowerCase()]: object };
  }

  /** The schema of a response. Schemas with a name become references. */
  toResponseSchema(schema: v.GenericSchema): Json {
    return toSchema(schema, (inner) => this.#toReference(inner));
  }

  /** @param schema without its description */
  #toReference(schema: v.GenericSchema): Json | undefined {
    const name = schemaNames.get(schema);
    if (name === undefined) return undefined;
    this.schemas[name] ??= toSchema(namedSchemas[name] as v.GenericSchema, (inner) =>
      inner === schema ? undefined : this.#toReference(inner),
    );
    return { $ref: `#/components/schemas/${name}` };
  }
}

const ERROR_REFERENCE = { $ref: '#/components/responses/Error' };

interface Fields {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

function findTag(path: string, tags: Tags): string {
  const [, segment = ''] = path.split('/');
  const tag = Object.keys(tags).find((name) => tags[name]?.paths.includes(segment));
  if (tag === undefined) throw new TypeError(`The path ${path} has no tag.`);
  return tag;
}

function toParameter(place: 'path' | 'query', name: string, field: Json, required: boolean): Json {
  const { description, ...schema } = field;
  return { name, in: place, required, description, schema };
}

function toRequestBody(
  names: readonly string[],
  properties: Readonly<Record<string, Json>>,
  allRequired: readonly string[],
): Json {
  const required = names.filter((name) => allRequired.includes(name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return {
    description: 'Request fields.',
    required: required.length > 0,
    content: { 'application/json': { schema } },
  };
}

const IDEMPOTENCY_KEY_PARAMETER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Key that makes it safe to repeat the request: 1 to 255 visible ASCII characters, optionally in double quotes.',
  schema: { type: 'string', minLength: 1, maxLength: 257 },
};
const LAST_EVENT_ID_PARAMETER: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'ID of the last event that the client received. The stream continues after this event.',
  schema: { type: 'string', pattern: '^\\d{1,15}$' },
};
