/** The closed set of error codes, each with its HTTP status and exit code. `operations/error-texts.ts` says what each code means. */

/** Exit codes of the command line. Scripts rely on them. 70 and 74 are `EX_SOFTWARE` and `EX_IOERR` of sysexits.h, 130 is 128 + SIGINT. */
export const ExitCode = {
  success: 0,
  failure: 1,
  usage: 2,
  noEmulator: 3,
  notFound: 4,
  timeout: 5,
  internal: 70,
  outputFailed: 74,
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** What to do next, starting with a verb. */
export interface Hint {
  /** With a command, it ends without punctuation, so that `with: svc …` can follow. */
  readonly text: string;
  /** A command line that does it. Words in capitals, such as `SECRET`, stand for values that only the user knows. */
  readonly command?: string | undefined;
}

/** A text is a hint without a command. */
export function toHint(hint: Hint | string): Hint {
  return typeof hint === 'string' ? { text: hint } : hint;
}

export function formatHint(hint: Hint | string): string {
  const { text, command } = toHint(hint);
  return command === undefined ? text : `${text} with: ${command}`;
}

interface ErrorDefinition {
  readonly status: number;
  readonly exit: ExitCode;
}

export const errorDefinitions = {
  // Errors of the API (§7 of the service description, gap `error.codes`). The control plane uses most of them too.
  invalid_request: { status: 400, exit: ExitCode.usage },
  unauthenticated: { status: 401, exit: ExitCode.usage },
  permission_denied: { status: 403, exit: ExitCode.failure },
  not_found: { status: 404, exit: ExitCode.notFound },
  method_not_allowed: { status: 405, exit: ExitCode.usage },
  idempotency_in_progress: { status: 409, exit: ExitCode.failure },
  payload_too_large: { status: 413, exit: ExitCode.usage },
  unsupported_media_type: { status: 415, exit: ExitCode.usage },
  validation_failed: { status: 422, exit: ExitCode.usage },
  idempotency_key_reused: { status: 422, exit: ExitCode.usage },
  rate_limited: { status: 429, exit: ExitCode.failure },
  internal_error: { status: 500, exit: ExitCode.internal },
  // Errors that only the emulator has. The API also returns `forbidden_origin` and `storage_unavailable`.
  conflict: { status: 409, exit: ExitCode.failure },
  forbidden_origin: { status: 403, exit: ExitCode.usage },
  token_required: { status: 401, exit: ExitCode.usage },
  storage_unavailable: { status: 503, exit: ExitCode.internal },
  usage: { status: 400, exit: ExitCode.usage },
  output_failed: { status: 500, exit: ExitCode.outputFailed },
  untrusted_file: { status: 403, exit: ExitCode.usage },
  no_emulator: { status: 503, exit: ExitCode.noEmulator },
  already_running: { status: 503, exit: ExitCode.usage },
  port_in_use: { status: 503, exit: ExitCode.usage },
  no_tunnel: { status: 503, exit: ExitCode.usage },
  database_in_use: { status: 503, exit: ExitCode.usage },
  sqlite_unavailable: { status: 503, exit: ExitCode.usage },
  database_unusable: { status: 503, exit: ExitCode.usage },
  unexpected_status: { status: 409, exit: ExitCode.failure },
  stalled: { status: 409, exit: ExitCode.failure },
  api_failure: { status: 502, exit: ExitCode.failure },
  timeout: { status: 504, exit: ExitCode.timeout },
  // The caller stopped waiting, or the emulator was closed. 499 is what nginx logs for a client that has left.
  interrupted: { status: 499, exit: ExitCode.interrupted },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorDefinitions;

interface SvcErrorOptions {
  readonly hint?: Hint | string | null | undefined;
  /** Path of the invalid field of an input, with which the message begins. */
  readonly field?: string | undefined;
  /** Response headers that belong to the error, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * The type of all errors that a user or a client can cause, except the `TypeError` of a `fetch` whose connection a fault drops. Any
 * other error that they get is an internal error.
 */
export class SvcError extends Error {
  override readonly name = 'SvcError';
  readonly code: ErrorCode;
  readonly hint: Hint | undefined;
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ? toHint(options.hint) : undefined;
    this.field = options.field;
    this.headers = options.headers ?? {};
  }

  /** The message and the hint, where an error is only a text. */
  get text(): string {
    return this.hint === undefined ? this.message : `${this.message} ${formatHint(this.hint)}`;
  }

  get status(): number {
    return errorDefinitions[this.code].status;
  }

  get exitCode(): ExitCode {
    return errorDefinitions[this.code].exit;
  }
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorDefinitions, code);
}

/** Receives internal errors: they are for the person who runs the emulator, not for the client. */
export interface InternalErrorLog {
  /** @param where the request ID, or what the emulator was doing. */
  report(where: string, error: unknown): void;
}

export const processWarningLog: InternalErrorLog = {
  report(where, error) {
    const warning = error instanceof Error ? error : new Error(String(error));
    process.emitWarning(`${where}: ${warning.stack ?? warning.message}`, 'SvcInternalError');
  },
};
