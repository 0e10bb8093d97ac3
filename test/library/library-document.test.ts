/**
 * The pages of the library are written by hand, except the fields of parameters, which `--update` writes. These tests fail if an export,
 * an option or a method is missing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { createEmulator, createReceiver, SvcError } from '../../src/index.ts';
import { type ControlOperations, controlOperations } from '../../src/operations/control-operations.ts';
import { waitFilter } from '../../src/operations/wait-schemas.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
interface SchemaNode {
  readonly type: string;
  readonly entries?: object;
  readonly wrapped?: SchemaNode;
}

function unwrap(schema: unknown): SchemaNode {
  const { wrapped } = schema as SchemaNode;
  return wrapped === undefined ? (schema as SchemaNode) : unwrap(wrapped);
}

const setByLibrary = ['id', 'workspace_id', 'limit', 'starting_after', 'listener', 'reuse'];

/** The fields of an operation that are options of its method. */
function optionsOf(name: keyof ControlOperations) {
  const entries = Object.entries<v.GenericSchema>(controlOperations[name].input.entries);
  return v.strictObject(Object.fromEntries(entries.filter(([field]) => !setByLibrary.includes(field))));
}

const filterOf = (name: keyof ControlOperations) => ({ filter: v.optional(optionsOf(name)) });

/** The parameters of the methods that are objects, by the section of the page. */
const groups: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  events: { list: filterOf('listEvents') },
  deliveries: {
    list: filterOf('listDeliveries'),
    replay: { changes: v.optional(optionsOf('replayDelivery')) },
    wait: {
      filter: v.optional(
        v.strictObject(
          Object.fromEntries(Object.entries(waitFilter).filter(([name]) => name !== 'workspace_id')),
        ),
      ),
    },
    snapshot: filterOf('listDeliveries'),
  },
  webhooks: {
    create: { webhook: optionsOf('createWebhook') },
    update: { changes: optionsOf('updateWebhook') },
    rotateSecret: { options: v.optional(optionsOf('rotateWebhookSecret')) },
  },
  requests: { list: filterOf('listRequests') },
  faults: { add: { fault: optionsOf('addFault') } },
};

/** Writes the fields of each parameter that is an object, unless the page names its type: `update(id, changes: { url? })` */
function writeFields(signature: string, parameters: object): string {
  let result = signature;
  for (const [name, schema] of Object.entries(parameters)) {
    const { type, entries = {} } = unwrap(schema);
    if (type !== 'strict_object') continue;
    const fields = Object.entries(entries as Readonly<Record<string, SchemaNode>>).map(
      ([field, { type: fieldType }]) => (fieldType === 'optional' ? `${field}?` : field),
    );
    const optional = schema.type === 'optional' ? '?' : '';
    result = result.replace(
      new RegExp(`(\\b${name})\\??(?:: \\{[^}]*\\})?(?=[,)])`),
      `$1${optional}: { ${fields.join(', ')} }`,
    );
  }
  return result;
}

/** The page with the fields of every parameter. `--update` writes it only after the other tests, which therefore read this text. */
const libraryPage = addFields(read('docs/reference/library.md'));

function addFields(page: string): string {
  let group = '';
  const lines = page.split('\n').map((line) => {
    const heading = /^##+ (\w+)/.exec(line)?.[1];
    if (heading !== undefined) group = heading;
    if (!line.startsWith('| `')) return line;
    return line.replace(/`(\w+)\([^`]*\)`/g, (signature, method: string) =>
      writeFields(signature, groups[group]?.[method] ?? {}),
    );
  });
  return lines.join('\n');
}

const page = libraryPage + read('docs/reference/library-testing.md');
const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '');
const named = new Set(Array.from(prose.matchAll(/`[^`]+`/g), ([code]) => code.match(/\w+/g) ?? []).flat());

/** Options for tests of this project. */
const INTERNAL_OPTIONS = [
  ...['dashboardFolder', 'listenerGraceMs', 'synchronous'],
  ...['rules', 'wall', 'seedName', 'signal', 'owner'],
];

function expectNamed(names: readonly string[]): void {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !named.has(name) && !INTERNAL_OPTIONS.includes(name))).toEqual([]);
}

/** The keys of the objects that a schema accepts. */
function keysOf(schema: unknown): string[] {
  return Object.keys(unwrap(schema).entries ?? {});
}

it.each(['src/index.ts', 'src/signature.ts', 'src/vitest.ts', 'src/playwright.ts'])(
  'the pages of the library name every export of %s',
  (path) => {
    const source = read(path);
    const lists = Array.from(source.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, list = '']) => list);
    const inLists = lists.flatMap((list) =>
      list.split(',').flatMap((item) => /(\w+)\s*$/.exec(item.trim())?.[1] ?? []),
    );
    const declared = source.matchAll(/^export (?:async )?(?:interface|type|function|const|class) (\w+)/gm);
    expectNamed([...inLists, ...Array.from(declared, ([, name = '']) => name)]);
  },
);

it('the pages of the library name every event type export', () => {
  const declared = read('src/library/event-types.ts').matchAll(/^export (?:interface|type) (\w+)/gm);
  expectNamed(Array.from(declared, ([, name = '']) => name));
});

it('docs/reference/library.md has the fields of every parameter', async () => {
  await expect(
    libraryPage,
    'Update the page with: npx vitest run test/library/library-document.test.ts --update',
  ).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/reference/library.md'));
});

it('the pages of the library name every option', () => {
  const files = [
    'create-emulator',
    'create-delivery-wait',
    'create-receiver',
    'delivery-expectation',
    'events',
  ];
  const sources = [...files, 'trigger'].map((name) => `src/library/${name}.ts`);
  const options = [...sources, 'src/emulator.ts']
    .flatMap((path) =>
      Array.from(
        read(path).matchAll(/^export interface \w*(?:Options|Selection|Expectation)\b[^{]*\{.*?^\}/gms),
      ),
    )
    .flatMap(([body]) => Array.from(body.matchAll(/^ {2}readonly (\w+)/gm), ([, name = '']) => name));
  const parameters = Object.values(groups).flatMap((group) => Object.values(group));
  expectNamed([...options, ...parameters.flatMap((group) => Object.values(group)).flatMap(keysOf)]);
});

it('the pages of the library name every property and method of an emulator, a receiver and an error', async () => {
  await using emulator = await createEmulator();
  await using receiver = await createReceiver();
  const { events, deliveries, clock, webhooks, requests, faults } = emulator;
  const groups = [emulator, events, deliveries, clock, webhooks, requests, faults, receiver];
  expectNamed(groups.flatMap((group) => Object.keys(group)));
  expectNamed(Object.keys(new SvcError('usage', '')).filter((name) => name !== 'name'));
});
