import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { renderVariables, toEnvVariables, type VariableFormat, variableFormats } from '../env-variables.ts';
import { choiceOption } from '../option-parsers.ts';

interface Options {
  readonly format: VariableFormat;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command.addOption(
      choiceOption('--format <format>', 'Output format', variableFormats).default(variableFormats[0]),
    ),
  examples: [
    ['Print the variables as export lines', 'env'],
    ['Write them to a dotenv file', 'env --format dotenv > .env.local'],
    ['Set them in a GitHub Actions workflow', 'env --format github >> "$GITHUB_ENV"'],
  ],
  run,
};

async function run({ format }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const variables = toEnvVariables(await control.getStatus({}), await context.findCertificate());
  context.print(variables, () => renderVariables(variables, format));
}
