/** The pages of the library are written by hand. These tests fail if an export, an option or a method is missing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEmulator, createReceiver, SvcError } from '../../src/index.ts';
import { EmulatorOptionsSchema, WorkspaceOptionsSchema } from '../../src/library/create-emulator.ts';
import { ReceiverOptionsSchema } from '../../src/library/create-receiver.ts';
import { ExpectationSchema } from '../../src/library/delivery-expectation.ts';
import { eventParameters } from '../../src/library/events.ts';
import { FuzzOptionsSchema } from '../../src/library/fuzz-receiver.ts';
import { triggerParameters } from '../../src/library/trigger.ts';
import { deliveryParameters, requestParameters, webhookParameters } from '../../src/library/workspace.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const page = read('docs/reference/library.md') + read('docs/reference/library-testing.md');
const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '');
const named = new Set(Array.from(prose.matchAll(/`[^`]+`/g), ([code]) => code.match(/\w+/g) ?? []).flat());

/** Options for tests of this project. */
const INTERNAL_OPTIONS = ['dashboardFolder', 'listenerGraceMs', 'synchronous'];

function expectNamed(names: readonly string[]): void {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !named.has(name) && !INTERNAL_OPTIONS.includes(name))).toEqual([]);
}

interface SchemaNode {
  readonly entries?: object;
  readonly wrapped?: SchemaNode;
}

/** The keys of the objects that a schema accepts. */
function keysOf(schema: unknown): string[] {
  const { entries, wrapped } = schema as SchemaNode;
  return wrapped === undefined ? Object.keys(entries ?? {}) : keysOf(wrapped);
}

it.each(['src/index.ts', 'src/signature.ts', 'src/vitest.ts'])(
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

it('the pages of the library name every option', () => {
  const methods = [deliveryParameters, eventParameters, requestParameters, webhookParameters];
  const schemas = [
    EmulatorOptionsSchema,
    WorkspaceOptionsSchema,
    ReceiverOptionsSchema,
    FuzzOptionsSchema,
    ExpectationSchema,
    ...Object.values(triggerParameters),
    ...methods.flatMap((method) => Object.values(method)).flatMap((parameters) => Object.values(parameters)),
  ];
  expectNamed(schemas.flatMap(keysOf));
});

it('the pages of the library name every property and method of an emulator, a receiver and an error', async () => {
  await using emulator = await createEmulator({ listen: false });
  await using receiver = await createReceiver();
  const { events, deliveries, clock, webhooks, requests, faults } = emulator;
  const groups = [emulator, events, deliveries, clock, webhooks, requests, faults, receiver];
  expectNamed(groups.flatMap((group) => Object.keys(group)));
  expectNamed(Object.keys(new SvcError('usage', '')).filter((name) => name !== 'name'));
});
