/** The values of the trigger form, as a request to the API and as an `svc trigger` command, and the errors of the API. */

import { quoteForShell } from '../../../domain/shell.ts';
import { toEventBody } from '../../../resources/event.ts';

export interface TriggerInput {
  readonly type: string;
  /** JSON text. A request and a command contain it unchanged. */
  readonly payload: string;
  readonly workspaceId: string;
  /** Empty for none. */
  readonly idempotencyKey: string;
  readonly count: number;
}

/**
 * The body and the idempotency key of one request. With several requests each key gets a number, as with `svc trigger
 * --count`.
 */
export function toRequest(
  { type, payload, workspaceId, idempotencyKey, count }: TriggerInput,
  number: number,
  payloadField: string,
): { readonly body: string; readonly idempotencyKey: string } {
  return {
    body: toEventBody({ type, workspaceId, payloadField, payload, settings: {} }),
    idempotencyKey: idempotencyKey === '' || count === 1 ? idempotencyKey : `${idempotencyKey}-${number}`,
  };
}

/** @param defaultWorkspaceId the workspace that the command uses without `--workspace` */
export function toCommand(input: TriggerInput, defaultWorkspaceId: string | undefined): string {
  const { type, payload, workspaceId, idempotencyKey, count } = input;
  const words = [
    'svc',
    'trigger',
    type,
    '--data',
    payload,
    ...(workspaceId === defaultWorkspaceId ? [] : ['--workspace', workspaceId]),
    ...(idempotencyKey === '' ? [] : ['--idempotency-key', idempotencyKey]),
    ...(count === 1 ? [] : ['--count', String(count)]),
  ];
  return words.map(quoteForShell).join(' ');
}

/** An error in the documented format (§7). */
export interface ApiError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Null when the response does not come from the API. */
  readonly requestId: string | null;
}

/** Limit for a response in another format. */
const MAX_MESSAGE_LENGTH = 500;

/** Parses an error response, also one of a proxy in front of the emulator. */
export function parseApiError(status: number, text: string): ApiError {
  try {
    const { code, message, request_id: requestId } = JSON.parse(text).error;
    return { status, code, message, requestId };
  } catch {
    const message = text.slice(0, MAX_MESSAGE_LENGTH) || 'The response body is empty.';
    return { status, code: 'unknown', message, requestId: null };
  }
}
