/** Where to listen and whom to let in, apart from how: the types of the library are made of these, and must not ask for those of h3. */
export interface ListenOptions {
  readonly host: string;
  /** 0 is any that is free. */
  readonly port: number;
  /** Serves HTTPS: with the certificate of these files, or with one made for this run. */
  readonly https?: CertificateFiles | true | undefined;
  /**
   * More hosts that requests to `/v1` may name in `Host`, without a port. An emulator that only this machine can reach
   * answers to names of this machine and to its public address; another host is refused.
   */
  readonly allowHost?: readonly string[] | undefined;
  /** The address of a proxy that leads here, without a slash at its end. */
  readonly publicUrl?: string | null | undefined;
  /** Opens a tunnel and takes its address as the public one. */
  readonly tunnel?: boolean | undefined;
  /**
   * What the control plane and the dashboard ask for: 16 or more of A-Z, a-z, 0-9 and `-._~`. By default one is made
   * where other machines can reach the emulator, and none is asked for where only this one can.
   */
  readonly controlToken?: string | null | undefined;
}

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}
