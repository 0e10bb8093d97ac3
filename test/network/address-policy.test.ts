import { describe, expect, it, onTestFinished } from 'vitest';
import { findBlockReason } from '../../src/network/address-policy.ts';
import { addOwnAddress } from '../../src/network/own-addresses.ts';

const to = (address: string, protocol = 'http:', port = 3000) => ({ protocol, address, port });

describe('findBlockReason', () => {
  it.each(['127.0.0.1', '::1', '10.0.0.1', 'fd12::1'])(
    'findBlockReason allows plain HTTP to %s [webhook.url]',
    (address) => {
      expect(findBlockReason('local', to(address))).toBeNull();
    },
  );

  it('findBlockReason allows HTTPS to a public address under both rules [webhook.url]', () => {
    expect(findBlockReason('local', to('8.8.8.8', 'https:'))).toBeNull();
    expect(findBlockReason('public', to('8.8.8.8', 'https:'))).toBeNull();
  });

  it('findBlockReason blocks plain HTTP to a public address, whatever name resolved to it [webhook.url]', () => {
    expect(findBlockReason('local', to('8.8.8.8'))).toBe(
      '8.8.8.8 is a public address: the URL must use HTTPS, because plain HTTP is only for loopback and private addresses',
    );
  });

  it('findBlockReason blocks addresses that are not public under the strict rule [webhook.url]', () => {
    expect(findBlockReason('public', to('127.0.0.1', 'https:'))).toBe(
      '127.0.0.1 is a loopback address: the URL must be publicly reachable over HTTPS',
    );
  });

  it.each(['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fd00:ec2::254', '0.0.0.0', '::'])(
    'findBlockReason blocks %s under every rule [network.blocked-addresses]',
    (address) => {
      for (const rule of ['local', 'public'] as const) {
        expect(findBlockReason(rule, to(address, 'https:'))).toContain('must not be a blocked address');
      }
    },
  );

  it('findBlockReason blocks the address of an emulator until it is closed, and no other port', () => {
    const remove = addOwnAddress({ host: '127.0.0.1', port: 4777 });
    onTestFinished(remove);
    expect(findBlockReason('local', to('127.0.0.1', 'http:', 4777))).toBe(
      '127.0.0.1:4777 is the emulator itself: use the address of your receiver',
    );
    expect(findBlockReason('local', to('::ffff:127.0.0.1', 'http:', 4777))).toContain(
      'is the emulator itself',
    );
    expect(findBlockReason('local', to('127.0.0.1', 'http:', 4778))).toBeNull();
    expect(findBlockReason('local', to('10.0.0.1', 'http:', 4777))).toBeNull();
    remove();
    expect(findBlockReason('local', to('127.0.0.1', 'http:', 4777))).toBeNull();
  });
});
