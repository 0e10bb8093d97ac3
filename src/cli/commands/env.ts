/** `svc env`: prints the variables that connect a program to the running emulator. */
import type { CommandDefinition } from '../command.ts';
import { renderVariables, toEnvVariables, type VariableFormat, variableFormats } from '../env-variables.ts';
import { choiceOption } from '../option-parsers.ts';

export const command: CommandDefinition<{ readonly format: VariableFormat }> = {
  configure: (command) =>
    command.addOption(
      choiceOption('--format <format>', 'Output format', variableFormats).default(variableFormats[0]),
    ),
  examples: [
    ['Print the variables as export lines', 'env'],
    ['Write them to a dotenv file', 'env --format dotenv > .env.local'],
    ['Set them in a GitHub Actions workflow', 'env --format github >> "$GITHUB_ENV"'],
  ],
  async run({ format }, context) {
    const control = await context.connect();
    const variables = toEnvVariables(await control.getStatus({}), await context.findCertificate());
    context.print(variables, () => renderVariables(variables, format));
  },
};
