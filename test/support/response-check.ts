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
export type ResponseCheck = (answer: ObservedResponse) => void;

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
}

const OF_NO_OPERATION = [400, 404, 405];

export function createResponseCheck(document: OpenApiDocument): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(closeObjects(document) as object, 'document');
  const compiled = new Map<string, ValidateFunction>();
  const validatorAt = (keys: readonly string[]) => {
    const pointer = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
    const reference = `document#/${pointer.join('/')}`;
    const validator = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validator);
    return validator;
  };

  return ({ method, path, status, headers, text }) => {
    const what = `${method} ${path} → ${status} ${text.slice(0, 400)}`;
    const requestId = headers.get('request-id') ?? '';
    assert.match(requestId, /^req_[0-9A-Z]{26}$/, `${what}: Request-Id`);
    if (method === 'HEAD') return;
    assert.match(headers.get('content-type') ?? '', /^application\/json\b/, `${what}: Content-Type`);
    // An injected fault can have any code, which the document does not list.
    const body: unknown = JSON.parse(
      /\bflt_/.test(text) ? text.replace(/"code":"\w+"/, '"code":"internal_error"') : text,
    );
    if (status >= 400) {
      assert.equal((body as { error: { request_id: string } }).error.request_id, requestId, what);
    }
    const validate = validatorAt(schemaOf(document, method, path, status, what));
    assert.ok(validate(body), `${what}: ${ajv.errorsText(validate.errors)}`);
  };
}

/** The pointer to the schema of a response. A request to an unknown operation may only be rejected. */
function schemaOf(
  document: OpenApiDocument,
  method: string,
  path: string,
  status: number,
  what: string,
): string[] {
  const found = findOperation(document, method.toLowerCase(), path.replace(/\?.*$/s, ''));
  if (found === undefined) {
    assert.ok(OF_NO_OPERATION.includes(status), `${what}: not an operation of the document`);
    const { schemas } = document.components;
    return ['components', 'schemas', 'ErrorBody' in schemas ? 'ErrorBody' : 'ControlErrorBody'];
  }
  assert.ok(Object.hasOwn(found.operation.responses, status), `${what}: status not in the document`);
  return [
    ...['paths', found.template, method.toLowerCase(), 'responses', String(status)],
    ...['content', 'application/json', 'schema'],
  ];
}

function findOperation({ paths }: OpenApiDocument, method: string, path: string) {
  for (const [template, item] of Object.entries(paths)) {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`);
    const operation = item[method];
    if (operation !== undefined && pattern.test(path)) return { template, operation };
  }
  return undefined;
}

/** The same document without additional properties in any object. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closeObjects(value)]));
  return copy.type === 'object' && copy.properties && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}
