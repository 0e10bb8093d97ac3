/**
 * The minimal pipeline that the emulator is compared with: `bare-pipeline.js <database> <receiver> <endpoints> <log|no-log>`.
 * It receives events over node:http, writes the same rows in grouped commits with `synchronous = FULL`, with or without the
 * request log, responds, signs, sends through an undici pool and records the attempt. It has minimal validation, no limits
 * and no retries.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { UlidGenerator } from '../../src/domain/ids.ts';
import { openDatabase } from '../../src/store/database.ts';
import { printReadyLine } from './ready.ts';

const CONCURRENCY = 64;
const [path = ':memory:', receiver = '', endpoints = '1', requestLog] = process.argv.slice(2);
const db = openDatabase({ path });
const ids = new UlidGenerator();
const pool = new Pool(receiver, { connections: CONCURRENCY });
const apiKey = randomBytes(24).toString('hex');
const secret = 'whsec_bare';
let seq = 10;

const insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, 1, ?, ?, 0, ?)');
const insertDelivery = db.prepare(
  `INSERT INTO deliveries (seq, id, event_seq, webhook_seq, workspace_seq, created_at, status, due_at)
   VALUES (?, ?, ?, ?, 1, ?, 'pending', ?)`,
);
const settle = db.prepare(
  `UPDATE deliveries SET status = 'succeeded', due_at = NULL, settled_at = ?, first_attempt_at = ?, on_schedule = 0,
     scheduled_attempts = 1, attempt_count = 1 WHERE seq = ?`,
);
const insertAttempt = db.prepare(
  `INSERT INTO attempts (seq, delivery_seq, webhook_seq, number, trigger, scheduled_at, sent_at_wall, duration_ms, outcome,
     response_status, request_url, request_headers, response_headers)
   VALUES (?, ?, ?, 1, 'schedule', ?, ?, ?, 'succeeded', ?, ?, ?, ?)`,
);
const insertRequest = db.prepare(
  `INSERT INTO api_requests (seq, id, at_wall, method, path, status, duration_ms, api_key_seq, workspace_seq, resource_id,
     request_headers, request_body, request_size, response_headers, response_body, response_size)
   VALUES (?, ?, ?, 'POST', ?, 201, ?, 2, 1, ?, ?, ?, ?, ?, ?, ?)`,
);
const findKey = db.prepare<[Buffer], number>('SELECT seq FROM api_keys WHERE hash = ?').pluck();
const begin = db.prepare('BEGIN IMMEDIATE');
const commit = db.prepare('COMMIT');

interface Delivery {
  readonly seq: number;
  readonly webhookSeq: number;
  readonly id: string;
  readonly body: string;
  readonly createdAt: number;
}

const waiting: Array<{ write: () => void; then: () => void }> = [];
const queue: Delivery[] = [];
let inFlight = 0;

createRows();
const server = createServer((request, response) => {
  if (request.method === 'GET') response.end();
  else take(request, response);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  printReadyLine({ url: `http://127.0.0.1:${port}`, api_key: apiKey }, () => db.close());
});

function createRows(): void {
  db.exec(`INSERT INTO workspaces VALUES (1, 'ws_1', 'Bare', 0, 0, 0, 1, 0)`);
  db.prepare(
    `INSERT INTO api_keys (seq, id, workspace_seq, hash, last4, name, scopes, created_at) VALUES (2, 'key_1', 1, ?, '0000', 'Bare', '[]', 0)`,
  ).run(hash(apiKey));
  const insert = db.prepare(
    `INSERT INTO webhooks (seq, id, workspace_seq, url, events, secret, created_at) VALUES (?, ?, 1, ?, '["*"]', ?, 0)`,
  );
  for (let each = 0; each < Number(endpoints); each++) insert.run(++seq, `wh_${each}`, receiver, secret);
}

function take(request: IncomingMessage, response: ServerResponse): void {
  const startedAt = performance.now();
  const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (findKey.get(hash(key)) === undefined) {
      response.writeHead(401).end();
      return;
    }
    const body = Buffer.concat(chunks);
    const { type, payload } = JSON.parse(body.toString());
    create(type, JSON.stringify(payload), (record, eventId) => {
      const requestId = ids.next('request', Date.now());
      const headers = { 'Content-Type': 'application/json', 'Request-Id': requestId };
      const size = Buffer.byteLength(record);
      response.writeHead(201, { ...headers, 'Content-Length': size }).end(record);
      if (requestLog === 'no-log') return;
      const at = Date.now();
      const tookMs = performance.now() - startedAt;
      const messages = [
        JSON.stringify(request.headers),
        body,
        body.length,
        JSON.stringify(headers),
        record,
        size,
      ];
      later.push(() => {
        insertRequest.run(++seq, requestId, at, request.url, tookMs, eventId, ...messages);
      });
    });
  });
}

function create(type: string, payload: string, answer: (record: string, id: string) => void): void {
  const createdAt = Date.now();
  const at = new Date(createdAt).toISOString();
  const id = ids.next('event', createdAt);
  const record = `{"id":"${id}","workspace_id":"ws_1","type":"${type}","payload":${payload},"created_at":"${at}"}`;
  const body = `{"type":"${type}","workspace_id":"ws_1","created_at":"${at}","data":${record}}`;
  const eventSeq = ++seq;
  const webhookSeq = 11 + Number(type.replace(/\D/g, ''));
  const delivery = { seq: ++seq, webhookSeq, id: ids.next('delivery', createdAt), body, createdAt };
  write(
    () => {
      insertEvent.run(eventSeq, id, type, createdAt, body);
      insertDelivery.run(delivery.seq, delivery.id, eventSeq, webhookSeq, createdAt, createdAt);
    },
    () => {
      answer(record, id);
      queue.push(delivery);
      send();
    },
  );
}

function send(): void {
  while (inFlight < CONCURRENCY && queue.length > 0) {
    const delivery = queue.shift();
    if (delivery) void deliver(delivery);
  }
}

async function deliver({ seq: deliverySeq, webhookSeq, id, body, createdAt }: Delivery): Promise<void> {
  inFlight++;
  const sentAt = Date.now();
  const startedAt = performance.now();
  const timestamp = `${new Date(sentAt).toISOString().slice(0, 19)}Z`;
  const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'bare',
    'Service-Signature': `v1=${signature}`,
    'Service-Timestamp': timestamp,
    'Service-Delivery-Id': id,
  };
  const answer = await pool.request({ path: '/', method: 'POST', headers, body });
  await answer.body.arrayBuffer();
  const tookMs = performance.now() - startedAt;
  const [asked, answered] = [JSON.stringify(headers), JSON.stringify(answer.headers)];
  write(
    () => {
      const values = [createdAt, sentAt, tookMs, answer.statusCode, receiver, asked, answered];
      insertAttempt.run(++seq, deliverySeq, webhookSeq, ...values);
      settle.run(Date.now(), createdAt, deliverySeq);
    },
    () => {
      inFlight--;
      send();
    },
  );
}

/** Writes without a waiting caller, for the next group. */
const later: Array<() => void> = [];

function write(operation: () => void, then: () => void): void {
  if (waiting.length === 0) setImmediate(flush);
  waiting.push({ write: operation, then });
}

function flush(): void {
  const group = waiting.splice(0);
  begin.run();
  for (const each of group) each.write();
  for (const each of later.splice(0)) each();
  commit.run();
  for (const { then } of group) then();
}

function hash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
