// Proves that the dictionaries say one word per thing (src/i18n/WORDS.md), English « not » in full, and that no name follows a « de » it should swallow.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sentencesWith, texts } from '../support/texts.ts';

const rows = readFileSync(new URL('../../src/i18n/WORDS.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()));
/** Terms that hold a word which is never said by itself. */
const terms = (column: number): string[] =>
  rows.flatMap((row) => row[column]?.split(/[,;] /) ?? []).filter((words) => words.includes(' '));
const never = (column: number): string[] =>
  rows.flatMap((row) => row[column]?.split(', ') ?? []).filter((words) => words !== '');

/** Where a word stands by itself: not in `access_token`, /login or id-token. */
const alone = (words: string) => new RegExp(`(?<![\\p{L}\\p{N}_/.-])${words}(?![\\p{L}\\p{N}_/-])`, 'giu');

describe.each([
  ['fr', never(4), terms(1)],
  ['en', never(5), terms(2)],
] as const)('%s', (locale, words, said) => {
  const all = texts(locale);
  const besideTerms = (text: string) => said.reduce((rest, term) => rest.replaceAll(alone(term), ' '), text);

  test('says one word per thing', () => {
    expect(words.length).toBeGreaterThan(15);
    const prose = all.map(([path, text]) => ({ path, text, besideTerms: besideTerms(text) }));
    const faults = words.flatMap((word) =>
      prose.flatMap(({ path, text, besideTerms }) =>
        besideTerms.search(alone(word)) < 0 ? [] : [{ word, path, text }],
      ),
    );
    expect(faults).toEqual([]);
  });
});

test('English says « not » in full', () => {
  expect(texts('en').filter(([, text]) => /n['’]t\b/i.test(text))).toEqual([]);
});

test('French elides « de » before a name that wants it, and no other', () => {
  const faults = ['Agenda', 'Hélice', 'Écho'].flatMap((name) => {
    const sentences = sentencesWith('fr', name);
    expect(sentences.length).toBeGreaterThan(50);
    return sentences.filter(([, text]) => new RegExp(`\\b(?:de|que|parce que|jusque) ${name}`).test(text));
  });
  for (const name of ['Carnet', 'Hollande']) {
    const sentences = sentencesWith('fr', name);
    faults.push(...sentences.filter(([, text]) => text.includes(`d’${name}`)));
    expect(sentences.some(([, text]) => text.includes(`de ${name}`))).toBe(true);
  }
  expect(faults).toEqual([]);
});
