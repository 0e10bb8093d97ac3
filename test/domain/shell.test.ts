import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { toCurl } from '../../src/domain/shell.ts';
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
    const request = await receiver.nth(1);
    expect(request).toMatchObject({ method: 'POST', path: '/a?b[]={c}' });
    expect(Buffer.from(request.body).toString()).toBe(body);
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-text': headers['X-Text'],
      'x-empty': '',
    });
  });
});
