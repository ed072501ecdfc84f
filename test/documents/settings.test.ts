// What can be set is what the operators' guide says, and what docker-compose.yml hands on, so that nobody has to change it.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Decided by the image, by the Compose file itself, or by Caddy in front. */
const NOT_HANDED_ON = new Set(['NODE_ENV', 'HOST', 'PORT', 'TLS_CERT_FILE', 'TLS_KEY_FILE', 'DATA_DIR']);

/** The part of a file from one text to another. */
async function between(path: string, from: string, to: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  const start = text.indexOf(from);
  return text.slice(start, text.indexOf(to, start + from.length));
}

/** The names at the start of lines that are indented so far, each with what follows. */
const entriesOf = (text: string, indent: number): Map<string, string> =>
  new Map(
    text
      .split(new RegExp(`^ {${indent}}(?=[A-Z][A-Z0-9_]*:)`, 'm'))
      .slice(1)
      .map((entry) => [entry.slice(0, entry.indexOf(':')), entry]),
  );

const schema = entriesOf(await between('src/config.ts', 'const schema', '\n});'), 2);
const settings = [...schema.keys()];

/** A row for each name of the table of settings: its cells after the name. */
async function tableOf(path: string, head: string): Promise<Map<string, string[]>> {
  const rows = (await between(path, head, '\n\n')).split('\n').slice(2);
  return new Map(
    rows.flatMap((row) => {
      const [names = '', ...cells] = row.slice(2).split(' | ');
      return [...names.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name = '']) => [name, cells] as const);
    }),
  );
}

test('every setting can be given by docker-compose.yml, and nothing else is', async () => {
  const handedOn = [...entriesOf(await between('docker-compose.yml', '  app:', '    networks:'), 6).keys()];
  expect(settings).toEqual(expect.arrayContaining(['NODE_ENV', 'BASE_URL', 'LOG_LEVEL', 'DATA_DIR']));
  expect(handedOn.toSorted()).toEqual(settings.filter((name) => !NOT_HANDED_ON.has(name)).toSorted());
});

test('docs/operations.md names every setting and nothing else, with its default', async () => {
  const table = await tableOf('docs/operations.md', '| Name | Default |');
  expect([...table.keys()].toSorted()).toEqual(settings.toSorted());
  const defaults = [...schema].flatMap(([name, entry]) => {
    const [, value] = /\.default\(([^)]*)\)/.exec(entry) ?? [];
    return value === undefined ? [] : [[name, value] as const];
  });
  expect(defaults.length).toBeGreaterThan(20);
  for (const [name, value] of defaults) {
    const said = value === 'NINETY_DAYS' ? '7776000' : value.replace(/^'|'$|(?<=\d)_/g, '');
    expect(table.get(name)?.[0], name).toMatch(said === '[]' ? /^none/ : new RegExp(`^\`${said}\``));
  }
});

test('README names none that there is not', async () => {
  const named = [...(await tableOf('README.md', '| setting | default |')).keys()];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !schema.has(name))).toEqual([]);
});

test('every setting has a test of what it takes', async () => {
  const files = ['test/config.test.ts', 'test/routes/metrics.test.ts'];
  const tested = (await Promise.all(files.map((path) => readFile(path, 'utf8')))).join('\n');
  const untested = settings.filter((name) => !new RegExp(`\\b${name}\\b`).test(tested));
  expect(untested, `name it in ${files[0]}: its default, a value it takes, what it refuses`).toEqual([]);
});
