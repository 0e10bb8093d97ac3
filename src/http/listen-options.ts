/** Where to listen, apart from how: the types of the library are made of these, and must not ask for those of h3. */
export interface ListenOptions {
  readonly host: string;
  /** 0 is any that is free. */
  readonly port: number;
  /** Serves HTTPS: with the certificate of these files, or with one made for this run. */
  readonly https?: CertificateFiles | true | undefined;
  /** The address of a proxy that leads here, without a slash at its end. */
  readonly publicUrl?: string | null | undefined;
  /** Opens a tunnel and takes its address as the public one. */
  readonly tunnel?: boolean | undefined;
}

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}
