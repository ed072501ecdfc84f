// Checks that documents refer only to existing files, headings, npm scripts and CLI commands.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readSources } from '../support/source-files.ts';

const documents = (await readSources('{*.md,docs/**/*.md,examples/**/*.md,bench/*.md,src/**/*.md}')).filter(
  ([path]) => path !== 'CHANGELOG.md',
);

/** Returns the anchors that GitHub creates for a document's headings. */
const listAnchors = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('every link in a document points to an existing file and heading', async () => {
  const broken: string[] = [];
  let links = 0;
  for (const [path, text] of documents)
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      links += 1;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(target)) broken.push(`${path}: ${link}`);
      else if (anchor !== undefined && !listAnchors(await readFile(target, 'utf8')).includes(anchor))
        broken.push(`${path}: ${link}, no such heading`);
    }
  expect(links).toBeGreaterThan(100);
  expect(broken).toEqual([]);
});

test('every path in a document exists', async () => {
  // The directory data/ doesn't exist until the service first starts.
  const PLACEHOLDER = /your-|NNNN|family\/name|^data\/$/;
  const missing: string[] = [];
  let paths = 0;
  for (const [path, text] of documents)
    for (const [, mentioned = ''] of text.matchAll(
      /`([\w.-]+\/[\w./-]*\.(?:ts|js|sql|md|json|yml)|[\w-]+(?:\/[\w-]+)*\/)`/g,
    )) {
      if (PLACEHOLDER.test(mentioned)) continue;
      paths += 1;
      if (!['', 'src', dirname(path)].some((folder) => existsSync(join(folder, mentioned))))
        missing.push(`${path}: ${mentioned}`);
    }
  expect(paths).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

/** Matches CLI commands: after npm or docker, at the start of a line, or in a code span. */
const COMMAND = /(?:\bsesame --|\bsrc\/cli\.ts|^sesame|`sesame) ([a-z]+)(?: ([a-z][a-z-]+))?/gm;

test('every npm script and CLI command in a document exists', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    scripts: Record<string, string>;
  };
  const cli = (await readSources('src/cli{.ts,/**/*.ts}')).map(([, text]) => text).join('\n');
  const missing: string[] = [];
  let commands = 0;
  for (const [path, text] of documents) {
    for (const [, script = ''] of text.matchAll(/\bnpm run (?:--silent |-s )?([\w:]+)/g)) {
      commands += 1;
      if (!(script in scripts)) missing.push(`${path}: npm run ${script}`);
    }
    for (const [, group = '', command = ''] of text.matchAll(COMMAND))
      for (const name of [group, command].filter((word) => word !== '')) {
        commands += 1;
        if (!new RegExp(`['"\`]${name}[ '"\`]`).test(cli))
          missing.push(`${path}: sesame ${group} ${command}`);
      }
  }
  expect(commands).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test('docs/standards.md contains every RFC that the code cites', async () => {
  const text = await readFile('docs/standards.md', 'utf8');
  const cited = new Set<string>();
  for (const [, code] of await readSources('src/**/*.ts'))
    for (const [, number = ''] of code.matchAll(/\bRFC (\d+)/g)) cited.add(number);
  expect(cited.size).toBeGreaterThan(15);
  expect([...cited].filter((number) => !new RegExp(`\\b${number}\\b`).test(text))).toEqual([]);
});

test.each(['docs/operations.md', 'docs/adr/README.md'])(
  '%s links to every document in its directory',
  async (index) => {
    const folder = index === 'docs/operations.md' ? 'docs/operations' : dirname(index);
    const text = await readFile(index, 'utf8');
    const linked = [...text.matchAll(/\]\(([^)#\s]+\.md)\)/g)].map(([, link = '']) =>
      join(dirname(index), link),
    );
    const documentsInFolder = (await readdir(folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name));
    expect(documentsInFolder.filter((path) => path !== index && !linked.includes(path))).toEqual([]);
  },
);
