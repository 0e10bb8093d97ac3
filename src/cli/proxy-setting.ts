/** The proxy that the configuration asks for. */
import type { ProxyOptions } from '../domain/http-proxy.ts';

const PROXY_VARIABLES = ['HTTPS_PROXY', 'ALL_PROXY', 'HTTP_PROXY'];

/**
 * @param setting an address, or `env`: what the environment names, as other programs read it. What goes through a
 *   proxy is HTTPS, so that its variable is asked first.
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
