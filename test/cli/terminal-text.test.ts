import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as style from '../../src/cli/render/style.ts';
import { sanitizeForTerminal, sanitizeLine, stripStyles } from '../../src/cli/terminal-text.ts';
import { anAttempt } from './fake-context.ts';

const EMOJI = '\\p{RGI_Emoji}';
const { red, bold, green, yellow, dim } = style.styleFor({ color: true });

describe('terminal text', () => {
  it('colors that svc did not create are printed as escapes, tabs and line breaks unchanged', () => {
    expect(sanitizeForTerminal('\x1b[31mred\r\tb\n')).toBe('\\x1b[31mred\\r\tb\n');
  });

  it('styles of svc are kept, and their content is escaped [output.colors]', () => {
    expect(sanitizeForTerminal(bold(red('a\x1b[0m')))).toBe('\x1b[1m\x1b[31ma\\x1b[0m\x1b[39m\x1b[22m');
  });

  it('a line break in a single line is printed as an escape', () => {
    expect(sanitizeLine('a\nhint: b')).toBe('a\\nhint: b');
  });

  it('stripStyles removes the styles of svc and escapes the others', () => {
    expect(stripStyles(red('a\x1b[31m'))).toBe('a\\x1b[31m');
  });

  it.each([31, 105])('the key of styles is not the color %i for the library of tables', async (word) => {
    vi.spyOn(crypto, 'getRandomValues').mockReturnValue(new Uint16Array(4).fill(word));
    vi.resetModules();
    const { renderTable } = await import('../../src/cli/render/table.ts');
    const own = await import('../../src/cli/render/style.ts');
    const { sanitizeForTerminal } = await import('../../src/cli/terminal-text.ts');
    const capabilities = { width: 80, color: true, unicode: true };
    const column = { title: 'A', value: (text: string) => own.styleFor(capabilities).red(text) };
    const [, row = ''] = renderTable([column], ['b'], capabilities).split('\n');
    expect(sanitizeForTerminal(row)).toBe('\x1b[31mb\x1b[39m');
  });

  it('sanitized text contains no invisible character [output.escapes]', () => {
    const unit = fc.constantFrom(
      ...'\x1b[31m\n\t\u009b\u202e\u200d\ufe0f👩',
      '\ud83d',
      '\u{e007f}',
      red('a'),
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        const rest = sanitizeForTerminal(text)
          .replace(/\x1b\[3[19]m/g, '')
          .replace(new RegExp(EMOJI, 'gv'), '');
        expect(rest).not.toMatch(/(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}]/u);
      }),
    );
  });
});

it('success is green, failure is red, what can still change is yellow, and the rest is dim', () => {
  const capabilities = { color: true, unicode: false };
  expect([399, 400, 499, 500, 0].map((status) => style.styleHttpStatus(status, capabilities))).toEqual([
    ...[green('399'), yellow('400'), yellow('499'), red('500'), red('none')],
  ]);
  const states = ['pending', 'failing', 'paused', 'succeeded', 'failed', 'canceled'] as const;
  expect(states.map((state) => style.styleStatus(state, capabilities))).toEqual([
    ...[yellow('pending'), red('failing'), dim('paused'), green('succeeded'), red('failed'), dim('canceled')],
  ]);
  const checks = ['ok', 'passed', 'confirmed', 'warning', 'problem', 'different', 'no_evidence'] as const;
  expect(checks.map((status) => style.styleCheckStatus(status, capabilities))).toEqual([
    ...[green('ok'), green('passed'), green('confirmed'), yellow('warning'), red('problem')],
    ...[red('different'), dim('no evidence')],
  ]);
  const succeeded = anAttempt({ outcome: 'succeeded', response_status: 200 });
  expect(style.styleOutcome(succeeded, capabilities)).toBe(green('200'));
});
