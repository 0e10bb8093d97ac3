/** The help of a command as docs/commands.md shows it: without the global options and `--help`, which are at the top of the page. */
export function toDocumentedHelp(help: string): string {
  return help
    .replace(/\nGlobal options:\n(?: .*\n)+/, '')
    .replace(/^ {2}-h, --help .*\n/m, '')
    .replace(/\nOptions:\n(?=\n|$)/, '')
    .trim();
}
