// docker-compose.yml hands on whatever can be set, so that nobody has to change it.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Decided by the image, by the Compose file itself, or by Caddy in front. */
const NOT_HANDED_ON = new Set(['NODE_ENV', 'HOST', 'PORT', 'TLS_CERT_FILE', 'TLS_KEY_FILE', 'DATA_DIR']);

/** The names at the start of lines that are indented so far, from one line to another. */
function namesIn(text: string, from: string, to: string, indent: number): string[] {
  const start = text.indexOf(from);
  const part = text.slice(start, text.indexOf(to, start));
  return [...part.matchAll(new RegExp(`^ {${indent}}([A-Z][A-Z0-9_]*):`, 'gm'))].map(([, name = '']) => name);
}

test('every setting can be given, and nothing else is', async () => {
  const settings = namesIn(await readFile('src/config.ts', 'utf8'), 'const schema', '\n});', 2);
  const handedOn = namesIn(await readFile('docker-compose.yml', 'utf8'), '  app:', '    networks:', 6);
  expect(settings).toEqual(expect.arrayContaining(['NODE_ENV', 'BASE_URL', 'LOG_LEVEL', 'DATA_DIR']));
  expect(handedOn.toSorted()).toEqual(settings.filter((name) => !NOT_HANDED_ON.has(name)).toSorted());
});
