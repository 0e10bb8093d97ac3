/** Checks responses against an OpenAPI document: status, body, and no field that the document does not define. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface ObservedResponse {
  readonly method: string;
  /** Relative to the server URL of the document. A query is ignored. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Throws an `AssertionError` that says where a response and the document differ. */
export type ResponseCheck = (response: ObservedResponse) => void;

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, unknown>>;
  };
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

/** Statuses of a request that matches no operation. */
const REJECTIONS = [400, 404, 405];

export function createResponseCheck(document: OpenApiDocument): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(forbidAdditionalProperties(document) as object, 'document');
  const compiled = new Map<string, ValidateFunction>();
  const validatorAt = (keys: readonly string[]) => {
    const pointer = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
    const reference = `document#/${pointer.join('/')}`;
    const validator = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validator);
    return validator;
  };

  return ({ method, path, status, headers, text }) => {
    const description = `${method} ${path} → ${status} ${text.slice(0, 400)}`;
    const requestId = headers.get('request-id') ?? '';
    assert.match(requestId, /^req_[0-9A-Z]{26}$/, `${description}: Request-Id`);
    if (method === 'HEAD') return;
    assert.match(headers.get('content-type') ?? '', /^application\/json\b/, `${description}: Content-Type`);
    // An injected fault can have any code, which the document does not list.
    const body: unknown = JSON.parse(
      /\bflt_/.test(text) ? text.replace(/"code":"\w+"/, '"code":"internal_error"') : text,
    );
    if (status >= 400) {
      assert.equal((body as { error: { request_id: string } }).error.request_id, requestId, description);
    }
    const validate = validatorAt(findSchemaPath(document, method, path, status, description));
    assert.ok(validate(body), `${description}: ${ajv.errorsText(validate.errors)}`);
  };
}

/** The path to the schema of a response. A request that matches no operation can only be rejected. */
function findSchemaPath(
  document: OpenApiDocument,
  method: string,
  path: string,
  status: number,
  description: string,
): string[] {
  const match = findOperation(document, method.toLowerCase(), path.replace(/\?.*$/s, ''));
  if (match === undefined) {
    assert.ok(REJECTIONS.includes(status), `${description}: not an operation of the document`);
    const { schemas } = document.components;
    return ['components', 'schemas', 'ErrorBody' in schemas ? 'ErrorBody' : 'ControlErrorBody'];
  }
  const { responses } = match.operation;
  const key = [String(status), `${Math.floor(status / 100)}XX`].find((each) =>
    Object.hasOwn(responses, each),
  );
  assert.ok(key !== undefined, `${description}: status not in the document`);
  const reference = responses[key]?.$ref;
  const response = reference?.split('/').slice(1) ?? [
    'paths',
    match.template,
    method.toLowerCase(),
    'responses',
    key,
  ];
  return [...response, 'content', 'application/json', 'schema'];
}

function findOperation({ paths }: OpenApiDocument, method: string, path: string) {
  for (const [template, item] of Object.entries(paths)) {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`);
    const operation = item[method];
    if (operation !== undefined && pattern.test(path)) return { template, operation };
  }
  return undefined;
}

/** Returns the document with `additionalProperties: false` in every object schema. */
function forbidAdditionalProperties(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(forbidAdditionalProperties);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, forbidAdditionalProperties(value)]),
  );
  return copy.type === 'object' && copy.properties && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}
