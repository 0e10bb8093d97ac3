/** The OpenAPI 3.1 documents, generated from the validation schemas and the texts in `openapi-*-texts.ts`. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { PACKAGE_URL, VERSION } from '../package-info.ts';
import type { Rules } from '../profile/rules.ts';
import { controlOperations } from './control-operations.ts';
import * as deliveries from './delivery-schemas.ts';
import * as emulator from './emulator-schemas.ts';
import * as explanations from './explanation-schemas.ts';
import {
  ExportedDelivery,
  type ExportFormat,
  ExportInput,
  exportFormatNames,
  exportFormats,
} from './export-schemas.ts';
import * as faults from './fault-schemas.ts';
import { JsonObject } from './fields.ts';
import { controlTags, controlTexts, exportText, streamText } from './openapi-control-texts.ts';
import { createPublicTexts, publicTags } from './openapi-public-texts.ts';
import {
  getControlErrorCodes,
  getPublicErrorCodes,
  ResponseComponents,
  streamErrorCodes,
} from './openapi-responses.ts';
import { schemaTexts } from './openapi-schema-texts.ts';
import type { FieldText, FieldTexts, OperationText } from './openapi-text.ts';
import { createWebhooksSection, type EventTypeDocumentation, WEBHOOKS_TAG } from './openapi-webhooks.ts';
import { isInputInQuery, type Operation, pathParameters, WholeNumber } from './operation.ts';
import * as overview from './overview-schemas.ts';
import type { PublicOperations } from './public-operations.ts';
import * as resources from './resources.ts';
import * as stream from './stream-schemas.ts';
import * as traces from './trace-schemas.ts';
import { WaitReport } from './wait-schemas.ts';

type Json = Record<string, unknown>;

interface PublicDocumentOptions {
  readonly serverUrl: string;
  readonly operations: PublicOperations;
  readonly rules: Rules;
  /** Event types whose deliveries the document describes (§6). */
  readonly eventTypes: readonly EventTypeDocumentation[];
}

/** The document of `/v1`, under the rules of the emulator. */
export function createPublicDocument({
  serverUrl,
  operations,
  rules,
  eventTypes,
}: PublicDocumentOptions): Json {
  const builder = new DocumentBuilder({ isPublic: true });
  builder.addOperations(operations, createPublicTexts(rules));
  const webhooks = createWebhooksSection({ eventTypes, rules }, builder.schemas);
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
      { ...publicTags, [WEBHOOKS_TAG]: 'Requests that the service sends to your receiver.' },
    ),
    security: [{ apiKey: [] }],
    paths: builder.paths,
    webhooks,
    components: { ...builder.components, securitySchemes: { apiKey } },
  };
}

/** The document of the control plane. */
export function createControlDocument(serverUrl: string): Json {
  const builder = new DocumentBuilder({ isPublic: false });
  builder.addOperations(controlOperations, controlTexts);
  builder.addExport();
  builder.addStream();
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

function createDocumentHeader(
  title: string,
  description: string,
  serverUrl: string,
  tags: Readonly<Record<string, string>>,
): Json {
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
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
  };
}

interface Parameter {
  readonly name: string;
  readonly schema: Json;
  readonly required: boolean;
}

/** Describes operations, and collects the components that they refer to. */
class DocumentBuilder {
  readonly paths: Record<string, Json> = {};
  /** By name. Each resource is described once. */
  readonly schemas: Record<string, Json> = {};
  /** Whether the document describes `/v1`, which has API keys and rate limits (§5). Otherwise it is the control plane. */
  readonly #isPublic: boolean;
  readonly #responses: ResponseComponents;

  constructor({ isPublic }: { readonly isPublic: boolean }) {
    this.#isPublic = isPublic;
    const errorSchema = this.#toResponseSchema(isPublic ? resources.ErrorBody : resources.ControlErrorBody);
    this.#responses = new ResponseComponents({ isPublic, errorSchema });
  }

  /** The components that the operations refer to. Read it after all operations were added. */
  get components(): Json {
    const { headers, responses, errorCodes } = this.#responses;
    // The schema was created before the codes of the document were known.
    const errorBody = this.schemas[this.#isPublic ? 'ErrorBody' : 'ControlErrorBody'] as {
      properties: { error: { properties: { code: Json } } };
    };
    errorBody.properties.error.properties.code.enum = errorCodes;
    return { schemas: this.schemas, responses, headers };
  }

  addOperations(
    operations: Readonly<Record<string, Operation>>,
    texts: Readonly<Record<string, OperationText>>,
  ): void {
    for (const [name, operation] of Object.entries(operations)) {
      const text = texts[name];
      if (text === undefined) throw new TypeError(`The operation ${name} has no texts.`);
      this.#addPath(operation.path, operation.method, this.#toOperationObject(name, operation, text));
    }
  }

  /** Adds the live stream of the control plane. */
  addStream(): void {
    const { tag, summary, description, input, response, example } = streamText;
    const fields = Object.entries(toSchema(stream.StreamInput).properties as Record<string, Json>);
    this.#addPath('/events', 'GET', {
      operationId: 'followChanges',
      tags: [tag],
      summary,
      description,
      parameters: [
        ...fields.map(([name, schema]) =>
          toParameter('query', { name, schema, required: false }, input[name as keyof typeof input]),
        ),
        LAST_EVENT_ID_PARAMETER,
      ],
      responses: {
        200: {
          description: response,
          headers: this.#responses.toHeaders(),
          content: {
            'text/event-stream': {
              schema: {
                type: 'string',
                contentMediaType: 'application/json',
                contentSchema: this.#toResponseSchema(stream.StreamItem),
              },
              example: `id: ${example.sequence}\ndata: ${JSON.stringify(example)}\n\n`,
            },
          },
        },
        ...this.#responses.toErrorResponses(streamErrorCodes),
      },
    });
  }

  /** Adds the export of deliveries, whose responses are files. */
  addExport(): void {
    const { tag, summary, description, input, response, examples } = exportText;
    const { properties = {}, required = [] } = toSchema(ExportInput) as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    const schemas: Record<ExportFormat, Json> = {
      har: { type: 'object' },
      ndjson: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: this.#toResponseSchema(ExportedDelivery),
      },
    };
    this.#addPath('/deliveries/export', 'GET', {
      operationId: 'exportDeliveries',
      tags: [tag],
      summary,
      description,
      parameters: Object.entries(properties).map(([name, schema]) => {
        const field = { name, schema, required: required.includes(name) };
        const example = name === 'format' ? 'ndjson' : undefined;
        return toParameter('query', field, input[name as keyof typeof input], example);
      }),
      responses: {
        200: {
          description: response,
          headers: this.#responses.toHeaders(),
          content: Object.fromEntries(
            exportFormatNames.map((format) => [
              exportFormats[format],
              { schema: schemas[format], example: examples[format] },
            ]),
          ),
        },
        ...this.#responses.toErrorResponses(streamErrorCodes),
      },
    });
  }

  #addPath(path: string, method: string, operation: Json): void {
    this.paths[path] = { ...this.paths[path], [method.toLowerCase()]: operation };
  }

  #toOperationObject(name: string, operation: Operation, text: OperationText): Json {
    const { path, method, input, output, scope, status = 200 } = operation;
    const { properties = {}, required = [] } = toSchema(input) as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    const pathNames = pathParameters(path);
    const fields = Object.entries(properties)
      .filter(([field]) => !pathNames.includes(field))
      .map(([field, schema]) => ({ name: field, schema, required: required.includes(field) }));
    const isInQuery = isInputInQuery(method);
    const acceptsIdempotencyKey = this.#isPublic && method === 'POST';
    const describeParameter = (location: 'path' | 'query', field: Parameter) =>
      toParameter(location, field, text.input[field.name], text.example.input[field.name]);
    const errorCodes = this.#isPublic ? getPublicErrorCodes(operation) : getControlErrorCodes(operation);
    return {
      operationId: name,
      tags: [text.tag],
      summary: text.summary,
      description: scope ? `${text.description} Required scope: \`${scope}\`.` : text.description,
      parameters: [
        ...pathNames.map((field) =>
          describeParameter('path', { name: field, schema: { type: 'string' }, required: true }),
        ),
        ...(isInQuery ? fields.map((field) => describeParameter('query', field)) : []),
        ...(acceptsIdempotencyKey ? [IDEMPOTENCY_KEY_PARAMETER] : []),
      ],
      ...(isInQuery || fields.length === 0 ? {} : { requestBody: toRequestBody(fields, text) }),
      responses: {
        [status]: {
          description: text.response,
          headers: this.#responses.toHeaders(
            ...(acceptsIdempotencyKey ? ['Idempotent-Replayed' as const] : []),
          ),
          content: {
            'application/json': {
              schema: addFieldDescriptions(this.#toResponseSchema(output), text.output ?? {}),
              example: text.example.output,
            },
          },
        },
        ...this.#responses.toErrorResponses(errorCodes, text.errorExamples),
      },
    };
  }

  /** The schema of a response. Schemas with a name become references. */
  #toResponseSchema(schema: v.GenericSchema): Json {
    return this.#toReference(schema) ?? toSchema(schema, (inner) => this.#toReference(inner));
  }

  #toReference(schema: v.GenericSchema): Json | undefined {
    const name = schemaNames.get(schema);
    if (name === undefined) return undefined;
    if (!(name in this.schemas)) {
      const text = schemaTexts[name];
      if (text === undefined) throw new TypeError(`The schema ${name} has no texts.`);
      const json = toSchema(schema, (inner) => (inner === schema ? undefined : this.#toReference(inner)));
      this.schemas[name] = { description: text.description, ...addFieldDescriptions(json, text.fields) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}

function toParameter(
  location: 'path' | 'query',
  { name, schema, required }: Parameter,
  description: string | undefined,
  example?: unknown,
): Json {
  return { name, in: location, required, description, schema, ...(example === undefined ? {} : { example }) };
}

function toRequestBody(fields: readonly Parameter[], { input, example }: OperationText): Json {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const properties = fields.map(({ name, schema }) => [name, { ...schema, description: input[name] }]);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
  const names = fields.map(({ name }) => name);
  const body = Object.entries(example.input).filter(([name]) => names.includes(name));
  return {
    description: 'Request fields.',
    required: required.length > 0,
    content: { 'application/json': { schema, example: Object.fromEntries(body) } },
  };
}

/** Adds descriptions to the properties of an object, or of the objects in an array or union. */
function addFieldDescriptions(schema: Json, texts: FieldTexts): Json {
  const { properties, items, anyOf, oneOf } = schema as {
    properties?: Record<string, Json>;
    items?: Json;
    anyOf?: Json[];
    oneOf?: Json[];
  };
  const describeAll = (schemas: Json[]) => schemas.map((inner) => addFieldDescriptions(inner, texts));
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, addDescription(field, texts[name])]),
      ),
    }),
    ...(items && { items: addFieldDescriptions(items, texts) }),
    ...(anyOf && { anyOf: describeAll(anyOf) }),
    ...(oneOf && { oneOf: describeAll(oneOf) }),
  };
}

function addDescription(schema: Json, text: FieldText | undefined): Json {
  if (text === undefined) return schema;
  if (typeof text === 'string') return { ...schema, description: text };
  return { ...addFieldDescriptions(schema, text.fields), description: text.description };
}

const IDEMPOTENCY_KEY_PARAMETER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Key that makes it safe to repeat the request: 1 to 255 visible ASCII characters, optionally in double quotes.',
  schema: { type: 'string', minLength: 1, maxLength: 257 },
  example: '5d1f0f0e-order-7KQ2M9',
};
const LAST_EVENT_ID_PARAMETER: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'ID of the last event that the client received. The stream continues after this event.',
  schema: { type: 'string', pattern: '^\\d{1,15}$' },
  example: '12',
};

/** The schemas that become components, with their names: all objects and variants that these modules export. */
const schemaNames = new Map<unknown, string>(
  Object.entries({
    ...resources,
    DeliveryTrace: traces.DeliveryTrace,
    EventTrace: traces.EventTrace,
    Explanation: explanations.Explanation,
    ...deliveries,
    ...overview,
    ...faults,
    ...emulator,
    StreamItem: stream.StreamItem,
    WaitReport,
  }).flatMap(([name, value]) =>
    'type' in value && ['object', 'strict_object', 'variant'].includes(value.type) ? [[value, name]] : [],
  ),
);

/**
 * Converts a schema to JSON Schema. Checks without an equivalent there, for example of addresses, are omitted; the validator
 * still makes them. If an equivalent exists for a `v.check`, the schema has it in `v.metadata({ jsonSchema: … })`.
 * @param replace returns the JSON Schema for an inner schema; undefined to convert it
 */
function toSchema(
  schema: v.GenericSchema,
  replace: (inner: v.GenericSchema) => Json | undefined = () => undefined,
): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    errorMode: 'ignore',
    typeMode: 'input',
    overrideSchema: ({ valibotSchema }) => {
      if (valibotSchema === JsonObject) return { type: 'object', additionalProperties: true };
      if (valibotSchema === WholeNumber) return { type: 'integer' };
      return replace(valibotSchema as v.GenericSchema);
    },
    // The metadata `jsonSchema` becomes a property of that name. Its content belongs in the schema instead.
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const { metadata = {} } = valibotAction as { metadata?: { jsonSchema?: Json } };
      const { jsonSchema: _, ...others } = jsonSchema as Json;
      return metadata.jsonSchema && { ...others, ...metadata.jsonSchema };
    },
  }) as Json;
  return rest;
}
