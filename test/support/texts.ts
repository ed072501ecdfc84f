// Owns every text of a dictionary, for the tests of the words themselves.
import { type Locale, messagesFor } from '../../src/i18n/index.ts';

/** Every text with its path. Functions are called with a date where they say one, else with what counts as number and as name. */
export function texts(locale: Locale, name = 'Agenda'): [path: string, text: string][] {
  return read(messagesFor(locale), '', name);
}

function read(node: unknown, path: string, name: string): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function') {
    if (/\.(date|instant(Ago)?|exact)$/.test(path)) return read(node(new Date('2026-11-01')), path, name);
    return read(called(node as (...facts: unknown[]) => unknown, name), path, name);
  }
  return Object.entries(node as object).flatMap(([key, value]) => read(value, `${path}.${key}`, name));
}

/** With numbers, which most can print; one that looks into a name gets the name, one that lists names a list of them. */
function called(words: (...facts: unknown[]) => unknown, name: string): unknown {
  for (const fact of [30, name]) {
    try {
      return words(...Array.from({ length: words.length }, () => fact));
    } catch {
      // Not what it takes.
    }
  }
  return words(...Array.from({ length: words.length }, () => [name]));
}

/** What says a day or a number, not a name. */
const NUMBERS =
  /\.(date|instant|instantAgo|exact|number|duration|moreThan|countsHint|list\.full|newPassword\.\w+)$/;

/** What the functions of names say, each fact being that name: only sentences in which it stands. */
export function sentencesWith(locale: Locale, name: string): [path: string, text: string][] {
  return named(messagesFor(locale), '', name).filter(([, text]) => text.includes(name));
}

function named(node: unknown, path: string, name: string): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function') {
    if (NUMBERS.test(path)) return [];
    const words = node as (...facts: unknown[]) => unknown;
    try {
      return named(words(...Array.from({ length: words.length }, () => name)), path, name);
    } catch {
      return [];
    }
  }
  return Object.entries(node as object).flatMap(([key, value]) => named(value, `${path}.${key}`, name));
}
