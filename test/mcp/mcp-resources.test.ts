import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { connectMcp, type McpClient } from './mcp-client.ts';

let emulator: TestEmulator;
let mcp: McpClient;
beforeAll(async () => {
  emulator = await startTestEmulator();
  mcp = await connectMcp(emulator);
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

  it.each([
    'svc://nothing',
    'svc://gaps/../package',
    'svc://deliveries/del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    'file:///etc/passwd',
  ])('the resource %s does not exist', async (uri) => {
    await expect(read(uri)).rejects.toThrow(/not found/i);
  });

  it('a resource without an emulator is an error that says how to start one', async () => {
    const getControl = (): never => {
      throw new SvcError('no_emulator', 'It stopped.');
    };
    const stopped = Object.defineProperty({ ...emulator }, 'control', { get: getControl });
    await using other = await connectMcp(stopped);
    await expect(other.client.readResource({ uri: 'svc://gaps' })).rejects.toThrow(
      /It stopped\. Start an emulator/,
    );
  });
});
