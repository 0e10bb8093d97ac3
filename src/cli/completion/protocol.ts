/** What the completion scripts and the program agree on. */

/** The command that the scripts ask; none for people. */
export const COMPLETE_COMMAND = '__complete';

/** The answer that asks the shell for paths of its own. */
export const FILES = ':files';
