import { isIP } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { assertLocalHost, findBlockReason } from '../../src/platform/address-policy.ts';
import { addOwnAddress } from '../../src/platform/own-addresses.ts';

const to = (address: string, protocol = 'http:', port = 3000) => ({ protocol, address, port });

const NEEDS_HTTPS = 'must use HTTPS, because plain HTTP is only for loopback and private addresses';

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
      `8.8.8.8 is a public address: the URL ${NEEDS_HTTPS}`,
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

describe('assertLocalHost', () => {
  const assertWith = (addresses: string[], url: string, rule: 'local' | 'public' = 'local') => {
    const lookup = vi.fn(async () => addresses.map((address) => ({ address, family: isIP(address) })));
    return { lookup, result: assertLocalHost('url', url, rule, lookup) };
  };

  it.each([
    ['http://lvh.me:3000/', ['127.0.0.1', '::1']],
    ['http://myapp.ddev.site/', ['127.0.0.1']],
    ['http://10.0.0.5.nip.io/', ['10.0.0.5']],
    ['http://laptop.tailnet.ts.net/', ['100.101.102.103', 'fd7a:115c:a1e0::1']],
  ])('assertLocalHost accepts %s, which resolves to %j [webhook.url]', async (url, addresses) => {
    const { lookup, result } = assertWith(addresses, url);
    await expect(result).resolves.toBeUndefined();
    expect(lookup.mock.calls).toEqual([[new URL(url).hostname]]);
  });

  it.each([
    [['93.184.216.34'], `${NEEDS_HTTPS} (hooks.example.com resolves to 93.184.216.34, a public address)`],
    [
      ['127.0.0.1', '93.184.216.34'],
      `${NEEDS_HTTPS} (hooks.example.com resolves to 93.184.216.34, a public address)`,
    ],
    [
      ['169.254.169.254'],
      'must not be a blocked address (hooks.example.com resolves to 169.254.169.254, a link-local address',
    ],
    [[], `${NEEDS_HTTPS} (hooks.example.com does not resolve)`],
  ])(
    'assertLocalHost refuses plain HTTP to a name that resolves to %j [webhook.url]',
    async (addresses, problem) => {
      await expect(assertWith(addresses, 'http://hooks.example.com/').result).rejects.toMatchObject({
        code: 'validation_failed',
        message: expect.stringContaining(`url ${problem}`),
      });
    },
  );

  it('assertLocalHost refuses a name whose lookup fails', async () => {
    const lookup = () => Promise.reject(new Error('ENOTFOUND'));
    const message = expect.stringContaining('(hooks.example.com does not resolve)');
    await expect(assertLocalHost('url', 'http://hooks.example.com/', 'local', lookup)).rejects.toMatchObject({
      message,
    });
  });

  it.each([
    ['https://hooks.example.com/', 'local'],
    ['http://localhost:3000/', 'local'],
    ['http://receiver.internal/', 'local'],
    ['http://8.8.8.8/', 'local'],
    ['http://hooks.example.com/', 'public'],
    ['nonsense', 'local'],
  ] as const)('assertLocalHost does not resolve the host of %s under the rule %s', async (url, rule) => {
    const { lookup, result } = assertWith(['93.184.216.34'], url, rule);
    await result;
    expect(lookup).not.toHaveBeenCalled();
  });
});
