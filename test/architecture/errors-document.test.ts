/** Generates docs/reference/errors.md from src/errors.ts: `npx vitest run test/architecture/errors-document.test.ts --update`. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ErrorCode, type ExitCode, SvcError } from '../../src/errors.ts';

const exitCodes: Record<ExitCode, string> = {
  0: 'The command succeeded.',
  1: 'The command ran, and the result is negative: the signature is invalid, a delivery failed, a check of a receiver failed.',
  2: 'An option, an argument, a file or the request is invalid, or the emulator cannot start this way.',
  3: 'No emulator responds.',
  4: 'The resource does not exist.',
  5: 'A time limit passed.',
  70: 'Internal error of svc, or the database cannot be written.',
  130: 'The command was interrupted, for example with Ctrl-C.',
};

const apiErrors = {
  invalid_request: 'The JSON, a header or a query parameter cannot be read.',
  unauthenticated: 'The API key is missing, unknown, revoked or for the other environment.',
  permission_denied: 'The API key lacks a scope. The message names the scope.',
  not_found:
    'The path or the resource does not exist, or the API key has no access to the workspace of the resource.',
  method_not_allowed:
    'The path exists, but not with this method. The header `Allow` lists the valid methods.',
  idempotency_in_progress:
    'The first request with this `Idempotency-Key` is still running. Retry after the time in `Retry-After`.',
  payload_too_large: 'The body is larger than the limit (row `body.limit` of the gap register).',
  unsupported_media_type: 'The body is compressed, or its `Content-Type` is not JSON.',
  validation_failed: 'The JSON is valid, but a field is not. The message starts with the path of the field.',
  idempotency_key_reused: 'The `Idempotency-Key` was used before, with a different body.',
  rate_limited: 'Too many requests. Retry after the time in `Retry-After`.',
  internal_error:
    'The emulator has a bug, or an injected fault asked for a 500. Find the request in `svc logs list`.',
} satisfies Partial<Record<ErrorCode, string>>;

const otherErrors = {
  conflict:
    'The operation does not fit the current state, for example because the emulator was reset during it.',
  forbidden_origin: 'The `Host` or the `Origin` is not allowed. See [security.md](../security.md).',
  token_required: 'Other machines can reach the emulator, so the control plane requires its token.',
  storage_unavailable: 'SQLite cannot read or write the database. See [durability.md](../durability.md).',
  usage: 'An option, an argument or a setting is invalid.',
  untrusted_file: 'Another user can change a configuration file or the run file, so it is not used.',
  no_emulator: 'No emulator responds at the address.',
  already_running: 'An emulator of this folder is already running.',
  port_in_use: 'Another program uses the port.',
  no_tunnel: 'The tunnel did not start.',
  database_in_use: 'Another process has locked the database.',
  sqlite_unavailable: 'The SQLite driver is missing or does not run. See [installing.md](../installing.md).',
  database_unusable: 'The file is not a database of svc, is damaged, or is read-only.',
  settled_otherwise: 'A delivery settled with a different status than the one that was waited for.',
  timeout: 'A time limit passed.',
  interrupted: 'The operation was interrupted, or the emulator was closed.',
} satisfies Partial<Record<ErrorCode, string>>;

// Fails to compile when a code is missing.
({ ...apiErrors, ...otherErrors }) satisfies Record<ErrorCode, string>;

function renderErrors(descriptions: Partial<Record<ErrorCode, string>>): string {
  const rows = Object.entries(descriptions).map(([code, text]) => {
    const { status, exitCode } = new SvcError(code as ErrorCode, '');
    return `| \`${code}\` | ${status} | ${exitCode} | ${text} |`;
  });
  return `| code | HTTP status | exit code | meaning |\n|---|---|---|---|\n${rows.join('\n')}`;
}

const document = `# Exit codes and error codes

A test generates this page from the error codes in the source.

## Exit codes

Scripts can rely on these codes. \`svc emulator exec\` exits with the code of the command that it runs.

| exit code | meaning |
|---|---|
${Object.entries(exitCodes)
  .map(([code, text]) => `| ${code} | ${text} |`)
  .join('\n')}

## Errors on the command line

An error goes to standard error: what happened, and usually a hint that says what to do next. \`--json\` prints an object:

\`\`\`json
{ "error": { "code": "not_found", "message": "…", "hint": "…" } }
\`\`\`

## Errors of the API

\`/v1\` responds with these codes, in the [error envelope](../service.md#7). The control plane uses them as well.

${renderErrors(apiErrors)}

## Errors of the control plane and the command line

${renderErrors(otherErrors)}

In the library, all of them are an \`SvcError\` with \`code\`, \`message\` and \`hint\`.
`;

it('docs/reference/errors.md lists every exit code and every error code', async () => {
  await expect(document).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/reference/errors.md'));
});
