import { expect, it } from 'vitest';
import { judgeProbe, type ProbeResult } from '../../src/diagnosis/judge-probe.ts';
import { emptyJudgment, type Judgment, say, sayFix } from '../../src/diagnosis/sentences.ts';
import type { DeliveryCause } from '../../src/domain/causes.ts';

const detail = 'Your receiver returned 401.';
const fact = 'It returned a digest.';
const values = {
  delivery: 'del_1',
  webhook: 'wh_1',
  status: '401',
  secret: 'the secret (whsec_…)',
  timestamp: 'T',
};
const timeLayer = { kind: 'signature_time', by: null } as unknown as Judgment['layer'];

const judge = (result: ProbeResult['result'], changes: Partial<Judgment> = {}) => {
  const judgment = { ...emptyJudgment, cause: 'rejected' as const, detail, evidence: [fact], hints: [] };
  return judgeProbe({ result, tried: 10, other: '500', start: '1' }, { ...judgment, ...changes }, values);
};

const tried = 'The probe sent the correct signature, a random one, and those of 10 known mistakes.';
const other = 'Some of these signatures and timestamps got another response: 500.';
const differs = say('probe_differs_fact');

it.each<[ProbeResult['result'], DeliveryCause, Parameters<typeof sayFix>[0], DeliveryCause, string[]]>([
  ['random_accepted', 'rejected', 'probe_random_accepted', 'signature_rejected', []],
  ['unreadable_accepted', 'rejected', 'probe_unreadable_accepted', 'signature_rejected', [fact]],
  ['inconsistent', 'rejected', 'probe_inconsistent', 'rejected', [fact]],
  ['differs', 'rejected', 'probe_differs', 'rejected', [differs, fact]],
  ['differs', 'signature_rejected', 'probe_differs', 'rejected', [differs, fact]],
  ['differs', 'receiver_error', 'probe_differs', 'receiver_error', [differs, fact]],
  ['varies', 'rejected', 'probe_varies', 'rejected', [tried, other, fact]],
  ['constant', 'rejected', 'probe_constant', 'rejected', [tried, fact]],
  ['constant', 'receiver_error', 'probe_fails', 'receiver_error', [tried, fact]],
  ['constant', 'signature_rejected', 'probe_verified', 'signature_rejected', [tried, fact]],
])('a probe with the result %s after %s says %s', (result, cause, sentence, expected, evidence) => {
  const verdict = judge(result, { cause });
  expect(verdict).toMatchObject({ cause: expected, detail: `${detail} ${say(sentence)}`, evidence });
  expect(verdict.certainty).toBe(['constant', 'varies'].includes(result) ? 'likely' : 'certain');
  expect(verdict.hints[0]).toEqual(sayFix(sentence, values));
  expect(verdict.mistake?.reason).toBe(result === 'unreadable_accepted' ? 'timestamp_misread' : undefined);
  const commands = verdict.hints.flatMap(({ command }) => command ?? []);
  expect(commands.map((command) => /--show-secret|verify/.exec(command)?.[0]).sort()).toEqual(
    ['constant', 'varies'].includes(result) ? ['--show-secret', 'verify'] : [],
  );
});

it('a probe in which all responses are the same does not replace what is known of the layer that responded', () => {
  const layer = { kind: 'bad_request', by: 'Django' } as unknown as Judgment['layer'];
  const hint = { text: 'Read the log.' };
  const probe = { text: 'Find the mistake', command: 'svc explain del_1 --probe' };
  const verdict = judge('constant', { layer, hints: [hint, probe] });
  expect(verdict).toMatchObject({ layer, detail, evidence: [fact, tried], hints: [hint] });
});

it('a probe says how the digests begin that the receiver rejects', () => {
  const verdict = judge('digests');
  expect(verdict).toMatchObject({ cause: 'signature_rejected', certainty: 'certain' });
  expect(verdict.detail).toBe(`${detail} ${say('probe_digests', { start: '1' })}`);
});

it('a probe that the receiver accepts shows no evidence about the attempt, and suggests a replay', () => {
  const verdict = judge('accepted');
  expect(verdict).toMatchObject({ detail: `${detail} ${say('probe_accepted')}`, evidence: [] });
  expect(verdict.hints[0]?.command).toMatch(/^svc deliveries replay del_1/);
});

it('another response to a random signature and a message about the time show that the time is misread', () => {
  const expected = {
    certainty: 'likely',
    cause: 'signature_rejected',
    mistake: { reason: 'timestamp_misread' },
  };
  expect(judge('differs', { layer: timeLayer })).toMatchObject({ ...expected, evidence: [differs, fact] });
});

it.each([
  ['no_response', /^The probe sent the signatures of 10 known mistakes, and then the receiver did not/, true],
  ['rate_limit', / returned 429\.$/, true],
  ['time_limit', / stopped after 1m\.$/, true],
  ['large_body', / because the body is large\.$/, false],
] as const)(
  'a probe that ended with %s says how many mistakes it tried',
  (result, sentence, isRepeatable) => {
    const { evidence, hints, cause } = judge(result);
    expect([cause, evidence]).toEqual(['rejected', [expect.stringMatching(sentence), fact]]);
    expect(hints[0]).toEqual(sayFix(`probe_${result}`, values));
    expect(hints.some(({ command }) => command?.endsWith('--probe'))).toBe(isRepeatable);
  },
);
