import type { FixtureFile } from '../../fixtures/fixture-index.ts';
import type { Column } from './table.ts';

export type DescribedFixture = FixtureFile & { readonly description: string };

export const fixtureColumns: readonly Column<DescribedFixture>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'KIND', value: ({ kind }) => kind, hideOrder: 1 },
  { title: 'FROM', value: describeSource, hideOrder: 2 },
  { title: 'DESCRIPTION', value: ({ description }) => description, canTruncate: true },
];

function describeSource({ source, overrides }: FixtureFile): string {
  if (source === 'built_in') return 'built-in';
  return overrides ? 'project, overrides' : 'project';
}
