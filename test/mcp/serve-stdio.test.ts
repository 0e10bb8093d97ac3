import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectInProcess } from '../../src/mcp/connected-emulator.ts';
import { MAX_LINE_BYTES, splitMessageLines } from '../../src/mcp/message-lines.ts';
import { serveMcpOverStdio } from '../../src/mcp/serve-stdio.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

/** A session over streams, with an emulator. */
async function startSession() {
  const emulator = await startTestEmulator();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { control, send } = emulator;
  const connected = connectInProcess({
    control,
    send,
    rules: resolveRules('relaxed', {}, 'sandbox'),
    now: Date.now,
  });
  const problems: unknown[] = [];
  const served = serveMcpOverStdio({
    ...{ input, output, signal: new AbortController().signal, projectFolder: import.meta.dirname },
    connect: async () => connected,
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
  it('a line that is too long gets an error, and the session continues', async () => {
    const { send, receive } = await startSession();
    const text = 'x'.repeat(MAX_LINE_BYTES);
    const message = 'The message is longer than 10485760 bytes. Pass less data in a call.';
    send(callOf(7, 'trigger', `{"type":"order.paid","payload":{"text":"${text}"}}`));
    expect(await receive()).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });
    send(callOf(8, 'clock', '{"action":"show"}'));
    expect(await receive()).toMatchObject({ id: 8, result: { structuredContent: { speed: 0 } } });
  });

  it('a line that is not JSON gets a parse error, an empty one gets nothing, and the session continues', async () => {
    const { send, receive } = await startSession();
    send('');
    send('hello');
    const message = 'The line is not JSON. Send each message as JSON in one line.';
    expect(await receive()).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32700, message } });
    send(callOf(8, 'clock', '{"action":"show"}'));
    expect(await receive()).toMatchObject({ id: 8, result: { structuredContent: { speed: 0 } } });
  });

  it.each([
    ['an object', `{"type":"order.paid","payload":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`],
    ['an array', `{"type":"order.paid","payload":{"a":${'['.repeat(127)}${']'.repeat(127)}}}`],
    ['a value to add', `{"type":"order.paid","add":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`],
    ['a path', `{"type":"order.paid","add":{"a${'.a'.repeat(20_000)}":1}}`],
  ])('the tool trigger refuses %s with more than 128 levels', async (_, args) => {
    const { send, receive, problems } = await startSession();
    send(callOf(1, 'trigger', args));
    const { result } = await receive();
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text).error.message).toMatch(
      /^The (?:arguments are|payload is) nested more than 128 levels deep\.$/,
    );
    expect(problems).toEqual([]);
  });

  it('the tool trigger accepts a payload with as many levels as POST /v1/events', async () => {
    const { send, receive } = await startSession();
    send(callOf(1, 'trigger', `{"type":"order.paid","payload":{"a":${'['.repeat(126)}${']'.repeat(126)}}}`));
    expect((await receive()).result.structuredContent.event_id).toMatch(/^evt_/);
  });
});

describe('splitMessageLines', () => {
  const split = async (...chunks: readonly (string | Buffer)[]) => {
    let tooLong = 0;
    const lines = splitMessageLines((reason) => void (reason === 'too_long' && tooLong++));
    for (const chunk of chunks) lines.write(chunk);
    lines.end();
    const read: string[] = [];
    for await (const line of lines) read.push(String(line));
    return { read: read.join(''), tooLong };
  };
  const ofSize = (size: number) => Buffer.alloc(size, '1');

  it('splitMessageLines passes on complete lines, in whatever chunks they arrive', async () => {
    expect(await split('{"a"', ':1}\n{"b":2}\n{"c', '":3}\n', '{"d":')).toEqual({
      read: '{"a":1}\n{"b":2}\n{"c":3}\n',
      tooLong: 0,
    });
  });

  it('splitMessageLines passes on a line of the maximum length, and leaves out a longer one', async () => {
    const longest = await split(ofSize(MAX_LINE_BYTES - 1), '\n');
    expect([longest.read.length, longest.tooLong]).toEqual([MAX_LINE_BYTES, 0]);
    expect(await split(ofSize(MAX_LINE_BYTES), '\n', '2\n')).toEqual({ read: '2\n', tooLong: 1 });
    expect(await split('2\n', ofSize(MAX_LINE_BYTES + 1))).toEqual({ read: '2\n', tooLong: 1 });
  });
});
