/** The emulator with a setting that has no flag: `emulator.js <database> <FULL|NORMAL> <frozen|running>`. */
import { startEmulator } from '../../src/emulator.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';
import { printReadyLine } from './ready.ts';

const [db = ':memory:', synchronous, clock] = process.argv.slice(2);
const emulator = await startEmulator({
  port: 0,
  host: '127.0.0.1',
  db,
  environment: 'sandbox',
  rules: resolveRules('relaxed'),
  clock: { frozen: clock === 'frozen' },
  synchronous: synchronous === 'NORMAL' ? 'NORMAL' : 'FULL',
});
printReadyLine(emulator.status(), () => emulator.close());
