/** The protocol between the completion scripts and the program. */

/** The hidden command that the scripts call. */
export const COMPLETE_COMMAND = '__complete';

/** The output that makes the shell complete paths. */
export const FILES = ':files';
