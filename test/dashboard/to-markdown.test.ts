import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../../src/dashboard/views/delivery/to-markdown.ts';
import type { Explanation } from '../../src/operations/explanation-schemas.ts';
import { aDetail, anAttempt } from '../cli/fake-context.ts';

const { request } = anAttempt();
const sending = (payload: string) => ({ ...request, body: `{"type":"a.b","data":{"payload":${payload}}}` });

describe('toMarkdown', () => {
  const explanation: Explanation = {
    delivery: aDetail(),
    attempt: null,
    summary: 'Attempt 2 failed. A retry is scheduled.',
    cause: 'receiver_error',
    layer: null,
    certainty: 'certain',
    detail: 'Your receiver returned 503.',
    mistake: null,
    finding: null,
    evidence: ['The endpoint accepted a delivery two minutes ago.'],
    steps: null,
    hints: [],
  };
  const response = {
    headers: { Server: 'nginx' },
    body: '{"error":"down"}',
    encoding: 'utf8' as const,
    truncated: false,
  };

  it('toMarkdown returns what was sent and received, the cause and the evidence', async () => {
    const attempt = anAttempt({ request: sending('{"a":1.50}'), response });
    await expect(toMarkdown(aDetail(), attempt, explanation, [])).toMatchFileSnapshot(
      join(import.meta.dirname, 'to-markdown.md'),
    );
  });

  it('toMarkdown removes the secrets of headers, of the URL and of the endpoint, also from the bodies', () => {
    const attempt = anAttempt({
      request: {
        ...request,
        url: 'http://me:pass@localhost:3000/hooks?token=abc',
        headers: { Authorization: 'Bearer 0123456789abcdef' },
      },
      response: {
        ...response,
        body: 'Bearer 0123456789abcdef, my own endpoint secret, svc_test_0123456789abcdefgh',
      },
    });
    const markdown = toMarkdown(aDetail(), attempt, explanation, ['my own endpoint secret']);
    expect(markdown).toContain('Authorization: [removed]');
    for (const secret of ['0123456789abcdef', 'pass@', 'token=abc', 'my own endpoint secret'])
      expect(markdown).not.toContain(secret);
  });

  it('toMarkdown uses a fence that is longer than the backticks in a body', () => {
    const attempt = anAttempt({ response: { ...response, body: 'a ```` b' } });
    const markdown = toMarkdown(aDetail(), attempt, explanation, []);
    expect(markdown.match(/^`+$/gm)).toEqual(['```', '```', '`````', '`````']);
  });
});
