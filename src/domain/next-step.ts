/** The commands in hints, so that programs do not have to find them in a sentence. */

/** A command to run next, without values that only the user knows: those are words in capitals, such as `SECRET`. */
export interface NextStep {
  /** What the command does, without final punctuation. */
  readonly purpose: string;
  /** A command line of `svc`. */
  readonly command: string;
}

/** A hint as text, with the command that it ends with: `Correct the host name: svc webhooks update …`. */
export interface Hint {
  readonly text: string;
  /** Null when the hint does not end with a command. */
  readonly command: string | null;
}

export function splitHint(hint: string): Hint {
  const [, text, command] = /^(.*[:?;]) (svc .+)$/s.exec(hint) ?? [];
  return text === undefined || command === undefined ? { text: hint, command: null } : { text, command };
}

/** The command of a hint; empty when the hint does not end with a complete command. */
export function listNextSteps(hint: string): NextStep[] {
  const { text, command } = splitHint(hint);
  // A usage line such as `svc deliveries get [options] <id>`, or the rest of a sentence.
  if (command === null || /[<[…]|\.$/.test(command)) return [];
  // The last sentence: `Pass an ID that starts with ws_. List the workspaces with:`
  return [{ purpose: text.replace(/^.*\. (?=[A-Z])/s, '').replace(/(?: with)?[:?;]$/, ''), command }];
}
