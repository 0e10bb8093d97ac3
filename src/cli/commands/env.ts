/** `svc env`: prints the variables that connect a program to the running emulator. */
import { defineCommand } from '../define-command.ts';
import { renderVariables, toEnvVariables, variableFormats } from '../env-variables.ts';

export const command = defineCommand({
  options: {
    format: {
      option: '--format <format>',
      summary: 'Output format',
      choices: variableFormats,
      defaultText: 'export',
    },
  },
  examples: [
    ['Print the variables as export lines', 'env'],
    ['Write them to a dotenv file', 'env --format dotenv > .env.local'],
    ['Set them in a GitHub Actions workflow', 'env --format github >> "$GITHUB_ENV"'],
  ],
  async run({ format = 'export' }, context) {
    const control = await context.connect();
    const variables = toEnvVariables(await control.getStatus({}), await context.findCertificate());
    context.print(variables, () => renderVariables(variables, format));
  },
});
