/**
 * The completion scripts. Each calls `svc -- __complete` with the words up to the cursor and shows the lines that it
 * prints. The `--` stops Node 20 from reading options. The path of a file can follow `@` (see `readValue`) or `--option=`.
 */
import { COMPLETE_COMMAND } from '../command.ts';

/** The output that makes the shell complete paths. */
export const FILES = ':files';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

const bash = `# Completion of svc in bash 3.2 and later.
_svc() {
  # Bash splits words at = and :. Join the parts that have no blank between them.
  local words=() last='' word i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $last && ($word == [=:]* || $last == *[=:]) && $COMP_LINE == *"$last$word"* ]]; then
      last=$last$word
      words[\${#words[@]}-1]=$last
    else
      last=$word
      words+=("$word")
    fi
  done

  local current=\${COMP_WORDS[COMP_CWORD]}
  [[ $current == [=:]* ]] && current=''
  # Bash replaces only the part after the last = or :, so the start of each suggestion is removed.
  local before=\${last%"$current"} output line
  output=$(svc -- ${COMPLETE_COMMAND} "\${words[@]}" 2>/dev/null)
  COMPREPLY=()
  if [[ $output == ${FILES} ]]; then
    local prefix=''
    [[ $current == @* ]] && prefix=@
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$prefix$line"); done < <(compgen -f -- "\${current#@}")
    return
  fi
  while IFS=$'\\t' read -r line _; do
    [[ $line ]] && COMPREPLY+=("\${line#"$before"}")
  done <<<"$output"
}
complete -o nosort -F _svc svc 2>/dev/null || complete -F _svc svc
`;

const zsh = `#compdef svc
# Completion of svc in zsh.
_svc() {
  local -a lines plain described
  local line
  # (f) splits into lines, and (Q) removes quotes.
  lines=("\${(@f)$(svc -- ${COMPLETE_COMMAND} "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  if [[ $lines[1] == ${FILES} ]]; then
    compset -P '--*='
    compset -P '@'
    _files
    return
  fi
  for line in $lines; do
    if [[ $line == *$'\t'* ]]; then
      described+=("\${\${line%%$'\t'*}//:/\\:}:\${line#*$'\t'}")
    else
      plain+=("$line")
    fi
  done
  # -V keeps the order. The first svc names a group, the second one is a heading.
  compadd -V svc -a plain
  (( $#described )) && _describe -V svc described
}
# Loaded from fpath, this file is the body of _svc, so run it. Sourced, it registers the function.
if [[ $funcstack[1] == _svc ]]; then
  _svc
else
  compdef _svc svc
fi
`;

const fish = `# Completion of svc in fish.
function __svc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (svc -- ${COMPLETE_COMMAND} $words[2..-1] "$current" 2>/dev/null)
    if test "$lines" = ${FILES}
        set -l before (string match -r '^(?:--[^=]*=)?@?' -- "$current")
        set -l path (string sub -s (math 1 + (string length -- "$before")) -- "$current")
        __fish_complete_path "$path" | string replace -r -- '^' "$before"
    else
        printf '%s\\n' $lines
    end
end
complete -c svc -f -k -a '(__svc_complete)'
`;

const powershell = `# Completion of svc in PowerShell 5.1 and later.
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { $_.Extent.Text.Trim("'", '"') })
  # Before version 7.3, PowerShell drops an empty argument that is not quoted.
  $empty = if ($PSVersionTable.PSVersion -ge [version]'7.3') { '' } else { '""' }
  $current = if ($wordToComplete) { $wordToComplete } else { $empty }
  svc -- ${COMPLETE_COMMAND} @words $current 2>$null | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    # Without suggestions, PowerShell completes paths.
    if ($value -ne '${FILES}') {
      $tip = if ($description) { $description } else { $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $tip)
    }
  }
}
`;

export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
