/** The OpenAPI 3.1 documents, made from the same schemas that validate. Loaded only when somebody asks for one. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { type ErrorCode, SvcError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { inputInQuery, type Operation, pathParameters, WholeNumber } from './operation.ts';
import { ErrorBody, JsonObject } from './resources.ts';

type Json = Record<string, unknown>;

export interface DocumentOptions {
  readonly title: string;
  readonly description: string;
  readonly serverUrl: string;
  readonly operations: Readonly<Record<string, Operation>>;
  /** Whether requests carry an API key (§5). */
  readonly authenticated: boolean;
}

/** Builds the document of a table of operations. */
export function createOpenApiDocument({
  title,
  description,
  serverUrl,
  operations,
  authenticated,
}: DocumentOptions): Json {
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(operations)) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] as Json, {
      [operation.method.toLowerCase()]: toOperation(name, operation, authenticated),
    });
  }
  return {
    openapi: '3.1.1',
    info: { title, description, version: VERSION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: serverUrl }],
    ...(authenticated ? { security: [{ apiKey: [] }] } : { security: [] }),
    paths,
    components: {
      schemas: { Error: toSchema(ErrorBody) },
      ...(authenticated
        ? {
            securitySchemes: {
              apiKey: {
                type: 'http',
                scheme: 'bearer',
                description: 'An API key, svc_test_… or svc_live_….',
              },
            },
          }
        : {}),
    },
  };
}

function toOperation(name: string, operation: Operation, authenticated: boolean): Json {
  const { path, method, summary, input, status, output, scope } = operation;
  const schema = toSchema(input) as { properties?: Record<string, Json>; required?: string[] };
  const inPath = pathParameters(path);
  const members = Object.entries(schema.properties ?? {});
  const inQuery = inputInQuery(method) ? members.filter(([member]) => !inPath.includes(member)) : [];
  const inBody = inputInQuery(method) ? [] : members.filter(([member]) => !inPath.includes(member));
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
    responses: {
      [status]: { description: 'Done.', headers: REQUEST_ID, content: jsonContent(toSchema(output)) },
      ...toErrorResponses(operation, authenticated),
    },
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
  'Request-Id': { description: 'Identifies the request.', schema: { type: 'string' } },
};

function toBodySchema(members: ReadonlyArray<[string, Json]>, required: readonly string[]): Json {
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

const COMMON_ERRORS: readonly ErrorCode[] = ['invalid_request', 'not_found', 'internal_error'];
const KEY_ERRORS: readonly ErrorCode[] = ['unauthenticated', 'permission_denied', 'rate_limited'];
const BODY_ERRORS: readonly ErrorCode[] = [
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];

/** One response for each status that the operation can fail with, naming its codes. */
function toErrorResponses({ method, errors = [] }: Operation, authenticated: boolean): Json {
  const codes = new Set([...COMMON_ERRORS, ...errors, 'storage_unavailable'] as ErrorCode[]);
  if (authenticated) for (const code of KEY_ERRORS) codes.add(code);
  if (!inputInQuery(method)) for (const code of BODY_ERRORS) codes.add(code);
  if (authenticated && method === 'POST') codes.add('idempotency_in_progress').add('idempotency_key_reused');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = new SvcError(code, '');
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\``).join(' or '),
        headers: REQUEST_ID,
        content: jsonContent({ $ref: '#/components/schemas/Error' }),
      },
    ]),
  );
}

function jsonContent(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** Checks that JSON Schema cannot express (event types, addresses) stay with the validator. */
function toSchema(schema: v.GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema as never, {
    errorMode: 'ignore',
    typeMode: 'input',
    overrideSchema: ({ valibotSchema }) => {
      if (valibotSchema === JsonObject) return { type: 'object' };
      return valibotSchema === WholeNumber ? { type: 'integer' } : undefined;
    },
  }) as Json;
  return rest;
}
