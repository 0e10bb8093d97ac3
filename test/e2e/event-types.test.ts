/** The event types that a project declares, as its compiler sees them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

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
        paths: { 'svc-emulator': [join(root, 'dist/types/index.d.ts')] },
      },
      include: ['*.ts'],
      exclude: [],
    }),
  );
  const { all } = await execa(process.execPath, [tsc, '-p', folder], { all: true, reject: false });
  return all;
}

const declarations = `
  import 'svc-emulator';
  declare module 'svc-emulator' {
    interface EventTypes {
      'order.shipped': {
        carrier: string;
        weight_kg: number;
        address: { city: string };
        items: { sku: string; quantity: number }[];
      };
    }
  }`;

it('declared event types make a misspelled event type and a wrong payload type errors', {
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
    await trigger('order.shipped', { carrier: city });
    // @ts-expect-error the type of a field
    await trigger('order.shipped', { carrier: 1 });
  `;
  expect(await compile(declarations, code)).toBe('');
});

it('the declaration in docs/testing.md compiles as a file of its own', { timeout: 120_000 }, async () => {
  const page = readFileSync(join(root, 'docs/testing.md'), 'utf8');
  const [, documented = ''] = /```typescript\n(.*?)```/s.exec(page) ?? [];
  const code = `
    import { createEmulator } from 'svc-emulator';
    const { trigger } = await createEmulator();
    await trigger('till.opened', { number: 1 });
    // @ts-expect-error a built-in type that is not declared
    await trigger('order.shipped');
  `;
  expect(await compile(documented, code)).toBe('');
});
