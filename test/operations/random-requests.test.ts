/** Random requests, valid and invalid: every response is one that the OpenAPI document describes. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createResponseCheck } from '../support/response-check.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

const REQUESTS = 500;

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator({ projectFolder: import.meta.dirname });
});
afterAll(() => emulator.close());

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
interface Documented {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
}

/** Operations with effects beyond the emulator of this test (the file system, the process), and the stream, which has no end. */
const LEFT_OUT = ['stop', 'saveSnapshot', 'loadSnapshot', 'reset', 'followChanges'];

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
function listOperations(document: any): Documented[] {
  return Object.entries<Record<string, Record<string, never>>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => !LEFT_OUT.includes(operationId ?? ''))
      // biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
      .map(([method, { parameters = [], requestBody }]: [string, any]) => ({
        ...{ method: method.toUpperCase(), path, parameters },
        body: requestBody?.content['application/json'].schema ?? null,
      })),
  );
}

const anything = fc.jsonValue({ maxDepth: 2 });

/** Mostly what the schema allows, so that requests get past the validation. */
function arbitraryOf(schema: Schema, knownValues: readonly string[]): fc.Arbitrary<unknown> {
  const fitting = (() => {
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.properties) return bodyOf(schema, knownValues);
    if (schema.type === 'array')
      return fc.array(arbitraryOf(schema.items ?? {}, knownValues), { maxLength: 3 });
    if (schema.type === 'integer' || schema.type === 'number') return fc.integer({ min: -1, max: 200 });
    if (schema.type === 'boolean') return fc.boolean();
    if (schema.type === 'object') return fc.dictionary(fc.string({ maxLength: 5 }), anything, { maxKeys: 3 });
    return fc.constantFrom(...knownValues, ...(schema.examples ?? []));
  })();
  return fc.oneof({ weight: 8, arbitrary: fitting }, { weight: 1, arbitrary: anything });
}

function bodyOf({ properties = {} }: Schema, knownValues: readonly string[]): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, arbitraryOf(schema, knownValues)]);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

function requestOf(operation: Documented, knownValues: readonly string[]) {
  const parameters = operation.parameters.map((parameter) =>
    fc.record({
      ...{ name: fc.constant(parameter.name), place: fc.constant(parameter.in) },
      value: arbitraryOf(parameter.schema, knownValues),
      present: fc.boolean(),
    }),
  );
  const json =
    operation.body === null
      ? fc.constant(null)
      : bodyOf(operation.body, knownValues).map((body) => JSON.stringify(body));
  return fc.record({
    ...{ method: fc.constant(operation.method), path: fc.constant(operation.path) },
    parameters: fc.tuple(...parameters),
    body: fc.oneof(
      { weight: 9, arbitrary: json },
      { weight: 1, arbitrary: fc.constant(operation.body && '{"a":') },
    ),
    contentType: fc.oneof(
      { weight: 19, arbitrary: fc.constant('application/json') },
      { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1') },
    ),
    authorized: fc.oneof(
      { weight: 19, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
  });
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

describe.each([
  ['/openapi.json', 'base_url'],
  ['/_svc/openapi.json', 'control_url'],
] as const)('%s', (documentPath, addressField) => {
  it(`the document describes the responses to ${REQUESTS} random requests`, async () => {
    const status = emulator.status();
    const document = JSON.parse(await (await fetch(status.url + documentPath)).text());
    const check = createResponseCheck(document);
    const { json: event } = await emulator.api('POST', '/events', { type: 'order.shipped', payload: {} });
    const knownValues = [
      status.workspace_id,
      event.id,
      'order.shipped',
      '5m',
      'http://127.0.0.1:9/',
      '*',
      'x',
    ];
    const operations = listOperations(document).map((operation) => requestOf(operation, knownValues));
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.oneof(...operations), async (request) => {
        const url = new URL(status[addressField] + request.path);
        const headers = new Headers(request.authorized ? { authorization: `Bearer ${status.api_key}` } : {});
        for (const { name, place, value, present } of request.parameters) {
          if (place === 'path')
            url.pathname = url.pathname.replace(`%7B${name}%7D`, encodeURIComponent(toText(value) || 'x'));
          else if (present && place === 'query') url.searchParams.append(name, toText(value));
        }
        if (request.body !== null) headers.set('content-type', request.contentType);
        const response = await fetch(url, { method: request.method, headers, body: request.body });
        const path = url.href.slice(status[addressField].length);
        statuses.add(response.status);
        check({
          method: request.method,
          path,
          status: response.status,
          headers: response.headers,
          text: await response.text(),
        });
        expect(response.status).not.toBe(500);
      }),
      { numRuns: REQUESTS, seed: 14 },
    );
    // The requests reached every kind of result.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 404, 415, 422]));
  });
});
