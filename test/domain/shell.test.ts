import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { quoteForShell, toCurl } from '../../src/domain/shell.ts';
import { createReceiver } from '../support/test-receiver.ts';

const run = promisify(execFile);
const isHere = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

it('toCurl includes every header and the body, quoted for a shell', () => {
  expect(toCurl({ url: 'http://localhost:3000/a?b=c', headers: { A: "it's" }, body: '{"a": "$HOME"}' })).toBe(
    `curl 'http://localhost:3000/a?b=c' \\\n  -H 'A: it'\\''s' \\\n  --data-raw '{"a": "$HOME"}'`,
  );
});

it.each([
  [
    'a request without a body uses GET',
    { url: 'http://a/b', method: 'GET', headers: {}, body: null },
    'curl http://a/b',
  ],
  [
    'a request with another method than curl would use names it',
    { url: 'http://a/b', headers: {}, body: null },
    'curl http://a/b \\\n  -X POST',
  ],
  [
    'an API key stays in its variable',
    { url: 'http://a/b', method: 'PUT', apiKeyVariable: 'SVC_API_KEY', headers: {}, body: '{}' },
    `curl http://a/b \\\n  -X PUT \\\n  -H "Authorization: Bearer $SVC_API_KEY" \\\n  --data-raw '{}'`,
  ],
  [
    'a body of bytes comes from its file',
    { url: 'http://a/b', headers: {}, body: { file: 'my body.bin' } },
    `curl http://a/b \\\n  --data-binary '@my body.bin'`,
  ],
])('in the output of toCurl, %s', (_, request, command) => {
  expect(toCurl(request)).toBe(command);
});

it.each([
  ['http://a:1/b,c@d%20+=', 'http://a:1/b,c@d%20+='],
  ['', "''"],
  ['a b', "'a b'"],
  ['$HOME', "'$HOME'"],
  ["it's", "'it'\\''s'"],
])('quoteForShell(%j) returns %s', (text, word) => {
  expect(quoteForShell(text)).toBe(word);
});

describe.skipIf(!isHere || process.platform === 'win32')('the output of toCurl in a shell', () => {
  it.each([
    '{"a":"it\'s \\"q\\" $HOME `x` \\\\n"}',
    '{\n\t"a": "zwei\r\nZeilen"\n}',
    '{"é":"日本 👩‍👩‍👧"}',
    '@body.json',
  ])('curl sends the body %j unchanged', async (body) => {
    await using receiver = await createReceiver();
    const headers = { 'Content-Type': 'application/json', 'X-Text': '"a" \'b\' !$`\\', 'X-Empty': '' };
    await run('sh', ['-c', toCurl({ url: `${receiver.url}/a?b[]={c}`, headers, body })]);
    const request = await receiver.request(1);
    expect(request).toMatchObject({ method: 'POST', path: '/a?b[]={c}' });
    expect(Buffer.from(request.body).toString()).toBe(body);
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-text': headers['X-Text'],
      'x-empty': '',
    });
  });
});
