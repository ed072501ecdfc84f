// docs/standards.md keeps up with the code: what it links to is there, and what the code cites is in it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sources } from '../support/sources.ts';

const text = await readFile('docs/standards.md', 'utf8');

test('every link leads to a file', () => {
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(40);
  expect(
    links.filter((link) => !existsSync(new URL(link, new URL('docs/', `file://${process.cwd()}/`)))),
  ).toEqual([]);
});

test('every RFC that the code cites is in it', async () => {
  const cited = new Set<string>();
  for (const [, code] of await sources('src/**/*.ts'))
    for (const [, number = ''] of code.matchAll(/\bRFC (\d+)/g)) cited.add(number);
  expect(cited.size).toBeGreaterThan(15);
  expect([...cited].filter((number) => !new RegExp(`\\b${number}\\b`).test(text))).toEqual([]);
});

test('every row of a table has a cell for each column', () => {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  expect(rows.filter((row) => row.split('|').length !== 6)).toEqual([]);
});
