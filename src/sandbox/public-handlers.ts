/** Handlers for the five operations of `/v1`, which receive validated input. */
import type { PublicOperations } from '../contract/public-operations.ts';
import type { JsonObjectText } from '../domain/json.ts';
import { type Caller, resolveWorkspace } from './access.ts';
import type { SandboxEvent } from './event-bus.ts';
import { createEvent, getEvent, listEvents, type NewEvent } from './events.ts';
import { FanOut, type PreparedEvent } from './fan-out.ts';
import { Idempotency, type OperationResponse, type WriteOperation } from './idempotency.ts';
import type { Sandbox } from './sandbox.ts';
import { createWebhook } from './webhooks.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';
import { getWorkspace } from './workspaces.ts';

export interface PublicCall {
  readonly caller: Caller;
  /** Validated against the operation's schema. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly method: string;
  readonly path: string;
  /** The body as received; null for operations without a body. */
  readonly body: { readonly bytes: Uint8Array; readonly json: JsonObjectText } | null;
  readonly idempotencyKey: string | null;
}

export type PublicHandlers = {
  readonly [Name in keyof PublicOperations]: (
    call: PublicCall,
  ) => OperationResponse | Promise<OperationResponse>;
};

/** The result of a write: the response body, and the sandbox events to publish after the commit. */
interface WriteResult {
  readonly body: string;
  readonly toPublish?: readonly SandboxEvent[];
}

export function createPublicHandlers(sandbox: Sandbox): PublicHandlers {
  const idempotency = new Idempotency(sandbox);
  const fanOut = new FanOut(sandbox);
  const { operations, rules, store, bus } = sandbox;

  /** @param event the event that is created, if any. One with many endpoints is prepared before it is written. */
  async function create(
    call: PublicCall,
    workspace: LoadedWorkspace,
    status: number,
    write: (prepared?: PreparedEvent) => WriteResult,
    event?: NewEvent,
  ): Promise<OperationResponse> {
    let toPublish: readonly SandboxEvent[] = [];
    const save: WriteOperation = async (protect, isRepeat) => {
      const commit = (prepared?: PreparedEvent) =>
        store.write(() =>
          protect(() => {
            const written = write(prepared);
            toPublish = written.toPublish ?? [];
            return { status, body: written.body };
          }),
        );
      const isLarge = event !== undefined && !isRepeat && (await fanOut.isNeededFor(event));
      return isLarge ? fanOut.create(event, commit) : commit();
    };
    const { idempotencyKey: key, caller, method, path, body } = call;
    const response =
      key === null || body === null
        ? await save((operation) => operation(), false)
        : await idempotency.run({ caller, method, path, key, body: body.bytes }, workspace, save);
    for (const event of toPublish) bus.publish(event);
    return response;
  }

  return {
    getWorkspace: ({ caller, input }) =>
      ok(JSON.stringify(getWorkspace(sandbox, caller, getText(input, 'id')))),
    getEvent: ({ caller, input }) => ok(getEvent(sandbox, caller, getText(input, 'id'))),
    listEvents: ({ caller, input }) =>
      ok(
        listEvents(sandbox, caller, {
          limit: Number(input.limit),
          starting_after: findText(input, 'starting_after'),
          type: findText(input, 'type'),
          workspaceId: findText(input, rules.list.workspaceParameter),
        }),
      ),
    createEvent: (call) => {
      const missing = { parameter: 'workspace_id', code: 'validation_failed' } as const;
      const workspace = resolveWorkspace(sandbox, call.caller, findText(call.input, 'workspace_id'), missing);
      const payload = call.body?.json.memberText(rules.payloadMember) ?? '{}';
      const event = { workspace, type: getText(call.input, 'type'), payload };
      const write = (prepared?: PreparedEvent) => {
        const { record, toPublish } = prepared ? prepared.publish() : createEvent(sandbox, event);
        return { body: record, toPublish };
      };
      return create(call, workspace, operations.createEvent.status, write, event);
    },
    createWebhook: (call) => {
      const missing = { parameter: 'workspace_id', code: 'validation_failed' } as const;
      const workspace = resolveWorkspace(sandbox, call.caller, getText(call.input, 'workspace_id'), missing);
      const { url, events } = call.input as { url: string; events: string[] };
      return create(call, workspace, operations.createWebhook.status, () => ({
        body: JSON.stringify(createWebhook(sandbox, { workspace, url, events })),
      }));
    },
  };
}

function ok(body: string): OperationResponse {
  return { status: 200, body };
}

function findText(input: PublicCall['input'], name: string): string | undefined {
  const value = input[name];
  return typeof value === 'string' ? value : undefined;
}

function getText(input: PublicCall['input'], name: string): string {
  return findText(input, name) ?? '';
}
