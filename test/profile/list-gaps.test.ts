import { describe, expect, it } from 'vitest';
import { listGaps } from '../../src/profile/list-gaps.ts';
import { renderGapsMarkdown } from './gaps-document.ts';

it('docs/gaps.md equals the gap register', async () => {
  await expect(
    renderGapsMarkdown(),
    'Update the page with: npx vitest run test/profile --update',
  ).toMatchFileSnapshot('../../docs/gaps.md');
});

describe('listGaps', () => {
  it('listGaps shows the value in use and the value of the profile', () => {
    const list = listGaps('strict', { 'rate.limit': { burst: 500 }, 'retry.jitter': 0.1 });
    expect(list.find(({ id }) => id === 'rate.limit')).toEqual({
      id: 'rate.limit',
      question: 'How many requests can a client make with one key?',
      choices: [
        '"off"',
        '"per_second": a whole number from 1 to 1000000',
        '"burst": a whole number from 1 to 1000000',
      ],
      value: { per_second: 100, burst: 500 },
      default: { per_second: 100, burst: 200 },
      overridden: true,
      reference: '§7.429, §8.rate-values',
      reason: expect.stringMatching(/\.$/),
    });
    expect(list.filter(({ overridden }) => overridden).map(({ id }) => id)).toEqual([
      'retry.jitter',
      'rate.limit',
    ]);
  });

  it('listGaps shows the answer of a gap without choices', () => {
    const gap = listGaps('relaxed').find(({ id }) => id === 'version');
    expect(gap).toMatchObject({ choices: [], value: '404', overridden: false });
  });

  it('listGaps uses the defaults of the environment', () => {
    const gap = listGaps('relaxed', {}, 'production').find(({ id }) => id === 'webhook.url');
    expect(gap).toMatchObject({ value: 'public', default: 'public', overridden: false });
  });

  it('listGaps refuses the overrides that resolveRules refuses', () => {
    expect(() => listGaps('relaxed', { 'event.catalog': 'ajar' })).toThrow(
      'Invalid value for overrides["event.catalog"]: "ajar"',
    );
  });
});
