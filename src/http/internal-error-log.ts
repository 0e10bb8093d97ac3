import type { SvcError } from '../errors.ts';

/** Where faults of the emulator itself are told: to the person who runs it, never to the one who sent a request. */
export interface InternalErrorLog {
  /** @param where the request id, or what else the emulator was at. */
  report(where: string, fault: unknown): void;
}

/** Tells of faults as warnings of the process. */
export const processWarningLog: InternalErrorLog = {
  report(where, fault) {
    const warning = fault instanceof Error ? fault : new Error(String(fault));
    process.emitWarning(`${where}: ${warning.stack ?? warning.message}`, 'SvcFault');
  },
};

/** Whether an error is a fault of the emulator or of its disk, and not of the request. */
export function isInternalError({ code }: SvcError): boolean {
  return code === 'internal_error' || code === 'storage_unavailable';
}
