// The results of npm run test:mutants: one JSON line for each, in a file that its processes share.
import { appendFileSync, readFileSync } from 'node:fs';

export class Results {
  #file;
  #entries = [];
  #parsed = 0;

  constructor(folder) {
    this.#file = `${folder}/results`;
    appendFileSync(this.#file, '');
  }

  add(entry) {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  /** The results of all processes until now. */
  read() {
    const text = readFileSync(this.#file, 'utf8');
    const lines = text.slice(this.#parsed).split('\n').slice(0, -1);
    this.#entries.push(...lines.map((line) => JSON.parse(line)));
    this.#parsed = text.lastIndexOf('\n') + 1;
    return this.#entries;
  }

  /** @returns how each mutant that a test killed was killed, by its ID */
  readKills() {
    const kills = new Map();
    for (const { id, status, by } of this.read()) {
      if (status === 'killed') kills.set(id, by);
      else if (status === 'reopened') kills.delete(id);
    }
    return kills;
  }
}
