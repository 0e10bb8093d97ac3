/** The variables that point a program to an emulator. */
import type { EmulatorStatus } from '../contract/emulator.ts';
import { quoteForShell } from '../domain/shell.ts';

export type Variables = Readonly<Record<string, string>>;

/** @param certificate path of the certificate that its clients have to be told to trust. */
export function toVariables(status: EmulatorStatus, certificate: string | null): Variables {
  return {
    SVC_BASE_URL: status.base_url,
    SVC_API_KEY: status.api_key,
    SVC_WORKSPACE_ID: status.workspace_id,
    SVC_CONTROL_URL: status.control_url,
    ...(status.control_token === undefined ? {} : { SVC_CONTROL_TOKEN: status.control_token }),
    ...(status.webhook_secret === undefined ? {} : { SVC_WEBHOOK_SECRET: status.webhook_secret }),
    ...(certificate === null ? {} : { NODE_EXTRA_CA_CERTS: certificate }),
  };
}

export const variableFormats = ['export', 'dotenv', 'json', 'github'] as const;
export type VariableFormat = (typeof variableFormats)[number];

/** `github` is for `>> "$GITHUB_ENV"`. No value holds a character that a dotenv file or GitHub would read otherwise. */
export function renderVariables(variables: Variables, format: VariableFormat): string {
  if (format === 'json') return JSON.stringify(variables, null, 2);
  return Object.entries(variables)
    .map(([name, value]) =>
      format === 'export' ? `export ${name}=${quoteForShell(value)}` : `${name}=${value}`,
    )
    .join('\n');
}
