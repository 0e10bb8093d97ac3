/** Starts an emulator in this process for tests. */
import * as v from 'valibot';
import { settings } from '../config/settings.ts';
import { scopes } from '../domain/credentials.ts';
import { SvcError } from '../domain/errors.ts';
import { isObject } from '../domain/json.ts';
import { createRandomSource } from '../domain/secret.ts';
import { type EmulatorOptions, type Emulator as StartedEmulator, startEmulator } from '../emulator.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { EmulatorStatus } from '../operations/emulator-schemas.ts';
import { abortAtEnd, createLinkedController } from '../platform/abort-signals.ts';
import { assertLocalHost } from '../platform/address-policy.ts';
import type { ProfileName } from '../profile/gap.ts';
import { type Overrides, resolveRules } from '../profile/resolve-rules.ts';
import { type CustomSender, getSender, type SenderName, senderNames } from '../profile/senders.ts';
import { accept, expecting, Speed, wholeNumber } from '../resources/value-schemas.ts';
import { AnyObject, checkOptions, OptionalBoolean, OptionalString, type SchemasOf } from './check-options.ts';
import { toLibraryError, withLibraryErrors } from './library-errors.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export interface CreateEmulatorOptions
  extends Partial<Omit<EmulatorOptions, 'rules' | 'wall' | 'seedName' | 'signal'>> {
  /** Values for the gaps of the service description, see docs/gaps.md (default: `relaxed`). */
  readonly profile?: ProfileName;
  /** Values of gaps that differ from the profile, by ID: `{ 'retry.jitter': 0 }`. `svc gaps` lists them. */
  readonly overrides?: Overrides;
  /** Whose webhooks are delivered: the name of a built-in sender, or your own one (default: `svc`), see docs/senders.md. */
  readonly sender?: SenderName | CustomSender;
}

export interface CreateWorkspaceOptions {
  readonly name?: string;
  /** Speed of the schedule clock and whether it is frozen (default: as in the options of the emulator). */
  readonly clock?: { readonly speed?: number; readonly frozen?: boolean };
}

/** A running emulator. Everything of {@link Workspace} belongs to its default workspace. */
export interface Emulator extends Workspace {
  /** Every operation of the control plane as a method, for what the other methods do not cover. */
  readonly control: ControlPlane;
  status(): EmulatorStatus;
  /** Creates a workspace with its own API key, endpoints, clock and faults, isolated from the others. */
  createWorkspace(options?: CreateWorkspaceOptions): Promise<Workspace>;
  /** Restores the state after startup, or after the last snapshot that was loaded. Workspaces created since then no longer exist. */
  reset(): Promise<void>;
  /**
   * Stops the emulator. Attempts in flight get up to five seconds to finish. Every other call fails with an SvcError
   * `interrupted` from now on. Can be called more than once.
   */
  close(): Promise<void>;
}

const clockSchemas = {
  speed: v.optional(Speed),
  frozen: OptionalBoolean,
} satisfies SchemasOf<NonNullable<CreateEmulatorOptions['clock']>>;

const EmulatorOptionsSchema = v.strictObject({
  profile: v.optional(settings.profile.schema),
  overrides: v.optional(v.record(v.string(), v.unknown())),
  sender: v.optional(v.union([v.picklist(senderNames), AnyObject])),
  environment: v.optional(settings.environment.schema),
  clock: v.optional(v.strictObject(clockSchemas)),
  randomSeed: v.nullish(settings.randomSeed.schema),
  wallClock: v.nullish(
    accept<Date>('a valid Date', (value) => value instanceof Date && !Number.isNaN(value.getTime())),
  ),
  seed: v.nullish(expecting('an object, see docs/state.md', AnyObject)),
  db: OptionalString,
  fresh: OptionalBoolean,
  keepDays: v.nullish(settings.keepDays.schema),
  keepMegabytes: v.nullish(settings.keepMegabytes.schema),
  synchronous: v.optional(v.picklist(['FULL', 'NORMAL'])),
  host: v.optional(settings.host.schema),
  port: v.optional(settings.port.schema),
  https: v.optional(
    v.lazy((value) =>
      isObject(value)
        ? v.strictObject({ cert: v.string(), key: v.string() })
        : expecting('true or { cert, key }', v.literal(true)),
    ),
  ),
  allowHost: v.optional(settings.allowHost.schema),
  publicUrl: v.nullish(settings.publicUrl.schema),
  tunnel: OptionalBoolean,
  controlToken: v.nullish(settings.controlToken.schema),
  forwardTo: v.nullish(
    v.lazy((value) =>
      isObject(value)
        ? v.strictObject({ url: settings.forwardTo.schema, events: settings.events.schema })
        : accept('{ url, events }', () => false),
    ),
  ),
  ca: OptionalString,
  proxy: v.optional(settings.proxy.schema),
  listenerGraceMs: v.optional(wholeNumber(0)),
  projectFolder: OptionalString,
  dashboardFolder: OptionalString,
  internalErrorLog: v.optional(AnyObject),
} satisfies SchemasOf<CreateEmulatorOptions>);

/**
 * Starts an emulator in this process, by default in memory and on a free port of 127.0.0.1. Resolves when it accepts
 * requests. `await using` closes it.
 * @throws SvcError `usage` for an unknown or invalid option, or if the library was imported while fake timers were installed;
 *   `port_in_use`, `database_in_use`, `database_unusable`, or `validation_failed` for an invalid seed
 */
export async function createEmulator(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  const {
    profile = 'relaxed',
    overrides = {},
    environment = 'sandbox',
    sender = 'svc',
    port = 0,
    host = '127.0.0.1',
    db = ':memory:',
    ...rest
  } = checkOptions('createEmulator', EmulatorOptionsSchema, options);
  const { rules, startedEmulator } = await withLibraryErrors(async () => {
    const rules = resolveRules(profile, overrides, environment, getSender(sender));
    if (rest.forwardTo) await assertLocalHost('forwardTo.url', rest.forwardTo.url, rules.webhookUrl);
    const startedEmulator = await startEmulator({ ...rest, port, host, db, environment, rules });
    return { rules, startedEmulator };
  }, false);
  const { closing, close } = startedEmulator;
  const emulator = rejectAfterClose(startedEmulator);
  const { control, status } = emulator;
  const { api_key: apiKey, workspace_id: workspaceId } = status();
  const sharedSetup = {
    emulator,
    control,
    payloadField: rules.payloadField,
    closing,
    random: createRandomSource(options.randomSeed ?? null, 'fixtures'),
  };

  return {
    ...createWorkspace({ ...sharedSetup, workspaceId, apiKey }),
    control,
    status,
    close,
    async createWorkspace(options = {}) {
      const { name = 'Test workspace', clock } = options;
      const { id: workspaceId } = await control.createWorkspace({ name });
      const [{ key: apiKey }] = await Promise.all([
        control.createKey({ scopes: [...scopes], workspace_id: workspaceId }),
        clock && control.setClock({ workspace_id: workspaceId, ...clock }),
      ]);
      return createWorkspace({ ...sharedSetup, workspaceId, apiKey });
    },
    reset: async () => void (await control.reset({})),
    [Symbol.asyncDispose]: close,
  };
}

type EntryPoints = Pick<StartedEmulator, 'control' | 'certificate' | 'status'>;

/** Rejects calls to the emulator after it was closed, and ends its streams. */
function rejectAfterClose({ control, certificate, status, closing }: StartedEmulator): EntryPoints {
  function assertOpen(): void {
    if (!closing.aborted) return;
    throw new SvcError(
      'interrupted',
      'The emulator is closed. Call close() last, or create another emulator with createEmulator().',
    );
  }

  function guard<Input extends unknown[], Output>(call: (...input: Input) => Promise<Output>) {
    return async (...input: Input): Promise<Output> => {
      assertOpen();
      try {
        return await call(...input);
      } catch (error) {
        // The close is the cause of any error of a call that is in progress.
        assertOpen();
        throw toLibraryError(error);
      }
    };
  }

  const { stream, ...calls } = control;
  const guardedCalls = Object.entries(calls).map(([name, call]) => [
    name,
    // `never`, because each call has its own type of input, which the guard passes on.
    guard(call as (...input: never) => Promise<unknown>),
  ]);
  return {
    control: {
      ...(Object.fromEntries(guardedCalls) as Omit<ControlPlane, 'stream'>),
      stream(input, signal) {
        assertOpen();
        const ended = createLinkedController([signal, closing]);
        try {
          const items = stream(input, ended.signal);
          return { ready: items.ready, [Symbol.asyncIterator]: () => abortAtEnd(items, ended) };
        } catch (error) {
          ended.abort();
          throw toLibraryError(error);
        }
      },
    },
    certificate,
    status() {
      assertOpen();
      return status();
    },
  };
}
