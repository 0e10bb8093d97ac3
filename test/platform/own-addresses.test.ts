import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { addOwnAddress, addOwnUrl, isOwnAddress } from '../../src/platform/own-addresses.ts';

// Reserved for documentation (RFC 5737).
const foreign = '192.0.2.1';
const own = Object.values(networkInterfaces())
  .flat()
  .find((entry) => entry && !entry.internal)?.address;

it.each([
  ['127.0.0.1', '127.0.0.1', true],
  [foreign, '127.0.0.1', true],
  [foreign, foreign, true],
  ['127.0.0.1', foreign, false],
  ['0.0.0.0', foreign, false],
  ['::', foreign, false],
])('an emulator that listens on %s also listens at %s: %s', (host, address, isOwn) => {
  onTestFinished(addOwnAddress({ host, port: 4796 }));
  expect(isOwnAddress(address, 4796)).toBe(isOwn);
  expect(isOwnAddress(address, 4797)).toBe(false);
});

it.skipIf(own === undefined)(
  'an address of this machine belongs to an emulator that listens on all addresses',
  () => {
    for (const [host, isOwn] of [
      ['0.0.0.0', true],
      ['::', true],
      ['127.0.0.1', false],
      [foreign, false],
    ] as const) {
      const remove = addOwnAddress({ host, port: 4796 });
      expect(isOwnAddress(String(own), 4796)).toBe(isOwn);
      remove();
    }
  },
);

it('an emulator of another process is added with its URL, and its port can be the default one', () => {
  onTestFinished(addOwnUrl('https://[::1]/_svc'));
  onTestFinished(addOwnUrl('http://127.0.0.1:4795/_svc'));
  expect([443, 4795, 80].map((port) => isOwnAddress('127.0.0.1', port))).toEqual([true, true, false]);
});
