/** Generates the tables of docs/reference/errors.md from src/domain/errors.ts. */
import { it } from 'vitest';
import { type ErrorCode, SvcError } from '../../src/domain/errors.ts';
import { errorTexts, exitCodeTexts } from '../../src/operations/error-texts.ts';
import { expectGenerated, toTable } from '../support/documents.ts';

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
  'forbidden_origin',
  'storage_unavailable',
];
const otherCodes = (Object.keys(errorTexts) as ErrorCode[]).filter((code) => !apiCodes.includes(code));

/** Pages with more about a code. */
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
    return [`\`${code}\``, String(status), String(exitCode), text];
  });
  return toTable(['code', 'HTTP status', 'exit code', 'meaning'], rows);
}

it('docs/reference/errors.md lists every exit code and every error code', async () => {
  await expectGenerated('docs/reference/errors.md', [
    toTable(['exit code', 'meaning'], Object.entries(exitCodeTexts)),
    renderErrors(apiCodes),
    renderErrors(otherCodes),
  ]);
});
