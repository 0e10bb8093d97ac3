import { describe, expect, it } from 'vitest';
import {
  arePairsTried,
  combineMistakes,
  computeHmac,
  listMistakes,
  MAX_PAIRED_BYTES,
  type MistakeInput,
  toHmacInput,
} from '../../../src/domain/signature/digest-mistakes.ts';
import { type SchemeName, schemes } from '../../../src/domain/signature/schemes.ts';

const secret = 'whsec_c2VjcmV0';
const message = { id: 'del_1', timestamp: '2026-11-20T23:06:00Z', body: '{"data":{"payload":{"n":1.0}}}' };
const input: MistakeInput = {
  scheme: schemes.svc,
  message,
  secrets: [secret],
  otherSecrets: [
    { name: 'the current one', secret },
    { name: 'the secret of wh_2', secret: 'whsec_other' },
  ],
};

describe('the known mistakes in a digest', () => {
  it.each<SchemeName>(['svc', 'stripe', 'github', 'slack'])(
    'each mistake changes the digest of a delivery with the scheme %s',
    (name) => {
      const schemeInput = { ...input, scheme: schemes[name] };
      const correct = toHmacInput(schemeInput, secret);
      const withoutEffect = listMistakes(schemeInput)
        .flat()
        .filter(({ changedInput }) =>
          computeHmac({ ...correct, ...changedInput }).equals(computeHmac(correct)),
        );
      expect(withoutEffect).toEqual([]);
    },
  );

  it('each pair of mistakes of different kinds is tried once, and no pair of the same kind', () => {
    const kinds = listMistakes(input);
    const kindOf = new Map(
      kinds.flatMap((kind, index) => kind.map(({ description }) => [description, index])),
    );
    const tried = [...combineMistakes(input)].map((mistakes) =>
      mistakes.map(({ description }) => description),
    );
    const names = [...kindOf.keys()];
    const pairs = names.flatMap((first) =>
      names
        .filter((second) => Number(kindOf.get(first)) < Number(kindOf.get(second)))
        .map((second) => [first, second]),
    );
    expect(new Set(tried.map(String))).toEqual(
      new Set([[], ...names.map((name) => [name]), ...pairs].map(String)),
    );
    expect(tried).toHaveLength(1 + names.length + pairs.length);
  });

  it('pairs of mistakes are tried up to a body of 64 KiB', () => {
    const isTried = (bytes: number) =>
      arePairsTried({ ...input, message: { ...message, body: 'é'.repeat(bytes / 2) } });
    expect(isTried(MAX_PAIRED_BYTES)).toBe(true);
    expect(isTried(MAX_PAIRED_BYTES + 2)).toBe(false);
  });

  it.each([
    ['the scheme signs none', { ...input, scheme: schemes.github }],
    ['the timestamp cannot be read', { ...input, message: { ...message, timestamp: 'yesterday' } }],
  ])('no mistake in the timestamp is known if %s', (_, changed) => {
    const reasons = listMistakes(changed)
      .flat()
      .map(({ reason }) => reason);
    expect(reasons).not.toContain('timestamp_changed');
  });
});
