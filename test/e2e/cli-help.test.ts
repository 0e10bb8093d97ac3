/** The help of the built program. `test/cli/commands-document.test.ts` compares the help of every command with docs/commands.md. */
import { afterAll, describe, expect, it } from 'vitest';
import { toDocumentedHelp } from '../support/documented-help.ts';
import { readPage } from '../support/documents.ts';
import { binary, createTempFolder, svc } from './cli-program.ts';

const empty = createTempFolder();
afterAll(empty.remove);

describe('help', () => {
  const help = async (...words: string[]) => {
    const { stdout } = await svc([...words, '--help'], { cwd: empty.cwd });
    return stdout.replace(/(?<=documentation: ).*(?=[\\/]docs)/, '<package>');
  };

  it('svc --help prints the first block of docs/commands.md', async () => {
    // The single executable has no folder of documents.
    const page = readPage('docs/commands.md').replace(
      binary === null ? /$^/ : / {2}Read the documentation.*\n/,
      '',
    );
    expect(page).toContain(`\n\n\`\`\`text\n${(await help()).trim()}\n\`\`\`\n`);
  });

  it.each(['deliveries replay', 'emulator start'])(
    'svc %s --help prints its block of docs/commands.md',
    async (name) => {
      const text = toDocumentedHelp(await help(...name.split(' ')));
      expect(readPage('docs/commands.md')).toContain(`## svc ${name}\n\n\`\`\`text\n${text}\n\`\`\`\n`);
    },
  );

  it('svc clock --help lists the commands of the group', async () => {
    expect(await help('clock')).toMatchInlineSnapshot(`
      "Usage: svc clock <command> [options]

      Control the clock that decides when retries are due

      Global options:
        --json           Print JSON; a stream prints one object per line
        --no-color       Print without colors
        --url <url>      Emulator to use (default: SVC_CONTROL_URL, or the emulator for this folder)
        --api-key <key>  API key to use (default: SVC_API_KEY, or the key that the emulator created at startup)
        -h, --help       Show this help

      Commands:
        show             Show the schedule clock
        speed            Set the speed of the schedule clock
        freeze           Freeze the schedule clock
        resume           Resume a frozen schedule clock
        advance          Move the schedule clock forward and send every attempt that becomes due
        next             Move the schedule clock to the next scheduled attempt
        settle           Move the schedule clock until no delivery is pending

      Examples:
        # Move time forward and send every retry that becomes due
        $ svc clock advance 35m
        # Run the retry schedule 60 times faster
        $ svc clock speed 60

      Learn more:
        Read about a command: svc clock <command> --help
      "
    `);
  });
});
