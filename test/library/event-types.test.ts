/** The types that `svc fixtures types` writes, as the compiler of a project sees them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, listFixtures } from '../../src/fixtures/event-fixtures.ts';
import { renderEventTypeDeclarations } from '../../src/fixtures/event-type-declarations.ts';
import { builtInFixtureFolder } from '../../src/fixtures/fixture-folders.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** The declarations of the package. A project that imports the source would check all of it. */
const packageTypes = createTemporaryFolder({ onTestFinished: afterAll });

beforeAll(async () => {
  const build = ['-p', join(root, 'tsconfig.build.json'), '--noCheck', '--outDir', packageTypes];
  await execa(process.execPath, [tsc, ...build]);
}, 120_000);

/** What the compiler says of a file in a project, with the declarations in another file. */
async function compile(declarations: string, code: string): Promise<string> {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'svc-events.d.ts'), declarations);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'use.ts'), code);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        ...{ noEmit: true, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
        paths: { 'svc-emulator': [join(packageTypes, 'index.d.ts')] },
      },
      include: ['*.ts'],
      exclude: [],
    }),
  );
  const { all } = await execa(process.execPath, [tsc, '-p', folder], { all: true, reject: false });
  return all;
}

it('svc fixtures types makes a misspelled event type and a wrong payload type errors', {
  timeout: 120_000,
}, async () => {
  const code = `
    import { createEmulator } from 'svc-emulator';
    const { trigger, events } = await createEmulator();
    await trigger('order.shipped', { carrier: 'DHL', items: [{ sku: 'MUG', quantity: 1 }] });
    const [shipped] = await events.wait({ type: 'order.shipped', where: ({ payload }) => payload.weight_kg > 1 });
    const city: string | undefined = shipped?.payload.address.city;
    // @ts-expect-error a misspelled type
    await trigger('order.shiped');
    // @ts-expect-error a misspelled field
    await trigger('order.shipped', { carier: city });
    // @ts-expect-error the type of a field
    await trigger('order.shipped', { carrier: 1 });
  `;
  expect(
    await compile(renderEventTypeDeclarations(listFixtures([builtInFixtureFolder()]), false), code),
  ).toBe('');
});

it('svc fixtures types --open and a project without declarations accept every event type', {
  timeout: 120_000,
}, async () => {
  const code = `
    import { createEmulator } from 'svc-emulator';
    const { trigger } = await createEmulator();
    await trigger('till.opened', { number: 1 });
  `;
  expect(await compile('', code)).toBe('');
  const typed = `${code}
    // @ts-expect-error the type of a field
    await trigger('order.shipped', { carrier: 1 });`;
  expect(
    await compile(renderEventTypeDeclarations(listFixtures([builtInFixtureFolder()]), true), typed),
  ).toBe('');
});

function renderFixture(fields: Partial<Fixture>): string {
  const fixture = { type: 'a.b', description: 'It */ ends.', template: '{}', schema: null, file: 'a.b.json' };
  return renderEventTypeDeclarations([{ ...fixture, ...fields }], false);
}

it('svc fixtures types writes the type of each value of a payload', () => {
  const render = (payload: unknown) => renderFixture({ template: JSON.stringify(payload) });
  expect(render({ id: '{{id ord}}', n: '{{number 1 6}}', shop: '{{env SVC_NOT_SET}}' })).toContain(
    `    /** It *\\/ ends. */
    "a.b": {
      id: string;
      n: number;
      shop: string;
    };`,
  );
  expect(
    render({ none: null, list: [], mixed: [1, 'a'], rows: [{ n: 1 }], 'a-b': [true], in: {} }),
  ).toContain(`{
      none: unknown;
      list: unknown[];
      mixed: (number | string)[];
      rows: {
        n: number;
      }[];
      "a-b": boolean[];
      in: Record<string, unknown>;
    };`);
});

it('svc fixtures types uses the schema of a fixture instead of its payload', () => {
  const schema = {
    required: ['id', 'total', 'lines'],
    properties: {
      id: { type: ['string', 'null'] },
      total: { type: 'integer' },
      status: { enum: ['open', 'paid', 1] },
      kind: { const: 'order' },
      lines: {
        type: 'array',
        items: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'string' }] },
      },
      customer: { type: 'object', properties: { name: { type: 'string' } } },
      tags: { type: 'object', additionalProperties: { type: 'boolean' } },
      other: { $ref: '#/$defs/other' },
      anything: true,
    },
  };
  expect(renderFixture({ template: '{"id":1}', schema })).toContain(`
    "a.b": {
      id: string | null;
      total: number;
      status?: "open" | "paid" | 1;
      kind?: "order";
      lines: (string | number)[];
      customer?: {
        name?: string;
      };
      tags?: Record<string, boolean>;
      other?: unknown;
      anything?: unknown;
    };`);
});
