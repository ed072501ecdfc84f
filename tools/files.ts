// npm run files [-- 'src/store/*.ts']: prints files with their first comments.
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const DEFAULT_PATTERNS = [
  'src/**/*.{ts,js,css}',
  'src/**/*.md',
  'migrations/*.sql',
  'tools/**/*.{ts,cjs}',
  'deploy/*',
  '{Dockerfile,docker-compose.yml,.ci/run}',
];

const patterns = process.argv.slice(2);

for (const path of globSync(patterns.length > 0 ? patterns : DEFAULT_PATTERNS).sort())
  process.stdout.write(`${path}  ${describe(readFileSync(path, 'utf8'), basename(path))}\n`);

/** Returns the first comment or heading and, for a migration, its tables. */
function describe(text: string, name: string): string {
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
