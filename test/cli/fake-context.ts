/** Runs commands in tests with streams in memory and a plain object as the emulator. */
import { PassThrough } from 'node:stream';
import { type Context, createContext } from '../../src/cli/context.ts';
import type { Io, ProcessContext, TerminalCapabilities } from '../../src/cli/process-context.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { sanitizeForTerminal } from '../../src/cli/terminal-text.ts';
import type { ApiClient, ParsedResponse } from '../../src/client/api-client.ts';
import type { ControlPlane, LiveStream } from '../../src/operations/control-plane.ts';
import type { EmulatorStatus } from '../../src/operations/emulator-schemas.ts';
import type { WaitReport } from '../../src/operations/wait-schemas.ts';
import type { Attempt } from '../../src/resources/attempt.ts';
import type { Delivery, DeliveryDetail } from '../../src/resources/delivery.ts';

export const NOW = Date.parse('2026-11-20T12:00:00Z');

export interface CapturedOutput {
  /** Everything written to standard output. */
  out: string;
  /** Everything written to standard error. */
  err: string;
}

export interface FakeOptions {
  readonly json?: boolean;
  readonly width?: number;
  /** Color and Unicode symbols. Default: only symbols. */
  readonly capabilities?: Partial<TerminalCapabilities>;
  readonly input?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Receives the progress lines. Default: standard error is not a terminal. */
  readonly progress?: (line: string) => void;
  /** Streams of the prompts. Default: the session is not interactive. */
  readonly prompt?: Io['prompt'];
  /** Streams of a protocol. Default: nobody writes or reads. */
  readonly protocol?: Io['protocol'];
  /** The control plane calls that the test expects. Any other call fails, except `getClock`. */
  readonly control?: Partial<ControlPlane>;
  /** Fields of the emulator's status. */
  readonly status?: Partial<EmulatorStatus>;
  /** The public API calls that the test expects. Any other call fails. */
  readonly api?: Partial<ApiClient>;
}

export function createFakeHost(options: FakeOptions = {}): {
  host: ProcessContext;
  capturedOutput: CapturedOutput;
} {
  const capturedOutput: CapturedOutput = { out: '', err: '' };
  const capabilities: TerminalCapabilities = {
    width: options.width ?? Number.POSITIVE_INFINITY,
    ...{ color: false, unicode: true },
    ...options.capabilities,
  };
  const io: Io = {
    ...capabilities,
    noteCapabilities: capabilities,
    interactive: options.prompt !== undefined,
    isStdinTerminal: false,
    prompt: options.prompt ?? { input: new PassThrough(), output: new PassThrough() },
    write: (text) => {
      capturedOutput.out += sanitizeForTerminal(text.endsWith('\n') ? text : `${text}\n`);
    },
    note: (text) => {
      capturedOutput.err += sanitizeForTerminal(text.endsWith('\n') ? text : `${text}\n`);
    },
    noteJson: (value) => io.note(JSON.stringify(value)),
    progress: options.progress ?? null,
    protocol: options.protocol ?? { input: new PassThrough(), output: new PassThrough() },
    readInput: async () => Buffer.from(options.input ?? ''),
  };
  const host: ProcessContext = {
    io,
    env: options.env ?? {},
    cwd: options.cwd ?? import.meta.dirname,
    now: () => NOW,
    signal: options.signal ?? new AbortController().signal,
    handleSignals: () => () => {},
    commandLine: [],
  };
  return { host, capturedOutput };
}

/** Runs a command line, and returns its exit code and its output. */
export async function runLine(words: readonly string[], options?: FakeOptions) {
  const { host, capturedOutput } = createFakeHost(options);
  return { exitCode: await runCommandLine(words, host), ...capturedOutput };
}

export function createFakeContext(options: FakeOptions = {}): {
  context: Context;
  capturedOutput: CapturedOutput;
} {
  const { host, capturedOutput } = createFakeHost(options);
  const context: Context = {
    ...createContext(host, options.json ? { json: true } : {}, { usage: 'svc test [options] <id>' }),
    connect: async () => failOnUnexpectedCall({ ...clockAt(), ...options.control }),
    connectApi: async () => failOnUnexpectedCall(options.api ?? {}),
    findCertificate: async () => null,
    getStatus: async () =>
      ({
        url: 'http://127.0.0.1:4777',
        sender: 'svc',
        example_type: 'order.shipped',
        payload_field: 'payload',
        workspace_parameter: 'workspace_id',
        ...options.status,
      }) as EmulatorStatus,
    getWorkspaceId: async () => 'ws_default',
  };
  return { context, capturedOutput };
}

/** Throws an error with the name of the call if the test did not provide it. */
function failOnUnexpectedCall<Interface extends object>(implemented: Partial<Interface>): Interface {
  return new Proxy(implemented, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name);
      // Resolving a promise with this object reads `then`.
      if (name === 'then') return undefined;
      throw new Error(`The test did not expect a call of ${String(name)}.`);
    },
  }) as Interface;
}

export function streamOf(items: readonly object[], atEnd: () => void = () => {}): LiveStream {
  return {
    ready: Promise.resolve(),
    async *[Symbol.asyncIterator]() {
      for (const item of items) yield item as never;
      atEnd();
    },
  };
}

export function pageOf<Item extends { readonly id: string }>(...data: Item[]) {
  return { data, has_more: false, end_cursor: data.at(-1)?.id ?? null };
}

/** The report of a wait that has ended with these deliveries. */
export function aWaitReport(data: readonly Delivery[], changes: Partial<WaitReport> = {}): WaitReport {
  const countOf = (status: Delivery['status']) =>
    data.filter((delivery) => delivery.status === status).length;
  return {
    ...{ settled: true, reason: 'settled', message: null, details: [], hint: null },
    counts: {
      pending: countOf('pending'),
      succeeded: countOf('succeeded'),
      failed: countOf('failed'),
      canceled: countOf('canceled'),
    },
    ...pageOf(...data),
    ...changes,
  };
}

export function apiResponse<Value>(value: Value, text = JSON.stringify(value)): ParsedResponse<Value> {
  return { status: 200, headers: {}, text, value };
}

export function aDelivery(changes: Partial<Delivery> = {}): Delivery {
  return {
    id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    event_id: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    event_type: 'order.shipped',
    workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    webhook_id: 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    url: 'http://localhost:3000/webhooks',
    status: 'pending',
    settled_reason: null,
    paused: false,
    attempt_count: 1,
    last_attempt: null,
    next_attempt_at: '2026-11-20T12:05:00.000Z',
    created_at: '2026-11-20T11:57:00.000Z',
    settled_at: null,
    replay_of: null,
    ...changes,
  };
}

export function aDetail(changes: Partial<DeliveryDetail> = {}): DeliveryDetail {
  const { attempts = [] } = changes;
  return { ...aDelivery(), attempts, last_attempt: attempts.at(-1) ?? null, due_times: [], ...changes };
}

export function anAttempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    id: 'att_1',
    number: 1,
    trigger: 'schedule',
    scheduled_at: '2026-11-20T11:57:00.000Z',
    sent_at: '2026-11-20T11:57:00.010Z',
    duration_ms: 12,
    outcome: 'http_error',
    response_status: 503,
    error: 'the receiver responded with 503',
    phases: null,
    request: {
      url: 'http://localhost:3000/webhooks',
      headers: {
        'Service-Signature': 'v1=00',
        'Service-Timestamp': '2026-11-20T11:57:00Z',
        'Service-Delivery-Id': 'del_1',
      },
      body: '{"n":9007199254740993}',
      signed_content: '2026-11-20T11:57:00Z.{"n":9007199254740993}',
    },
    response: { headers: { 'x-a': 'b' }, body: 'busy', encoding: 'utf8', truncated: true },
    ...changes,
  };
}

/** A schedule clock that is at `now` in every workspace. */
export function clockAt(now = new Date(NOW).toISOString()): Pick<ControlPlane, 'getClock'> {
  return {
    getClock: async ({ workspace_id = 'ws_default' }) => ({
      ...{ workspace_id, now, speed: 1, wall: new Date(NOW).toISOString(), next_due_at: null },
    }),
  };
}
