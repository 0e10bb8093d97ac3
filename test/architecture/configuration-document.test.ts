/** Generates docs/reference/configuration.md from the settings: `npx vitest run test/architecture/configuration-document.test.ts --update`. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  type Setting,
  type SettingName,
  settingNames,
  settings,
  toOption,
  toVariable,
} from '../../src/config/settings.ts';
import { toSnakeCase } from '../../src/config/snake-case.ts';
import { commandsByName, listFlags } from '../support/command-definitions.ts';

/** A setting without a row here gets the description of the program. */
const meanings: Partial<Record<SettingName, string>> = {
  environment: '`sandbox` or `production`. Decides which API keys are valid.',
  profile: '`relaxed` or `strict`: which values of the [gap register](../gaps.md) apply.',
  host: 'Address to listen on.',
  port: 'Port to listen on. 0 takes a free port.',
  db: 'Database file, or `:memory:`.',
  seed: 'JSON or YAML file with the initial state of a new database. See [seeds](../seed.md).',
  speed: 'Seconds of schedule time for each second of real time.',
  freeze: 'Start with the schedule clock stopped.',
  randomSeed: 'Number that makes ids, secrets and jitter the same in each run.',
  wallClock: 'Time that signatures use instead of real time.',
  keepDays: 'Days after which settled events are removed.',
  keepRequests: 'Number of requests that the request log keeps.',
  keepMegabytes: 'Size in megabytes from which the oldest settled events are removed.',
  forwardTo: 'Port or URL of a receiver. The emulator registers it as an endpoint when it starts.',
  events: 'Event types of the endpoint of `forward_to`.',
  envFile: 'File to which the variables of `svc env` are written.',
  https: 'Serve HTTPS with a generated certificate.',
  cert: 'PEM file with a certificate, to serve HTTPS.',
  key: 'PEM file with the private key of `cert`.',
  allowHost: 'More host names that `/v1` accepts, without ports, such as `host.docker.internal`.',
  publicUrl: 'Public URL of a proxy or tunnel that forwards to the emulator.',
  tunnel: 'Make the API public through cloudflared, which must be installed.',
  open: 'Open the dashboard in the browser.',
  proxy: 'Proxy for deliveries to public receivers. `env` uses the proxy variables of the environment.',
  ca: 'PEM file with a certificate authority to trust for receivers.',
  controlUrl: 'Control plane that commands connect to.',
  controlToken: 'Token of the control plane: commands send it, and an emulator requires it.',
  apiKey: 'API key that commands use.',
  workspaceId: 'Workspace that commands use.',
  overrides: 'Values of the [gap register](../gaps.md) that differ from the profile.',
  schemes: 'Your own signature schemes. See [signatures](../signatures.md#schemes).',
  scheme: 'Signature scheme: `svc`, `standard-webhooks`, `stripe`, `github`, `slack`, or one of `schemes`.',
};

const commandFlags = await Promise.all(
  Object.keys(commandsByName).map((name) => listFlags(name, { global: true })),
);
const flags = new Set(commandFlags.flat());

function renderRow(name: SettingName): string {
  const { description, defaultValue, isFileOnly }: Setting = settings[name];
  const value = defaultValue('sandbox');
  const cells = [
    toSnakeCase(name),
    isFileOnly ? '' : toVariable(name),
    flags.has(toOption(name)) ? toOption(name) : '',
    value === null ? '' : JSON.stringify(value),
  ].map((text) => (text === '' ? '' : `\`${text}\``));
  return `| ${[...cells, meanings[name] ?? description].join(' | ')} |`;
}

const document = `# Configuration

Each setting has a key in the configuration file. Most of them also have an environment variable and a command-line option. The first of these that is
set applies: option, variable, configuration file, default. \`svc config\` shows each value and its source.

A test generates the table from the source.

| key | variable | option | default | meaning |
|---|---|---|---|---|
${settingNames.map(renderRow).join('\n')}

Paths in the configuration file are relative to the file. Other paths are relative to the current folder. With \`"environment": "production"\`, the
default of \`db\` is \`.svc/production.db\`.

## The configuration file

\`svc.config.json\`, \`svc.config.mjs\` or \`svc.config.ts\` (Node.js 22.18 or later) in the project folder:

\`\`\`json
{
  "profile": "strict",
  "forward_to": "http://localhost:3000/webhooks",
  "events": ["order.shipped", "invoice.paid"],
  "overrides": { "retry.jitter": 0 }
}
\`\`\`

\`svc\` looks for it in the current folder and above, up to the root of the project. [Security](../security.md#which-files-are-used) explains which files are
trusted.

## Variables without a setting

| variable | meaning |
|---|---|
| \`SVC_WEBHOOK_SECRET\` | The secret that \`svc verify\`, \`svc sign\` and \`svc receiver check\` use when \`--secret\` is missing. |
| \`SVC_TRUST_FOLDERS\` | Folders whose files are used even if other users can change them: absolute paths, or \`*\`. |
| \`NO_COLOR\`, \`FORCE_COLOR\` | Print without colors, or always with colors. |
`;

it('docs/reference/configuration.md lists every setting', async () => {
  await expect(document).toMatchFileSnapshot(
    join(import.meta.dirname, '../../docs/reference/configuration.md'),
  );
});
