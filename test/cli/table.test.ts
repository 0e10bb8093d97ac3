import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { renderWebhook } from '../../src/cli/commands/webhooks.ts';
import { renderVariables } from '../../src/cli/env-variables.ts';
import {
  parseDurationMs,
  parseHeaders,
  parseList,
  parseTimeOption,
  parseTimeOrAge,
  parseWebhookUrl,
  wholeNumberParser,
} from '../../src/cli/option-parsers.ts';
import { renderTable } from '../../src/cli/render/table.ts';
import { formatRelative } from '../../src/domain/duration.ts';
import { quoteForShell } from '../../src/domain/shell.ts';
import { NOW } from './fake-context.ts';

const plain = { width: Number.POSITIVE_INFINITY, color: false, unicode: true };

describe('renderTable', () => {
  const columns = [
    { title: 'ID', value: ({ id }: { id: string }) => id },
    { title: 'NOTE', value: () => 'a note of some length', hideOrder: 1 },
    { title: 'URL', value: () => 'http://localhost:3000/a/long/path', canTruncate: true },
  ];
  const rows = [{ id: 'evt_1' }];

  it.each([
    [
      80,
      'ID     NOTE                   URL\nevt_1  a note of some length  http://localhost:3000/a/long/path',
    ],
    [60, 'ID     NOTE                   URL\nevt_1  a note of some length  http://localhost:3000/a/long/…'],
    [35, 'ID     URL\nevt_1  http://localhost:3000/a/lon…'],
    [10, 'ID     URL\nevt_1  http://localhost:3000/a…'],
  ])('a table of %i columns truncates text, then hides columns, and never truncates an ID', (width, text) => {
    expect(renderTable(columns, rows, { ...plain, width })).toBe(text);
  });

  const names = (width: number, ...values: string[]) =>
    renderTable(
      [
        { title: 'NAME', value: (name: string) => name, canTruncate: true },
        { title: 'END', value: () => '|' },
      ],
      values,
      { ...plain, width },
    ).split('\n');

  it('wide characters and emoji take two columns, and combining characters take none', () => {
    expect(names(80, '日本', '👩‍👩‍👧', 'e\u0301', 'plain')).toEqual([
      'NAME   END',
      '日本   |',
      '👩‍👩‍👧     |',
      'e\u0301      |',
      'plain  |',
    ]);
  });

  it('text is truncated between characters, not within one', () => {
    expect(names(29, '日本語日本語日本語日本語日', 'begins and ends with 👩‍👩‍👧👩‍👩‍👧')).toEqual([
      'NAME                      END',
      '日本語日本語日本語日本…   |',
      'begins and ends with 👩‍👩‍👧…  |',
    ]);
  });

  it('each value is computed once, and every row has the same columns', () => {
    const many = Array.from({ length: 100 }, (_, number) => ({
      id: `evt_${String(number).padStart(5, '0')}`,
    }));
    let widthReads = 0;
    const counted = columns.map((column) => ({
      ...column,
      value: (row: { id: string }) => {
        widthReads++;
        return column.value(row);
      },
    }));
    const lines = renderTable(counted, many, { ...plain, width: 60 }).split('\n');
    expect(widthReads).toBe(many.length * columns.length);
    const ofOne = (row: { id: string }) =>
      renderTable(columns, [row], { ...plain, width: 60 }).split('\n')[1];
    expect(lines.slice(1)).toEqual(many.map(ofOne));
  });

  it('a row stays on one line, regardless of its values [output.tables]', () => {
    expect(names(80, 'a\nb\x1b[2J')).toEqual(['NAME         END', 'a\\nb\\x1b[2J  |']);
  });

  it('an empty column is hidden before any other', () => {
    const empty = { title: 'REVOKED', value: () => '' };
    const [head] = renderTable([...columns, empty], rows, { ...plain, width: 62 }).split('\n');
    expect(head).toBe('ID     NOTE                   URL');
  });

  it('truncated text ends with three dots without Unicode', () => {
    const [, row] = renderTable(columns, rows, { ...plain, width: 35, unicode: false }).split('\n');
    expect(row).toBe('evt_1  http://localhost:3000/a/l...');
  });
});

it.each([
  [0, 'just now'],
  [-61_000, '1m ago'],
  [90_900, 'in 1m 30s'],
  [-3 * 3_600_000 - 59_000, '3h ago'],
  [50 * 3_600_000 + 1000, 'in 2d 2h'],
])('the relative time of %i ms from now is %s', (distance, text) => {
  expect(formatRelative(new Date(NOW + distance).toISOString(), NOW)).toBe(text);
});

it.each([
  ['-6m', NOW - 360_000],
  ['+30s', NOW + 30_000],
  ['2026-11-20T11:00:00Z', NOW - 3_600_000],
  ['1795176000', 1795176000000],
])('the time option %s is parsed', (text, ms) => {
  expect(parseTimeOption(text)(NOW)).toBe(ms);
});

it('a number without a unit is rejected with a suggestion in minutes', () => {
  expect(() => parseDurationMs('35')).toThrow('Did you mean 35m?');
  expect(() => parseTimeOrAge('1.5')).toThrow('Did you mean 1.5m?');
  expect(parseTimeOrAge('2026')).toBe('2026');
});

it.each([
  ['3 days', '3d'],
  ['1 hour', '1h'],
  ['5 min', '5m'],
  ['10 Seconds', '10s'],
  ['250 msec', '250ms'],
])('the duration %j is rejected with the suggestion %s', (text, suggestion) => {
  expect(() => parseDurationMs(text)).toThrow(`Did you mean ${suggestion}?`);
});

it('a duration with an unknown unit is rejected with the accepted form', () => {
  expect(() => parseDurationMs('3 moons')).toThrow('Pass a duration such as');
});

it.each([
  ['46003/hooks', 'http://localhost:46003/hooks'],
  ['example.com/hooks', 'https://example.com/hooks'],
  ['http://127.0.0.1:1/A', 'http://127.0.0.1:1/A'],
])('the endpoint address %s becomes %s', (written, url) => {
  expect(parseWebhookUrl(written)).toBe(url);
});

it('an endpoint URL that the emulator does not accept is rejected with the reason', () => {
  expect(() => parseWebhookUrl('http://example.com')).toThrow('it must use HTTPS');
  expect(() => parseWebhookUrl('not a url')).toThrow('Pass a port or a URL');
});

it('an invalid option value is rejected with the expected form', () => {
  expect(() => parseTimeOption('soon')).toThrow('Pass an offset such as -6m');
  expect(() => wholeNumberParser(1, 5)('6')).toThrow('whole number from 1 to 5');
  expect(() => wholeNumberParser(1, 5)('2.5')).toThrow('whole number from 1 to 5');
  expect(() => parseList('a,,b')).toThrow('single commas');
});

it('a list is collected from commas and repeated options', () => {
  expect(parseList('c', parseList('a, b'))).toEqual(['a', 'b', 'c']);
});

describe.skipIf(process.platform === 'win32')('shell quoting', () => {
  const evaluate = (script: string) => execFileSync('sh', ['-c', script], { encoding: 'utf8' });

  it.each([`it's`, '$HOME `x` "y" \\', 'a b', '!#&;|<>()', 'plain'])(
    'the quoted text %s is one word for the shell',
    (text) => {
      expect(evaluate(`printf %s ${quoteForShell(text)}`)).toBe(text);
    },
  );

  it('eval restores the exported variables', () => {
    const script = renderVariables({ SVC_API_KEY: "svc_test_'x y" }, 'export');
    expect(evaluate(`${script}; printf %s "$SVC_API_KEY"`)).toBe("svc_test_'x y");
  });
});

it.each([
  ['dotenv', 'A=1\nB=two'],
  ['github', 'A=1\nB=two'],
  ['export', 'export A=1\nexport B=two'],
  ['json', '{\n  "A": "1",\n  "B": "two"\n}'],
] as const)('variables are written as %s', (format, text) => {
  expect(renderVariables({ A: '1', B: 'two' }, format)).toBe(text);
});

describe('parseHeaders', () => {
  it('a header has a trimmed name and value, and the value can contain a colon', () => {
    expect(parseHeaders(' X-Env :dev', parseHeaders('Authorization: Basic a:b'))).toEqual({
      ...{ Authorization: 'Basic a:b', 'X-Env': 'dev' },
    });
  });

  it.each([
    ['no colon', "Pass a header such as 'Authorization: Bearer abc'."],
    [': a', '"" is not a valid header name'],
    ['Service-Signature: v1=00', 'Service-Signature is set by the emulator'],
    ['x-env: again', 'x-env is given twice'],
  ])('the header option %j is rejected', (text, problem) => {
    expect(() => parseHeaders(text, { 'X-Env': 'dev' })).toThrow(problem);
  });
});

describe('renderWebhook', () => {
  it('an endpoint shows its extra headers, its TLS verification and its lifetime', () => {
    const webhook = {
      ...{ id: 'wh_1', workspace_id: 'ws_1', url: 'https://localhost:3443/', events: ['*'] },
      ...{ created_at: '2026-11-20T12:00:00.000Z', headers: { Authorization: 'Bearer a', A: 'b' } },
      ...{ skip_verify: true, listener: true, disabled: false, previous_secret_expires_at: null },
    };
    expect(renderWebhook(webhook, { color: false })).toMatchInlineSnapshot(`
      "ID         wh_1
      URL        https://localhost:3443/
      Events     * (every type)
      Headers    Authorization: Bearer a, A: b
      TLS        certificate not verified
      Lifetime   until svc listen exits
      Workspace  ws_1
      Created    2026-11-20T12:00:00.000Z"
    `);
  });
});
