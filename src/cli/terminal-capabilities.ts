/** What the place where text goes can show, as far as the environment tells. */

type Environment = Readonly<Record<string, string | undefined>>;

/** `FORCE_COLOR` counts before `NO_COLOR`, and both before what the stream is, as in Node.js itself. */
export function wantsColor(env: Environment, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR) return false;
  return isTerminal && env.TERM !== 'dumb';
}

/** A locale that names another encoding than UTF-8, or none (`C`, `POSIX`), has no room for symbols. */
export function supportsUnicode(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return !locale || /utf-?8/i.test(locale);
}

/** Terminals that are known to show OSC 8 links, by the variables that they set; others may print them as garbage. */
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
    // The first version of VTE that has them without a fault is 0.50.1.
    Number(VTE_VERSION) > 5000 ||
    WT_SESSION !== undefined
  );
}
