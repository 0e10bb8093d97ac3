/** Where internal errors are reported. Apart from the error boundary, because the types of the library must not need h3. */

/** Receives internal errors: they are for the person who runs the emulator, not for the client. */
export interface InternalErrorLog {
  /** @param where the request id, or what the emulator was doing. */
  report(where: string, error: unknown): void;
}

/** Reports internal errors as warnings of the process. */
export const processWarningLog: InternalErrorLog = {
  report(where, error) {
    const warning = error instanceof Error ? error : new Error(String(error));
    process.emitWarning(`${where}: ${warning.stack ?? warning.message}`, 'SvcFault');
  },
};
