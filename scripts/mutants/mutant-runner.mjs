// The Vitest runner of npm run test:mutants. It runs a test file once to learn which mutants each test reaches. Then it switches on one
// mutant after the other and runs the tests that reach it again, with newly loaded modules, but in the same process.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { getFn, startTests } from '@vitest/runner';
import { TestRunner, vi } from 'vitest';
import { Results } from './results.mjs';

const { folder, mutants, maxTestMs } = JSON.parse(readFileSync(process.env.TEST_MUTANTS_PLAN, 'utf8'));
const results = new Results(folder);

/** A test that has killed so many mutants runs without a mutant again, to see whether the process still works. */
const KILLS_BETWEEN_CHECKS = 20;
const MAX_MEMORY = 2 ** 30;
/** A file that takes longer waits until the others are done, and then runs only the mutants that these did not kill. */
const MAX_FIRST_FILE_MS = 3_000;

/** ID of the mutant that is switched on. */
let active = -1;
let isRecording = true;
/** The mutants that were reached outside of tests, and by each running test. */
const reachedOutside = new Set();
const reachedByRunning = new Map();
/** Calls of `__mutant` in this run, and how many are too many: an endless loop. */
let calls = 0;
let maxCalls = Number.POSITIVE_INFINITY;

globalThis.__mutant = (id) => {
  if (isRecording) {
    for (const set of reachedByRunning.size === 0 ? [reachedOutside] : reachedByRunning.values()) set.add(id);
  }
  if (++calls > maxCalls) throw new Error('The mutant does not end.');
  return id === active;
};

// Tests can replace timers. A mutant must not end other processes.
const { clearTimeout, setImmediate, setTimeout } = globalThis;
const kill = process.kill.bind(process);
process.kill = (pid, signal) => {
  if (!Number.isInteger(pid) || [-1, 0, 1].includes(pid)) throw new Error(`Invalid process: ${pid}`);
  return kill(pid, signal);
};

export default class MutantRunner extends TestRunner {
  #startedAt = performance.now();
  #loadMs = 0;
  /** The mutants that each test reaches. */
  #reached = new Map();
  /** Milliseconds that each test takes. Without those that fail. */
  #durations = new Map();

  onCollected() {
    this.#loadMs = performance.now() - this.#startedAt;
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test);
    if (test.mode !== 'run' && test.mode !== 'queued') return;
    const reached = new Set();
    this.#reached.set(nameOf(test), reached);
    reachedByRunning.set(test.id, reached);
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    reachedByRunning.delete(test.id);
    if (test.result?.state === 'pass') this.#durations.set(nameOf(test), test.result.duration);
    if (test.result?.state === 'fail') exclude(test.file.name, nameOf(test), 'fails without a mutant');
  }

  async onAfterRunFiles([file]) {
    super.onAfterRunFiles();
    isRecording = false;
    maxCalls = 1_000_000 + 10 * calls;
    const path = file.name;
    const ms = [...this.#durations.values()].reduce((sum, duration) => sum + duration, 0);
    const isFirstRun = !results.read().some((result) => result.path === path && result.reached);
    results.add({
      path,
      ms,
      reached: [...new Set([reachedOutside, ...this.#reached.values()].flatMap((set) => [...set]))],
    });
    if (isFirstRun && ms > MAX_FIRST_FILE_MS) return;
    const loop = new MutantLoop(this, file, this.#durations, this.#loadMs);
    const queue = [...mutants];
    for (const mutant of queue) {
      await this.#runMutant(loop, path, mutant);
      const isMemoryFull = process.memoryUsage().rss > MAX_MEMORY;
      const isLast = isMemoryFull || mutant === queue.at(-1);
      const reopened = await loop.checkKills(isLast ? 1 : KILLS_BETWEEN_CHECKS);
      for (const id of reopened) results.add({ path, id, status: 'reopened' });
      queue.push(...reopened.map((id) => ({ ...mutants.find((other) => other.id === id) })));
      if (isMemoryFull) kill(process.pid, 'SIGKILL');
    }
    results.add({ path, isDone: true });
  }

  async #runMutant(loop, path, { id, isStatic }) {
    const last = results.read().findLast((result) => result.id === id && result.path === path);
    const isEnded = results.readKills().has(id) || last?.status === 'survived';
    const tests = isEnded ? new Set() : this.#findTests(path, id, isStatic);
    if (tests.size === 0) return;
    results.add({ path, id, status: 'started' });
    const by = last?.status === 'started' ? 'the end of the process' : await loop.findFailure(id, tests);
    results.add({ path, id, status: by === null ? 'survived' : 'killed', by });
  }

  #findTests(path, id, isStatic) {
    // A module that a test loads stays loaded for the next ones.
    const isShared =
      reachedOutside.has(id) || (isStatic && [...this.#reached.values()].some((reached) => reached.has(id)));
    const excluded = results.read().filter((result) => result.path === path && result.excluded);
    const tests = [...this.#durations.keys()].filter(
      (test) =>
        this.#durations.get(test) <= maxTestMs && !excluded.some((result) => result.excluded === test),
    );
    return new Set(tests.filter((test) => isShared || this.#reached.get(test).has(id)));
  }
}

/** Runs tests of one file with one mutant after the other. */
class MutantLoop {
  #outer;
  #file;
  #durations;
  #loadMs;
  #watchdog = new Watchdog();
  /** The mutants that each test has killed since it last passed without a mutant. */
  #uncheckedKills = new Map();
  #strayErrors = 0;
  /** Whether the last run ended because a test took too long. */
  #isTimeout = false;

  constructor(outer, file, durations, loadMs) {
    this.#outer = outer;
    this.#file = file;
    this.#durations = durations;
    this.#loadMs = loadMs;
    // Errors outside of tests count for the mutant, not for the run.
    for (const event of ['unhandledRejection', 'uncaughtException']) {
      process.removeAllListeners(event);
      process.on(event, () => this.#strayErrors++);
    }
  }

  /** @returns the name of the test that fails with the mutant, or another reason; null if all pass */
  async findFailure(id, tests) {
    let failed = await this.#run(id, tests);
    // An error of an earlier mutant can come late.
    if (failed === 'an unhandled error') failed = await this.#run(id, tests);
    if (tests.has(failed)) {
      this.#uncheckedKills.set(failed, [...(this.#uncheckedKills.get(failed) ?? []), id]);
      if (this.#isTimeout) return 'a timeout';
    }
    return failed;
  }

  /**
   * Runs the tests that have killed at least so many mutants without a mutant. A test that fails needs the tests before it, or an
   * earlier mutant has changed the process. It is not used again.
   * @returns the mutants that only such a test killed
   */
  async checkKills(count) {
    const reopened = [];
    const tests = new Set(
      [...this.#uncheckedKills].filter(([, ids]) => ids.length >= count).map(([test]) => test),
    );
    while (tests.size > 0) {
      const failed = await this.#run(-1, tests);
      if (!tests.delete(failed)) break;
      exclude(this.#file.name, failed, 'fails without a mutant when fewer tests run');
      reopened.push(...this.#uncheckedKills.get(failed));
      this.#uncheckedKills.delete(failed);
    }
    for (const test of tests) this.#uncheckedKills.delete(test);
    return reopened;
  }

  async #run(id, tests) {
    const run = new MutantRun(this.#outer, tests, this.#durations);
    const testMs = [...tests].reduce((sum, test) => sum + this.#durations.get(test), 0);
    this.#watchdog.start(6_000 + 6 * (testMs + this.#loadMs));
    this.#strayErrors = 0;
    calls = 0;
    active = id;
    vi.resetModules();
    try {
      await startTests([{ filepath: this.#file.filepath, testLocations: undefined }], run);
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      active = -1;
      this.#watchdog.stop();
      vi.resetConfig();
      vi.restoreAllMocks();
    }
    this.#isTimeout = run.isTimeout;
    if (calls > maxCalls) return 'an endless loop';
    return run.failed ?? (this.#strayErrors > 0 ? 'an unhandled error' : null);
  }
}

/** Runs the named tests of a file until one of them fails. */
class MutantRun extends TestRunner {
  /** The test that failed. */
  failed = null;
  isTimeout = false;
  #tests;
  #durations;

  constructor(outer, tests, durations) {
    super(outer.config);
    Object.defineProperty(this, 'moduleRunner', { value: outer.moduleRunner });
    this.__setTraces(outer._otel);
    this.#tests = tests;
    this.#durations = durations;
  }

  onCollected([file]) {
    if (file.result?.state === 'fail') this.failed = 'an error while the file was loaded';
    this.#select(file);
  }

  #select(task) {
    if (task.type === 'suite') {
      for (const part of task.tasks) this.#select(part);
      if (!task.tasks.some(({ mode }) => mode === 'run')) task.mode = 'skip';
    } else if (!this.#tests.has(nameOf(task))) {
      task.mode = 'skip';
    }
  }

  async onBeforeRunTask(test) {
    if (this.failed !== null) test.mode = 'skip';
    await super.onBeforeRunTask(test);
  }

  runTask(test) {
    let timer;
    const timeout = new Promise((_resolve, reject) => {
      const ms = 2_000 + 5 * this.#durations.get(nameOf(test));
      timer = setTimeout(() => {
        this.isTimeout = true;
        reject(new Error('The mutant takes too long.'));
      }, ms);
    });
    return Promise.race([getFn(test)(), timeout]).finally(() => clearTimeout(timer));
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    if (test.result?.state === 'fail') this.failed ??= nameOf(test);
  }

  /** Without the end of the snapshots, which knows only complete runs. */
  onAfterRunSuite(suite) {
    if (suite.result?.errors?.length > 0) this.failed ??= 'an error in a hook';
    this.workerState.current = suite.suite ?? suite.file;
  }
}

/** Ends this process if a mutant blocks it. */
class Watchdog {
  #deadline = new BigInt64Array(new SharedArrayBuffer(8));

  constructor() {
    const worker = new Worker(
      `const { workerData: deadline } = require('node:worker_threads');
      setInterval(() => {
        const at = Atomics.load(deadline, 0);
        if (at > 0n && BigInt(Date.now()) > at) process.kill(process.pid, 'SIGKILL');
      }, 100);`,
      { eval: true, workerData: this.#deadline },
    );
    worker.unref();
  }

  start(ms) {
    Atomics.store(this.#deadline, 0, BigInt(Date.now() + Math.ceil(ms)));
  }

  stop() {
    Atomics.store(this.#deadline, 0, 0n);
  }
}

function exclude(path, test, reason) {
  results.add({ path, excluded: test, reason });
}

function nameOf(task) {
  const names = [];
  for (let part = task; part && part !== task.file; part = part.suite) names.unshift(part.name);
  return names.join(' › ');
}
