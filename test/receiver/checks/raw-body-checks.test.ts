import { describe, expect, it } from 'vitest';
import { schemes } from '../../../src/domain/signature/schemes.ts';
import { verifyMessage } from '../../../src/domain/signature/verify.ts';
import type { CheckId } from '../../../src/receiver/receiver-check.ts';
import { listChecks } from '../../../src/receiver/run-checks.ts';
import { API_KEY, type CheckRun, NOW, runCheck, SECRET } from './check-setup.ts';

function isValid({ sent }: CheckRun): boolean {
  const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] = sent;
  const get = (name: string) => String(headers[name] ?? '');
  return verifyMessage({ scheme: schemes.svc, secret: SECRET, now: NOW, headers: { get }, payload: body }).ok;
}

const serialized = (body: string) => JSON.stringify(JSON.parse(body));

describe('a body that changes if it is parsed and serialized', () => {
  it.each<[CheckId, (body: string) => boolean]>([
    [
      'raw-body.member-order',
      (body) => Object.keys(JSON.parse(body)).join() !== Object.keys(JSON.parse(body)).sort().join(),
    ],
    [
      'raw-body.white-space',
      (body) => body.endsWith('}\n') && body.includes('\n  "') && serialized(body) !== body,
    ],
    ['raw-body.unicode-escape', (body) => /\\u00[67][\da-f]/.test(body) && serialized(body) !== body],
    ['raw-body.big-number', (body) => body.includes(':9007199254740993') && serialized(body) !== body],
    ['raw-body.non-ascii', (body) => body.includes('"Zürich 東京 😀"')],
    ['raw-body.decomposed', (body) => body.includes('"Zu\u0308rich"') && body.normalize('NFC') !== body],
  ])('%s sends a valid delivery that the receiver must accept [§6.1]', async (id, isExpected) => {
    const run = await runCheck(id);
    expect([run.status, isValid(run), isExpected(run.sent[0]?.body ?? '')]).toEqual(['passed', true, true]);
    expect(await runCheck(id, { responses: [400] })).toMatchObject({
      status: 'failed',
      received: 'status 400',
    });
  });

  it('raw-body.re-spaced sends a signature of the body before it was formatted, which the receiver must reject [§6.1]', async () => {
    const run = await runCheck('raw-body.re-spaced', { responses: [400] });
    expect([run.status, isValid(run)]).toEqual(['passed', false]);
    expect(run.sent[0]?.body).toMatch(/^\{\n {2}"[\s\S]*\}\n$/);
    expect(await runCheck('raw-body.re-spaced')).toMatchObject({ status: 'failed', received: 'status 204' });
  });

  it('a check that a receiver can also fail because of a more general defect requires the check of that defect', () => {
    const required = listChecks(schemes.svc, API_KEY).flatMap(({ id, requires }) =>
      requires && !/^(?:signature|timestamp)\./.test(id) ? [[id, ...requires]] : [],
    );
    expect(required).toEqual([
      ['raw-body.big-number', 'robustness.big-number'],
      ['raw-body.non-ascii', 'robustness.unknown-field'],
      ['raw-body.decomposed', 'raw-body.non-ascii'],
      ['raw-body.re-spaced', 'signature.altered-body'],
      ['rejection.same-event', 'signature.other-secret', 'timestamp.old'],
      ['robustness.big-number', 'robustness.unknown-field'],
      ['robustness.large-body', 'robustness.unknown-field'],
    ]);
  });
});
