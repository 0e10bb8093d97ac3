import type { FixtureFile } from '../../fixtures/inventory.ts';
import type { Column } from './table.ts';

export type DescribedFixture = FixtureFile & { readonly description: string };

export const fixtureColumns: readonly Column<DescribedFixture>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'KIND', value: ({ kind }) => kind, leaves: 1 },
  { title: 'FROM', value: sayFrom, leaves: 2 },
  { title: 'DESCRIPTION', value: ({ description }) => description, shrinks: true },
];

function sayFrom({ source, overrides }: FixtureFile): string {
  if (source === 'built_in') return 'built-in';
  return overrides ? 'project, overrides' : 'project';
}
