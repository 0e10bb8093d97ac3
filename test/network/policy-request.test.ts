import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type PolicyRequestOptions, startPolicyRequest } from '../../src/network/address-policy.ts';
import { createReceiver } from '../support/test-receiver.ts';

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

  it.each([
    'http://169.254.169.254/',
    'http://[fe80::1]/',
    'http://0.0.0.0/',
    'http://[::ffff:169.254.169.254]/',
  ])('startPolicyRequest blocks the address in %s', async (url) => {
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
});
