/** `svc completion`: prints the completion script of a shell. The scripts are in `completion/shell-scripts.ts`. */
import { Argument } from 'commander';
import type { CommandDefinition } from '../command.ts';
import { completionScripts, type Shell, shells } from '../completion/shell-scripts.ts';
import { choiceParser } from '../option-parsers.ts';

const INSTALLATION = `
To load completions in every new shell:
  bash        echo 'eval "$(svc completion bash)"' >> ~/.bashrc
  zsh         echo 'source <(svc completion zsh)' >> ~/.zshrc
  fish        svc completion fish > ~/.config/fish/completions/svc.fish
  powershell  Add-Content $PROFILE 'svc completion powershell | Out-String | Invoke-Expression'
For zsh, put the line after compinit in ~/.zshrc.`;

export const command: CommandDefinition<{ readonly shell: Shell }> = {
  configure: (command) =>
    command
      .addArgument(
        new Argument('<shell>', 'Shell that reads the script')
          .choices(shells)
          .argParser(choiceParser(shells)),
      )
      .addHelpText('after', INSTALLATION),
  examples: shells.map((shell) => [
    `Print the script for ${shell === 'powershell' ? 'PowerShell' : shell}`,
    `completion ${shell}`,
  ]),
  async run({ shell }, { print }) {
    const script = completionScripts[shell];
    print({ shell, script }, () => script);
  },
};
