/** The version of this package. */
declare const __SVC_VERSION__: string | undefined;

/** The version of this package; `0.0.0-source` when the source runs without a build. */
export const VERSION = typeof __SVC_VERSION__ === 'string' ? __SVC_VERSION__ : '0.0.0-source';

/** The page of this package in the registry. */
export const PACKAGE_URL = 'https://www.npmjs.com/package/svc-emulator';
