/** Fails on words and sentence patterns that make pages and messages hard to read. */
import { describe, expect, it } from 'vitest';
import { pages, readPage } from '../support/documents.ts';
import { findTexts, listReadFiles, type Text } from './readable-texts.ts';

/** Patterns that sentences do not contain, each with what to write instead. */
const phrases: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // Literary words.
  [/\b(?:whoever|wherein|whereby|thereof|therein|lest|whilst|amongst|ought)\b/i, 'a plain word'],
  [/\b(?:anew|afresh|once more)\b/i, 'again, new'],
  [/\bof since\b/i, 'later, since then'],
  [/(?<!\bthere )\b(?:is|are|was|were|be) no more\b(?! than)/i, 'no longer exists, was removed'],
  [/\bwhat there (?:is|are) not\b/i, 'what does not exist'],
  [/\b(?:is|are|was|were|be|been|being) told\b/i, 'receives, is notified'],
  [/\b(?:hears?|heard)\b/i, 'receives, is notified'],
  [/\b(?:go|goes|going|went|gone) on\b(?! (?:the|a|standard)\b)/i, 'continue, keep'],
  [/\bholds? (?:a|an|the|its|every|each|what) (?:[\w-]+ ){1,3}to (?:the|its|a|what)\b/i, 'checks against'],
  [/\bhow (?:it|they) fares?\b/i, 'its success rate, its result'],
  [/\bas (?:it|they) (?:is|are|was|were|stands?|stood)(?=$|[,.;:)])/i, 'unchanged, without changes'],
  [/\bthat there (?:is|are|was|were)(?: not| none)?(?=$|[,.;:)])/i, 'that exists, all existing'],
  [/\b(?:under|on its|on their) way\b/i, 'in progress, in flight'],
  [/\bwhen left out\b/i, 'default: X'],
  [/\b(?:is|are|was|were|be) (?:left|let) in\b|\bgets? nothing of\b/i, 'allowed, denied'],
  [/(?<!\b[Tt]here )\b(?:[Ii]s|[Aa]re|was|were|be) none\b/, 'does not exist, without one'],
  [
    /(?<!\bthere )\b(?:is|are) no (?!longer\b|one\b|more\b|less\b)\w+/i,
    'is not a, is invalid, does not exist',
  ],
  [/\brightly\b/i, 'correctly'],
  [/(?<!\b(?:leave|leaves|left|let|stands?) (?:[\w]+ ){0,2})\balone\b/i, 'only, on its own'],
  [/\ball the same\b/i, 'anyway, nevertheless'],
  [/\bhappenings?\b/i, 'event log, change feed, change'],
  [/, also (?:if|after|when|in|with|for|on|under|those)\b/i, 'even if, including'],
  [/\b(?:a|each|every) further\b/i, 'another'],
  // Inversions and riddles.
  [
    /(?:^|[.:;] )(?:Beside|Besides|Behind|Above|Below|In|Of|With|By|On) (?:it|them|that|this|which|each|all) (?:stands?|is|are|lies?|goes|go|comes?|was|were)\b/,
    'subject first',
  ],
  [/\bstands? (?:beside|besides|there|in|for itself)\b/i, 'is next to, is in'],
  [/\b\w+ it is, because\b/i, 'subject first'],
  // Terms: one word for one thing.
  [
    /(?<!\bquestions?\b[^.]{0,90})\banswer(?:s|ed|ing)?\b(?! (?:to )?(?:the|a|its|each|every|no) (?:prompt|question))/i,
    'response, respond, override',
  ],
  [/\bmembers?\b/i, 'field'],
  [/\b(?:instants?|moments?)\b/i, 'time, timestamp, due time'],
  [/(?<!\.)\bladders?\b/i, 'retry schedule'],
  [
    /\binternal faults?\b|\bfaults? (?:of|in) (?:ours|its own|svc|the (?:emulator|program|scheme|code|database))\b/i,
    'internal error, schema error, defect',
  ],
  // Metaphors in sentences.
  [
    /\b(?:mint(?:s|ed|ing)?|leash(?:es|ed)?|quarry|couriers?|lanes?|patience|doors?|house|occupants?|shelf|shelves|telltales?|outlook|scenes?|surroundings|mishaps?|farewell)\b|\brooms\b|\b(?:every|each|one|a) room\b(?! (?:for|to|left)\b)/i,
    'the technical term',
  ],
];

/** British spellings, which words on their own do not have either. */
const spellings: readonly RegExp[] = [
  /(?:colour|behaviour|favour|honour|neighbour|flavour|cancell(?:ed(?!\(\))|ing)|licenc|defence|artefact|judgement|acknowledgement|(?:label|travel|model|signal)l(?:ed(?!by)|ing))|\b(?:centres?|grey)\b/i,
  /(?:seriali|recogni|organi|normali|initiali|utili|summari|customi|authori|prioriti|minimi|maximi|optimi|finali|capitali|synchroni|tokeni|saniti|visuali|categori|generali|standardi|emphasi|materiali|realis)s(?:e|ing|ation)/i,
];

interface Exception {
  /** File, or folder that ends with `/`. */
  readonly path: string;
  readonly text: RegExp;
}

/** Findings that are not mistakes: the gap register has questions and answers. */
const exceptions: readonly Exception[] = [
  { path: 'src/profile/', text: /\banswers?\b/i },
  { path: 'docs/gaps.md', text: /\banswers?\b/i },
];

/** A space in a pattern matches any white space, because lines are wrapped. */
const rules = [
  ...phrases.map(([pattern, instead]) => ({ pattern, instead, isPhrase: true })),
  ...spellings.map((pattern) => ({ pattern, instead: 'the American spelling', isPhrase: false })),
].map(({ pattern: { source, flags }, ...rule }) => ({
  ...rule,
  pattern: new RegExp(source.replaceAll(' ', '\\s+'), `${flags}g`),
}));

function findMistakes(file: string, source: string): string[] {
  return findTexts(file, source).flatMap(({ text, start }: Text) =>
    rules.flatMap(({ pattern, instead, isPhrase }) => {
      // A text of one word is a value, not a sentence.
      if (isPhrase && !/\S\s+\S/.test(text)) return [];
      if (exceptions.some((each) => file.startsWith(each.path) && each.text.test(text))) return [];
      return Array.from(text.matchAll(pattern), ({ index, 0: words }) => {
        const line = source.slice(0, start + index).split('\n').length;
        const around = text.slice(Math.max(0, index - 40), index + words.length + 40).trim();
        return `${file}:${line} "${words.trim()}", write ${instead}: ${around}`;
      });
    }),
  );
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

describe('the language of the repository', () => {
  it.each(handwrittenPages)('%s has no sentence with more than 40 words', (page) => {
    expect(findSentences(readPage(page)).filter((sentence) => sentence.split(' ').length > 40)).toEqual([]);
  });

  it('pages and messages avoid the forbidden words and patterns', () => {
    expect(listReadFiles().flatMap((file) => findMistakes(file, readPage(file)))).toEqual([]);
  });
});

describe('findMistakes', () => {
  const find = (file: string, source: string) =>
    findMistakes(file, source).map((message) => /(?<=").*(?=", write)/s.exec(message)?.[0]);

  it.each([
    ['a string', 'src/a.ts', "f('It goes  on.')"],
    ['a template', 'src/a.ts', 'f(`\u0024{a} goes  on.`)'],
    ['text between JSX tags', 'src/a.tsx', 'const a = <p>It goes\n  on.</p>;'],
    ['a page', 'docs/a.md', 'It goes\non.'],
  ])('forbidden words are found in %s', (_, file, source) => {
    expect(find(file, source)).toEqual([expect.stringMatching(/^goes\s+on$/)]);
  });
});
