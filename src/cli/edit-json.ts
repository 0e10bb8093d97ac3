/** Opens JSON in the user's editor. */
import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SvcError } from '../domain/errors.ts';
import { parseJsonObject } from '../domain/json-text.ts';
import { describeExit } from '../domain/message-parts.ts';
import { quoteForShell } from '../domain/shell.ts';
import type { ProcessContext } from './process-context.ts';

type TerminalContext = Pick<ProcessContext, 'env' | 'io' | 'handleSignals'>;

/**
 * Opens a JSON object in `$VISUAL` or `$EDITOR`.
 * @returns the edited text, or null when it was not changed
 * @throws SvcError `usage` when the editor fails, or when the text is not a JSON object: its file is then kept, and
 *   the hint names it
 */
export async function editJson(text: string, processContext: TerminalContext): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-edit-'));
  const file = join(folder, 'body.json');
  await writeFile(file, `${text}\n`, { mode: 0o600 });
  await runEditor(file, processContext);
  const edited = (await readFile(file, 'utf8')).trimEnd();
  try {
    if (edited !== text) parseJsonObject(edited);
  } catch (error) {
    throw new SvcError('usage', (error as Error).message, {
      hint: `Correct your text in ${file} and pass --data @${file}.`,
      cause: error,
    });
  }
  await rm(folder, { recursive: true });
  return edited === text ? null : edited;
}

async function runEditor(file: string, { env, io, handleSignals }: TerminalContext): Promise<void> {
  const isWindows = process.platform === 'win32';
  const editor = env.VISUAL || env.EDITOR || (isWindows ? 'notepad' : 'vi');
  const quotedFile = isWindows ? `"${file}"` : quoteForShell(file);
  // Standard output is for data only.
  const { input, output } = io.prompt;
  const stdio: StdioOptions = [input, output, output];
  // The editor handles Ctrl-C. It is in the same process group.
  const restoreSignals = handleSignals(() => {});
  // In a shell, because the command line can contain options: `code --wait`.
  const child = spawn(`${editor} ${quotedFile}`, { shell: true, env, stdio });
  const [code, signal] = await once(child, 'close').finally(restoreSignals);
  if (code === 0) return;
  throw new SvcError('usage', `The editor "${editor}" ${describeExit(code, signal)}, so nothing was sent.`, {
    hint: 'Set VISUAL or EDITOR to another editor, or pass the body with --data.',
  });
}
