import { Argument } from 'commander';
import type { CommandDefinition } from '../command.ts';
import { completionScripts, type Shell, shells } from '../completion/shell-scripts.ts';
import type { Context } from '../context.ts';

interface Options {
  readonly shell: Shell;
}

const INSTALLATION = `
Installation for every new shell:
  bash        echo 'eval "$(svc completion bash)"' >> ~/.bashrc
  zsh         echo 'source <(svc completion zsh)' >> ~/.zshrc, after the line with compinit
  fish        svc completion fish > ~/.config/fish/completions/svc.fish
  powershell  Add-Content $PROFILE 'svc completion powershell | Out-String | Invoke-Expression'`;

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .addArgument(new Argument('<shell>', 'Shell that reads the script').choices(shells))
      .addHelpText('after', INSTALLATION),
  examples: shells.map((shell) => [`Print the script for ${shell}`, `completion ${shell}`]),
  run,
};

async function run({ shell }: Options, { print }: Context): Promise<void> {
  const script = completionScripts[shell];
  print({ shell, script }, () => script);
}
