/** Opens an address in the browser of whoever sits in front of the terminal. */
import { spawn } from 'node:child_process';
import type { Host } from './context.ts';

/** An opener that is still at work by then is taken for the browser itself. */
const OPEN_TIMEOUT_MS = 1_000;

/**
 * Starts the program of `BROWSER`, or else the system's opener. No process guard: the browser stays open when `svc` ends.
 * @returns whether it did; false where there is no display or no such program: the address has to be shown instead.
 */
export async function openUrl(url: string, { env }: Pick<Host, 'env'>): Promise<boolean> {
  const [program, ...args] = findOpener(url, env, process.platform) ?? [];
  if (program === undefined) return false;
  const child = spawn(program, args, { env, detached: true, stdio: 'ignore', windowsHide: true });
  child.unref();
  return new Promise((resolve) => {
    const opening = setTimeout(() => resolve(true), OPEN_TIMEOUT_MS);
    const end = (opened: boolean) => {
      clearTimeout(opening);
      resolve(opened);
    };
    child.once('error', () => end(false)).once('exit', (code) => end(code === 0));
  });
}

/** The command line that opens `url`, program first; null where nothing could show it. */
export function findOpener(
  url: string,
  env: Host['env'],
  platform: NodeJS.Platform,
): readonly string[] | null {
  // As others read it: several commands with a colon between them, `%s` for the address. The first one is taken.
  const words = env.BROWSER?.split(':')[0]?.trim().split(/\s+/) ?? [''];
  if (words[0] !== '') {
    return words.includes('%s') ? words.map((word) => (word === '%s' ? url : word)) : [...words, url];
  }
  if (platform === 'darwin') return ['open', url];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  // Without a display it would take a browser of text, in the way of everything else here.
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME);
  return hasDisplay ? ['xdg-open', url] : null;
}
