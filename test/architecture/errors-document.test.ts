/** Generates docs/reference/errors.md from src/errors.ts: `npx vitest run test/architecture/errors-document.test.ts --update`. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorTexts } from '../../src/contract/error-texts.ts';
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

/** The codes of `/v1`. */
const apiCodes: readonly ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'permission_denied',
  'not_found',
  'method_not_allowed',
  'idempotency_in_progress',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'idempotency_key_reused',
  'rate_limited',
  'internal_error',
];
const otherCodes = (Object.keys(errorTexts) as ErrorCode[]).filter((code) => !apiCodes.includes(code));

/** Pages that say more. */
const pages: Partial<Record<ErrorCode, string>> = {
  forbidden_origin: 'security.md',
  token_required: 'security.md',
  storage_unavailable: 'durability.md',
  sqlite_unavailable: 'installing.md',
};

function renderErrors(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => {
    const { status, exitCode } = new SvcError(code, '');
    const page = pages[code];
    const text = page === undefined ? errorTexts[code] : `${errorTexts[code]} See [${page}](../${page}).`;
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

${renderErrors(apiCodes)}

## Errors of the control plane and the command line

${renderErrors(otherCodes)}

In the library, all of them are an \`SvcError\` with \`code\`, \`message\` and \`hint\`.
`;

it('docs/reference/errors.md lists every exit code and every error code', async () => {
  await expect(document).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/reference/errors.md'));
});
