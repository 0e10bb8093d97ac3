import { describe, expect, it } from 'vitest';
import { resolveProxySetting } from '../../src/cli/boot-emulator.ts';

const url = 'http://proxy.example:3128';

describe('resolveProxySetting', () => {
  it('the proxy of the environment is not used by default', () => {
    expect(resolveProxySetting(null, { HTTPS_PROXY: url, ALL_PROXY: url, HTTP_PROXY: url })).toBeUndefined();
  });

  it('the given proxy URL takes precedence over the environment', () => {
    expect(resolveProxySetting(url, { HTTPS_PROXY: 'http://other.example', NO_PROXY: '*' })).toEqual({ url });
  });

  it.each([
    [{ HTTPS_PROXY: url, ALL_PROXY: 'http://b', HTTP_PROXY: 'http://c' }],
    [{ ALL_PROXY: url, HTTP_PROXY: 'http://c' }],
    [{ HTTP_PROXY: url }],
    [{ https_proxy: url, HTTPS_PROXY: 'http://b' }],
    [{ https_proxy: '', HTTPS_PROXY: url }],
    [{ HTTPS_PROXY: 'proxy.example:3128' }],
  ])('the proxy is the most specific variable of the environment: %j', (env) => {
    expect(resolveProxySetting('env', env)).toEqual({ url, except: [] });
  });

  it('the proxy exceptions come from the environment', () => {
    const env = { HTTPS_PROXY: url, no_proxy: 'api.example, .corp.example  other.example:8443,' };
    expect(resolveProxySetting('env', env)?.except).toEqual([
      'api.example',
      '.corp.example',
      'other.example:8443',
    ]);
  });

  it('no proxy is used if the environment has none', () => {
    expect(resolveProxySetting('env', { NO_PROXY: 'api.example' })).toBeUndefined();
  });
});
