/** Conversion of form values, and validation errors. */
import { describe, expect, it } from 'vitest';
import { toFormError } from '../../src/dashboard/form-error.ts';
import { toDraft, toSettings } from '../../src/dashboard/views/webhooks/endpoint-draft.ts';

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
    expect(toSettings(toDraft({ ...rest, ...webhook }))).toEqual(webhook);
  });

  it('the endpoint form accepts event types separated by commas, spaces or line breaks', () => {
    expect(toSettings({ events: ' a.b,c.d  e.f,, ' }).events).toEqual(['a.b', 'c.d', 'e.f']);
  });

  it('the endpoint form sends the default of a setting whose text is empty', () => {
    expect(toSettings({ skip_verify: '' })).toMatchObject({ skip_verify: false });
  });

  it.each([
    [
      'no colon',
      /^headers cannot be added: 'no colon' must have the form Name: value, such as 'Authorization: Bearer abc'/,
    ],
    ['TE: x', /^headers cannot be added: TE is set by the emulator/],
    ['A: 1\na: 2', /^headers cannot be added: a appears twice/],
  ])('the endpoint form rejects the header %j', (headers, message) => {
    expect(() => toSettings({ headers })).toThrow(message);
  });
});
