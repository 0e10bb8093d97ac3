/** The OpenAPI 3.1 documents, made from the same schemas that validate. Loaded only when somebody asks for one. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { idPatterns } from '../domain/ids.ts';
import { type ErrorCode, SvcError } from '../errors.ts';
import { VERSION } from '../version.ts';
import * as deliveries from './delivery-schemas.ts';
import * as emulator from './emulator-schemas.ts';
import * as events from './event-schemas.ts';
import * as faults from './fault-schemas.ts';
import { JsonObject } from './fields.ts';
import * as fixtures from './fixtures.ts';
import { createWebhooksSection, type WebhooksSectionOptions } from './openapi-webhooks.ts';
import { isInputInQuery, type Operation, pathParameters, WholeNumber } from './operation.ts';
import * as resources from './resources.ts';

type Json = Record<string, unknown>;

export interface DocumentOptions {
  readonly title: string;
  readonly description: string;
  readonly serverUrl: string;
  readonly operations: Readonly<Record<string, Operation>>;
  /** Whether requests carry an API key (§5). */
  readonly authenticated: boolean;
  /** What receivers get (§6); only the described service sends deliveries. */
  readonly deliveries?: WebhooksSectionOptions;
}

/** Builds the document of a table of operations. */
export function createOpenApiDocument({
  title,
  description,
  serverUrl,
  operations,
  authenticated,
  deliveries,
}: DocumentOptions): Json {
  const components = new Components();
  const error = components.refer(authenticated ? resources.ErrorBody : resources.ControlErrorBody);
  const headers = authenticated ? { ...REQUEST_ID, ...RATE_LIMIT } : REQUEST_ID;
  const codes = new Set<ErrorCode>();
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(operations)) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] as Json, {
      [operation.method.toLowerCase()]: {
        ...toOperation(name, operation, authenticated),
        responses: {
          [operation.status]: {
            description: 'Done.',
            headers: { ...headers, ...(authenticated && operation.method === 'POST' ? REPLAYED : {}) },
            content: jsonContent(components.refer(operation.output)),
          },
          ...toErrorResponses(operation, { authenticated, error, headers, codes }),
        },
      },
    });
  }
  components.enumerate(authenticated ? 'ErrorBody' : 'ControlErrorBody', codes);
  const webhooks = deliveries && createWebhooksSection(deliveries, components.schemas);
  return {
    openapi: '3.1.1',
    info: {
      ...{ title, description, version: VERSION },
      contact: { name: 'svc-emulator', url: 'https://www.npmjs.com/package/svc-emulator' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    security: authenticated ? [{ apiKey: [] }] : [{}, { controlToken: [] }],
    paths,
    ...(webhooks && { webhooks }),
    components: {
      schemas: components.schemas,
      securitySchemes: authenticated ? API_KEY : CONTROL_TOKEN,
    },
  };
}

const API_KEY: Json = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, svc_test_… or svc_live_….' },
};
const CONTROL_TOKEN: Json = {
  controlToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token that was printed at start, where other machines can reach the emulator.',
  },
};

function toOperation(name: string, operation: Operation, authenticated: boolean): Json {
  const { path, method, summary, input, scope } = operation;
  const schema = toSchema(input) as { properties?: Record<string, Json>; required?: string[] };
  const inPath = pathParameters(path);
  const members = Object.entries(schema.properties ?? {});
  const inQuery = isInputInQuery(method) ? members.filter(([member]) => !inPath.includes(member)) : [];
  const inBody = isInputInQuery(method) ? [] : members.filter(([member]) => !inPath.includes(member));
  const required = schema.required ?? [];
  return {
    operationId: name,
    summary,
    ...(scope ? { description: `Required scope: \`${scope}\`.` } : {}),
    parameters: [
      ...inPath.map((member) => ({ name: member, in: 'path', required: true, schema: { type: 'string' } })),
      ...inQuery.map(([member, of]) => ({
        name: member,
        in: 'query',
        required: required.includes(member),
        schema: of,
      })),
      ...(authenticated && method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(inBody.length > 0
      ? {
          requestBody: {
            required: true,
            content: jsonContent(
              toBodySchema(
                inBody,
                required.filter((member) => !inPath.includes(member)),
              ),
            ),
          },
        }
      : {}),
  };
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes the request safe to repeat: 1 to 255 visible ASCII characters.',
  schema: { type: 'string', minLength: 1, maxLength: 257 },
};

const REQUEST_ID: Json = {
  'Request-Id': {
    description: 'Identifies the request.',
    schema: { type: 'string', pattern: idPatterns.request.source },
  },
};
const RATE_LIMIT: Json = {
  'RateLimit-Policy': {
    description: 'The limit of the API key: `q` requests in `w` seconds. Present when a limit is on.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'Requests left (`r`), and seconds until all are back (`t`). Present when a limit is on.',
    schema: { type: 'string' },
  },
};
const ALLOW: Json = {
  Allow: { description: 'The methods of this path.', schema: { type: 'string' } },
};
const AUTHENTICATE: Json = {
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', pattern: '^Bearer' } },
};
const REPLAYED: Json = {
  'Idempotent-Replayed': {
    description: 'Present when this is the stored answer of an earlier request.',
    schema: { const: 'true' },
  },
};
const RETRY_AFTER: Json = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
};

function toBodySchema(members: ReadonlyArray<[string, Json]>, required: readonly string[]): Json {
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

const COMMON_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'method_not_allowed',
  'internal_error',
];
const KEY_ERRORS: readonly ErrorCode[] = [
  'unauthenticated',
  'permission_denied',
  'forbidden_origin',
  'rate_limited',
];
const CONTROL_ERRORS: readonly ErrorCode[] = ['token_required', 'forbidden_origin', 'rate_limited'];
const BODY_ERRORS: readonly ErrorCode[] = [
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];

/** Headers of the responses of one status. */
const STATUS_HEADERS: Readonly<Record<number, Json>> = {
  401: AUTHENTICATE,
  405: ALLOW,
  409: RETRY_AFTER,
  429: RETRY_AFTER,
};

interface ErrorContext {
  readonly authenticated: boolean;
  /** Schema of the body. */
  readonly error: Json;
  /** Headers of every response. */
  readonly headers: Json;
  /** Receives the codes that are documented. */
  readonly codes: Set<ErrorCode>;
}

/** One response for each status that the operation can fail with, naming its codes. */
function toErrorResponses(
  { method, errors = [] }: Operation,
  { authenticated, error, headers, codes: documented }: ErrorContext,
): Json {
  const codes = new Set([...COMMON_ERRORS, ...errors, 'storage_unavailable'] as ErrorCode[]);
  for (const code of authenticated ? KEY_ERRORS : CONTROL_ERRORS) codes.add(code);
  if (!isInputInQuery(method)) for (const code of BODY_ERRORS) codes.add(code);
  if (authenticated && method === 'POST') codes.add('idempotency_in_progress').add('idempotency_key_reused');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    documented.add(code);
    const { status } = new SvcError(code, '');
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\``).join(' or '),
        headers: { ...headers, ...STATUS_HEADERS[status] },
        content: jsonContent(error),
      },
    ]),
  );
}

function jsonContent(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** The resources that a document speaks of, each written down once. */
class Components {
  readonly schemas: Record<string, Json> = {};

  /** The schema of an answer, or a reference to it where it is that of a resource. */
  refer(schema: v.GenericSchema): Json {
    return this.#refer(schema) ?? toSchema(schema, (inner) => this.#refer(inner));
  }

  /** Lists the values that `error.code` of an error body can have. */
  enumerate(name: string, codes: Iterable<string>): void {
    const body = this.schemas[name] as { properties: { error: { properties: { code: Json } } } };
    body.properties.error.properties.code = { type: 'string', enum: [...codes].sort() };
  }

  #refer(schema: v.GenericSchema): Json | undefined {
    const name = resourceNames.get(schema);
    if (name === undefined) return undefined;
    this.schemas[name] ??= toSchema(schema, (inner) => (inner === schema ? undefined : this.#refer(inner)));
    return { $ref: `#/components/schemas/${name}` };
  }
}

const resourceNames = new Map<unknown, string>(
  Object.entries({ ...resources, ...events, ...deliveries, ...faults, ...fixtures, ...emulator }).flatMap(
    ([name, value]) =>
      'type' in value && ['object', 'strict_object', 'variant'].includes(value.type) ? [[value, name]] : [],
  ),
);

/**
 * Checks that JSON Schema cannot express (addresses, the catalogue) stay with the validator. What a check of ours enforces and
 * JSON Schema can express is written beside it: `v.metadata({ jsonSchema: { uniqueItems: true } })`.
 * @param replace what stands in the place of a schema inside.
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
