// npm run screenshots -- debug: the recording in README.md. A delivery fails, `svc explain` names the mistake, the receiver is fixed,
// and `svc clock advance` sends the retry. Look at it before you commit it.
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { createReceiver } from '../dist/index.js';
import { toAnimatedSvg } from './terminal-picture.mjs';

const COLUMNS = 104;
const ROWS = 26;
const TITLE =
  'A delivery fails, svc explain names the mistake, the receiver is fixed, svc clock advance sends the retry, and the delivery arrives.';

/** What is typed, and how long its output is shown. */
const STEPS = [
  { command: 'svc trigger order.shipped --wait=1s', seconds: 4 },
  { command: 'svc explain', seconds: 7 },
  {
    command: "sed -i 's/JSON.stringify(JSON.parse(raw))/raw/' receiver.mjs   # verify the raw bytes",
    seconds: 2,
  },
  { command: 'svc clock advance 5m', seconds: 6 },
];

/** @param root the folder of the repository, with a build */
export async function recordTerminal(root, file) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recording-'));
  const options = { cwd: folder, env: { TERM: 'xterm-256color', PATH: `${folder}:${process.env.PATH}` } };
  writeFileSync(join(folder, 'svc'), `#!/bin/sh\nexec node '${join(root, 'bin/svc.js')}' "$@"\n`);
  chmodSync(join(folder, 'svc'), 0o755);
  copyFileSync(join(root, 'scripts/reserializing-receiver.mjs'), join(folder, 'receiver.mjs'));
  const port = await findFreePort();
  const start = ['emulator', 'start', '--detach', '--port', '0', '--random-seed', '7'];
  await execa('svc', [...start, '--forward-to', `${port}`], options);
  const { stdout } = await execa('svc', ['env', '--format', 'json'], options);
  const { SVC_WEBHOOK_SECRET } = JSON.parse(stdout);
  // It restarts when its file changes.
  const receiver = spawn('node', ['--watch', '--watch-preserve-output', 'receiver.mjs'], {
    ...{ cwd: folder, stdio: 'ignore', env: { ...process.env, SVC_WEBHOOK_SECRET, PORT: `${port}` } },
  });
  try {
    let screen = '';
    const frames = [];
    const show = (text, seconds) => {
      screen = (screen + text).split('\n').slice(-ROWS).join('\n');
      frames.push({ captured: screen, seconds });
    };
    for (const { command, seconds } of STEPS) {
      await pause(2_000);
      show(`${screen === '' ? '$ ' : ''}${command}`, 2);
      // In a terminal, but without the progress that svc shows in one.
      const line = `stty cols ${COLUMNS}; { ${command.split('   #')[0]}; } 2> >(fold -sw ${COLUMNS} >&2)`;
      const { stdout } = await execa('script', ['-qec', `bash -c ${quote(line)}`, '/dev/null'], {
        ...options,
        reject: false,
      });
      show(`\n${stdout === '' ? '' : `${stdout.replaceAll('\r', '').trimEnd()}\n`}$ `, seconds);
    }
    writeFileSync(file, toAnimatedSvg(frames, { columns: COLUMNS, rows: ROWS, title: TITLE }));
  } finally {
    receiver.kill();
    await execa('svc', ['emulator', 'stop'], options);
    rmSync(folder, { recursive: true, force: true });
  }
}

function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function findFreePort() {
  const receiver = await createReceiver(200);
  await receiver.close();
  return new URL(receiver.url).port;
}
