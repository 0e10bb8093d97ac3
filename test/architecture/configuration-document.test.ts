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

/** Pages that say more about a setting. */
const pages: Partial<Record<SettingName, string>> = {
  profile: 'the [gap register](../gaps.md)',
  overrides: 'the [gap register](../gaps.md)',
  seed: '[seeds](../seed.md)',
  schemes: '[signatures](../signatures.md#schemes)',
  allowHost: '[CI](../ci.md#programs-in-containers)',
  keepDays: '[durability](../durability.md#what-is-stored-and-for-how-long)',
  proxy: '[deliveries](../deliveries.md#allowed-addresses)',
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
  const more = pages[name] === undefined ? '' : ` See ${pages[name]}.`;
  return `| ${[...cells, `${description.replace(/; see .*/, '')}.${more}`].join(' | ')} |`;
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
