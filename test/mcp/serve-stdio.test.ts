import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveMcpOverStdio } from '../../src/mcp/serve-stdio.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { toConnected } from './mcp-client.ts';

/** A session over streams, with an emulator. */
async function startSession() {
  const emulator = await startTestEmulator();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const problems: unknown[] = [];
  const served = serveMcpOverStdio({
    ...{ input, output, signal: new AbortController().signal, projectFolder: import.meta.dirname },
    connect: async () => toConnected(emulator),
    internalErrorLog: { report: (_, error) => problems.push(error) },
  });
  onTestFinished(async () => {
    input.end();
    await served;
    await emulator.close();
  });
  const lines = createInterface(output)[Symbol.asyncIterator]();
  const session = {
    problems,
    send: (line: string) => void input.write(`${line}\n`),
    /** The next message of the server. */
    receive: async () => JSON.parse((await lines.next()).value),
  };
  const clientInfo = { name: 'test', version: '1.0.0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  session.send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  await session.receive();
  return session;
}

const callOf = (id: number, tool: string, args: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`;

describe('a session over stdio', () => {
  it('a message of 10 MB gets an error, and the session continues', async () => {
    const { send, receive } = await startSession();
    const text = 'x'.repeat(10 * 1024 * 1024);
    send(callOf(7, 'trigger', `{"type":"order.paid","payload":{"text":"${text}"}}`));
    expect(await receive()).toMatchObject({ id: 7, result: { isError: true } });
    send(callOf(8, 'clock', '{"action":"show"}'));
    expect(await receive()).toMatchObject({ id: 8, result: { structuredContent: { speed: 0 } } });
  });

  it('a line that is not JSON gets no response, and the session continues', async () => {
    const { send, receive } = await startSession();
    send('');
    send('hello');
    send(callOf(8, 'clock', '{"action":"show"}'));
    expect(await receive()).toMatchObject({ id: 8, result: { structuredContent: { speed: 0 } } });
  });

  it('the tool trigger refuses a payload with more than 128 levels', async () => {
    const { send, receive, problems } = await startSession();
    send(callOf(1, 'trigger', `{"type":"order.paid","payload":{"a":${'['.repeat(127)}${']'.repeat(127)}}}`));
    const { result } = await receive();
    expect(JSON.parse(result.content[0].text).error.message).toBe(
      'The body is nested more than 128 levels deep.',
    );
    expect(problems).toEqual([]);
  });

  it('the tool trigger accepts a payload with as many levels as POST /v1/events', async () => {
    const { send, receive } = await startSession();
    send(callOf(1, 'trigger', `{"type":"order.paid","payload":{"a":${'['.repeat(126)}${']'.repeat(126)}}}`));
    expect((await receive()).result.structuredContent.event_id).toMatch(/^evt_/);
  });
});
