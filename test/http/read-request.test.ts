import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { H3Event } from 'h3';
import { describe, expect, it } from 'vitest';
import { type ReceivedBody, readInput, readQuery, receiveBody } from '../../src/http/read-request.ts';
import type { Operation } from '../../src/operations/operation.ts';

const operation = (method: string) => ({ method }) as Operation;

function createEvent(headers: Record<string, string>): H3Event {
  return new H3Event(new Request('http://localhost/v1/events', { method: 'POST', headers }));
}

/** A request whose body a test sends in parts, as the sockets of Node.js do. */
function createNodeEvent(headers: Record<string, string> = {}) {
  const request = new IncomingMessage(new Socket());
  const event = createEvent(headers);
  Object.assign(event.req, { runtime: { node: { req: request } } });
  const end = () => {
    request.complete = true;
    request.push(null);
  };
  return { event, request, end };
}

const receive = (event: H3Event) => receiveBody(event, operation('POST'), 4);
const tooLarge = { code: 'payload_too_large', message: 'The body is larger than 4 bytes.' };

describe('the body of a request', () => {
  it('a body that arrives in parts is joined, up to exactly the limit [body.limit]', async () => {
    const { event, request, end } = createNodeEvent();
    const body = receive(event);
    for (const part of ['a', 'bc', 'd']) request.push(part);
    end();
    expect(String(await body)).toBe('abcd');
  });

  it('a body that gets larger than the limit is rejected before its end [body.limit]', async () => {
    const { event, request } = createNodeEvent();
    const body = receive(event);
    for (const part of ['ab', 'cde']) request.push(part);
    expect(await body).toMatchObject(tooLarge);
  });

  it('a body whose Content-Length is larger than the limit is rejected before it arrives', async () => {
    expect(await receive(createNodeEvent({ 'content-length': '5' }).event)).toMatchObject(tooLarge);
    const { event, end } = createNodeEvent({ 'content-length': '4' });
    const body = receive(event);
    end();
    expect(await body).toHaveLength(0);
  });

  it('a body is rejected when its client disconnects before the end', async () => {
    const { event, request } = createNodeEvent();
    const body = receive(event);
    request.push('ab');
    request.destroy(new Error('aborted'));
    expect(await body).toMatchObject({
      code: 'invalid_request',
      message: 'The connection ended before the body was complete.',
    });
  });

  it('an operation whose input is in the query does not wait for a body', () => {
    expect(receiveBody(createNodeEvent({ 'content-length': '5' }).event, operation('GET'), 4)).toHaveLength(
      0,
    );
  });
});

/** The input of a POST request; the code and the message of the error if it is rejected. */
function read(headers: Record<string, string>, received: ReceivedBody, isOptional = false) {
  try {
    return readInput(createEvent(headers), operation('POST'), { received, isOptional }).input;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return [code, message];
  }
}

const json = { 'content-type': 'application/json' };
const readError = new Error('not read');
const unsupported = (part: string) => ['unsupported_media_type', expect.stringContaining(part)];

describe('the input of a request', () => {
  it.each<[string, Record<string, string>, string | Error, boolean, unknown]>([
    ['a JSON body', json, '{"a":1}', false, { a: 1 }],
    ['a JSON body that is optional', json, '{"a":1}', true, { a: 1 }],
    ['an empty optional body', {}, '', true, {}],
    ['an empty optional body with a type', json, '', true, {}],
    ['an uncompressed body', { ...json, 'content-encoding': 'Identity' }, '{}', false, {}],
    ['a vendor type', { 'content-type': 'application/vnd.a+json; charset=UTF8' }, '{}', false, {}],
    ['an empty body', json, '', false, ['invalid_request', expect.any(String)]],
    ['a body without a type', {}, '{}', true, unsupported('The request has no Content-Type; ')],
    ['an empty form', { 'content-type': 'text/plain' }, '', true, unsupported('"text/plain"')],
    ['a missing type before a body that was not read', {}, readError, false, unsupported('no Content-Type')],
    ['a body that was not read', json, readError, false, [undefined, 'not read']],
    [
      'an optional body that was not read before its missing type',
      {},
      readError,
      true,
      [undefined, 'not read'],
    ],
    ['a compressed body', { ...json, 'content-encoding': 'gzip' }, '{}', false, unsupported('"gzip"')],
    ['a body that is not UTF-8', json, '\xff', false, ['invalid_request', 'The body is not valid UTF-8.']],
  ])(
    'readInput returns the fields of the body or the reason to reject it: %s',
    (_, headers, body, isOptional, expected) => {
      const received = body instanceof Error ? body : Buffer.from(body, 'latin1');
      expect(read(headers, received, isOptional)).toEqual(expected);
    },
  );

  it.each([
    'application/json',
    'Application/JSON',
    'application/problem+json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json; profile=x; charset=utf-8',
  ])('the type %s is accepted [body.charset, §2.request-body]', (type) => {
    expect(read({ 'content-type': type }, Buffer.from('{}'))).toEqual({});
  });

  it.each([
    'application/json; charset=iso-8859-1',
    'application/json;charset=utf-16',
    'application/json; charset="us-ascii"',
    'application/json; CHARSET=latin1',
    'application/json; charset=',
    'application/json; charset=utf-8; charset=utf-16',
  ])('the type %s is rejected [body.charset]', (type) => {
    expect(read({ 'content-type': type }, Buffer.from('{}'))).toEqual(unsupported('send UTF-8'));
  });

  it.each(['application/x-www-form-urlencoded', 'application/jsonp', 'text/plain', ''])(
    'the type "%s" is rejected [§2.request-body]',
    (type) => {
      const message = `The Content-Type is "${type}"; send application/json.`;
      expect(read({ 'content-type': type }, Buffer.from('{}'))).toEqual(['unsupported_media_type', message]);
    },
  );

  it('an error quotes at most 64 characters of a header', () => {
    const [, message] = read({ 'content-type': 'x'.repeat(65) }, Buffer.from('{}')) as string[];
    expect(message).toBe(`The Content-Type is "${'x'.repeat(64)}"; send application/json.`);
  });

  it('a field in the path overrides the same field in the body or the query', () => {
    for (const [method, other] of [
      ['POST', {}],
      ['GET', { a: '1' }],
    ] as const) {
      const event = new H3Event(
        new Request('http://localhost/v1/events?id=query&a=1', { method: 'POST', headers: json }),
      );
      event.context.params = { id: 'path' };
      const { input } = readInput(event, operation(method), {
        received: Buffer.from('{"id":"body"}'),
        isOptional: false,
      });
      expect(input).toEqual({ ...other, id: 'path' });
    }
  });

  it('a query parameter that occurs twice is rejected, and every name is a plain field', () => {
    const query = (text: string) => readQuery(new H3Event(new Request(`http://localhost/v1/events?${text}`)));
    expect(Object.entries(query('toString=1&__proto__=2'))).toEqual([
      ['toString', '1'],
      ['__proto__', '2'],
    ]);
    expect(() => query('a=1&a=1')).toThrow('The query contains a twice.');
  });
});
