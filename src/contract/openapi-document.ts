/** The OpenAPI 3.1 documents, made from the schemas that validate and the texts beside them. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { idPatterns } from '../domain/ids.ts';
import { type ErrorCode, SvcError } from '../errors.ts';
import type { Rules } from '../profile/rules.ts';
import { VERSION } from '../version.ts';
import { controlOperations } from './control-operations.ts';
import * as deliveries from './delivery-schemas.ts';
import * as emulator from './emulator-schemas.ts';
import { controlErrorExamples, errorExamples, errorTexts } from './error-texts.ts';
import * as events from './event-schemas.ts';
import * as faults from './fault-schemas.ts';
import { JsonObject } from './fields.ts';
import * as fixtures from './fixtures.ts';
import { controlTags, controlTexts, streamText } from './openapi-control-texts.ts';
import { exampleIds } from './openapi-examples.ts';
import { createPublicTexts, publicTags } from './openapi-public-texts.ts';
import { schemaTexts } from './openapi-schema-texts.ts';
import type { FieldText, FieldTexts, OperationText } from './openapi-text.ts';
import { createWebhooksSection, type EventTypeDocumentation, WEBHOOKS_TAG } from './openapi-webhooks.ts';
import { isInputInQuery, type Operation, pathParameters, WholeNumber } from './operation.ts';
import type { PublicOperations } from './public-operations.ts';
import * as resources from './resources.ts';
import * as stream from './stream-schemas.ts';

type Json = Record<string, unknown>;

export interface PublicDocumentOptions {
  readonly serverUrl: string;
  readonly operations: PublicOperations;
  readonly rules: Rules;
  /** Event types whose deliveries the document describes (§6). */
  readonly eventTypes: readonly EventTypeDocumentation[];
}

/** The document of the described service, under the rules of the emulator. */
export function createPublicDocument({
  serverUrl,
  operations,
  rules,
  eventTypes,
}: PublicDocumentOptions): Json {
  const builder = new DocumentBuilder(operations, createPublicTexts(rules), true);
  const webhooks = createWebhooksSection({ eventTypes, rules }, builder.schemas);
  return {
    ...head(
      'Workspace Events and Webhooks API',
      'The Workspace Events and Webhooks API, as the emulator implements it at `/v1`.',
      serverUrl,
      { ...publicTags, [WEBHOOKS_TAG]: 'Requests that your receiver gets.' },
    ),
    security: [{ apiKey: [] }],
    paths: builder.paths,
    webhooks,
    components: {
      schemas: builder.schemas,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, `svc_test_…` in the sandbox or `svc_live_…` in production.',
        },
      },
    },
  };
}

/** The document of the control plane. */
export function createControlDocument(serverUrl: string): Json {
  const builder = new DocumentBuilder(controlOperations, controlTexts, false);
  builder.addStream();
  return {
    ...head(
      'svc control plane',
      'Controls the emulator: moves clocks, injects faults, replays deliveries and resets the state. The emulated service does not have it.',
      serverUrl,
      controlTags,
    ),
    security: [{}, { controlToken: [] }],
    paths: builder.paths,
    components: {
      schemas: builder.schemas,
      securitySchemes: {
        controlToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Control token. The emulator prints it when it starts, if other machines can reach it.',
        },
      },
    },
  };
}

function head(title: string, description: string, serverUrl: string, tags: Readonly<Record<string, string>>) {
  return {
    openapi: '3.1.1',
    info: {
      title,
      description,
      version: VERSION,
      contact: { name: 'svc-emulator', url: 'https://www.npmjs.com/package/svc-emulator' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
  };
}

interface Parameter {
  readonly name: string;
  readonly schema: Json;
  readonly required: boolean;
}

/** The paths of a table of operations, and the schemas that they refer to. */
class DocumentBuilder {
  readonly paths: Record<string, Json> = {};
  /** By name. Each resource is described once. */
  readonly schemas: Record<string, Json> = {};
  /** Whether requests carry an API key (§5). */
  readonly #authenticated: boolean;
  readonly #error: Json;
  readonly #codes = new Set<ErrorCode>();

  constructor(
    operations: Readonly<Record<string, Operation>>,
    texts: Readonly<Record<string, OperationText>>,
    authenticated: boolean,
  ) {
    this.#authenticated = authenticated;
    this.#error = this.#schemaOf(authenticated ? resources.ErrorBody : resources.ControlErrorBody);
    for (const [name, operation] of Object.entries(operations)) {
      const text = texts[name];
      if (text === undefined) throw new TypeError(`The operation ${name} has no texts.`);
      this.#add(operation.path, operation.method, this.#describe(name, operation, text));
    }
    this.#listCodes();
  }

  /** The live stream of the control plane. */
  addStream(): void {
    const { tag, summary, description, input, response, example } = streamText;
    const fields = Object.entries(toSchema(stream.StreamInput).properties as Record<string, Json>);
    const event = this.#schemaOf(stream.StreamItem);
    this.#add('/events', 'GET', {
      operationId: 'followChanges',
      tags: [tag],
      summary,
      description,
      parameters: [
        ...fields.map(([name, schema]) =>
          toParameter('query', { name, schema, required: false }, input[name as keyof typeof input]),
        ),
        LAST_EVENT_ID,
      ],
      responses: {
        200: {
          description: response,
          headers: REQUEST_ID,
          content: {
            'text/event-stream': {
              schema: { type: 'string', contentMediaType: 'application/json', contentSchema: event },
              example: `id: ${example.sequence}\ndata: ${JSON.stringify(example)}\n\n`,
            },
          },
        },
        ...this.#describeErrors(['invalid_request', 'not_found', ...CONTROL_ERRORS, ...SERVER_ERRORS]),
      },
    });
  }

  #add(path: string, method: string, operation: Json): void {
    this.paths[path] = { ...this.paths[path], [method.toLowerCase()]: operation };
  }

  #describe(name: string, operation: Operation, text: OperationText): Json {
    const { path, method, input, output, scope, status } = operation;
    const { properties = {}, required = [] } = toSchema(input) as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    const inPath = pathParameters(path);
    const fields = Object.entries(properties).map(([field, schema]) => ({
      name: field,
      schema,
      required: required.includes(field),
    }));
    const others = fields.filter((field) => !inPath.includes(field.name));
    const acceptsKey = this.#authenticated && method === 'POST';
    const { input: example } = text.example;
    const describeParameter = (place: 'path' | 'query', field: Parameter) =>
      toParameter(place, field, text.input[field.name], example[field.name]);
    return {
      operationId: name,
      tags: [text.tag],
      summary: text.summary,
      description: scope ? `${text.description} Required scope: \`${scope}\`.` : text.description,
      parameters: [
        ...inPath.map((field) =>
          describeParameter('path', { name: field, schema: { type: 'string' }, required: true }),
        ),
        ...(isInputInQuery(method) ? others.map((field) => describeParameter('query', field)) : []),
        ...(acceptsKey ? [IDEMPOTENCY_KEY] : []),
      ],
      ...(isInputInQuery(method) || others.length === 0 ? {} : { requestBody: toRequestBody(others, text) }),
      responses: {
        [status]: {
          description: text.response,
          headers: { ...this.#headers, ...(acceptsKey ? REPLAYED : {}) },
          content: jsonContent(withFields(this.#schemaOf(output), text.output ?? {}), {
            example: text.example.output,
          }),
        },
        ...this.#describeErrors(this.#listErrors(operation)),
      },
    };
  }

  /** Headers of every response. */
  get #headers(): Json {
    return this.#authenticated ? { ...REQUEST_ID, ...RATE_LIMIT } : REQUEST_ID;
  }

  #listErrors({ method, path, input, errors = [] }: Operation): ErrorCode[] {
    const hasBody = !isInputInQuery(method);
    if (this.#authenticated) {
      return [
        ...['invalid_request', 'not_found', 'method_not_allowed'],
        ...['unauthenticated', 'permission_denied', 'forbidden_origin', 'rate_limited'],
        ...(hasBody ? BODY_ERRORS : []),
        ...(method === 'POST' ? ['idempotency_in_progress', 'idempotency_key_reused'] : []),
        ...errors,
        ...SERVER_ERRORS,
      ] as ErrorCode[];
    }
    const fields = Object.keys((input as { entries?: object }).entries ?? {});
    const namesResource = pathParameters(path).length > 0 || fields.some((field) => /(?:^|_)id$/.test(field));
    return [
      'invalid_request',
      ...(namesResource ? (['not_found'] as const) : []),
      ...CONTROL_ERRORS,
      ...(hasBody ? BODY_ERRORS : []),
      ...errors,
      ...SERVER_ERRORS,
    ];
  }

  /** One response for each status, with its codes. */
  #describeErrors(codes: readonly ErrorCode[]): Json {
    const byStatus = new Map<number, Set<ErrorCode>>();
    for (const code of codes) {
      this.#codes.add(code);
      const { status } = new SvcError(code, '');
      byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
    }
    const responses = [...byStatus].map(([status, group]) => [
      status,
      {
        description: [...group].map((code) => `\`${code}\`: ${errorTexts[code]}`).join(' '),
        headers: Object.assign({}, this.#headers, ...[...group].map((code) => ERROR_HEADERS[code])),
        content: jsonContent(this.#error, {
          examples: Object.fromEntries([...group].map((code) => [code, this.#toErrorExample(code)])),
        }),
      },
    ]);
    return Object.fromEntries(responses);
  }

  #toErrorExample(code: ErrorCode): Json {
    const message = (this.#authenticated ? undefined : controlErrorExamples[code]) ?? errorExamples[code];
    if (message === undefined) throw new TypeError(`The error ${code} has no example.`);
    const { hint } = new SvcError(code, '');
    const error = { code, message, request_id: exampleIds.request };
    return { value: { error: hint === undefined || this.#authenticated ? error : { ...error, hint } } };
  }

  /** Lists the values that `error.code` of an error can have. */
  #listCodes(): void {
    const body = this.schemas[this.#authenticated ? 'ErrorBody' : 'ControlErrorBody'] as {
      properties: { error: { properties: { code: Json } } };
    };
    body.properties.error.properties.code.enum = [...this.#codes].sort();
  }

  /** The schema of a response: a reference where it is that of a resource. */
  #schemaOf(schema: v.GenericSchema): Json {
    return this.#refer(schema) ?? toSchema(schema, (inner) => this.#refer(inner));
  }

  #refer(schema: v.GenericSchema): Json | undefined {
    const name = schemaNames.get(schema);
    if (name === undefined) return undefined;
    if (!(name in this.schemas)) {
      const text = schemaTexts[name];
      if (text === undefined) throw new TypeError(`The schema ${name} has no texts.`);
      const json = toSchema(schema, (inner) => (inner === schema ? undefined : this.#refer(inner)));
      this.schemas[name] = { description: text.text, ...withFields(json, text.fields) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}

function toParameter(
  place: 'path' | 'query',
  { name, schema, required }: Parameter,
  description: string | undefined,
  example?: unknown,
): Json {
  return { name, in: place, required, description, schema, ...(example === undefined ? {} : { example }) };
}

function toRequestBody(fields: readonly Parameter[], { input, example }: OperationText): Json {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, schema }) => [name, { ...schema, description: input[name] }]),
    ),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
  const names = fields.map(({ name }) => name);
  const body = Object.fromEntries(Object.entries(example.input).filter(([name]) => names.includes(name)));
  return {
    description: 'Fields of the request.',
    required: required.length > 0,
    content: jsonContent(schema, { example: body }),
  };
}

function withFields(schema: Json, texts: FieldTexts): Json {
  const { properties, items, anyOf, oneOf } = schema as {
    properties?: Record<string, Json>;
    items?: Json;
    anyOf?: Json[];
    oneOf?: Json[];
  };
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, withText(field, texts[name])]),
      ),
    }),
    ...(items && { items: withFields(items, texts) }),
    ...(anyOf && { anyOf: anyOf.map((each) => withFields(each, texts)) }),
    ...(oneOf && { oneOf: oneOf.map((each) => withFields(each, texts)) }),
  };
}

function withText(schema: Json, text: FieldText | undefined): Json {
  if (text === undefined) return schema;
  if (typeof text === 'string') return { ...schema, description: text };
  return { ...withFields(schema, text.fields), description: text.text };
}

function jsonContent(schema: Json, examples: { example: unknown } | { examples: Json }): Json {
  return { 'application/json': { schema, ...examples } };
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Key that makes the request safe to repeat: 1 to 255 visible ASCII characters, with or without double quotes around them.',
  schema: { type: 'string', minLength: 1, maxLength: 257 },
  example: '5d1f0f0e-order-7KQ2M9',
};
const LAST_EVENT_ID: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'ID of the last event that the client received. The stream continues after it.',
  schema: { type: 'string', pattern: '^\\d{1,15}$' },
  example: '12',
};

const REQUEST_ID: Json = {
  'Request-Id': {
    description: 'ID of the request.',
    schema: { type: 'string', pattern: idPatterns.request.source },
    example: exampleIds.request,
  },
};
const RATE_LIMIT: Json = {
  'RateLimit-Policy': {
    description: 'Limit of the API key: `q` requests in `w` seconds. Present if the rate limit is enabled.',
    schema: { type: 'string' },
    example: '"api-key";q=200;w=2',
  },
  RateLimit: {
    description:
      'Remaining requests (`r`) and seconds until the limit is fully restored (`t`). Present if the rate limit is enabled.',
    schema: { type: 'string' },
    example: '"api-key";r=199;t=1',
  },
};
const AUTHENTICATE: Json = {
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', pattern: '^Bearer' },
    example: 'Bearer',
  },
};
const RETRY_AFTER: Json = {
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
};
const REPLAYED: Json = {
  'Idempotent-Replayed': {
    description:
      'Present if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { const: 'true' },
    example: 'true',
  },
};

const ERROR_HEADERS: Readonly<Partial<Record<ErrorCode, Json>>> = {
  unauthenticated: AUTHENTICATE,
  token_required: AUTHENTICATE,
  method_not_allowed: {
    Allow: { description: 'The methods of this path.', schema: { type: 'string' }, example: 'GET, POST' },
  },
  idempotency_in_progress: RETRY_AFTER,
  rate_limited: RETRY_AFTER,
};
const CONTROL_ERRORS: readonly ErrorCode[] = ['token_required', 'forbidden_origin', 'rate_limited'];
const BODY_ERRORS: readonly ErrorCode[] = [
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];
const SERVER_ERRORS: readonly ErrorCode[] = ['internal_error', 'storage_unavailable'];

const schemaNames = new Map<unknown, string>(
  Object.entries({
    ...resources,
    ...events,
    ...deliveries,
    ...faults,
    ...fixtures,
    ...emulator,
    StreamItem: stream.StreamItem,
  }).flatMap(([name, value]) =>
    'type' in value && ['object', 'strict_object', 'variant'].includes(value.type) ? [[value, name]] : [],
  ),
);

/**
 * Checks that JSON Schema cannot express (addresses, the catalogue) stay with the validator. What a check of ours enforces
 * and JSON Schema can express is written beside it: `v.metadata({ jsonSchema: { uniqueItems: true } })`.
 * @param replace returns the replacement of an inner schema, if any.
 */
function toSchema(
  schema: v.GenericSchema,
  replace: (inner: v.GenericSchema) => Json | undefined = () => undefined,
): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema as never, {
    errorMode: 'ignore',
    typeMode: 'input',
    overrideSchema: ({ valibotSchema }) => {
      if (valibotSchema === JsonObject) return { type: 'object', additionalProperties: true };
      if (valibotSchema === WholeNumber) return { type: 'integer' };
      return replace(valibotSchema as v.GenericSchema) as never;
    },
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const { jsonSchema: documented } =
        (valibotAction as { metadata?: { jsonSchema?: Json } }).metadata ?? {};
      const { jsonSchema: _, ...others } = jsonSchema as Json;
      return documented && { ...others, ...documented };
    },
  }) as Json;
  return rest;
}
