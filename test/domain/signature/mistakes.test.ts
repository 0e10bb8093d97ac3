import { describe, expect, it } from 'vitest';
import { arePairsTried, combineMistakes } from '../../../src/domain/signature/diagnose-digest.ts';
import {
  computeChangedHmac,
  findRemedy,
  listMistakes,
  MAX_CHANGED_BYTES,
  type MistakeInput,
  signWithMistake,
} from '../../../src/domain/signature/mistakes.ts';
import { type SchemeName, schemes } from '../../../src/domain/signature/schemes.ts';
import { createSignatureHeaders } from '../../../src/domain/signature/sign.ts';
import { verifyMessage } from '../../../src/domain/signature/verify.ts';

const secret = 'whsec_c2VjcmV0';
const message = { id: 'del_1', timestamp: '2026-11-20T23:06:00Z', body: '{"data":{"payload":{"n":1.0}}}' };
const input: MistakeInput = {
  scheme: schemes.svc,
  message,
  secrets: [secret],
  otherSecrets: [
    { name: 'the current one', secret },
    { name: 'the secret of wh_2', secret: 'whsec_other' },
    { name: 'the API key', secret: 'svc_test_0123' },
  ],
};

const schemeInput = (name: SchemeName): MistakeInput => ({
  ...input,
  scheme: schemes[name],
  message: { ...message, timestamp: name === 'svc' ? message.timestamp : '1795215960' },
});

describe('the known mistakes in a signature', () => {
  it.each<SchemeName>(['svc', 'stripe', 'github', 'slack'])(
    'each mistake changes the digest of a delivery with the scheme %s, or only its headers',
    (name) => {
      const correct = computeChangedHmac(schemeInput(name), secret, []);
      const isSame = listMistakes(schemeInput(name)).map(
        (mistake) =>
          computeChangedHmac(schemeInput(name), secret, [mistake]).equals(correct) !==
          (mistake.part === 'header'),
      );
      expect(isSame).not.toContain(true);
    },
  );

  it.each<SchemeName>(['svc', 'stripe', 'github', 'slack', 'standard-webhooks'])(
    'a request that is signed with a mistake in the scheme %s has the headers of the scheme and is invalid',
    (name) => {
      const { scheme } = schemeInput(name);
      const correct = createSignatureHeaders(scheme, [secret], schemeInput(name).message);
      const now = Date.parse(message.timestamp);
      for (const mistake of listMistakes(schemeInput(name))) {
        const headers = signWithMistake(schemeInput(name), mistake);
        expect(Object.keys(headers)).toEqual(Object.keys(correct));
        // Decoding base64 ignores a line break.
        if (JSON.stringify(headers) === JSON.stringify(correct)) continue;
        const { ok } = verifyMessage({
          payload: message.body,
          headers: new Headers(headers),
          secret,
          scheme,
          now,
        });
        // A timestamp in another format is signed correctly. Only receivers that expect it accept it.
        expect([mistake.description, ok]).toEqual([
          mistake.description,
          mistake.reason === 'timestamp_unreadable',
        ]);
      }
    },
  );

  it('a receiver that expects one of two signatures is a mistake only during a rotation', () => {
    const reasons = (secrets: readonly string[]) =>
      listMistakes({ ...input, secrets }).filter(({ reason }) => reason === 'header_not_split').length;
    expect([reasons([secret]), reasons([secret, 'whsec_previous'])]).toEqual([0, 2]);
  });

  it('each pair of mistakes in different parts is tried once, and no pair in the same part', () => {
    const partOf = new Map(
      listMistakes(input)
        .filter(({ part }) => part !== 'header')
        .map(({ description, part }) => [description, part]),
    );
    const tried = [...combineMistakes(input)].map((mistakes) =>
      mistakes.map(({ description }) => description),
    );
    const names = [...partOf.keys()];
    const pairs = names.flatMap((first, index) =>
      names
        .slice(index + 1)
        .filter((second) => partOf.get(first) !== partOf.get(second))
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
    expect(isTried(MAX_CHANGED_BYTES)).toBe(true);
    expect(isTried(MAX_CHANGED_BYTES + 2)).toBe(false);
  });

  it.each([
    ['the scheme signs none', { ...input, scheme: schemes.github }],
    ['the timestamp cannot be read', { ...input, message: { ...message, timestamp: 'yesterday' } }],
  ])('no mistake in the timestamp is known if %s', (_, changed) => {
    const reasons = listMistakes(changed).map(({ reason }) => reason);
    expect(reasons).not.toContain('timestamp_changed');
  });

  it('the remedy for a reason is that of its mistake, and only mistakes in a signature have one', () => {
    expect(findRemedy('content_changed', schemes.github)).toMatch(/^Compute the HMAC over \{body\},/);
    expect(findRemedy('secret_missing', schemes.svc)).toContain('unset environment variable');
    expect(findRemedy('header_missing', schemes.svc)).toBeNull();
  });
});
