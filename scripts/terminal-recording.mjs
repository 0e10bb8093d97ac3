// npm run screenshots -- debug: the recording in README.md. In a real terminal (tmux), a delivery fails, `svc explain` names the
// mistake, the receiver is fixed, and `svc clock advance` sends the retry. Look at it before you commit it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toAnimatedSvg } from './terminal-picture.mjs';

const COLUMNS = 104;
const ROWS = 26;
const PROMPT = '$';
const TITLE =
  'A delivery fails, svc explain names the mistake, the receiver is fixed, svc clock advance sends the retry, and the delivery arrives.';

/** What is typed, and how long its output is shown. The receiver restarts when its file changes (\`node --watch\`). */
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
  const server = `svc-recording-${process.pid}`;
  const tmux = (...args) => execFileSync('tmux', ['-u', '-L', server, ...args], { encoding: 'utf8' });
  const svc = (...args) =>
    execFileSync(join(folder, 'bin/svc'), args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  let program = null;
  try {
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/svc'), `#!/bin/sh\nexec node '${join(root, 'bin/svc.js')}' "$@"\n`);
    chmodSync(join(folder, 'bin/svc'), 0o755);
    const port = await findFreePort();
    copyFileSync(join(root, 'scripts/reserializing-receiver.mjs'), join(folder, 'receiver.mjs'));
    svc('emulator', 'start', '--detach', '--port', '0', '--random-seed', '7', '--forward-to', `${port}`);
    const { SVC_WEBHOOK_SECRET } = JSON.parse(svc('env', '--format', 'json'));
    program = spawn('node', ['--watch', '--watch-preserve-output', 'receiver.mjs'], {
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, SVC_WEBHOOK_SECRET, PORT: `${port}` },
    });
    await pause(2_000);
    writeFileSync(join(folder, 'bashrc'), `PS1='${PROMPT} '\n`);
    const env = {
      ...process.env,
      TERM: 'xterm-256color',
      PATH: `${folder}/bin:${process.env.PATH}`,
    };
    const shell = [
      'new-session',
      '-d',
      '-x',
      `${COLUMNS}`,
      '-y',
      `${ROWS}`,
      '-c',
      folder,
      'bash --rcfile bashrc',
    ];
    await once(spawn('tmux', ['-u', '-L', server, '-f', '/dev/null', ...shell], { env }), 'exit');
    const capture = () => tmux('capture-pane', '-p', '-e');
    await waitForPrompt(tmux);
    const frames = [];
    for (const { command, seconds } of STEPS) {
      tmux('send-keys', '-l', command);
      await pause(300);
      frames.push({ captured: capture(), seconds: 2 });
      tmux('send-keys', 'Enter');
      await pause(300);
      await waitForPrompt(tmux);
      // The receiver restarts, and the retry is due later than the terminal shows.
      await pause(command.startsWith('sed') ? 2_000 : 300);
      frames.push({ captured: capture(), seconds });
    }
    writeFileSync(file, toAnimatedSvg(frames, { columns: COLUMNS, rows: ROWS, title: TITLE }));
  } finally {
    program?.kill();
    try {
      svc('emulator', 'stop');
      tmux('kill-server');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function waitForPrompt(tmux) {
  const deadline = Date.now() + 30_000;
  while (tmux('capture-pane', '-p').trimEnd().split('\n').at(-1) !== PROMPT) {
    if (Date.now() > deadline) throw new Error(`The command did not end:\n${tmux('capture-pane', '-p')}`);
    await pause(100);
  }
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
