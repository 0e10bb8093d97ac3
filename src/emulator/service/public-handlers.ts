/** Handlers for the five operations of `/v1`, which receive validated input. */

import type { JsonObjectText } from '../../domain/json-text.ts';
import type { ValidatedInput } from '../../operations/operation.ts';
import type { PublicOperations } from '../../operations/public-operations.ts';
import { assertLocalHost } from '../../platform/address-policy.ts';
import { pickFields } from '../../resources/define-resource.ts';
import { eventSettings, publicEventFilters } from '../../resources/event.ts';
import { toWorkspace } from '../../store/workspaces.ts';
import { type Caller, canAccess, createNotFoundError, resolveWorkspace } from './access.ts';
import { createEvent, getEvent, listEvents, type WriteResult } from './events.ts';
import { Idempotency, type OperationResponse } from './idempotency.ts';
import type { Sandbox, SandboxEvent } from './sandbox.ts';
import { createWebhook } from './webhooks.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

interface PublicCall<Input = unknown> {
  readonly caller: Caller;
  /** Validated against the operation's schema. */
  readonly input: Input;
  readonly method: string;
  readonly path: string;
  /** The body as received; null for operations without a body. */
  readonly body: { readonly bytes: Uint8Array; readonly json: JsonObjectText } | null;
  readonly idempotencyKey: string | null;
}

type PublicHandlers = {
  readonly [Name in keyof PublicOperations]: (
    call: PublicCall<ValidatedInput<PublicOperations[Name]>>,
  ) => OperationResponse | Promise<OperationResponse>;
};

export function createPublicHandlers(sandbox: Sandbox): PublicHandlers {
  const idempotency = new Idempotency(sandbox);
  const { environment, operations, rules, store, bus } = sandbox;

  async function create(
    call: PublicCall,
    workspace: LoadedWorkspace,
    status: number,
    write: () => WriteResult,
  ): Promise<OperationResponse> {
    let eventsToPublish: readonly SandboxEvent[] = [];
    const run = () => {
      const result = write();
      eventsToPublish = result.eventsToPublish;
      return { status, text: result.text, resourceId: result.id };
    };
    const { idempotencyKey: key, caller, method, path, body } = call;
    const response =
      key === null || body === null
        ? await store.write(run)
        : await idempotency.run({ caller, method, path, key, body: body.bytes }, workspace, run);
    for (const sandboxEvent of eventsToPublish) bus.publish(sandboxEvent);
    return response;
  }

  return {
    getWorkspace: ({ caller, input: { id } }) => {
      const row = store.workspaces.find(id);
      // Gap `workspace.hidden`.
      if (row === undefined || !canAccess(caller, row.seq)) throw createNotFoundError('workspace', id);
      const text = JSON.stringify(toWorkspace(row, environment));
      return { status: operations.getWorkspace.status, text, resourceId: id };
    },
    getEvent: ({ caller, input: { id } }) => ({
      status: operations.getEvent.status,
      text: getEvent(sandbox, caller, id),
      resourceId: id,
    }),
    listEvents: ({ caller, input }) => ({
      status: operations.listEvents.status,
      text: listEvents(sandbox, caller, { ...input, filter: pickFields(publicEventFilters, input) }),
      resourceId: null,
    }),
    createEvent: (call) => {
      const { type, workspace_id: workspaceId } = call.input;
      const settings = pickFields(eventSettings, call.input);
      const workspace = resolveWorkspace(sandbox, call.caller, workspaceId, MISSING_WORKSPACE);
      const { fieldText, writtenText } = call.body?.json ?? {};
      const readPayload = rules.sender.body === 'payload' ? writtenText : fieldText;
      const payload = readPayload?.(rules.payloadField) ?? '{}';
      const event = { ...settings, workspace, type, payload };
      return create(call, workspace, operations.createEvent.status, () => createEvent(sandbox, event));
    },
    createWebhook: async (call) => {
      const { workspace_id: workspaceId, ...settings } = call.input;
      await assertLocalHost('url', settings.url, rules.webhookUrl);
      const workspace = resolveWorkspace(sandbox, call.caller, workspaceId, MISSING_WORKSPACE);
      return create(call, workspace, operations.createWebhook.status, () => {
        const webhook = createWebhook(sandbox, { workspace, ...settings });
        return { id: webhook.id, text: JSON.stringify(webhook), eventsToPublish: [] };
      });
    },
  };
}

const MISSING_WORKSPACE = { field: 'workspace_id', code: 'validation_failed' } as const;
