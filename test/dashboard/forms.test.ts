/** Conversion of form values, and validation errors. */
import { describe, expect, it } from 'vitest';
import { toFormError } from '../../src/dashboard/form-error.ts';
import {
  initialDeliveryFault,
  initialRequestFault,
  toDeliveryFault,
  toFailureFault,
  toRequestFault,
} from '../../src/dashboard/views/faults/fault-draft.ts';
import {
  emptyWebhook,
  toDraft,
  toggleType,
  toWebhook,
} from '../../src/dashboard/views/webhooks/webhook-draft.ts';
import { MAX_DELAY_MS, MAX_LATENCY_MS } from '../../src/domain/fault.ts';

describe('toFormError', () => {
  it.each([
    ['url must use HTTPS.', { field: 'url', message: 'Must use HTTPS.' }],
    ['url: Enter a URL.', { field: 'url', message: 'Enter a URL.' }],
    ['events[1] must be a string.', { field: 'events', message: 'events[1] must be a string.' }],
    ['urls are wrong.', { field: null, message: 'urls are wrong.' }],
    ['The emulator is not responding.', { field: null, message: 'The emulator is not responding.' }],
  ])('toFormError assigns "%s" to its field', (message, problem) => {
    expect(toFormError(message, ['url', 'events'])).toEqual(problem);
  });
});

describe('the endpoint form', () => {
  it('the endpoint form round-trips an endpoint', () => {
    const webhook = {
      url: 'http://localhost:1/a',
      events: ['order.shipped', 'invoice.paid'],
      skip_verify: true,
      headers: { Authorization: 'Bearer a:b', 'X-Empty': '' },
    };
    const rest = {
      id: '',
      workspace_id: '',
      created_at: '',
      disabled: false,
      listener: false,
      previous_secret_expires_at: null,
    };
    expect(toWebhook(toDraft({ ...rest, ...webhook }))).toEqual(webhook);
  });

  it('the endpoint form accepts event types separated by commas, spaces or line breaks', () => {
    expect(toWebhook({ ...emptyWebhook, events: ' a.b,c.d  e.f,, ' }).events).toEqual(['a.b', 'c.d', 'e.f']);
  });

  it('the endpoint form toggles a type and keeps * exclusive', () => {
    expect(toggleType('*', 'a.b')).toBe('a.b');
    expect(toggleType('a.b', 'c.d')).toBe('a.b, c.d');
    expect(toggleType('a.b, c.d', 'a.b')).toBe('c.d');
    expect(toggleType('a.b, c.d', '*')).toBe('*');
  });

  it.each([
    ['no colon', /^headers must have the form/],
    ['Host: x', /^headers cannot be added: Host is set by the emulator/],
    ['A: 1\na: 2', /^headers cannot be added: a appears twice/],
  ])('the endpoint form rejects the header %j', (headers, message) => {
    expect(() => toWebhook({ ...emptyWebhook, headers })).toThrow(message);
  });
});

describe('the fault form', () => {
  it('the fault form omits empty fields', () => {
    expect(toDeliveryFault(initialDeliveryFault, 'wh_1')).toEqual({
      on: 'delivery',
      kind: 'duplicate',
      webhook_id: 'wh_1',
    });
    expect(toRequestFault(initialRequestFault)).toEqual({ on: 'request', status: 503 });
  });

  it('the fault form parses durations, percentages and counts', () => {
    const common = { count: '3', probability: '12.5' };
    expect(
      toDeliveryFault({ ...common, kind: 'delay', status: '', delay_ms: '10m', type: ' a.b ' }, 'wh_1'),
    ).toMatchObject({ kind: 'delay', delay_ms: 600_000, type: 'a.b', count: 3, probability: 0.125 });
    expect(
      toRequestFault({ ...initialRequestFault, status: '', latency_ms: '2s', drop: 'after', method: 'POST' }),
    ).toEqual({ on: 'request', latency_ms: 2_000, drop: 'after', method: 'POST' });
  });

  it('the fault form sends a duration only for kinds that have one', () => {
    expect(
      toDeliveryFault({ ...initialDeliveryFault, kind: 'drop', delay_ms: '10m' }, 'wh_1'),
    ).not.toHaveProperty('delay_ms');
  });

  it('the fault form sends a status only for error-response', () => {
    const draft = { ...initialDeliveryFault, status: '418' };
    expect(toDeliveryFault({ ...draft, kind: 'error-response' }, 'wh_1')).toHaveProperty('status', 418);
    expect(toDeliveryFault({ ...draft, kind: 'timeout' }, 'wh_1')).not.toHaveProperty('status');
  });

  it.each([
    ['429', { kind: 'error-response', status: 429 }],
    ['timeout', { kind: 'timeout' }],
    ['reset', { kind: 'reset' }],
  ] as const)('the failure %s of the next attempts is the fault %j', (failure, effect) => {
    expect(toFailureFault({ count: ' 3 ', failure }, 'wh_1')).toEqual({
      on: 'delivery',
      webhook_id: 'wh_1',
      count: 3,
      ...effect,
    });
  });

  it.each(['', 'x'])('the failure of the next attempts needs a number: "%s"', (count) => {
    expect(() => toFailureFault({ count, failure: '503' }, 'wh_1')).toThrow(/^count/);
  });

  it('the fault form rejects invalid durations and numbers', () => {
    expect(() => toRequestFault({ ...initialRequestFault, latency_ms: 'soon' })).toThrow(
      /^latency_ms must be a duration/,
    );
    expect(() => toRequestFault({ ...initialRequestFault, count: 'x' })).toThrow(/^count must be a number/);
  });

  it.each([
    ['0', 'probability must be above 0 and at most 100.'],
    ['150', 'probability must be above 0 and at most 100.'],
    ['100', null],
    ['0.5', null],
  ])('the fault form limits the probability %s in percent', (probability, message) => {
    const convert = () => toRequestFault({ ...initialRequestFault, probability });
    if (message === null) expect(convert()).toHaveProperty('probability', Number(probability) / 100);
    else expect(convert).toThrow(message);
  });

  it('the fault form limits durations in their units', () => {
    const delay = (delay_ms: string) =>
      toDeliveryFault({ ...initialDeliveryFault, kind: 'delay', delay_ms }, '');
    const latency = (latency_ms: string) => toRequestFault({ ...initialRequestFault, latency_ms });
    expect(() => latency('2d')).toThrow('latency_ms must be at most 1d.');
    expect(() => latency('0s')).toThrow('latency_ms must be at least 1ms.');
    expect(() => delay('31d')).toThrow('delay_ms must be at most 30d.');
    expect(latency('24h')).toMatchObject({ latency_ms: MAX_LATENCY_MS });
    expect(delay('30d')).toMatchObject({ delay_ms: MAX_DELAY_MS });
  });

  it.each([
    [{ status: '' }, 'status', 'Enter a status or a latency, or choose when to close the connection.'],
    [{ status: '', error_code: 'busy' }, 'error_code', 'Enter a response status as well.'],
    [{ drop: 'after' }, 'drop', 'Remove the response status. A closed connection has no response.'],
  ] as const)('the fault form explains the problem of %j at its field', (changes, field, message) => {
    const draft = { ...initialRequestFault, ...changes };
    let thrown: unknown;
    try {
      toRequestFault(draft);
    } catch (error) {
      thrown = error;
    }
    expect(toFormError((thrown as Error).message, Object.keys(draft))).toEqual({ field, message });
  });
});
