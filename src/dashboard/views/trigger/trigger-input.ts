/** The values of the trigger form, as a request to the API and as an `svc trigger` command. */
import { toEventBody } from '../../../client/event-body.ts';
import { compactJson } from '../../../domain/json-text.ts';
import { quoteForShell } from '../../../domain/shell.ts';

export interface TriggerInput {
  readonly type: string;
  /** JSON text. */
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
    body: toEventBody({ type, workspaceId, payloadField, payload: compactJson(payload) }),
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
    compactJson(payload),
    ...(workspaceId === defaultWorkspaceId ? [] : ['--workspace', workspaceId]),
    ...(idempotencyKey === '' ? [] : ['--idempotency-key', idempotencyKey]),
    ...(count === 1 ? [] : ['--count', String(count)]),
  ];
  return words.map(quoteForShell).join(' ');
}
