/** `svc completion`: prints the completion script of a shell. The scripts are in `fixtures/completion`. */
import { findPackageFiles } from '../../platform/package-files.ts';
import { defineCommand } from '../define-command.ts';

/** The files of the scripts. Each calls `svc -- __complete` with the words up to the cursor, and shows the lines that it prints. */
const files = { bash: 'svc.bash', zsh: 'svc.zsh', fish: 'svc.fish', powershell: 'svc.ps1' } as const;
const shells = Object.keys(files) as readonly (keyof typeof files)[];

const INSTALLATION = `
To load completions in every new shell:
  bash        echo 'eval "$(svc completion bash)"' >> ~/.bashrc
  zsh         echo 'source <(svc completion zsh)' >> ~/.zshrc
  fish        svc completion fish > ~/.config/fish/completions/svc.fish
  powershell  Add-Content $PROFILE 'svc completion powershell | Out-String | Invoke-Expression'
For zsh, put the line after compinit in ~/.zshrc.`;

export const command = defineCommand({
  options: { shell: { argument: '<shell>', summary: 'Shell that reads the script', choices: shells } },
  notes: INSTALLATION,
  examples: shells.map((shell) => [
    `Print the script for ${shell === 'powershell' ? 'PowerShell' : shell}`,
    `completion ${shell}`,
  ]),
  async run({ shell }, { print }) {
    const script = String(findPackageFiles('fixtures/completion').read(files[shell]));
    print({ shell, script }, () => script);
  },
});
