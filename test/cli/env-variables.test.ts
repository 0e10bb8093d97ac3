import { execFileSync } from 'node:child_process';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { command as open } from '../../src/cli/commands/open.ts';
import { renderVariables } from '../../src/cli/env-variables.ts';
import { createFakeContext } from './fake-context.ts';

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
            // Without the value, which can be a secret.
            message: 'The value of A contains a control character or a line break.',
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
      expect(() => renderVariables({ A: value }, 'dotenv')).toThrow(
        'The value of A contains characters that a dotenv file cannot quote.',
      );
    },
  );
});

it.each(['file:///etc/passwd', 'javascript:alert(1)', '--version', 'http://a/ b'])(
  'svc open does not open the dashboard URL %s [values.links]',
  async (dashboard_url) => {
    const { context, capturedOutput } = createFakeContext({
      control: { getStatus: async () => ({ dashboard_url }) as never },
      env: { BROWSER: 'false' },
    });
    await expect(open.run({}, context)).rejects.toThrow('The emulator reports an invalid address: ');
    expect(capturedOutput.out).toBe('');
  },
);
