// Preloaded into `svc emulator start` with `node --import`: kills the process with SIGKILL when it passes a point for the nth
// time (`TORTURE_KILL_AT=attempt.sent:3`). It detects the points in SQL statements and in requests of `node:http`, so that the
// program itself is not changed.
import { subscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import { createRequire } from 'node:module';
import driverFolder from '../../scripts/driver-folder.cjs';

const Database = createRequire(import.meta.url)(driverFolder);

const [killAt, times] = (process.env.TORTURE_KILL_AT ?? '').split(':');
let remaining = Number(times);

function pass(point) {
  if (point === killAt && --remaining === 0) process.kill(process.pid, 'SIGKILL');
}

const { end } = ClientRequest.prototype;
ClientRequest.prototype.end = function endWithKillPoint(...args) {
  pass('attempt.before_send');
  return end.apply(this, args);
};
subscribe('http.client.request.start', ({ request }) => request.once('finish', () => pass('attempt.sent')));
subscribe('http.client.response.finish', () => pass('attempt.response_received'));

/** Kinds of rows that the open transaction has written. */
const writtenKinds = new Set();
const statements = [
  { sql: /^INSERT INTO events\b/, around: (run) => note('event', run) },
  { sql: /^INSERT INTO attempts\b/, around: (run) => note('attempt', run) },
  { sql: /^SELECT\b.*\bh\.secret\b.*\bFROM deliveries\b/s, around: (run) => after(run, 'delivery.claimed') },
  { sql: /^VACUUM INTO\b/, around: (run) => after(run, 'snapshot.copied') },
  { sql: /^ROLLBACK$/, around: rollback },
  { sql: /^COMMIT$/, around: commit },
];

const { prepare } = Database.prototype;
Database.prototype.prepare = function prepareWithKillPoints(sql) {
  const statement = prepare.call(this, sql);
  const match = statements.find((entry) => entry.sql.test(sql));
  for (const method of match ? ['run', 'get', 'all'] : []) {
    const original = statement[method];
    statement[method] = (...values) => match.around(() => original.apply(statement, values));
  }
  return statement;
};

function note(kind, run) {
  writtenKinds.add(kind);
  return run();
}

function rollback(run) {
  writtenKinds.clear();
  return run();
}

function after(run, point) {
  const result = run();
  pass(point);
  return result;
}

function commit(run) {
  const kinds = [...writtenKinds];
  writtenKinds.clear();
  for (const kind of kinds) pass(`${kind}.before_commit`);
  const result = run();
  for (const kind of kinds) pass(`${kind}.after_commit`);
  return result;
}
