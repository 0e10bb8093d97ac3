/** Both OpenAPI documents describe everything that they name. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
type Json = any;

async function fetchDocument(path: string): Promise<Json> {
  const response = await fetch(emulator.status().url + path);
  expect(response.status).toBe(200);
  return response.json();
}

interface Place {
  readonly where: string;
  readonly node: Json;
}

/** Operations on paths, and the deliveries that receivers get. */
function listOperations({ paths, webhooks = {} }: Json): Place[] {
  return Object.entries<Json>({ ...paths, ...webhooks }).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, node]) => ({ where: `${method} ${path}`, node })),
  );
}

/** Everything that must have a description. */
function listDescribed(document: Json): Place[] {
  const operations = listOperations(document);
  const schemas = Object.entries<Json>(document.components.schemas).map(([where, node]) => ({ where, node }));
  return [
    { where: 'info', node: document.info },
    ...document.tags.map((node: Json) => ({ where: `tag ${node.name}`, node })),
    ...Object.entries<Json>(document.components.securitySchemes).map(([where, node]) => ({ where, node })),
    ...operations,
    ...operations.flatMap(({ where, node }) => listParts(where, node)),
    ...Object.entries<Json>(document.components.responses).flatMap(([where, node]) =>
      listResponseParts(where, node),
    ),
    ...schemas,
    ...[...operations, ...schemas].flatMap(({ where, node }) => listProperties(where, node)),
  ];
}

/** Parameters, body, responses and headers of an operation. */
function listParts(where: string, { parameters, requestBody, responses }: Json): Place[] {
  return [
    ...parameters.map((node: Json) => ({ where: `${where} parameter ${node.name}`, node })),
    ...(requestBody === undefined ? [] : [{ where: `${where} body`, node: requestBody }]),
    ...Object.entries<Json>(responses)
      .filter(([, node]) => node.$ref === undefined)
      .flatMap(([status, node]) => listResponseParts(`${where} ${status}`, node)),
  ];
}

/** A response and its own headers. */
function listResponseParts(where: string, node: Json): Place[] {
  const headers = Object.entries<Json>(node.headers ?? {});
  return [
    { where, node },
    ...headers.map(([name, header]) => ({ where: `${where} header ${name}`, node: header })),
  ];
}

/** The properties of all schemas in a node, however deep they are. */
function listProperties(where: string, node: Json): Place[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries<Json>(node).flatMap(([key, value]) => {
    if (key === 'example' || key === 'examples') return [];
    if (key !== 'properties') return listProperties(where, value);
    return Object.entries<Json>(value).flatMap(([name, property]) => [
      { where: `${where}.${name}`, node: property },
      ...listProperties(`${where}.${name}`, property),
    ]);
  });
}

describe.each(['/openapi.json', '/_svc/openapi.json'])('%s', (path) => {
  let document: Json;
  beforeAll(async () => {
    document = await fetchDocument(path);
  });

  it('every operation, parameter, property, response and header has a description', () => {
    const places = listDescribed(document);
    const undescribed = places.filter(({ node }) => !/^(?!.*undefined)\S.{4,}\.$/s.test(node.description));
    expect(undescribed.map(({ where, node }) => `${where}: ${node.description}`)).toEqual([]);
    const empty = places.filter(({ node }) => /^(?:Done|OK|Success)\.$/i.test(node.description));
    expect(empty.map(({ where }) => where)).toEqual([]);
    expect(places.length).toBeGreaterThan(90);
  });

  it('every operation has a tag of the list and its own summary', () => {
    const tags = document.tags.map(({ name }: Json) => name);
    const operations = listOperations(document);
    for (const { where, node } of operations) {
      expect(tags, where).toContain(node.tags[0]);
      expect(node.summary, where).toMatch(/^[A-Z].+[^.]$/);
    }
    const summaries = operations.map(({ node }) => node.summary);
    expect(new Set(summaries).size).toBe(summaries.length);
    expect(new Set(operations.map(({ node }) => node.tags[0])).size).toBe(tags.length);
  });
});
