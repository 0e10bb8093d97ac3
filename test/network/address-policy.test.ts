import { describe, expect, it } from 'vitest';
import { type AddressPolicy, findBlockReason } from '../../src/network/address-policy.ts';

const own = (address: string, port: number) => address === '127.0.0.1' && port === 4777;
const local: AddressPolicy = { rule: 'local', isOwnAddress: own };
const strict: AddressPolicy = { rule: 'public', isOwnAddress: own };
const to = (address: string, protocol = 'http:', port = 3000) => ({ protocol, address, port });

describe('findBlockReason', () => {
  it.each(['127.0.0.1', '::1', '10.0.0.1', 'fd12::1'])(
    'findBlockReason allows plain HTTP to %s [webhook.url]',
    (address) => {
      expect(findBlockReason(local, to(address))).toBeNull();
    },
  );

  it('findBlockReason allows HTTPS to a public address under both rules [webhook.url]', () => {
    expect(findBlockReason(local, to('8.8.8.8', 'https:'))).toBeNull();
    expect(findBlockReason(strict, to('8.8.8.8', 'https:'))).toBeNull();
  });

  it('findBlockReason blocks plain HTTP to a public address, whatever name resolved to it [webhook.url]', () => {
    expect(findBlockReason(local, to('8.8.8.8'))).toBe(
      '8.8.8.8 is a public address: the URL must use HTTPS: plain HTTP is only for loopback and private addresses',
    );
  });

  it('findBlockReason blocks addresses that are not public under the strict rule [webhook.url]', () => {
    expect(findBlockReason(strict, to('127.0.0.1', 'https:'))).toBe(
      '127.0.0.1 is a loopback address: the URL must be publicly reachable over HTTPS',
    );
  });

  it.each(['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fd00:ec2::254', '0.0.0.0', '::'])(
    'findBlockReason blocks %s under every rule',
    (address) => {
      for (const policy of [local, strict]) {
        expect(findBlockReason(policy, to(address, 'https:'))).toContain('must not be a blocked address');
      }
    },
  );

  it('findBlockReason blocks the address of the emulator itself and no other port', () => {
    expect(findBlockReason(local, to('127.0.0.1', 'http:', 4777))).toBe(
      '127.0.0.1:4777 is this emulator itself: point the endpoint to your receiver',
    );
    expect(findBlockReason(local, to('::ffff:127.0.0.1', 'http:', 4777))).toContain(
      'is this emulator itself',
    );
    expect(findBlockReason(local, to('127.0.0.1', 'http:', 4778))).toBeNull();
  });
});
