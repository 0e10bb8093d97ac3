/** Options of the HTTP server. They are in their own file because the types of the library must not refer to those of h3. */
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
