/**
 * How long the library waits when nobody says, in real time: less than the five seconds after which most test runners
 * give up on a test, so that the account of what happened instead is seen.
 */
export const DEFAULT_TIMEOUT_MS = 4_000;
