import { describe, expect, it } from 'vitest';
import { encodePhases } from '../../src/domain/attempt-phases.ts';
import { schemes } from '../../src/signature/schemes.ts';
import { type AttemptRow, readSignature, toAttempt, toAttemptSummary } from '../../src/store/attempts.ts';
import { NOW } from './rows.ts';

const DIGEST = 'ab'.repeat(32);
const row: AttemptRow = {
  seq: 7,
  delivery_seq: 6,
  webhook_seq: 5,
  number: 2,
  trigger: 'manual',
  scheduled_at: NOW,
  sent_at_wall: NOW + 1,
  duration_ms: 1.5,
  outcome: 'http_error',
  response_status: 500,
  error: 'The receiver returned 500.',
  request_url: 'http://127.0.0.1:9/',
  request_headers: `{"Service-Signature":"v1=${DIGEST}","Service-Timestamp":"2026-11-20T00:00:00Z"}`,
  response_headers: '{"x":"y"}',
  response_body: Buffer.from('Grüße'),
  response_truncated: 0,
  fault: null,
  phases: null,
};
const message = { id: 'del_1', body: '{"total":19}', scheme: schemes.svc };
const toBody = (changes: Partial<AttemptRow>) => toAttempt({ ...row, ...changes }, message);

describe('toAttempt', () => {
  it('an attempt has an ID from its delivery and number, its request with the signed content, and its response', () => {
    expect(toAttempt(row, message)).toEqual({
      id: 'att_1_2',
      number: 2,
      trigger: 'manual',
      scheduled_at: new Date(NOW).toISOString(),
      sent_at: new Date(NOW + 1).toISOString(),
      duration_ms: 1.5,
      outcome: 'http_error',
      response_status: 500,
      error: 'The receiver returned 500.',
      phases: null,
      request: {
        url: 'http://127.0.0.1:9/',
        headers: JSON.parse(row.request_headers),
        body: '{"total":19}',
        signed_content: '2026-11-20T00:00:00Z.{"total":19}',
      },
      response: { headers: { x: 'y' }, body: 'Grüße', encoding: 'utf8', truncated: false },
    });
  });

  it('an attempt without a response has none, and one without a body has an empty one', () => {
    expect(toBody({ response_headers: null }).response).toBeNull();
    expect(toBody({ response_body: null, response_headers: '{}' }).response).toEqual({
      ...{ headers: {}, body: '', encoding: 'utf8', truncated: false },
    });
  });

  it('a response body that is not UTF-8 is base64, and one that was cut off is marked', () => {
    expect(toBody({ response_body: Buffer.from([0xff, 0xfe]), response_truncated: 1 }).response).toEqual({
      ...{ headers: { x: 'y' }, body: '//4=', encoding: 'base64', truncated: true },
    });
  });

  it('the body of an attempt with a tamper-body fault is the changed one, but the signature covers the original', () => {
    const tampered = toBody({ fault: '{"id":"flt_1","kind":"tamper-body"}' });
    expect(tampered.fault).toEqual({ id: 'flt_1', kind: 'tamper-body' });
    expect(tampered.request.body).toBe('{"total":10}');
    expect(tampered.request.signed_content).toContain('{"total":19}');
    const delayed = toBody({ fault: '{"id":"flt_1","kind":"delay"}' });
    expect(delayed.fault).toMatchObject({ kind: 'delay' });
    expect(delayed.request.body).toBe('{"total":19}');
  });

  it('the phases that an attempt did not have are null, except the time in the queue', () => {
    const none = { queued: null, dns: null, connect: null, tls: null, send: null, wait: null, receive: null };
    const phasesOf = (phases: Partial<typeof none | Record<keyof typeof none, number | null>>) =>
      toBody({ phases: encodePhases({ ...none, ...phases }) }).phases;
    expect(phasesOf({})).toEqual({
      ...{ queued_ms: 0, reused_connection: false, dns_ms: null, connect_ms: null, tls_ms: null },
      ...{ send_ms: null, wait_ms: null, receive_ms: null },
    });
    expect(phasesOf({ queued: 1, send: 2, wait: 3, receive: 4.5 })).toEqual({
      ...{ queued_ms: 1, reused_connection: true, dns_ms: null, connect_ms: null, tls_ms: null },
      ...{ send_ms: 2, wait_ms: 3, receive_ms: 4.5 },
    });
  });
});

describe('readSignature', () => {
  it('the message and the digests are those of the headers', () => {
    const headers = JSON.parse(row.request_headers);
    expect(readSignature(headers, message)).toEqual({
      message: { id: 'del_1', timestamp: '2026-11-20T00:00:00Z', body: '{"total":19}' },
      digests: [DIGEST],
    });
  });

  it('headers without a signature and a timestamp give an empty timestamp and no digests', () => {
    expect(readSignature({}, message)).toEqual({
      message: { id: 'del_1', timestamp: '', body: '{"total":19}' },
      digests: [],
    });
  });
});

it('a summary has the IDs of its delivery and endpoint, without the request and the response', () => {
  const ids = { delivery_id: 'del_1', event_type: 'order.shipped', webhook_id: 'wh_1' };
  const { request: _request, response: _response, ...fields } = toAttempt(row, message);
  expect(toAttemptSummary({ ...row, ...ids })).toEqual({ ...fields, ...ids });
});
