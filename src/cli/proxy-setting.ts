/** The proxy setting. */
import type { ProxyOptions } from '../domain/http-proxy.ts';

const PROXY_VARIABLES = ['HTTPS_PROXY', 'ALL_PROXY', 'HTTP_PROXY'];

/**
 * @param setting a URL, or `env` for the proxy variables of the environment. Proxied requests use HTTPS, so its
 *   variable takes precedence.
 */
export function resolveProxySetting(
  setting: string | null,
  env: Readonly<Record<string, string | undefined>>,
): ProxyOptions | undefined {
  if (setting === null) return undefined;
  if (setting !== 'env') return { url: setting };
  const get = (name: string) => env[name.toLowerCase()] || env[name];
  const address = PROXY_VARIABLES.map(get).find(Boolean);
  if (!address) return undefined;
  return {
    url: address.includes('://') ? address : `http://${address}`,
    except: (get('NO_PROXY') ?? '').split(/[\s,]+/).filter(Boolean),
  };
}
