// What each file owns, as its first lines say: npm run files, or npm run files -- 'src/store/*.ts' for some of them.
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const OURS = [
  'src/**/*.{ts,js,css}',
  'src/i18n/WORDS.md',
  'migrations/*.sql',
  'tools/**/*.{ts,cjs}',
  'deploy/*',
  '{Dockerfile,docker-compose.yml,.ci/run}',
];

const patterns = process.argv.slice(2);

for (const path of globSync(patterns.length > 0 ? patterns : OURS).sort())
  process.stdout.write(`${path}  ${ownedBy(readFileSync(path, 'utf8'), basename(path))}\n`);

/** The first lines as one, without the signs of a comment; of a migration the tables that it makes, too. */
function ownedBy(text: string, name: string): string {
  if (name.endsWith('.md')) return /^# (.*)$/m.exec(text)?.[1] ?? '';
  const { 0: comment = '' } =
    /^\/\*[\s\S]*?\*\/|(?:^(?:\/\/|--|#).*\n)+/m.exec(text.replace(/^#!.*\n|^-- Up Migration\n/, '')) ?? {};
  const tables = [...text.matchAll(/^create (.*?)table (\w+)/gm)].map(
    ([, kind = '', table = '']) => kind + table,
  );
  return [
    comment.replace(/^\s*(?:\/\*|\/\/|--|#)|\*\/$/gm, ''),
    ...(tables.length > 0 ? [`Tables: ${tables.join(', ')}.`] : []),
  ]
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}
