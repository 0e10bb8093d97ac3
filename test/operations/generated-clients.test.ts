/** Clients and receivers whose types two generators make from `/openapi.json`: they compile strictly, and run. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

const root = join(import.meta.dirname, '../..');
const generators = join(import.meta.dirname, 'generators');

/** With the document, they decide what the generators and the compiler write. */
const inputs = [
  join(root, 'package-lock.json'),
  join(generators, 'package.json'),
  join(generators, 'typescript-5.mjs'),
  import.meta.filename,
];

let emulator: TestEmulator;
/** The generated and compiled programs. Here the generated code finds its packages. */
let folder: string;

beforeAll(async () => {
  emulator = await startTestEmulator();
  const { url } = emulator.status();
  const document = (await (await fetch(`${url}/openapi.json`)).text()).replaceAll(url, 'http://localhost');
  const hash = createHash('sha256').update(document);
  for (const file of inputs) hash.update(readFileSync(file));
  folder = join(generators, `.clients-${hash.digest('hex').slice(0, 16)}`);
  if (!existsSync(folder)) await generate(document, folder);
});
afterAll(() => emulator.close());

/** Generates and compiles the programs, and keeps them until an input changes. */
async function generate(document: string, target: string): Promise<void> {
  const former = readdirSync(generators).filter((name) => /^\.clients-[\da-f]{16}$/.test(name));
  for (const name of former) rmSync(join(generators, name), { recursive: true });
  // Only a complete folder gets the name of the target.
  const cwd = mkdtempSync(join(generators, '.clients-'));
  try {
    writeFileSync(join(cwd, 'openapi.json'), document);
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
    for (const [name, source] of Object.entries(programs)) writeFileSync(join(cwd, `${name}.ts`), source);
    await Promise.all([
      node(cwd, packageFile('openapi-typescript', 'bin/cli.js'), 'openapi.json', '-o', 'schema.d.ts'),
      node(
        cwd,
        ...['--import', join(generators, 'typescript-5.mjs')],
        packageFile('@hey-api/openapi-ts', 'dist/run.mjs'),
        ...['--input', 'openapi.json', '--output', 'sdk', '--no-log-file'],
      ),
    ]);
    // All programs at once, because starting the compiler takes longer than its work.
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const strict = ['--ignoreConfig', '--strict', '--noUncheckedIndexedAccess'];
    const files = Object.keys(programs).map((name) => `${name}.ts`);
    await node(cwd, tsc, ...strict, '--module', 'nodenext', '--target', 'es2022', ...types, ...files);
    // Another run can have generated them meanwhile.
    if (!existsSync(target)) renameSync(cwd, target);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** npm installs what fits the rest of the project at the root. */
function packageFile(name: string, file: string): string {
  const places = [generators, root].map((place) => join(place, 'node_modules', name, file));
  return places.find((place) => existsSync(place)) ?? `${name} is not installed`;
}

function node(cwd: string, ...args: string[]) {
  return execa(process.execPath, args, { cwd, stdin: 'ignore', all: true, timeout: 60_000 });
}

/** What a compiled program prints that gets the address and the key of the emulator. */
async function run(name: string): Promise<string> {
  const { base_url, api_key, workspace_id } = emulator.status();
  return (await node(folder, `${name}.js`, base_url, api_key, workspace_id)).stdout;
}

const ARGUMENTS = `const [baseUrl = '', apiKey = '', workspaceId = ''] = process.argv.slice(2);`;

const OPENAPI_FETCH = `
  import createClient from 'openapi-fetch';
  import type { paths } from './schema.js';
  ${ARGUMENTS}
  const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + apiKey } });
  const created = await client.POST('/events', { body: { type: 'order.shipped', payload: { a: 1 } } });
  const page = await client.GET('/events', { params: { query: { limit: 1 } } });
  const missing = await client.GET('/events/{id}', { params: { path: { id: 'evt_none' } } });
  const code: 'not_found' | undefined = missing.error?.error.code === 'not_found' ? 'not_found' : undefined;
  const webhook = await client.POST('/webhooks', {
    body: { workspace_id: workspaceId, url: 'http://127.0.0.1:9/', events: ['order.shipped'] },
  });
  console.log(created.data?.payload.a, page.data?.data[0]?.id === created.data?.id, code, webhook.data?.secret.slice(0, 6));
`;

const HEY_API = `
  import { createEvent, createWebhook, getWorkspace, listEvents } from './sdk/index.js';
  import { client } from './sdk/client.gen.js';
  ${ARGUMENTS}
  client.setConfig({ baseUrl, auth: apiKey });
  const created = await createEvent({ body: { type: 'order.shipped', payload: { a: 1 } } });
  const page = await listEvents({ query: { limit: 1 } });
  const workspace = await getWorkspace({ path: { id: workspaceId } });
  const webhook = await createWebhook({
    body: { workspace_id: workspaceId, url: 'http://127.0.0.1:9/', events: ['order.shipped'] },
  });
  console.log(created.data?.payload?.a, page.data?.data[0]?.id === created.data?.id, workspace.data?.environment, webhook.data?.secret.slice(0, 6));
`;

describe('a client from /openapi.json', () => {
  it('a client with the types of openapi-typescript compiles and works', async () => {
    expect(await run('openapi-fetch-client')).toBe('1 true not_found whsec_');
  });

  it('a client that hey-api generates compiles and works', async () => {
    expect(await run('hey-api-client')).toBe('1 true sandbox whsec_');
  });
});

const RECEIVE = `
  const text = handle({
    type: 'order.shipped',
    workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    created_at: '2026-11-20T14:05:00.000Z',
    data: {
      id: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      type: 'order.shipped',
      created_at: '2026-11-20T14:05:00.000Z',
      payload: JSON.parse(process.argv[2] ?? ''),
    },
  });
  console.log(text);
`;

const OPENAPI_TYPESCRIPT_RECEIVER = `
  import type { webhooks } from './schema.js';
  type Delivery = webhooks['event']['post']['requestBody']['content']['application/json'];
  function handle({ type, data }: Delivery): string {
    // @ts-expect-error: a field that the event does not have
    data.no_such_field;
    return [type, data.id.slice(0, 4), data.payload.carrier].join(' ');
  }
  ${RECEIVE}`;

const HEY_API_RECEIVER = `
  import type { Envelope, Webhooks } from './sdk/index.js';
  function handle({ type, data }: Envelope): string {
    return [type, data.id.slice(0, 4), data.payload.carrier].join(' ');
  }
  const anyDelivery = ({ body }: Webhooks) => handle(body);
  void anyDelivery;
  ${RECEIVE}`;

const programs = {
  'openapi-fetch-client': OPENAPI_FETCH,
  'hey-api-client': HEY_API,
  'openapi-typescript-receiver': OPENAPI_TYPESCRIPT_RECEIVER,
  'hey-api-receiver': HEY_API_RECEIVER,
};

describe('a receiver', () => {
  it.each(['openapi-typescript', 'hey-api'])(
    'a receiver compiles with the types of deliveries by %s',
    async (generator) => {
      const { stdout } = await node(folder, `${generator}-receiver.js`, '{"carrier":"DHL"}');
      expect(stdout).toBe('order.shipped evt_ DHL');
    },
    60_000,
  );
});
