import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../src/contract/delivery-schemas.ts';
import {
  getResponseText,
  listAcceptanceEvidence,
  listEvidence,
  type RejectionEvidence,
  suggestMistake,
} from '../../src/control/rejection-evidence.ts';
import type { SchemeName } from '../../src/domain/signature/schemes.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';

type Accepted = RejectionEvidence['accepted'][number];

const TOLERANCE_MS = 300_000;

/** What a response that says nothing shows, of a receiver whose header `Date` is correct. */
const nothing: RejectionEvidence = {
  reported: null,
  unknownDigest: null,
  containsSentDigest: false,
  mentionsSignature: false,
  mentionsTimestamp: false,
  mentionsCsrf: false,
  clockSkewMs: 0,
  reserialization: null,
  signing: 'current',
  accepted: [],
  acceptedLater: null,
  searched: { attempts: 1, successes: 0 },
};

const accept = (signing: Accepted['signing'], more: Partial<Accepted> = {}): Accepted => ({
  id: 'del_1',
  distanceMs: 61_000,
  signing,
  isChangedByReserialization: false,
  ...more,
});

describe('suggestMistake', () => {
  const headers = { 'Service-Signature': 'v1=00', 'Service-Timestamp': '2026-11-20T00:00:00Z' };
  const suggest = (evidence: Partial<RejectionEvidence>, scheme: SchemeName = 'svc') => {
    const rules = resolveRules('relaxed', {}, 'sandbox', scheme);
    const attempt = { request: { headers } } as unknown as Attempt;
    return suggestMistake({ ...nothing, ...evidence }, attempt, rules)?.mistake.reason ?? null;
  };
  const changed = 'from byte 9 on, 1.50 became 1.5';

  it.each<[string, Partial<RejectionEvidence>, string | null]>([
    ['nothing', {}, null],
    ['the timestamp', { mentionsTimestamp: true }, 'timestamp_unreadable'],
    [
      'the timestamp and a clock within the tolerance',
      { mentionsTimestamp: true, clockSkewMs: -TOLERANCE_MS },
      'timestamp_unreadable',
    ],
    ['the timestamp and a wrong clock', { mentionsTimestamp: true, clockSkewMs: TOLERANCE_MS + 1 }, null],
    ['the timestamp and an unknown clock', { mentionsTimestamp: true, clockSkewMs: null }, null],
    ['a digest that no mistake produces', { mentionsTimestamp: true, unknownDigest: 'v1=00' }, null],
    ['a body that changes and nothing accepted', { reserialization: changed }, null],
    [
      'a body that changes and an unchanged one accepted',
      { reserialization: changed, accepted: [accept('current')] },
      'body_changed',
    ],
    ['an unchanged body', { accepted: [accept('current')] }, null],
    [
      'a body that changes like an accepted one',
      {
        reserialization: changed,
        accepted: [accept('current'), accept('current', { isChangedByReserialization: true })],
      },
      null,
    ],
    [
      'a body that changes and one accepted with another secret',
      { reserialization: changed, accepted: [accept('previous')] },
      null,
    ],
    [
      'two signatures and one accepted',
      { signing: 'both', accepted: [accept('current')] },
      'header_not_split',
    ],
    [
      'two signatures and two accepted',
      { signing: 'both', accepted: [accept('both'), accept('current')] },
      null,
    ],
    ['two signatures and nothing accepted', { signing: 'both' }, null],
    ['one signature and another one accepted', { accepted: [accept('previous')] }, null],
  ])('suggestMistake names the mistake that a response suggests with %s', (_, evidence, reason) => {
    expect(suggest(evidence)).toBe(reason);
  });

  it('suggestMistake does not suggest the timestamp for a scheme without one', () => {
    expect(suggest({ mentionsTimestamp: true }, 'github')).toBeNull();
    expect(suggest({ mentionsTimestamp: true }, 'stripe')).toBe('timestamp_unreadable');
  });
});

describe('listEvidence', () => {
  const list = (evidence: Partial<RejectionEvidence>) =>
    listEvidence({ ...nothing, ...evidence }, TOLERANCE_MS);
  const [attempts, date, json] = list({});

  it('listEvidence lists the attempts, the clock and the body by default', () => {
    expect(list({})).toEqual([
      'No other attempt to this endpoint is recorded.',
      'Its Date header agrees with the clock of the emulator to within 1s.',
      'JSON.parse and JSON.stringify do not change the body.',
    ]);
  });

  it.each<[string, Partial<RejectionEvidence>, (string | RegExp | undefined)[]]>([
    [
      'an unknown digest first',
      { unknownDigest: 'v1=00' },
      [/contains the digest v1=00, which no/, attempts, date, json],
    ],
    [
      'a digest that was sent',
      { containsSentDigest: true },
      [/contains the correct digest/, attempts, date, json],
    ],
    ['two signatures', { signing: 'both' }, [attempts, /has two signatures/, date, json]],
    ['a clock at the tolerance', { clockSkewMs: -TOLERANCE_MS }, [attempts, /to within 5m\./, json]],
    ['no clock outside of it', { clockSkewMs: TOLERANCE_MS + 1000 }, [attempts, json]],
    ['no unknown clock', { clockSkewMs: null }, [attempts, json]],
    ['no body that changes', { reserialization: 'from byte 9 on' }, [attempts, date]],
  ])('listEvidence lists %s', (_, evidence, expected) => {
    const matchers = expected.map((text) => (text instanceof RegExp ? expect.stringMatching(text) : text));
    expect(list(evidence)).toEqual(matchers);
  });
});

describe('listAcceptanceEvidence', () => {
  const list = (evidence: Partial<RejectionEvidence>) => listAcceptanceEvidence({ ...nothing, ...evidence });

  it.each<[Partial<RejectionEvidence>, string[]]>([
    [
      { accepted: [accept('current')], acceptedLater: accept('current', { id: 'del_2', distanceMs: 999 }) },
      ['It accepted del_2 less than 1s later.'],
    ],
    [
      { accepted: [accept('current', { distanceMs: 1000 })] },
      ['It accepted del_1 1s earlier, with the same secret. If it was restarted since, check its secret.'],
    ],
    [
      { accepted: [accept('current')], signing: 'both' },
      ['It accepted del_1 1m earlier, with one signature. If it was restarted since, check its secret.'],
    ],
    [
      { accepted: [accept('both')] },
      [
        'It accepted del_1 1m earlier, with the signatures of two secrets. Which one it uses is unknown: check its secret.',
      ],
    ],
    [
      { accepted: [accept('previous')] },
      ['It accepted del_1 1m earlier, before the secret was rotated. Check that it has the current one.'],
    ],
    [
      { accepted: [accept('previous')], signing: 'both' },
      [
        'It accepted del_1 1m earlier, before the secret was rotated. If it was restarted since, check its secret.',
      ],
    ],
    [
      { accepted: [accept('other')] },
      [
        'It accepted del_1 1m earlier, before the secret or the scheme was changed. Check that it has the current ones.',
      ],
    ],
    [{ searched: { attempts: 3, successes: 1 } }, []],
    [
      { searched: { attempts: 3, successes: 0 } },
      ['None of the last 3 attempts to this endpoint was accepted.'],
    ],
    [{ searched: { attempts: 1, successes: 0 } }, ['No other attempt to this endpoint is recorded.']],
  ])('listAcceptanceEvidence describes %j', (evidence, expected) => {
    expect(list(evidence)).toEqual(expected);
  });
});

it.each([
  [null, ''],
  [{ encoding: 'base64', body: '/w==' }, ''],
  [{ encoding: 'utf8', body: 'no' }, 'no'],
])('getResponseText returns the body of the response %j if it is text', (response, text) => {
  expect(getResponseText({ response } as unknown as Pick<Attempt, 'response'>)).toBe(text);
});
