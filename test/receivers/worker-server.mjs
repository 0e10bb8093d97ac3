// Serves a module of Cloudflare Workers in Node.js, with SQLite as its D1 database.
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import Database from 'better-sqlite3';
import worker from './receiver.mjs';

const database = new Database('inbox.db');
database.pragma('journal_mode = wal');
database.exec(readFileSync('schema.sql', 'utf8'));
const bind = (statement, values) => ({
  bind: (...bound) => bind(statement, bound),
  run: async () => statement.run(values),
  all: async () => ({ results: statement.all(values) }),
  runNow: () => statement.run(values),
});
const runAll = database.transaction((statements) => statements.map(({ runNow }) => runNow()));
const DB = {
  prepare: (sql) => bind(database.prepare(sql), []),
  batch: async (statements) => runAll(statements),
};
const print = (error) => process.stderr.write(`${error.stack}\n`);
const context = { waitUntil: (promise) => promise.catch(print) };
const environment = { DB, SVC_WEBHOOK_SECRET: process.env.SVC_WEBHOOK_SECRET };

const fetch = (request) => worker.fetch(request, environment, context);
serve({ fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`listening on ${port}\n`);
});
setInterval(() => worker.scheduled({}, environment).catch(print), 100);
