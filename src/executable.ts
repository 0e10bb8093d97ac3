/** The entry of the single executable: starts the command line. */
// First, because the command line reads it.
import './platform/executable-content.ts';
import './cli/main.ts';
