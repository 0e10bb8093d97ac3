import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  listCommands,
  toMarkdown,
  toSignedCurlCommand,
  toVitestTest,
} from '../../src/dashboard/views/delivery/attempt-formats.ts';
import { toDeliveryHints } from '../../src/diagnosis/delivery-hints.ts';
import { toCurl } from '../../src/domain/shell.ts';
import type { Explanation } from '../../src/operations/explanation-schemas.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createAttempt, createDelivery } from './example-delivery.ts';

const root = join(import.meta.dirname, '../..');
const { request } = createAttempt();
const sending = (payload: string) => ({ ...request, body: `{"type":"a.b","data":{"payload":${payload}}}` });

it('toCurl returns the exact request', () => {
  expect(toCurl({ ...request, body: `{"it's":1}` })).toMatchInlineSnapshot(`
    "curl 'http://localhost:3000/hooks?a=b' \\
      -H 'Content-Type: application/json' \\
      -H 'Service-Delivery-Id: del_1' \\
      --data-raw '{"it'\\''s":1}'"
  `);
});

it('toSignedCurlCommand keeps the ID and the body', () => {
  const command = toSignedCurlCommand(createDelivery(), { ...request, body: `{"it's":1}` });
  expect(command).toMatchInlineSnapshot(
    `"svc sign --id del_1 --secret SECRET --payload '{"it'\\''s":1}' --curl 'http://localhost:3000/hooks?a=b' | sh"`,
  );
});

it('listCommands returns the commands of the explanation, then those with the delivery ID, each once', () => {
  const hints = [
    { text: 'Read the log' },
    { text: 'Remove the fault', command: 'svc faults clear flt_1' },
    toDeliveryHints(createDelivery()).replay,
  ];
  expect(listCommands(createDelivery(), hints).map(({ command }) => command)).toEqual([
    'svc faults clear flt_1',
    'svc deliveries replay del_1 --wait',
    'svc deliveries get del_1',
    'svc verify --delivery del_1',
    'svc events get evt_1',
  ]);
});

describe('toMarkdown', () => {
  const explanation: Explanation = {
    delivery: createDelivery(),
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

  it('toMarkdown returns what was sent and received, the cause and the evidence', () => {
    const attempt = createAttempt({ request: sending('{"a":1.50}'), response });
    expect(toMarkdown(createDelivery(), attempt, explanation, [])).toMatchInlineSnapshot(`
      "# order.shipped: failing

      Attempt 1 of \`del_1\` (event \`evt_1\`) to http://localhost:3000/hooks?a=b

      **Your receiver returned 503.** Attempt 2 failed. A retry is scheduled.

      - The endpoint accepted a delivery two minutes ago.

      ## Request

      \`\`\`
      POST http://localhost:3000/hooks?a=b
      Content-Type: application/json
      Service-Delivery-Id: del_1

      {
        "type": "a.b",
        "data": {
          "payload": {
            "a": 1.50
          }
        }
      }
      \`\`\`

      ## Response

      \`\`\`
      HTTP 503
      Server: nginx

      {
        "error": "down"
      }
      \`\`\`
      "
    `);
  });

  it('toMarkdown removes the secrets of headers, of the URL and of the endpoint, also from the bodies', () => {
    const attempt = createAttempt({
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
    const markdown = toMarkdown(createDelivery(), attempt, explanation, ['my own endpoint secret']);
    expect(markdown).toContain('Authorization: [removed]');
    for (const secret of ['0123456789abcdef', 'pass@', 'token=abc', 'my own endpoint secret'])
      expect(markdown).not.toContain(secret);
  });

  it('toMarkdown uses a fence that is longer than the backticks in a body', () => {
    const attempt = createAttempt({ response: { ...response, body: 'a ```` b' } });
    const markdown = toMarkdown(createDelivery(), attempt, explanation, []);
    expect(markdown.match(/^`+$/gm)).toEqual(['```', '```', '`````', '`````']);
  });
});

describe('toVitestTest', () => {
  const payloads = [
    '{}',
    `{"text":"it's \\"quoted\\" \\\\ \`\${x}\` \\n\\u2028 日本 </script>","list":[1,{"a":null}],"b":-0.5}`,
    '{"__proto__":{"a":1},"constructor":"x"}',
    '{"price":12.50,"big":9007199254740993}',
  ];

  it('toVitestTest returns a test that passes', { timeout: 60_000 }, async () => {
    const folder = createTemporaryFolder();
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const alias = { 'svc-emulator/vitest': join(root, 'src/vitest.ts') };
    writeFileSync(
      join(folder, 'vitest.config.mjs'),
      `export default ${JSON.stringify({ resolve: { alias }, test: { testTimeout: 30_000 } })};`,
    );
    const bodies = [...payloads.map((payload) => sending(payload)), { ...request, body: '[1]' }];
    for (const [index, body] of bodies.entries()) {
      writeFileSync(join(folder, `copied-${index}.test.ts`), toVitestTest(createDelivery(), body));
    }
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const options = ['run', '--root', folder, '--reporter', 'json', '--no-file-parallelism', '--no-isolate'];
    const { stdout } = await promisify(execFile)(process.execPath, [vitest, ...options]);
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: bodies.length, numTotalTests: bodies.length });
  });

  it('toVitestTest returns a complete file', () => {
    expect(toVitestTest(createDelivery(), request)).toMatchInlineSnapshot(`
      "import { test } from 'svc-emulator/vitest';
      import { expect } from 'vitest';

      test('order.shipped is delivered', async ({ workspace, receiver }) => {
        const payload = {
          "order": "ord_1"
        };
        await workspace.trigger('order.shipped', payload);

        await expect(workspace).toHaveDelivered('order.shipped', { times: 1, to: receiver.url, payload });
        const request = await receiver.request(1);
        expect(request.verification).toMatchObject({ ok: true });
      });
      "
    `);
  });

  it('toVitestTest adds a comment when JavaScript would change a number', () => {
    expect(toVitestTest(createDelivery(), sending('{"price":12.50}'))).toContain('/* JavaScript changes');
    expect(toVitestTest(createDelivery(), sending('{"price":12.5,"text":"12.50"}'))).not.toContain('/*');
  });

  it('toVitestTest uses the fixture when the body is not an envelope', () => {
    for (const body of ['no JSON', '[]', '{"data":1}', '{"data":{"payload":[1]}}']) {
      expect(toVitestTest(createDelivery(), { ...request, body })).toContain(
        "workspace.trigger('order.shipped');",
      );
    }
  });
});
