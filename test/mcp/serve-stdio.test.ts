import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveMcpOverStdio } from '../../src/mcp/serve-stdio.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { toConnected } from './mcp-client.ts';
import { callOf, initializeSession } from './stdio-session.ts';

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
  return { problems, ...(await initializeSession({ input, output })) };
}

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

  it('the tool trigger accepts as many levels of a payload as POST /v1/events, and refuses more than 128', async () => {
    const { send, receive, problems } = await startSession();
    const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    send(callOf(1, 'trigger', `{"type":"a.b","payload":{"a":${nest(126)}}}`));
    expect((await receive()).result.structuredContent.event_id).toMatch(/^evt_/);
    send(callOf(2, 'trigger', `{"type":"a.b","payload":{"a":${nest(127)}}}`));
    const { result } = await receive();
    expect(JSON.parse(result.content[0].text).error.message).toBe(
      'The body is nested more than 128 levels deep.',
    );
    expect(problems).toEqual([]);
  });
});
