// Checks that docker-compose.yml, README.md, `sesame --help` and the tests list every setting.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/cli/program.ts';
import { SETTINGS } from '../../src/settings/table.ts';

const allSettings = Object.values(SETTINGS);
const settingNames: string[] = allSettings.map(({ name }) => name).toSorted();

/** Settings that docker-compose.yml omits because the image sets them or because Caddy handles TLS. */
const OMITTED_SETTINGS = ['NODE_ENV', 'HOST', 'PORT', 'TLS_CERT_FILE', 'TLS_KEY_FILE', 'DATA_DIR'];

const sliceBetween = (text: string, from: string, to: string): string => {
  const start = text.indexOf(from);
  return text.slice(start, text.indexOf(to, start + from.length));
};

const listNamesInTable = (text: string, head: string): string[] =>
  [...sliceBetween(text, head, '\n\n').matchAll(/^\| (`[A-Z].*?) \|/gm)].flatMap(([, first = '']) =>
    [...first.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name = '']) => name),
  );

test('every list of settings is complete and contains no unknown names', async () => {
  const [compose = '', readme = '', tests = ''] = await Promise.all(
    ['docker-compose.yml', 'README.md', 'test/config.test.ts'].map((path) => readFile(path, 'utf8')),
  );
  const passedOn = sliceBetween(compose, '  app:', '    networks:').matchAll(/^ {6}([A-Z0-9_]+):/gm);
  expect([...[...passedOn].map(([, name]) => name), ...OMITTED_SETTINGS].toSorted()).toEqual(settingNames);

  const inReadme = listNamesInTable(readme, '| setting | default |');
  expect(inReadme.length).toBeGreaterThan(5);
  expect(inReadme.filter((name) => !settingNames.includes(name))).toEqual([]);
  expect(settingNames.filter((name) => !new RegExp(`\\b${name}\\b`).test(tests))).toEqual([]);

  let help = '';
  const stream = { write: (text: string) => (help += text) } as unknown as NodeJS.WriteStream;
  await runCommand(['--help'], { environment: {}, input: process.stdin, output: stream, errors: stream });
  const listed = [
    ...sliceBetween(`${help}\n\n`, 'Environment variables', '\n\n').matchAll(/^ {2}([A-Z0-9_]+) +\S/gm),
  ];
  expect(listed.map(([, name]) => name).toSorted()).toEqual(settingNames);
});
