/** An argument that the help shows as required. Without it, the command asks in a terminal, so commander must not reject that. */
import { Argument } from 'commander';

export class AskedArgument extends Argument {
  constructor(name: string, description: string) {
    super(`[${name}]`, description);
  }
}

/** Whether the help shows the argument as required. */
export function isShownAsRequired(argument: Argument): boolean {
  return argument.required || argument instanceof AskedArgument;
}
