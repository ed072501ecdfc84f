// Rejects unclear wording in comments, test titles and documents.
import { describe, expect, test } from 'vitest';
import { readSources } from '../support/source-files.ts';

const MAX_SENTENCE_WORDS = 30;
const MAX_FIRST_LINE = 100;
const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*?)(?:\*\/)?$/;
const SQL_COMMENT = /^\s*--\s?(.*)$/;
/** Matches the title of a `test` or `describe` call. */
const TITLE = /\b(?:test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])(.*?)\1/;

const RULES: Record<string, RegExp> = {
  'says "whoever" or "whatever" instead of naming the actor': /\b(?:whoever|whatever|whichever|whomever)\b/i,
  'hides the actor behind a passive verb': /\b(?:is|are|was|were) (?:said|told|looked at)\b/i,
  'refers to a document outside the repository': /\bD\d{1,2}\b|\bthe contract\b/i,
  'uses a household metaphor': /\b(?:the house|the door|strangers?|neighbors?|at home|farewells?)\b/i,
  'uses French quotation marks': /[«»]/,
};

/** Files that may contain certain forbidden words, for example in quotations. */
const ALLOWED: [path: RegExp, words: RegExp][] = [
  [/^test\/documents\/wording\.test\.ts$/, /./],
  [/\/illustration\.(?:ts|css)$/, /^the door$/i],
  [/^src\/i18n\//, /[«»]/],
];

interface Passage {
  path: string;
  line: number;
  text: string;
}

const passages = await readPassages();

describe.each(Object.entries(RULES))('text that %s', (_, pattern) => {
  test.each(['src', 'test', 'other'])('does not occur in %s files', (directory) => {
    const inDirectory = passages.filter(({ path }) => findDirectory(path) === directory);
    expect(inDirectory.length).toBeGreaterThan(50);
    expect(
      inDirectory.filter(({ path, text }) => {
        const match = pattern.exec(text)?.[0];
        return match !== undefined && !isAllowed(path, match);
      }),
    ).toEqual([]);
  });
});

test(`sentences in comments have at most ${MAX_SENTENCE_WORDS} words`, () => {
  const long = passages
    .filter(({ path }) => !path.endsWith('.md'))
    .flatMap(({ text, ...place }) => splitSentences(text).map((sentence) => ({ ...place, sentence })))
    .filter(({ sentence }) => sentence.split(/\s+/).length > MAX_SENTENCE_WORDS);
  expect(long).toEqual([]);
});

test(`the first line of each file has at most ${MAX_FIRST_LINE} characters`, async () => {
  const long = (await readCodeFiles())
    .map(([path, text]) => ({ path, line: text.split('\n', 1)[0] ?? '' }))
    .filter(({ line }) => /^(?:\/\/|\/\*|--|#)/.test(line) && line.length > MAX_FIRST_LINE);
  expect(long).toEqual([]);
});

const isAllowed = (path: string, words: string) =>
  ALLOWED.some(([file, allowed]) => file.test(path) && allowed.test(words));

const findDirectory = (path: string) => /^(?:src|test)(?=\/)/.exec(path)?.[0] ?? 'other';

/** Dictionaries and code samples are excluded because they are partly in French. */
async function readCodeFiles() {
  const files = await readSources('{src,test,bench,tools,examples,migrations,deploy}/**/*.{ts,js,css,sql}');
  return files.filter(([path]) => !/^src\/i18n\/(?:en|fr)\b|\/snippets\/templates\//.test(path));
}

async function readPassages(): Promise<Passage[]> {
  const code = (await readCodeFiles()).flatMap(([path, text]) => extractCommentsAndTitles(path, text));
  const documents = [
    ...(await readSources('*.md')),
    ...(await readSources('{docs,src,bench,examples}/**/*.md')),
  ];
  return [...code, ...documents.flatMap(([path, text]) => extractDocumentLines(path, text))];
}

/** Returns a file's test titles and its comments, with consecutive comment lines joined. */
function extractCommentsAndTitles(path: string, text: string): Passage[] {
  const passages: Passage[] = [];
  let open: Passage | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const comment = (path.endsWith('.sql') ? SQL_COMMENT : COMMENT).exec(line)?.[1];
    if (comment === undefined || /^\s*\/\*\*/.test(line)) open = undefined;
    const passageText = comment ?? /\s\/\/ (.*)$/.exec(line)?.[1] ?? TITLE.exec(line)?.[2];
    if (passageText === undefined) continue;
    if (open !== undefined) open.text += ` ${passageText}`;
    else {
      open = { path, line: index + 1, text: passageText };
      passages.push(open);
    }
    if (comment === undefined) open = undefined;
  }
  return passages;
}

/** Returns a document's lines, except code. */
function extractDocumentLines(path: string, text: string): Passage[] {
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, (code) => code.replace(/[^\n]/g, ''));
  return prose
    .split('\n')
    .map((line, index) => ({ path, line: index + 1, text: line.replace(/`[^`]*`/g, '') }));
}

const splitSentences = (text: string): string[] =>
  text
    .replace(/\{@link [^}]*\}|`[^`]*`/g, 'X')
    // Split at the end of a sentence, at a tag (such as @returns) and at a list item.
    .split(/(?<=[.!?])\s+(?=[\p{Lu}`"])|\s+@\w+\s|\s+- /u);
