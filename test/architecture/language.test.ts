/**
 * Fails on words and sentence patterns that make documents, messages, comments, titles and names hard to read.
 * `LANGUAGE_PATH=src/store npx vitest run test/architecture/language.test.ts` lists every finding below a path.
 */
import { describe, expect, it } from 'vitest';
import { pages, readPage } from '../support/documents.ts';
import { type FileTexts, findTexts, type Kind, readTexts, type Text } from './readable-texts.ts';

interface Rule {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Default: everything that is a sentence. */
  readonly kinds?: readonly Kind[];
}

const rules: readonly Rule[] = [
  // Literary words.
  {
    pattern: /\b(?:whoever|wherein|whereby|thereof|therein|lest|whilst|amongst|ought)\b/i,
    instead: 'a plain word',
  },
  { pattern: /\b(?:anew|afresh|once more)\b/i, instead: 'again, new' },
  { pattern: /\bof since\b/i, instead: 'later, since then' },
  {
    pattern: /(?<!\bthere )\b(?:is|are|was|were|be) no more\b(?! than)/i,
    instead: 'no longer exists, was removed',
  },
  { pattern: /\bwhat there (?:is|are) not\b/i, instead: 'what does not exist' },
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b/i, instead: 'receives, is notified' },
  { pattern: /\b(?:hears?|heard)\b/i, instead: 'receives, is notified' },
  { pattern: /\b(?:go|goes|going|went|gone) on\b(?! (?:the|a|standard)\b)/i, instead: 'continue, keep' },
  {
    pattern: /\bholds? (?:a|an|the|its|every|each|what) (?:[\w-]+ ){1,3}to (?:the|its|a|what)\b/i,
    instead: 'checks against',
  },
  { pattern: /\bhow (?:it|they) fares?\b/i, instead: 'its success rate, its result' },
  {
    pattern: /\bas (?:it|they) (?:is|are|was|were|stands?|stood)(?=$|[,.;:)]| \*\/)/i,
    instead: 'unchanged, without changes',
  },
  {
    pattern: /\bthat there (?:is|are|was|were)(?: not| none)?(?=$|[,.;:)]| \*\/)/i,
    instead: 'that exists, all existing',
  },
  { pattern: /\b(?:under|on its|on their) way\b/i, instead: 'in progress, in flight' },
  { pattern: /\bwhen left out\b/i, instead: 'default: X' },
  { pattern: /\b(?:is|are|was|were|be) (?:left|let) in\b|\bgets? nothing of\b/i, instead: 'allowed, denied' },
  {
    pattern: /(?<!\b[Tt]here )\b(?:[Ii]s|[Aa]re|was|were|be) none\b/,
    instead: 'does not exist, without one',
  },
  {
    pattern: /(?<!\bthere )\b(?:is|are) no (?!longer\b|one\b|more\b|less\b)\w+/i,
    instead: 'is not a, is invalid, does not exist',
  },
  { pattern: /\brightly\b/i, instead: 'correctly' },
  {
    pattern: /(?<!\b(?:leave|leaves|left|let|stands?) (?:[\w]+ ){0,2})\balone\b/i,
    instead: 'only, on its own',
  },
  { pattern: /\ball the same\b/i, instead: 'anyway, nevertheless' },
  { pattern: /\bhappenings?\b/i, instead: 'event log, change feed, change' },
  {
    pattern: /, also (?:if|after|when|in|with|for|on|under|those)\b/i,
    instead: 'even if, including',
  },
  { pattern: /\b(?:a|each|every) further\b/i, instead: 'another' },
  // Inversions and riddles.
  {
    pattern:
      /(?:^|[.:;] )(?:\/\*\*? |\/\/ )?(?:Beside|Besides|Behind|Above|Below|In|Of|With|By|On) (?:it|them|that|this|which|each|all) (?:stands?|is|are|lies?|goes|go|comes?|was|were)\b/,
    instead: 'subject first',
  },
  { pattern: /\bstands? (?:beside|besides|there|in|for itself)\b/i, instead: 'is next to, is in' },
  { pattern: /\b\w+ it is, because\b/i, instead: 'subject first' },
  // Terms: one word for one thing.
  {
    pattern:
      /(?<!\bquestions?\b[^.]{0,90})\banswer(?:s|ed|ing)?\b(?! (?:to )?(?:the|a|its|each|every|no) (?:prompt|question))/i,
    instead: 'response, respond, override',
  },
  { pattern: /\bmembers?\b/i, instead: 'field' },
  { pattern: /\b(?:instants?|moments?)\b/i, instead: 'time, timestamp, due time' },
  { pattern: /(?<!\.)\bladders?\b/i, instead: 'retry schedule' },
  {
    pattern:
      /\binternal faults?\b|\bfaults? (?:of|in) (?:ours|its own|svc|the (?:emulator|program|scheme|code|database))\b/i,
    instead: 'internal error, schema error, defect',
  },
  // Metaphors in sentences.
  {
    pattern:
      /\b(?:mint(?:s|ed|ing)?|leash(?:es|ed)?|quarry|couriers?|lanes?|patience|doors?|house|occupants?|shelf|shelves|telltales?|outlook|scenes?|surroundings|mishaps?|farewell)\b|\brooms\b|\b(?:every|each|one|a) room\b(?! (?:for|to|left)\b)/i,
    instead: 'the technical term',
  },
  // British spellings.
  {
    pattern:
      /(?:colour|behaviour|favour|honour|neighbour|flavour|cancell(?:ed(?!\(\))|ing)|licenc|defence|artefact|judgement|acknowledgement|(?:label|travel|model|signal)l(?:ed(?!by)|ing))|\b(?:centres?|grey)\b/i,
    instead: 'the American spelling',
    kinds: ['page', 'comment', 'title', 'string', 'name'],
  },
  {
    pattern:
      /(?:seriali|recogni|organi|normali|initiali|utili|summari|customi|authori|prioriti|minimi|maximi|optimi|finali|capitali|synchroni|tokeni|saniti|visuali|categori|generali|standardi|emphasi|materiali|realis)s(?:e|ing|ation)/i,
    instead: 'the American spelling',
    kinds: ['page', 'comment', 'title', 'string', 'name'],
  },
  // Titles are sentences.
  {
    pattern:
      /^(?:is|are|has|have|does|do|can|may|must|will|cannot|never|tell|keep|say|accepts|adds|advances|announces|answers|arrives|asks|becomes|begins|boots|breaks|brings|calls|carries|changes|checks|cites|climbs|closes|collects|comes|commits|compacts|compiles|connects|contains|continues|copies|costs|counts|covers|creates|cuts|defaults|delays|deletes|delivers|describes|destroys|draws|drops|ends|escapes|exits|expects|fails|fills|finds|fires|fits|folds|follows|forgets|forwards|gets|gives|goes|greets|hears|hides|holds|ignores|joins|judges|jumps|keeps|knows|leads|leans|leaves|lets|lists|listens|loads|locks|logs|looks|loses|makes|marks|masks|matches|meets|moves|names|needs|notes|notices|offers|opens|outlasts|outlives|overwrites|passes|pipes|plans|prefers|prints|proposes|puts|reaches|reads|recogni[sz]es|refuses|registers|rejects|remains|removes|repeats|replaces|reports|requires|resets|returns|runs|saves|says|sees|sends|serves|sets|shares|shows|signs|stands|starts|stays|stops|suggests|survives|takes|tells|throws|trusts|undoes|varies|verifies|waits|wakes|warns|writes) /,
    instead: 'a title that starts with its subject',
    kinds: ['title'],
  },
  {
    pattern: /^(?:%[sdjio#]|\$\w+|…)?$/,
    instead: 'a full sentence',
    kinds: ['title'],
  },
  {
    pattern:
      /(?<![a-z])(?:mint(?:s|ed)?|leash|quarry|quarries|couriers?|lanes?|alarms?|wish(?:es)?|patience|doors?|house|rooms?|shelf|shelves|occupants?|offers?|conduct|telltales?|outlook|scenes?|happenings?|ledger|forge|forger|forgery|forgeries|blindness|mishaps?|farewell|surroundings|teller)(?![a-z])/,
    instead: 'the term that a developer would search for',
    kinds: ['name'],
  },
];

interface Exception {
  /** File, or folder that ends with `/`. */
  readonly path: string;
  readonly text: RegExp;
  readonly reason: string;
}

/** Findings that are not mistakes. */
const exceptions: readonly Exception[] = [
  { path: 'src/profile/', text: /\banswers?\b/i, reason: 'the gap register has questions and answers' },
  { path: 'test/architecture/language.test.ts', text: /./, reason: 'names the words that it forbids' },
  { path: 'test/profile/', text: /\banswers?\b/i, reason: 'the gap register has questions and answers' },
  { path: 'docs/gaps.md', text: /\banswers?\b/i, reason: 'a question of the gap register has an answer' },
];

interface Finding {
  readonly file: string;
  readonly message: string;
}

/** A space in a pattern matches any white space, because lines are wrapped. */
const globalRules = rules.map((rule) => ({
  ...rule,
  pattern: new RegExp(rule.pattern.source.replaceAll(' ', '\\s+'), `${rule.pattern.flags}g`),
}));

const prose: readonly Kind[] = ['page', 'comment', 'title', 'string'];

function findMistakes({ file, source, texts }: FileTexts): Finding[] {
  return texts.flatMap((text) =>
    globalRules.flatMap((rule) =>
      findMatches(rule, text).flatMap(({ index, input, 0: words }) => {
        if (exceptions.some((exception) => isException(exception, file, text))) return [];
        const line = source.slice(0, text.start + index).split('\n').length;
        const around = input.slice(Math.max(0, index - 40), index + words.length + 40).trim();
        const message = `${file}:${line} ${text.kind} "${words.trim()}", write ${rule.instead}: ${around}`;
        return [{ file, message }];
      }),
    ),
  );
}

function findMatches({ pattern, kinds = prose }: Rule, { kind, text }: Text): RegExpExecArray[] {
  if (!kinds.includes(kind)) return [];
  // A string of one word is a value, not a sentence.
  if (kind === 'string' && kinds === prose && !/\S\s+\S/.test(text)) return [];
  const words = kind === 'name' ? splitWords(text) : text;
  return [...words.matchAll(pattern)];
}

/** `retryDelay` becomes `retry-delay`. */
function splitWords(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '-').toLowerCase();
}

function isException({ path, text }: Exception, file: string, finding: Text): boolean {
  return isBelow(file, path) && text.test(finding.text);
}

function isBelow(file: string, path: string): boolean {
  return file === path || file.startsWith(path.replace(/\/?$/, '/'));
}

const handwrittenPages = pages.filter((page) => !readPage(page).includes('<!-- Generated by'));

/** The sentences outside of tables and code blocks. Inline code counts as a word. */
function findSentences(markdown: string): string[] {
  return markdown
    .replace(/^( *)```[\s\S]*?^\1```$|^\|.*$/gm, '')
    .replace(/`[^`]*`/g, 'code')
    .replace(/(?<=\])\([^)]*\)|<[^>]*>/g, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*#]|\d+\.) )|(?<=[.!?:;]\**)\s/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim());
}

function countWords(sentence: string): number {
  return sentence.split(' ').length;
}

describe('the language of the repository', () => {
  const path = process.env.LANGUAGE_PATH;

  it.each(handwrittenPages)('%s has no sentence with more than 40 words', (page) => {
    expect(findSentences(readPage(page)).filter((sentence) => countWords(sentence) > 40)).toEqual([]);
  });

  it('everything that people read avoids the forbidden words and patterns', () => {
    const findings = readTexts((file) => path === undefined || isBelow(file, path)).flatMap(findMistakes);
    expect(findings.map(({ message }) => message)).toEqual([]);
  }, 60_000);
});

describe('findMistakes', () => {
  const find = (file: string, source: string) =>
    findMistakes(findTexts(file, source)).map(({ message }) => /(?<=").*(?=")/.exec(message)?.[0]);

  it.each([
    ['a comment', 'src/a.ts', '/** It goes\n * on. */'],
    ['the comments of adjacent lines', 'src/a.ts', '// It goes\n// on.\nf();'],
    ['a string', 'src/a.ts', "f('It goes  on.')"],
    ['a template', 'src/a.ts', 'f(`\u0024{a} goes  on.`)'],
    ['text between JSX tags', 'src/a.tsx', 'const a = <p>It goes\n  on.</p>;'],
    ['a test title', 'test/a.test.ts', "it.each([1])('%s goes  on', f);"],
    ['a page', 'docs/a.md', 'It goes\non.'],
    ['a code block', 'docs/a.md', '```js\nf(); // It goes  on.\n```'],
    ['a comment in styles', 'src/a.css', '/* It goes  on. */'],
  ])('forbidden words are found in %s', (_, file, source) => {
    expect(find(file, source)).toEqual([expect.stringMatching(/^goes\s+on$/)]);
  });

  it.each([
    ['a file name', 'src/lane.ts', '', 'lane'],
    ['a function', 'src/a.ts', 'function openDoor() {}', 'door'],
    ['a field', 'src/a.ts', 'const a = { laneCount: 1 };', 'lane'],
    ['a CSS class', 'src/a.css', '.lane-top { color: red; }', 'lane'],
  ])('metaphors are found in the name of %s', (_, file, source, word) => {
    expect(find(file, source)).toEqual([word]);
  });

  it('a title that starts with a verb is a mistake in a test and not in a group', () => {
    const source = "describe('is a group', () => { it('returns one', f); it('one is returned', f); });";
    expect(find('test/a.test.ts', source)).toEqual(['returns']);
  });

  it.each([
    ['inline code', 'docs/a.md', 'Call `answer()`.'],
    ['import paths', 'src/a.ts', "import { a } from './answer to.ts';"],
    ['strings of one word', 'src/a.ts', "f('answer')"],
  ])('%s can contain forbidden words', (_, file, source) => {
    expect(find(file, source)).toEqual([]);
  });
});

describe('findSentences', () => {
  it('a sentence ends at a period, a colon, an empty line and a new list item', () => {
    const page =
      '# Title\n\nOne [link](a.md). Two:\n- `a b` three\n- four\n  five\n\n| a | table |\n\n```js\nf();\n```\n';
    expect(findSentences(page).filter(Boolean)).toEqual([
      '# Title',
      'One [link].',
      'Two:',
      '- code three',
      '- four five',
    ]);
  });
});
