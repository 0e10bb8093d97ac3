import { describe, expect, it } from 'vitest';
import { resolveProxySetting } from '../../src/cli/proxy-setting.ts';

const url = 'http://proxy.example:3128';

describe('the proxy', () => {
  it('of the environment is not used unless asked', () => {
    expect(resolveProxySetting(null, { HTTPS_PROXY: url, ALL_PROXY: url, HTTP_PROXY: url })).toBeUndefined();
  });

  it('is the address that is given, whatever the environment says', () => {
    expect(resolveProxySetting(url, { HTTPS_PROXY: 'http://other.example', NO_PROXY: '*' })).toEqual({ url });
  });

  it.each([
    [{ HTTPS_PROXY: url, ALL_PROXY: 'http://b', HTTP_PROXY: 'http://c' }],
    [{ ALL_PROXY: url, HTTP_PROXY: 'http://c' }],
    [{ HTTP_PROXY: url }],
    [{ https_proxy: url, HTTPS_PROXY: 'http://b' }],
    [{ https_proxy: '', HTTPS_PROXY: url }],
    [{ HTTPS_PROXY: 'proxy.example:3128' }],
  ])('is the nearest that the environment names: %j', (env) => {
    expect(resolveProxySetting('env', env)).toEqual({ url, except: [] });
  });

  it('has the exceptions of the environment', () => {
    const env = { HTTPS_PROXY: url, no_proxy: 'api.example, .corp.example  other.example:8443,' };
    expect(resolveProxySetting('env', env)?.except).toEqual([
      'api.example',
      '.corp.example',
      'other.example:8443',
    ]);
  });

  it('is none where the environment names none', () => {
    expect(resolveProxySetting('env', { NO_PROXY: 'api.example' })).toBeUndefined();
  });
});
