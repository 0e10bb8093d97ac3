/** The public library. */
export { type Emulator, type EmulatorOptions, startEmulator } from './emulator.ts';
export { VERSION } from './version.ts';
