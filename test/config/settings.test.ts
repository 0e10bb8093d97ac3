import { describe, expect, it } from 'vitest';
import { type SettingName, settings } from '../../src/config/settings.ts';
import { parseConfigured } from '../../src/resources/configured-value.ts';

/** Whether a value is accepted in the configuration file. */
function isAccepted(name: SettingName, value: unknown): boolean {
  try {
    parseConfigured(settings[name].schema, value, { path: name, toHint: String });
    return true;
  } catch {
    return false;
  }
}

describe('the accepted values of settings', () => {
  it.each<[SettingName, step: number, min: number, max: number]>([
    ['port', 1, 0, 65_535],
    ['speed', 0.0001, 0.001, 1_000_000],
    ['randomSeed', 1, 0, 4_294_967_295],
    ['keepDays', 1, 1, 36_500],
    ['keepMegabytes', 1, 1, 1_000_000],
  ])(
    'the setting %s is accepted within its limits, and not a step of %d beyond them',
    (name, step, min, max) => {
      const values = [min - step, min, max, max + step];
      expect(values.map((value) => isAccepted(name, value))).toEqual([false, true, true, false]);
    },
  );

  it.each<[SettingName, accepted: readonly unknown[], refused: readonly unknown[]]>([
    [
      'wallClock',
      ['1970-01-01T00:00:00Z', '9999-01-01T00:00:00.000Z', '2026-11-20'],
      [
        '1969-12-31T23:59:59.999Z',
        '9999-01-01T00:00:00.001Z',
        '2026-11-20T12:00:00',
        '2026-13-01T00:00:00Z',
        'Fri, 20 Nov 2026 12:00:00 GMT',
      ],
    ],
    ['events', [['*'], ['order.shipped'], ['orders/create', 'push']], [[], ['an order'], ['*.*']]],
    [
      'host',
      ['127.0.0.1', '::1', 'fe80::1%eth0', 'my-host.local', 'münchen'],
      ['', 'a b', 'a\n', '\u0000', 'a\u0085b', 'a/b', 'me@host', '[::1]'],
    ],
    ['proxy', ['http://127.0.0.1:3128'], ['env', 'http://', 'https://127.0.0.1:3128', '127.0.0.1:3128']],
    [
      'publicUrl',
      ['https://svc.example.com/path', 'http://localhost:1'],
      [
        'https://me@example.com',
        'https://example.com#a',
        'https://example.com?a',
        'ftp://example.com',
        'https://',
      ],
    ],
  ])('the setting %s accepts %j and refuses %j', (name, accepted, refused) => {
    expect(accepted.filter((value) => !isAccepted(name, value))).toEqual([]);
    expect(refused.filter((value) => isAccepted(name, value))).toEqual([]);
  });

  it('the public URL ends without a slash', () => {
    const parse = (url: string) =>
      parseConfigured(settings.publicUrl.schema, url, { path: '', toHint: String });
    expect(['https://h', 'https://h/', 'https://h/a//'].map(parse)).toEqual([
      'https://h',
      'https://h',
      'https://h/a',
    ]);
  });
});
