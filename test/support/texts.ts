// Owns every text of a dictionary, for the tests of the words themselves.
import { type Locale, messagesFor } from '../../src/i18n/index.ts';

/** Every text with its path. Functions are called with a date where they say one, else with what counts as number and as name. */
export function texts(locale: Locale, name = 'Agenda'): [path: string, text: string][] {
  return read(messagesFor(locale), '', name);
}

function read(node: unknown, path: string, name: string): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function') {
    if (/\.(date|instant|exact)$/.test(path)) return read(node(new Date('2026-11-01')), path, name);
    return read(called(node as (...facts: unknown[]) => unknown, name), path, name);
  }
  return Object.entries(node as object).flatMap(([key, value]) => read(value, `${path}.${key}`, name));
}

/** With a number, which all can print; a function that looks into a name gets the name. */
function called(words: (...facts: unknown[]) => unknown, name: string): unknown {
  const facts = (fact: unknown) => Array.from({ length: words.length }, () => fact);
  try {
    return words(...facts(30));
  } catch {
    return words(...facts(name));
  }
}
