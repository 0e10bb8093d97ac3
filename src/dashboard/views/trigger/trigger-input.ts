/** What the form of the trigger page asks for, as the API and as `svc trigger` take it. */
import { toEventBody } from '../../../control/event-body.ts';
import { compactJson } from '../../../domain/json.ts';
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

/** The bodies and the idempotency keys of its requests; each has a key of its own, as with `svc trigger --count`. */
export function toRequest(
  { type, payload, workspaceId, idempotencyKey, count }: TriggerInput,
  number: number,
  payloadMember: string,
): { readonly body: string; readonly idempotencyKey: string } {
  return {
    body: toEventBody({ type, workspaceId, payloadMember, payload: compactJson(payload) }),
    idempotencyKey: idempotencyKey === '' || count === 1 ? idempotencyKey : `${idempotencyKey}-${number}`,
  };
}

/** @param defaultWorkspaceId of the workspace that the command takes where none is named. */
export function toCommand(order: TriggerInput, defaultWorkspaceId: string | undefined): string {
  const { type, payload, workspaceId, idempotencyKey, count } = order;
  const words = [
    ...['svc', 'trigger', type, '--data', compactJson(payload)],
    ...(workspaceId === defaultWorkspaceId ? [] : ['--workspace', workspaceId]),
    ...(idempotencyKey === '' ? [] : ['--idempotency-key', idempotencyKey]),
    ...(count === 1 ? [] : ['--count', String(count)]),
  ];
  return words.map(quoteForShell).join(' ');
}

/** The fields that the API may refuse. */
export type Field = 'type' | 'payload' | 'key';

/** The field that a message of the API is about, by its first words; null where it names none. */
export function findField(message: string, payloadMember: string): Field | null {
  if (/^type\b/.test(message)) return 'type';
  if (message.startsWith(payloadMember) || message.startsWith('The body')) return 'payload';
  return /idempotency-key/i.test(message) ? 'key' : null;
}
