import { execFileSync } from 'node:child_process';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { command as env } from '../../src/cli/commands/env.ts';
import { command as open } from '../../src/cli/commands/open.ts';
import { renderVariables, variableFormats } from '../../src/cli/env-variables.ts';
import type { EmulatorStatus } from '../../src/operations/emulator-schemas.ts';
import { createFakeContext } from './fake-context.ts';

const status = {
  url: 'http://127.0.0.1:4777',
  base_url: 'http://127.0.0.1:4777/v1',
  control_url: 'http://127.0.0.1:4777/_svc',
  dashboard_url: 'http://127.0.0.1:4777/',
  control_token: '0123456789abcdef',
  workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  api_key: 'svc_test_0123456789abcdef',
  webhook_secret: 'whsec_0123456789abcdef',
} as EmulatorStatus;

/** Runs `svc env` against an emulator that reports `changes`. */
function runEnv(
  format: (typeof variableFormats)[number],
  changes: object,
): { out: string; ended: Promise<unknown> } {
  const getStatus = async () => ({ ...status, ...changes });
  const { context, capturedOutput } = createFakeContext({ control: { getStatus } });
  return {
    get out() {
      return capturedOutput.out;
    },
    ended: env.run({ format } as never, context),
  };
}

describe.each(variableFormats)('svc env --format %s', (format) => {
  it('svc env prints the values of the emulator', async () => {
    const env = runEnv(format, {});
    await env.ended;
    expect(env.out).toContain('svc_test_0123456789abcdef');
  });
});

const secrets = [
  'plain_0123456789',
  'with#comment0123',
  'with$HOME0123456',
  'with"quotes"0123',
  'with`ticks`01234',
  "with'one'0123456",
  '=starts+with/sign==',
  'a path with spaces',
];

describe('renderVariables', () => {
  it.each(secrets)('the value %s is the same for a dotenv reader and a shell [values.quotes]', (value) => {
    expect(parseEnv(renderVariables({ A: value, B: '1' }, 'dotenv'))).toEqual({ A: value, B: '1' });
    expect(renderVariables({ A: value }, 'github')).toBe(`A=${value}`);
    if (process.platform === 'win32') return;
    const script = `${renderVariables({ A: value }, 'export')}; printf %s "$A"`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(value);
  });

  it.each(['a\nB=1', 'a\rB=1', 'a\u0085B=1', 'a\u2028B=1', 'a\u2029B=1', 'a\x1b[2J', 'a\0'])(
    'the value %j is rejected in every line-based format [values.lines]',
    (value) => {
      for (const format of ['export', 'dotenv', 'github'] as const) {
        expect(() => renderVariables({ A: value }, format)).toThrow(
          expect.objectContaining({
            code: 'usage',
            hint: { text: 'Read it as JSON', command: 'svc env --format json' },
          }),
        );
      }
      expect(JSON.parse(renderVariables({ A: value }, 'json'))).toEqual({ A: value });
    },
  );

  it.each(['a\'b"c', "a'$b", 'a\\', "a'`b"])(
    'the value %s is rejected in a dotenv file, which cannot quote it [values.quotes]',
    (value) => {
      expect(() => renderVariables({ A: value }, 'dotenv')).toThrow('cannot quote');
    },
  );
});

describe('svc open', () => {
  it.each(['file:///etc/passwd', 'javascript:alert(1)', '--version', 'http://a/ b'])(
    'svc open does not open the dashboard URL %s [values.links]',
    async (dashboard_url) => {
      const getStatus = async () => ({ ...status, dashboard_url });
      const { context, capturedOutput } = createFakeContext({
        control: { getStatus },
        env: { BROWSER: 'false' },
      });
      await expect(open.run({}, context)).rejects.toThrow('The emulator reports an invalid address: ');
      expect(capturedOutput.out).toBe('');
    },
  );
});
