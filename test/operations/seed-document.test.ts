/** Writes the fields in the table of docs/state.md: `npx vitest run test/operations/seed-document.test.ts --update`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as v from 'valibot';
import { expect, it } from 'vitest';
import { createSeedSchema } from '../../src/operations/seed-schema.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';

const page = join(import.meta.dirname, '../../docs/state.md');
const rules = resolveRules('relaxed');
const TABLE_ROWS = /(?<=^\| object \| required fields .*\n.*\n)(?:\|.*\n)+/m;
const schema = createSeedSchema({ rules, environment: 'sandbox', eventTypes: new Set() });

/** A schema, in terms of what it can contain. */
interface SchemaNode {
  readonly type: string;
  readonly entries?: v.ObjectEntries;
  readonly wrapped?: SchemaNode;
  readonly item?: SchemaNode;
}

/** The fields of the objects at a path such as `workspaces[].keys[]`. */
function findEntries(path: string): v.ObjectEntries {
  const object = path.split('.').reduce<SchemaNode | undefined>((parent, name) => {
    const field: SchemaNode | undefined = parent?.entries?.[name.replace('[]', '')];
    const value = field?.wrapped ?? field;
    return value?.item ?? value;
  }, schema);
  if (object?.entries === undefined) throw new Error(`The schema of a seed does not have ${path}.`);
  return object.entries;
}

/** `| object | required fields | optional fields | notes |` */
function writeFields(row: string): string {
  const [, object = '', , , notes] = row.split('|');
  const [path = ''] = /[^`]+(?=` $)/.exec(object) ?? [];
  const fields = Object.entries(findEntries(path));
  const list = (isOptional: boolean) =>
    fields
      .flatMap(([name, { type }]) => ((type === 'optional') === isOptional ? [`\`${name}\``] : []))
      .join(', ');
  return `|${object}| ${list(false)} | ${list(true)} |${notes}|`;
}

it('docs/state.md has the fields of every object of a seed', async () => {
  const text = readFileSync(page, 'utf8').replace(TABLE_ROWS, (rows) =>
    rows.replace(/.+/g, (row) => writeFields(row)),
  );
  expect(text).toMatch(TABLE_ROWS);
  await expect(
    text,
    'Update the page with: npx vitest run test/operations/seed-document.test.ts --update',
  ).toMatchFileSnapshot(page);
});
