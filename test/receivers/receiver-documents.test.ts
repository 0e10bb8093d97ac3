import { expect, it } from 'vitest';
import { listBlocks, readPage } from '../support/documents.ts';

it('docs/receivers.md shows the example for Express unchanged', () => {
  const programs = listBlocks('docs/receivers.md').filter(({ language }) => language === 'js');
  expect(programs.map(({ code }) => code)).toEqual([readPage('fixtures/receivers/express.mjs')]);
});
