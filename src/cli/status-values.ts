/** Validates values of the status of an emulator, which can be on another machine, before svc writes them to files or opens them. */
import type * as v from 'valibot';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import { getApiKeyEnvironment, isControlToken } from '../domain/credentials.ts';
import { idPatterns } from '../domain/ids.ts';
import { parseConfigured } from '../validation/configured-value.ts';
import { httpUrl, text } from '../validation/value-schemas.ts';

const url = httpUrl('http://127.0.0.1:4777');
const secret = text('a secret of 16 to 200 visible ASCII characters', (value) =>
  /^[\x21-\x7e]{16,200}$/.test(value),
);

const schemas = {
  base_url: url,
  control_url: url,
  dashboard_url: url,
  api_key: text(
    'an API key such as svc_test_…',
    (key) => /^[\w-]{1,256}$/.test(key) && getApiKeyEnvironment(key) !== null,
  ),
  workspace_id: text('a workspace ID', (id) => idPatterns.workspace.test(id)),
  control_token: text('a control token', isControlToken),
  webhook_secret: secret,
} as const satisfies Partial<Record<keyof EmulatorStatus, v.GenericSchema>>;

/** @throws SvcError `validation_failed` when the value is invalid. */
export function readStatusValue(name: keyof typeof schemas, value: unknown): string {
  return parseConfigured(schemas[name], value, {
    path: `the ${name} that the emulator reports`,
    toHint: (expected) => ({
      text: `It must be ${expected}. Check the emulator`,
      command: 'svc emulator status',
    }),
  });
}
