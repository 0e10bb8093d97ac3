import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { controlOperations } from '../../../src/operations/control-operations.ts';
import { createControlDocument } from '../../../src/operations/openapi/openapi-document.ts';
import { createWebhooksSection } from '../../../src/operations/openapi/openapi-webhooks.ts';
import { resolveRules } from '../../../src/profile/resolve-rules.ts';
import { publicEventFilters } from '../../../src/resources/event.ts';
import { type SchemeName, schemes } from '../../../src/signature/schemes.ts';
import { eventFields } from '../../support/event-fields.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../../support/test-emulator.ts';

const root = join(import.meta.dirname, '../../..');

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
async function fetchDocument(path: string, options: TestEmulatorOptions = {}): Promise<any> {
  await using emulator = await startTestEmulator(options);
  const response = await fetch(emulator.status().url + path);
  return JSON.parse(await response.text());
}

/** Lints a document. `all` of the result is what the linter printed. */
function lint(document: unknown) {
  const file = join(createTemporaryFolder(), 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const linter = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  return execa(process.execPath, [linter, 'lint', '--extends=recommended-strict', file], {
    env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
    cwd: root,
    all: true,
    reject: false,
  });
}

describe.each(['/openapi.json', '/_svc/openapi.json'])('%s', (path) => {
  it('the document passes the strict rules of a linter', async () => {
    const { exitCode, all } = await lint(await fetchDocument(path));
    expect(exitCode, all).toBe(0);
  });

  it('the document defines each resource and the error response once', async () => {
    const document = await fetchDocument(path);
    const references = new Set(JSON.stringify(document).match(/#\/components\/\w+\/[\w-]+/g));
    const { schemas, responses } = document.components;
    const components = Object.entries<object>({ schemas, responses }).flatMap(([kind, values]) =>
      Object.keys(values).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...references].sort()).toEqual(components.sort());
  });
});

it.each([
  ['local', 'accepted', 'except for loopback and private addresses', '`*` matches all event types.'],
  ['public', 'rejected_in_production', 'publicly reachable', 'it is not accepted in production'],
  ['public', 'rejected', 'publicly reachable', '`*` is not accepted'],
])(
  'the fields of a new endpoint describe the rules %s and %s',
  async (url, wildcard, urlText, eventsText) => {
    const overrides = { 'webhook.url': url, 'webhook.wildcard': wildcard };
    const document = await fetchDocument('/openapi.json', { overrides });
    const { schema } = document.paths['/webhooks'].post.requestBody.content['application/json'];
    expect(schema.properties.url.description).toContain(urlText);
    expect(schema.properties.events.description).toContain(eventsText);
  },
);

describe('the document of the service', () => {
  let document: Awaited<ReturnType<typeof fetchDocument>>;
  beforeAll(async () => {
    document = await fetchDocument('/openapi.json');
  });

  it('the document is OpenAPI 3.1, with the address that serves it and bearer keys [§5.1]', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers).toEqual([{ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/) }]);
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect(document.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
  });

  it('the schemas that validate describe bodies, queries and responses', () => {
    const { get, post } = document.paths['/events'];
    expect(post.requestBody.content['application/json'].schema).toMatchObject({
      required: ['type'],
      properties: { type: { type: 'string', pattern: expect.stringContaining('[a-z]'), maxLength: 128 } },
      additionalProperties: false,
    });
    const limit = get.parameters.find(({ name }: { name: string }) => name === 'limit');
    expect(limit.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
    expect(post.responses[201].content['application/json'].schema.$ref).toBe('#/components/schemas/Event');
    expect(document.components.schemas.Event.properties.id.pattern).toMatch(/^\^evt_/);
  });

  it('the document describes each code and header of an error [error.codes]', () => {
    const { post } = document.paths['/events'];
    expect(Object.keys(post.responses)).toEqual(['201', '4XX', '5XX']);
    const { code } = document.components.schemas.ErrorBody.properties.error.properties;
    expect(code.enum).toEqual(expect.arrayContaining(['method_not_allowed', 'idempotency_key_reused']));
    for (const each of code.enum)
      expect(code.description).toMatch(new RegExp(`^- \`${each}\` \\(\\d{3}\\): \\S`, 'm'));
    const common = ['Request-Id', 'RateLimit-Policy', 'RateLimit'];
    expect(Object.keys(post.responses[201].headers)).toEqual([...common, 'Idempotent-Replayed']);
    const { headers } = document.components.responses.Error;
    expect(Object.keys(headers)).toEqual([...common, 'WWW-Authenticate', 'Retry-After', 'Allow']);
  });

  it('documents the request that a receiver gets [envelope]', () => {
    const { post } = document.webhooks.event;
    expect(post.security).toEqual([]);
    expect(post.parameters.map(({ name }: { name: string }) => name)).toEqual([
      ...['Service-Signature', 'Service-Timestamp', 'Service-Delivery-Id'],
    ]);
    const { schema } = post.requestBody.content['application/json'];
    expect(schema.$ref).toBe('#/components/schemas/Envelope');
    const { Envelope } = document.components.schemas;
    expect(Object.keys(Envelope.properties)).toEqual(['type', 'workspace_id', 'created_at', 'data']);
  });

  it('documents the age of a delivery that the rules allow [signature.tolerance]', () => {
    const rules = resolveRules('relaxed', { 'signature.tolerance': '10m' });
    expect(JSON.stringify(createWebhooksSection(rules, {}))).toContain('older than 10m.');
  });

  it.each<[SchemeName, string]>([
    ['svc', 'Signature of the string `{timestamp}.{body}`, where `{body}` is the raw body.'],
    ['github', 'Signature of the raw body.'],
  ])('documents what the signature of the scheme %s covers [signature.content]', (scheme, description) => {
    const rules = { ...resolveRules('relaxed'), signature: schemes[scheme] };
    expect(createWebhooksSection(rules, {}).event).toMatchObject({
      post: {
        parameters: expect.arrayContaining([
          expect.objectContaining({ name: schemes[scheme].headers.signature, description }),
        ]),
      },
    });
  });

  it('the document of the control plane describes errors without the API keys and the request log of /v1', () => {
    const responses = JSON.stringify(createControlDocument('http://127.0.0.1:4777/_svc').components);
    expect(responses).toContain('`not_found` (404): The path or the resource does not exist.');
    expect(responses).not.toContain('the API key has no access');
    expect(responses).not.toContain('svc logs list');
  });

  it('documents the form of addresses and subscriptions that the emulator enforces', () => {
    const { url, events } =
      document.paths['/webhooks'].post.requestBody.content['application/json'].schema.properties;
    expect(url).toMatchObject({ type: 'string', format: 'uri' });
    expect(events).toMatchObject({ type: 'array', uniqueItems: true, minItems: 1, maxItems: 100 });
    expect(new RegExp(events.items.pattern).test('order.shipped')).toBe(true);
    expect(new RegExp(events.items.pattern).test('*')).toBe(true);
    expect(new RegExp(events.items.pattern).test('Order shipped')).toBe(false);
  });

  it('the document follows the rules of the emulator [event.body, list.workspace, list.limit]', async () => {
    const overrides = {
      'event.body': 'data',
      'list.workspace': 'workspace',
      'list.limit': { default: 5, max: 7 },
    };
    const { paths } = await fetchDocument('/openapi.json', { overrides });
    const body = paths['/events'].post.requestBody.content['application/json'].schema;
    expect(Object.keys(body.properties)).toEqual([
      'type',
      'data',
      ...Object.keys(eventFields),
      'workspace_id',
    ]);
    const query = paths['/events'].get.parameters;
    const names = query.map(({ name }: { name: string }) => name);
    const pageFields = ['workspace', 'starting_after', 'limit'];
    expect(names).toEqual([...pageFields, ...Object.keys(publicEventFilters)]);
    expect(query[2].schema).toMatchObject({ maximum: 7, default: 5 });
  });
});

describe('the document of the control plane', () => {
  const document = createControlDocument('http://localhost/_svc') as Awaited<
    ReturnType<typeof fetchDocument>
  >;

  it('the document has every operation of the table, and the live stream', () => {
    const described = Object.values<object>(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(described.sort()).toEqual(
      [...Object.keys(controlOperations), 'exportDeliveries', 'followChanges'].sort(),
    );
  });

  it('the token is optional, and an error can have a field and a hint', () => {
    expect(document.security).toEqual([{}, { controlToken: [] }]);
    expect(document.components.securitySchemes).toMatchObject({ controlToken: { scheme: 'bearer' } });
    const { properties } = document.components.schemas.ControlErrorBody;
    expect(Object.keys(properties.error.properties)).toEqual([
      'code',
      'message',
      'request_id',
      'field',
      'hint',
    ]);
  });
});
