import type { Io } from './io.ts';

/**
 * The same streams for `--json`: what goes to standard error is one JSON object a line, `{"note":{"message"}}` for a
 * note. Nobody is asked anything, because a question is not JSON.
 */
export function toJsonIo(io: Io): Io {
  return Object.create(io, {
    note: { value: (text: string) => io.noteJson({ note: { message: text.trimEnd() } }) },
    noteCapabilities: { value: { ...io.noteCapabilities, color: false, links: false } },
    interactive: { value: false },
    progress: { value: null },
    openScreen: { value: null },
  });
}
