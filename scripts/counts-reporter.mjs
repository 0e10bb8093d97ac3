// A Vitest reporter that writes `{passed, failed, skipped, aborted, failures}` to the file in TEST_COUNTS_FILE; `failures` has the names of
// the failed tests. It writes at the end, and before that after each file with a failed test, in case the run is interrupted. The JSON
// reporter of Vitest does not count worker processes that crash.
import { writeFileSync } from 'node:fs';

const CRASH_SIGNAL = /\bSIG(?:ABRT|SEGV|BUS|ILL|TRAP)\b/;

export default class CountsReporter {
  #ended = [];

  onTestModuleEnd(module) {
    this.#ended.push(module);
    if (module.state() === 'failed') writeCounts(this.#ended, []);
  }

  onTestRunEnd(modules, unhandledErrors) {
    writeCounts(modules, unhandledErrors);
  }
}

function writeCounts(modules, unhandledErrors) {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const failures = tests.filter((test) => test.result().state === 'failed');
  const passed = tests.filter((test) => test.result().state === 'passed').length;
  // A file that fails while it is loaded, or in a hook, has no failed test. It counts as one failure.
  const broken = modules.filter(
    (module) => module.state() === 'failed' && !failures.some((test) => test.module === module),
  );
  const crashedWorkers = unhandledErrors.filter(isCrash);
  const crashedChildren = failures.filter((test) => test.result().errors.some(namesCrash));
  const counts = {
    passed,
    failed: failures.length + broken.length + unhandledErrors.length,
    skipped: tests.length - passed - failures.length,
    aborted: crashedWorkers.length + crashedChildren.length,
    failures: [
      ...failures.map(
        (test) => `${test.module.relativeModuleId} › ${test.fullName.replaceAll(' > ', ' › ')}`,
      ),
      ...broken.map((module) => module.relativeModuleId),
      ...unhandledErrors.map((error) => `outside of a test: ${describeError(error).split('\n')[0]}`),
    ],
  };
  writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
}

function isCrash(error) {
  return describeError(error).includes('Worker exited unexpectedly');
}

function describeError({ message, cause }) {
  return cause?.message === undefined ? `${message}` : `${message} ${cause.message}`;
}

/** Whether the error is about a child process that crashed: tests name the signal. */
function namesCrash({ message }) {
  return CRASH_SIGNAL.test(message);
}
