import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https, { createServer } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  findBlockReason,
  type PolicyRequestOptions,
  startPolicyRequest,
} from '../../src/network/address-policy.ts';
import { addOwnAddress } from '../../src/network/own-addresses.ts';
import { authority, getCertificate } from '../support/certificates.ts';
import { listenDuringTest } from '../support/local-server.ts';
import { createReceiver } from '../support/test-receiver.ts';

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

/** The status of a GET. */
async function get(url: string, options: Partial<PolicyRequestOptions> = {}): Promise<number | undefined> {
  const request = startPolicyRequest(url, { rule: 'local', method: 'GET', ...options }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

describe('startPolicyRequest', () => {
  it('startPolicyRequest connects to an allowed address, by name and by number', async () => {
    await using receiver = await createReceiver({ status: 204 });
    const { port } = new URL(receiver.url);
    for (const host of ['127.0.0.1', 'localhost', 'receiver.localhost']) {
      expect(await get(`http://${host}:${port}/`)).toBe(204);
    }
  });

  it('startPolicyRequest sends requests to HTTPS without https.request, which a test of a user can mock', async () => {
    const server = createServer(getCertificate('localhost'), (_, response) => response.end());
    const url = `https://localhost:${await listenDuringTest(server)}/`;
    const request = vi.spyOn(https, 'request');
    syncBuiltinESMExports();
    onTestFinished(() => {
      request.mockRestore();
      syncBuiltinESMExports();
    });
    expect(await get(url, { ca: [authority] })).toBe(200);
    await expect(get(url)).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(request).not.toHaveBeenCalled();
  });

  it.each([
    'http://169.254.169.254/',
    'http://[fe80::1]/',
    'http://0.0.0.0/',
    'http://[::ffff:169.254.169.254]/',
  ])('startPolicyRequest blocks the address in %s [network.receiver-check]', async (url) => {
    await expect(get(url)).rejects.toMatchObject({ name: 'BlockedError' });
  });

  it('startPolicyRequest blocks a name that resolves to blocked addresses only', async () => {
    const lookup = async () => [{ address: '169.254.169.254', family: 4 }];
    await expect(get('http://metadata.example/', { lookup })).rejects.toMatchObject({
      name: 'BlockedError',
      message: expect.stringContaining('metadata.example has no allowed address'),
    });
  });

  it('startPolicyRequest connects to the allowed address of a name that also has a blocked one', async () => {
    await using receiver = await createReceiver({ status: 204 });
    const lookup = async () => [
      { address: '169.254.169.254', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await get(`http://receiver.test:${new URL(receiver.url).port}/`, { lookup })).toBe(204);
  });

  it('startPolicyRequest waits for the first address of a name for longer than Node.js does by default', async () => {
    await using receiver = await createReceiver({ status: 204 });
    const defaultTimeoutMs = getDefaultAutoSelectFamilyAttemptTimeout();
    setDefaultAutoSelectFamilyAttemptTimeout(10);
    onTestFinished(() => setDefaultAutoSelectFamilyAttemptTimeout(defaultTimeoutMs));
    const lookup = async () => {
      await setImmediate();
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
    };
    const { port } = new URL(receiver.url);
    const request = startPolicyRequest(`http://receiver.test:${port}/`, { rule: 'local', lookup });
    const attempts: string[] = [];
    request.once('socket', (socket) => {
      socket.on('connectionAttempt', (address) => {
        attempts.push(address);
        // When the thread continues, the default is over before Node.js can notice that the connection is open.
        process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20));
      });
    });
    const [response] = (await once(request.end(), 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(204);
    expect(attempts).toEqual(['127.0.0.1']);
  });
});
