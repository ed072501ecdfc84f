// Checks that user-facing text uses the terms in src/i18n/WORDS.md.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listSentencesWith, listTexts } from '../support/dictionary-texts.ts';
import { readSources } from '../support/source-files.ts';

const termRows = readFileSync(new URL('../../src/i18n/WORDS.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()));
/** Returns the multi-word terms. A forbidden word is allowed within such a term. */
const listMultiWordTerms = (column: number): string[] =>
  termRows.flatMap((row) => row[column]?.split(/[,;] /) ?? []).filter((words) => words.includes(' '));
const listForbiddenWords = (column: number): string[] =>
  termRows.flatMap((row) => row[column]?.split(', ') ?? []).filter((words) => words !== '');

/** Matches whole words, but not within names such as `access_token`, /login or id-token. */
const buildWholeWordPattern = (words: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}_/.\u2011-])${words}(?![\\p{L}\\p{N}_/-])`, 'giu');

type Text = readonly [path: string, text: string];

function findForbidden(texts: readonly Text[], words: readonly string[], allowed: readonly string[]) {
  const searched = texts.map(([path, text]) => ({
    path,
    text,
    withoutTerms: allowed.reduce(
      (remaining, term) => remaining.replaceAll(buildWholeWordPattern(term), ' '),
      text,
    ),
  }));
  return words.flatMap((word) =>
    searched.flatMap(({ path, text, withoutTerms }) =>
      withoutTerms.search(buildWholeWordPattern(word)) < 0 ? [] : [{ word, path, text }],
    ),
  );
}

describe.each([
  ['fr', listForbiddenWords(4), listMultiWordTerms(1)],
  ['en', listForbiddenWords(5), listMultiWordTerms(2)],
] as const)('the %s dictionary', (locale, words, allowed) => {
  test('contains no forbidden words', () => {
    expect(words.length).toBeGreaterThan(15);
    expect(findForbidden(listTexts(locale), words, allowed)).toEqual([]);
  });
});

/** Extracts the string literals that contain prose. Ignores comments. */
function extractProse(code: string): string[] {
  const withoutComments = code.replace(/^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/gm, '');
  return [...withoutComments.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, quoted, template]) => quoted ?? template?.replace(/\$\{[^}]*\}/g, ' ') ?? '')
    .filter((text) => / |^\p{Lu}\p{Ll}/u.test(text));
}

test('CLI messages and the startup banner contain no forbidden words', async () => {
  const patterns = ['src/cli/*.ts', 'src/process/*.ts', 'tools/development*.ts'];
  const files = (await Promise.all(patterns.map(readSources))).flat();
  const texts = files.flatMap(([path, code]) => extractProse(code).map((text): Text => [path, text]));
  expect(texts.length).toBeGreaterThan(100);
  expect(findForbidden(texts, listForbiddenWords(5), listMultiWordTerms(2))).toEqual([]);
});

test('README.md contains no forbidden words', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const lines = readme
    .replace(/```(?:sh|js)\n.*?```/gs, (code) => code.replace(/./g, ''))
    .replace(/`[^`\n]*`|\]\([^)]*\)/g, ' ')
    .split('\n');
  expect(
    findForbidden(
      lines.map((line, index): Text => [`README.md:${index + 1}`, line]),
      listForbiddenWords(5),
      listMultiWordTerms(2),
    ),
  ).toEqual([]);
});

test('the English dictionary contains no contraction of "not"', () => {
  expect(listTexts('en').filter(([, text]) => /n['’]t\b/i.test(text))).toEqual([]);
});

test('the French dictionary elides "de" only before a vowel or a mute h', () => {
  const errors = ['Agenda', 'Hélice', 'Écho'].flatMap((name) => {
    const sentences = listSentencesWith('fr', name);
    expect(sentences.length).toBeGreaterThan(50);
    return sentences.filter(([, text]) => new RegExp(`\\b(?:de|que|parce que|jusque) ${name}`).test(text));
  });
  for (const name of ['Carnet', 'Hollande']) {
    const sentences = listSentencesWith('fr', name);
    errors.push(...sentences.filter(([, text]) => text.includes(`d’${name}`)));
    expect(sentences.some(([, text]) => text.includes(`de ${name}`))).toBe(true);
  }
  expect(errors).toEqual([]);
});
