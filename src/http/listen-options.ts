/**
 * Options of the HTTP server, and the URLs that follow from them. Not in `http-listener.ts`, because the types of the
 * library must not refer to those of h3.
 */
import { classifyHost } from '../domain/network-address.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Serves HTTPS, with the certificate in these files or with a generated one. */
  readonly https?: CertificateFiles | true | undefined;
  /**
   * Further hosts, without ports, that requests to `/v1` can have in `Host`. An emulator that only this machine can reach
   * accepts names of this machine and its public host, and rejects others.
   */
  readonly allowHost?: readonly string[] | undefined;
  /** URL of a proxy that forwards to the emulator, without a slash at its end. */
  readonly publicUrl?: string | null | undefined;
  /** Opens a tunnel and uses its URL as the public one. */
  readonly tunnel?: boolean | undefined;
  /**
   * Token that the control plane and the dashboard require: at least 16 of A-Z, a-z, 0-9 and `-._~`. Default: a random one
   * if other machines can reach the emulator, otherwise none.
   */
  readonly controlToken?: string | null | undefined;
}

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

interface EmulatorUrls {
  /** Ends in `/v1` (§9 of the service description). */
  readonly baseUrl: string;
  readonly controlUrl: string;
  /** Includes the token. */
  readonly dashboardUrl: string;
}

/**
 * @param url URL of the address that the emulator listens on
 * @param publicUrl URL of a tunnel or a reverse proxy; null without one
 * @param controlToken token that the control plane requires; null for none
 */
export function toEmulatorUrls(
  url: string,
  publicUrl: string | null,
  controlToken: string | null,
): EmulatorUrls {
  const controlOrigin = publicUrl !== null && canServeControlPlane(publicUrl) ? publicUrl : url;
  return {
    baseUrl: `${publicUrl ?? url}/v1`,
    controlUrl: `${controlOrigin}/_svc`,
    dashboardUrl: `${controlOrigin}/${controlToken === null ? '' : `?token=${controlToken}`}`,
  };
}

/** Whether the control plane may be served at this URL: never at a public host, because it shows secrets. */
export function canServeControlPlane(publicUrl: string): boolean {
  return classifyHost(new URL(publicUrl).hostname).kind !== 'public';
}

/** Whether no other machine can reach an emulator with these options. */
export function isLoopbackOnly({ host, publicUrl, tunnel }: ListenOptions): boolean {
  const hosts = publicUrl ? [host, new URL(publicUrl).hostname] : [host];
  // Skips `classifyHost` for the default host: costly at startup.
  return !tunnel && hosts.every((name) => name === '127.0.0.1' || classifyHost(name).kind === 'loopback');
}
