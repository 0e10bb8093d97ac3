/** Detects the capabilities of a terminal from the environment. */

type Environment = Readonly<Record<string, string | undefined>>;

/** `FORCE_COLOR` takes precedence over `NO_COLOR`, and both over the kind of the stream, as in Node.js. */
export function wantsColor(env: Environment, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR) return false;
  return isTerminal && env.TERM !== 'dumb';
}

/** A locale with an encoding other than UTF-8, or without one (`C`, `POSIX`), cannot show symbols. */
export function supportsUnicode(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return !locale || /utf-?8/i.test(locale);
}

/** Detects terminals that show OSC 8 links by their variables. Others can print the sequences as text. */
export function supportsLinks({
  TERM = '',
  TERM_PROGRAM = '',
  VTE_VERSION,
  WT_SESSION,
}: Environment): boolean {
  if (/^(?:tmux|screen)/.test(TERM)) return false;
  return (
    /^(?:iTerm\.app|WezTerm|vscode|ghostty)$/.test(TERM_PROGRAM) ||
    /^(?:xterm-kitty|xterm-ghostty|alacritty|foot)$/.test(TERM) ||
    // VTE supports links correctly from version 0.50.1.
    Number(VTE_VERSION) > 5000 ||
    WT_SESSION !== undefined
  );
}
