/** The help of a command as docs/commands.md shows it: without the global options, which are at the top of the page. */
export function toDocumentedHelp(help: string): string {
  return help.replace(/\nGlobal options:\n(?: .*\n)+/, '').trim();
}
