/** What plain JavaScript can pass, because no compiler checks it. */
import { expect, it } from 'vitest';
import { createEmulator, createReceiver } from '../../src/index.ts';

it.each<[options: object, message: string]>([
  [{ prot: 4777 }, 'createEmulator: prot is not a known field. Did you mean port?'],
  [{ port: 'x' }, 'createEmulator: port must be a whole number from 0 to 65535, not "x".'],
  [{ profile: 'lax' }, 'createEmulator: profile must be one of "relaxed", "strict", not "lax".'],
  [
    { sender: 'strip' },
    'createEmulator: sender must be one of "svc", "stripe", "github", "slack", "shopify", "standard-webhooks", "svix" or an object, not "strip".',
  ],
  [{ clock: { speed: -1 } }, 'createEmulator: clock.speed must be'],
  [{ clock: { speeed: 2 } }, 'createEmulator: clock.speeed is not a known field. Did you mean speed?'],
  [{ db: 5 }, 'createEmulator: db must be a string, not 5.'],
  [{ wallClock: '2026-01-01' }, 'createEmulator: wallClock must be a valid Date, not "2026-01-01".'],
  [
    { forwardTo: { url: 'ftp://a', events: ['*'] } },
    'createEmulator: forwardTo.url must be a port or a URL such as 3000',
  ],
  [{ forwardTo: 3000 }, 'createEmulator: forwardTo must be { url, events }, not 3000.'],
  [{ host: 'a b' }, 'createEmulator: host must be a host name or address, not "a b".'],
  [
    { allowHost: ['a:1'] },
    'createEmulator: allowHost[0] must be a host name or address without a port, not "a:1".',
  ],
  [
    { publicUrl: 'https://a.test/?x=1' },
    'createEmulator: publicUrl must be a URL without a query, such as https://svc.example.com, not',
  ],
  [{ https: 'yes' }, 'createEmulator: https must be true or { cert, key }, not "yes".'],
  [{ https: { cert: '' } }, 'createEmulator: https.key must be a string.'],
])('createEmulator rejects the options %j', async (options, message) => {
  await expect(createEmulator(options)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
});

it('the error of createEmulator does not show an invalid control token', async () => {
  await expect(createEmulator({ controlToken: 'short' })).rejects.toMatchObject({
    message:
      'createEmulator: controlToken must be at least 16 characters of A-Z, a-z, 0-9, "-", ".", "_" and "~".',
  });
});

it.each<[responses: unknown, options: object, message: string]>([
  [600, {}, 'createReceiver: the argument must be a status from 200 to 599'],
  [[500, 100], {}, 'createReceiver: [1] must be a status from 200 to 599, not 100.'],
  [{ staus: 500 }, {}, 'createReceiver: staus is not a known field. Did you mean status?'],
  ['ok', {}, 'createReceiver: the argument must be a status from 200 to 599, an object such as'],
  [200, { prot: 3000 }, 'createReceiver: prot is not a known field. Did you mean port?'],
  [200, { timeout: 'soon' }, 'createReceiver: timeout must be a number of milliseconds, or a string such as'],
  [200, { scheme: 7 }, 'createReceiver: scheme must be a scheme name or a scheme object'],
  [200, { secret: 7 }, 'createReceiver: secret must be a secret or an array of secrets.'],
  [200, { secret: [] }, 'createReceiver: secret must be a secret or an array of secrets.'],
  [200, { secret: ['whsec_a', ''] }, 'createReceiver: secret must be a secret or an array of secrets.'],
])('createReceiver rejects the responses %j with the options %j', async (responses, options, message) => {
  await expect(createReceiver(responses as number, options)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
});

it('a function that returns an invalid response makes the receiver respond with the reason', async () => {
  await using receiver = await createReceiver(() => 99);
  const response = await fetch(receiver.url, { method: 'POST', body: '{}' });
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringContaining('createReceiver: the argument must be a status from 200 to 599, not 99.'),
  ]);
});
