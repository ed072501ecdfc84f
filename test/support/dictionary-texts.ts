import { type Locale, messagesFor } from '../../src/i18n/index.ts';

/** Calls the dictionary's functions with a sample date, number, name or list. */
export function listTexts(locale: Locale, name = 'Agenda'): [path: string, text: string][] {
  return listTextsIn(messagesFor(locale), '', name);
}

function listTextsIn(node: unknown, path: string, name: string): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function') {
    if (/\.(date|instant(Ago)?|exact)$/.test(path))
      return listTextsIn(node(new Date('2026-11-01')), path, name);
    return listTextsIn(callText(node as (...args: unknown[]) => unknown, name), path, name);
  }
  return Object.entries(node as object).flatMap(([key, value]) => listTextsIn(value, `${path}.${key}`, name));
}

/** Tries a number, a name and a list because types are unknown at runtime. */
function callText(text: (...args: unknown[]) => unknown, name: string): unknown {
  for (const argument of [30, name]) {
    try {
      return text(...Array.from({ length: text.length }, () => argument));
    } catch {}
  }
  return text(...Array.from({ length: text.length }, () => [name]));
}

const PATHS_WITHOUT_NAMES =
  /\.(date|instant|instantAgo|instantExact|number|duration|moreThan|countsHint|list\.full|newPassword\.\w+)$/;

export function listSentencesWith(locale: Locale, name: string): [path: string, text: string][] {
  return listTextsWithName(messagesFor(locale), '', name).filter(([, text]) => text.includes(name));
}

function listTextsWithName(node: unknown, path: string, name: string): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function') {
    if (PATHS_WITHOUT_NAMES.test(path)) return [];
    const text = node as (...args: unknown[]) => unknown;
    try {
      return listTextsWithName(text(...Array.from({ length: text.length }, () => name)), path, name);
    } catch {
      return [];
    }
  }
  return Object.entries(node as object).flatMap(([key, value]) =>
    listTextsWithName(value, `${path}.${key}`, name),
  );
}
