/** Generates the table of docs/reference/configuration.md from the settings. */
import { it } from 'vitest';
import {
  getDefaultValue,
  type Setting,
  type SettingName,
  settingNames,
  settings,
  toOption,
  toVariable,
} from '../../src/config/settings.ts';
import { toSnakeCase } from '../../src/resources/configured-value.ts';
import { commandsByName, listFlags } from '../support/command-definitions.ts';
import { expectGenerated, toTable } from '../support/documents.ts';

/** Links to pages with more about a setting. */
const pages: Partial<Record<SettingName, string>> = {
  profile: 'the [gap register](../gaps.md)',
  overrides: 'the [gap register](../gaps.md)',
  seed: '[seed files](../state.md#seed-files)',
  sender: '[senders](../senders.md)',
  senders: '[senders](../senders.md#your-own-sender)',
  allowHost: '[connect a receiver](../connect.md#a-client-in-a-container-or-on-another-machine)',
  keepDays: '[durability](../durability.md#what-is-stored-and-for-how-long)',
  proxy: '[connect a receiver](../connect.md#behind-a-tunnel-or-a-proxy)',
};

const commandFlags = await Promise.all(
  Object.keys(commandsByName).map((name) => listFlags(name, { global: true })),
);
const flags = new Set(commandFlags.flat());

function renderRow(name: SettingName): string[] {
  const { description, isFileOnly }: Setting = settings[name];
  const value = getDefaultValue(name, 'sandbox');
  const cells = [
    toSnakeCase(name),
    isFileOnly ? '' : toVariable(name),
    flags.has(toOption(name)) ? toOption(name) : '',
    value === null ? '' : JSON.stringify(value),
  ].map((text) => (text === '' ? '' : `\`${text}\``));
  const more = pages[name] === undefined ? '' : ` See ${pages[name]}.`;
  return [...cells, `${description.replace(/; see .*/, '')}.${more}`];
}

it('docs/reference/configuration.md lists every setting', async () => {
  const rows = settingNames.map(renderRow);
  await expectGenerated('docs/reference/configuration.md', [
    toTable(['key', 'variable', 'option', 'default', 'meaning'], rows),
  ]);
});
