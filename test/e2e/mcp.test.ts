import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type McpClient, toMcpClient } from '../mcp/mcp-client.ts';
import { playStory } from '../mcp/mcp-story.ts';
import { cleanEnvironment, createTempFolder, svcArgs, svcFile } from './cli-program.ts';
import { runJsonOk } from './test-resources.ts';

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder.remove());

/** Waits until the process has ended, and so its emulator. Another server can already have the port. */
async function waitUntilEnded(pid: number | null): Promise<void> {
  await vi.waitFor(() => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH'), 30_000);
}

const hasRunFile = () => existsSync(join(folder.cwd, '.svc/run.json'));

interface Session {
  readonly mcp: McpClient;
  readonly transport: StdioClientTransport;
  /** What was not a message of the protocol. */
  readonly errors: Error[];
}

/** Starts `svc mcp` as a client does. */
async function startSession(): Promise<Session> {
  const transport = new StdioClientTransport({
    command: svcFile,
    args: [...svcArgs, 'mcp'],
    cwd: folder.cwd,
    env: cleanEnvironment(),
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  return { mcp: toMcpClient(client), transport, errors };
}

describe('svc mcp', () => {
  it('svc mcp starts an emulator in memory, serves the whole work of an agent, and stops it with the client', async () => {
    const { mcp, transport, errors } = await startSession();
    const { pid } = transport;
    await mcp.client.listResources();
    expect(hasRunFile()).toBe(false);
    await playStory('wrong_secret', mcp);
    const { base_url, db } = await mcp.call('status');
    expect(db).toBe(':memory:');
    // Commands in the folder use the same emulator.
    expect(await runJsonOk(folder.cwd, 'emulator', 'status')).toMatchObject({ base_url });
    await mcp.client.close();
    await waitUntilEnded(pid);
    expect(hasRunFile()).toBe(false);
    expect(errors).toEqual([]);
  });

  it('svc mcp stops its emulator after SIGTERM', async () => {
    const { mcp, transport } = await startSession();
    await mcp.call('status');
    const { pid } = transport;
    process.kill(Number(pid), 'SIGTERM');
    await waitUntilEnded(pid);
    expect(hasRunFile()).toBe(false);
  });
});
