import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type McpClient, toMcpClient } from '../mcp/mcp-client.ts';
import { playStory } from '../mcp/mcp-story.ts';
import { cleanEnvironment, createTempFolder, startEmulator, svc, svcArgs, svcFile } from './cli-program.ts';

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
async function startSession(env: Record<string, string> = {}): Promise<Session> {
  const transport = new StdioClientTransport({
    command: svcFile,
    args: [...svcArgs, 'mcp'],
    cwd: folder.cwd,
    env: { ...cleanEnvironment(), ...env },
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
    expect(JSON.parse((await svc(['emulator', 'status', '--json'], folder)).stdout).base_url).toBe(base_url);
    await mcp.client.close();
    await waitUntilEnded(pid);
    expect(hasRunFile()).toBe(false);
    expect(errors).toEqual([]);
  });

  it('svc mcp uses the emulator of the folder, also one that starts later, and does not stop it', async () => {
    const { mcp } = await startSession();
    await mcp.client.listTools();
    const { ready, subprocess } = await startEmulator(folder.cwd);
    try {
      expect(await mcp.call('status')).toMatchObject({ base_url: ready.base_url });
      await mcp.client.close();
      expect((await fetch(`${ready.url}/healthz`)).status).toBe(200);
    } finally {
      subprocess.kill();
      await subprocess;
    }
  });

  it('svc mcp stops its emulator after SIGTERM', async () => {
    const { mcp, transport } = await startSession();
    await mcp.call('status');
    const { pid } = transport;
    process.kill(Number(pid), 'SIGTERM');
    await waitUntilEnded(pid);
    expect(hasRunFile()).toBe(false);
  });

  it('svc mcp does not start an emulator if an address is configured', async () => {
    await using session = (await startSession({ SVC_CONTROL_URL: 'http://127.0.0.1:9' })).mcp;
    const { error, next } = await session.callInvalid('status');
    expect(error.code).toBe('no_emulator');
    expect(next).toContain('svc emulator start');
  });
});
