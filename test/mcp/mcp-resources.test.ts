import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRequest } from '../support/raw-request.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { connectOverHttp, type McpClient } from './mcp-client.ts';

let emulator: TestEmulator;
let mcp: McpClient;
beforeAll(async () => {
  emulator = await startTestEmulator({ controlToken: 'a-token-of-the-test' });
  mcp = await connectOverHttp(emulator.status().control_url, {}, 'a-token-of-the-test');
});
afterAll(async () => {
  await mcp.client.close();
  await emulator.close();
});

async function read(uri: string): Promise<string> {
  const [content] = (await mcp.client.readResource({ uri })).contents;
  return content !== undefined && 'text' in content ? content.text : '';
}

describe('resources', () => {
  it('the gap register is a resource', async () => {
    const { resources } = await mcp.client.listResources();
    expect(resources).toMatchObject([{ uri: 'svc://gaps', mimeType: 'application/json' }]);
    const gaps = JSON.parse(await read('svc://gaps'));
    expect(gaps).toContainEqual(
      expect.objectContaining({ id: 'retry.jitter', question: expect.any(String), value: expect.anything() }),
    );
  });

  it('a delivery is a resource with its bodies', async () => {
    const { webhook_id } = await mcp.call('receiver', { action: 'register', url: 'http://127.0.0.1:9/' });
    const { deliveries } = await mcp.call('trigger', {
      type: 'order.shipped',
      payload: { text: 'é'.repeat(500) },
    });
    const delivery = JSON.parse(await read(`svc://deliveries/${deliveries[0].id}`));
    expect(delivery).toMatchObject({ id: deliveries[0].id, webhook_id, url: 'http://127.0.0.1:9/' });
  });

  it.each([
    'svc://nothing',
    'svc://gaps/../package',
    'svc://deliveries/del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    'file:///etc/passwd',
  ])('the resource %s does not exist', async (uri) => {
    await expect(read(uri)).rejects.toThrow(/not found/i);
  });
});

describe('/_svc/mcp', () => {
  const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const send = (headers: Record<string, string>, method = 'POST') =>
    sendRequest(
      `${emulator.status().control_url}/mcp`,
      { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      method,
      method === 'POST' ? initialize : undefined,
    );
  const authorization = 'Bearer a-token-of-the-test';

  it('/_svc/mcp requires the token and rejects other hosts and origins [control.mcp]', async () => {
    expect((await send({ authorization })).status).toBe(200);
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: 'Bearer another-token-of-a-test' })).status).toBe(401);
    expect((await send({ authorization, host: 'evil.example' })).status).toBe(403);
    expect((await send({ authorization, origin: 'http://evil.example' })).status).toBe(403);
  });

  it.each(['GET', 'DELETE', 'PUT', 'TRACE'])('/_svc/mcp rejects %s', async (method) => {
    const { status, headers, body } = await send({ authorization }, method);
    expect([status, headers.allow]).toEqual([405, 'POST']);
    const message = `/_svc/mcp does not accept ${method}, only POST.`;
    expect(JSON.parse(String(body))).toMatchObject({ error: { code: 'method_not_allowed', message } });
  });
});
