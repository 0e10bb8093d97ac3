import { describe, expect, it } from 'vitest';
import type { DeliveryDetail } from '../../src/contract/delivery-schemas.ts';
import * as example from '../../src/contract/openapi-examples.ts';
import { summarizeDelivery } from '../../src/dashboard/views/delivery/delivery-summary.ts';
import { HOUR_MS } from '../../src/domain/duration.ts';
import { verifyMessage } from '../../src/domain/signature/verify.ts';
import { createAttempt, createDelivery } from './example-delivery.ts';

const settled = { next_attempt_at: null, planned_attempts: [] };
const refused = {
  reason: 'wrong_secret',
  detail: 'It fits another secret.',
  remedy: 'Pass the other.',
} as const;

describe('summarizeDelivery', () => {
  it('summarizeDelivery returns the reason of the failure and hints', () => {
    const last = createAttempt({
      number: 2,
      outcome: 'connection_error',
      response_status: null,
      error: 'connect refused',
    });
    expect(summarizeDelivery(createDelivery({ attempts: [createAttempt(), last] }))).toEqual({
      headline: 'Attempt 2 failed. A retry is scheduled.',
      reason: 'Connect refused.',
      responseExcerpt: null,
      signature: null,
      hints: [
        {
          text: 'Start or fix the receiver, or change the endpoint URL:',
          command: 'svc webhooks update we_1 --url URL',
        },
      ],
    });
  });

  it('summarizeDelivery returns the status and the first lines of an error response', () => {
    const attempts = (body: string, encoding: 'utf8' | 'base64' = 'utf8') => [
      createAttempt({ response: { headers: {}, body, encoding, truncated: false } }),
    ];
    const summaryOf = (body: string, encoding?: 'utf8' | 'base64') =>
      summarizeDelivery(createDelivery({ attempts: attempts(body, encoding) }));
    expect(summaryOf('{"error":"down"}\n')).toMatchObject({
      reason: 'Your receiver returned 503.',
      responseExcerpt: '{"error":"down"}',
    });
    expect(summaryOf('a\nb\nc\nd').responseExcerpt).toBe('a\nb\nc…');
    expect(summaryOf('x'.repeat(301)).responseExcerpt).toBe(`${'x'.repeat(300)}…`);
    expect(summaryOf(' ').responseExcerpt).toBeNull();
    expect(summaryOf('/w==', 'base64').responseExcerpt).toBeNull();
  });

  it('summarizeDelivery returns the command that enables the endpoint of a paused delivery', () => {
    const { hints } = summarizeDelivery(
      createDelivery({ paused: true, next_attempt_at: null, attempts: [] }),
    );
    expect(hints).toEqual([{ text: 'Enable the endpoint:', command: 'svc webhooks update we_1 --enable' }]);
  });

  it.each<[Partial<DeliveryDetail>, string]>([
    [{ ...settled, status: 'failed', settled_reason: 'window_elapsed' }, 'Failed: no further attempt fits'],
    [{ ...settled, status: 'canceled', settled_reason: 'endpoint_deleted' }, 'Canceled: the endpoint'],
    [
      {
        ...settled,
        status: 'succeeded',
        settled_reason: 'replay_failed',
        attempts: [
          createAttempt({ outcome: 'succeeded', response_status: 200, error: null }),
          createAttempt({ number: 2, trigger: 'manual' }),
        ],
      },
      'Delivered on attempt 1; the last replay failed.',
    ],
    [{ attempts: [] }, 'Waiting to be sent.'],
    [{ paused: true, next_attempt_at: null }, 'Paused: the endpoint is disabled.'],
    [
      { attempts: [createAttempt({ outcome: 'succeeded', response_status: 200, error: null })] },
      'Attempt 1 succeeded; a replay is waiting',
    ],
  ])('summarizeDelivery returns the headline of case %#', (changes, headline) => {
    expect(summarizeDelivery(createDelivery(changes)).headline).toContain(headline);
  });

  it('summarizeDelivery returns no reason and no hint for a successful delivery', () => {
    const success = createAttempt({ outcome: 'succeeded', response_status: 200, error: null });
    const attempts = [success, { ...success, number: 2, trigger: 'manual' as const }];
    expect(summarizeDelivery(createDelivery({ ...settled, status: 'succeeded', attempts }))).toEqual({
      headline: 'Delivered on attempt 1.',
      reason: null,
      responseExcerpt: null,
      signature: null,
      hints: [],
    });
  });

  it('summarizeDelivery reports a valid signature when the receiver may have rejected it', () => {
    const rejected = createAttempt({ response_status: 401 });
    expect(summarizeDelivery(createDelivery({ attempts: [rejected] })).signature).toBe(
      'The signature is valid.',
    );
    expect(summarizeDelivery(createDelivery()).signature).toBeNull();
  });

  it('summarizeDelivery does not contradict itself about an old timestamp', () => {
    const { request, sent_at } = example.attempt;
    const tooOld = verifyMessage({
      payload: request.body,
      headers: new Headers(request.headers),
      secret: example.endpointSecret,
      now: Date.parse(sent_at) + HOUR_MS,
    });
    const rejected = createAttempt({ response_status: 400, verification: tooOld });
    const { signature } = summarizeDelivery(createDelivery({ attempts: [rejected] }));
    expect(tooOld).toMatchObject({ ok: false, reason: 'timestamp_too_old' });
    expect(signature).toMatch(/^The signature is valid, but /);
    expect(signature).not.toMatch(/is not valid/);
  });

  it('summarizeDelivery reports an invalid signature, without a hint when a fault caused it', () => {
    const verification = { ok: false, scheme: 'svc', ...refused };
    const forged = createAttempt({ response_status: 400, verification });
    const deliverySummary = summarizeDelivery(createDelivery({ attempts: [forged] }));
    expect(deliverySummary.signature).toBe('It fits another secret.');
    expect(deliverySummary.hints[0]).toEqual({ text: 'Pass the other.', command: null });

    const fault = { id: 'flt_1', kind: 'bad-signature' } as const;
    const { hints } = summarizeDelivery(createDelivery({ attempts: [{ ...forged, fault }] }));
    expect(hints.map(({ command }) => command)).toEqual(['svc faults clear flt_1']);
  });
});
