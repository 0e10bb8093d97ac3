import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { findCurlProblem, toCurlCommand } from '../../src/resources/logged-request.ts';
import { ApiRequestDetail } from '../../src/resources/request.ts';
import { createExample } from '../support/create-example.ts';

const example = { ...createExample(ApiRequestDetail), method: 'POST', path: '/v1/events' };
const message = example.request;

function toCommand(changes: Partial<ApiRequestDetail>): string {
  return toCurlCommand({ ...example, ...changes }, 'http://127.0.0.1:4777');
}

describe('findCurlProblem', () => {
  const unread = { ...message, truncated: false, body: null, headers: { 'content-length': '2' } };
  const whole = { ...example, method: 'POST', path: '/v1/events', request: { ...unread, body: '{}' } };

  it('a command sends the same request if the log contains all of it', () => {
    expect(findCurlProblem(whole)).toBeNull();
    expect(findCurlProblem({ ...whole, request: { ...unread, headers: {} } })).toBeNull();
    expect(findCurlProblem({ ...whole, method: 'GET', request: unread })).toBeNull();
  });

  it.each<[string, Partial<ApiRequestDetail>]>([
    ['its query contained a secret, which is not stored', { path: '/v1/events?key=[removed]' }],
    ['only a part of it is stored', { request: { ...whole.request, truncated: true } }],
    ['its body was not read', { request: unread }],
  ])('a command does not send the same request because %s', (problem, changes) => {
    expect(findCurlProblem({ ...whole, ...changes })).toBe(problem);
  });
});

describe('toCurlCommand', () => {
  it('a GET request has no body and no method option', () => {
    const unsent = { host: 'a', accept: '*/*', authorization: 'Basic YTpi', cookie: '[removed]' };
    const request = { ...message, headers: { ...unsent, 'x-trace': 'a b' }, body: '{}' };
    expect(toCommand({ method: 'GET', path: '/v1/events?limit=1', request })).toBe(
      `curl 'http://127.0.0.1:4777/v1/events?limit=1' \\\n  -H "Authorization: Bearer $SVC_API_KEY" \\\n  -H 'x-trace: a b'`,
    );
  });

  it('a body of text is an argument', () => {
    const request = { ...message, headers: {}, body: '{"a":"b c"}', encoding: 'utf8' as const };
    expect(toCommand({ method: 'PUT', request })).toMatch(/--data-raw '\{"a":"b c"\}'$/);
  });

  it('a POST request without a body, and other methods, have a method option', () => {
    expect(toCommand({ request: { ...message, body: null } })).toContain('-X POST');
    expect(toCommand({ method: 'DELETE' })).toContain('-X DELETE');
  });

  it.each([
    ['binary', { body: '/wB7', encoding: 'base64' as const }, [0xff, 0x00, 0x7b]],
    ['NUL', { body: 'a\0ä', encoding: 'utf8' as const }, [0x61, 0x00, 0xc3, 0xa4]],
  ])('a body with %s is piped to curl, byte for byte', async (_, changes, bytes) => {
    const command = toCommand({ request: { ...message, ...changes } });
    expect(command).toContain('--data-binary @-');
    const [pipe = ''] = command.split(' | curl');
    const { stdout } = await execa('sh', ['-c', pipe], { encoding: 'buffer', stripFinalNewline: false });
    expect([...stdout]).toEqual(bytes);
  });
});
