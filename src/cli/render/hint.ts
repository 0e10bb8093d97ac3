import type { NoteOutput } from '../io.ts';
import { styleFor } from './style.ts';

/** Prints the next step. */
export function printHint(text: string, { note, noteCapabilities }: NoteOutput): void {
  note(`${styleFor(noteCapabilities).cyan('hint:')} ${text}`);
}
