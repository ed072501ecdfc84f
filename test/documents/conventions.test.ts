// What the documents say of the code as a whole is so: the floors, where tests are and how they wait, what Node is needed.
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { sources } from '../support/sources.ts';

const read = (path: string) => readFile(path, 'utf8');

const foldersIn = async (path: string) =>
  (await readdir(path, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

describe('ARCHITECTURE.md', () => {
  test('imports go downward only, from floor to floor', async () => {
    const FLOORS = [
      ['oauth', 'i18n', 'branding', 'settings', 'config.ts'],
      ['web/html'],
      ['store'],
      ['keys'],
      ['mail', 'outgoing'],
      ['accounts'],
      ['ownership'],
      ['applications'],
      ['apis'],
      ['agents'],
      ['credentials'],
      ['grants'],
      ['background'],
      ['http'],
      ['web'],
      ['routes', 'pages'],
      ['app.ts'],
      ['process', 'cli'],
      ['server.ts', 'cli.ts'],
    ];
    const floorOf = (path: string) => {
      const [folder = '', inner] = path.replace(/^.*src\//, '').split('/');
      const name = folder === 'web' && inner === 'html' ? 'web/html' : folder;
      return FLOORS.findIndex((names) => names.includes(name));
    };
    /** Imports that go downward or sideways and are not allowed either. */
    const APART: [from: RegExp, to: RegExp][] = [
      [/^routes$/, /^pages$/],
      [/^pages$/, /^routes$/],
      [/^mail$/, /^outgoing$/],
      [/^outgoing$/, /^(store|keys|mail)$/],
      [/^grants$/, /^(accounts|ownership|applications|apis|agents|credentials)$/],
    ];
    const folderOf = (path: string) => path.replace(/^.*src\//, '').split('/')[0] ?? '';
    const family = (path: string) => /src\/pages\/([^/]*)\//.exec(path)?.[1];
    const wrong: string[] = [];
    let seen = 0;
    for (const [path, text] of await sources('src/**/*.ts')) {
      expect(floorOf(path), `${path} has no floor`).toBeGreaterThanOrEqual(0);
      for (const [, import_ = ''] of text.matchAll(/(?:from |import\(|^import )'(\.[^']*)'/gm)) {
        const to = new URL(import_, `file:///${path}`).pathname;
        if (!to.startsWith('/src/')) continue;
        seen += 1;
        if (floorOf(to) > floorOf(path)) wrong.push(`${path} imports ${import_}: upward`);
        if (APART.some(([from, other]) => from.test(folderOf(path)) && other.test(folderOf(to))))
          wrong.push(`${path} imports ${import_}: these two never import each other`);
        if (family(to) !== undefined && family(path) !== undefined && family(to) !== family(path))
          wrong.push(`${path} imports ${import_}: of another family of pages`);
      }
    }
    expect(seen).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  });

  test('settings are passed down: only serve.ts and cli/ import more of config.ts than its type', async () => {
    const others = (await sources('src/**/*.ts')).filter(
      ([path]) => path !== 'src/process/serve.ts' && !path.startsWith('src/cli/'),
    );
    const imports = others.flatMap(([path, text]) =>
      [...text.matchAll(/(\{[^{}]*\}|\S+) from '[./]+\/config\.ts'/g)].map(([line, names]) => ({
        path,
        line,
        names,
      })),
    );
    expect(imports.length).toBeGreaterThan(15);
    expect(imports.filter(({ names }) => !/^\{ (type )?Config \}$/.test(names ?? ''))).toEqual([]);
  });

  test('only requests that gave up their slot, and background jobs, make outgoing calls', async () => {
    const makers = [];
    for (const [path, text] of await sources('src/**/*.ts'))
      if (/\bas (?:unknown as )?OffSlot\b/.test(text)) makers.push(path);
    expect(makers.sort()).toEqual(['src/background/repeat.ts', 'src/http/overload.ts']);
  });

  test('every URL that others chose is called by the guarded request: nothing else makes HTTP requests', async () => {
    const CALLS =
      /^import (?!type )[^;]*\b(?:request|get|connect|fetch)\b[^;]*from 'node:(?:https?|http2|net|tls)';$|from '(?:undici|node-fetch|axios|got)'|\bfetch\(/m;
    const makers = (await sources('src/**/*.ts'))
      .filter(([, text]) => CALLS.test(text))
      .map(([path]) => path);
    expect(makers).toEqual(['src/outgoing/guarded-request.ts']);
  });

  test('test/ has the folders of src/, and only those others that it names', async () => {
    const architecture = await read('ARCHITECTURE.md');
    const [, named = ''] = /^test\/ +([\s\S]*?)^examples\//m.exec(architecture) ?? [];
    const ofSource = await foldersIn('src');
    const ofTests = await foldersIn('test');
    const isNamed = (folder: string) => named.includes(`${folder}/`);
    expect(ofTests.filter((folder) => !ofSource.includes(folder) && !isNamed(folder))).toEqual([]);
    expect(ofSource.filter((folder) => !ofTests.includes(folder) && !isNamed(folder))).toEqual([]);
  });

  test('whatever in background/ starts something is started by the process', async () => {
    const starters = (await sources('src/background/*.ts')).flatMap(([, text]) =>
      [...text.matchAll(/^export (?:function|const) (start\w+)\b/gm)].map(([, name = '']) => name),
    );
    const serve = await readFile('src/process/serve.ts', 'utf8');
    const list: string[] = /const background = \[([^\]]*)\]/.exec(serve)?.[1]?.match(/\w+/g) ?? [];
    expect(starters.length).toBeGreaterThan(3);
    expect(list.sort()).toEqual(starters.sort());
  });

  test('codes and tokens are made in grants/', async () => {
    const makers = (await sources('src/**/*.ts'))
      .filter(([, text]) => /\b(?:sealCode|sealRefreshToken|sign(?:Access|Id|Service)[Tt]oken)\(/.test(text))
      .map(([path]) => path)
      .filter((path) => !/^src\/(?:oauth|keys)\//.test(path)); // where they are defined
    expect(makers).toEqual([
      'src/grants/authorization-code.ts',
      'src/grants/client-credentials.ts',
      'src/grants/issue.ts',
    ]);
  });
});

describe('CONTRIBUTING.md', () => {
  /** Where a test file may let time pass, and what for. */
  const PAUSES: Record<string, string> = {
    'test/support/until.ts': 'asks again and again until something is so',
    'test/support/database.ts': 'asks again until the template is free',
    'test/support/http-request.ts': 'a limit, for a service that neither answers nor hangs up',
    'test/cluster/system.ts': 'a limit, for a process that does not end',
    'test/tools/embedded-postgres.test.ts': 'a process that takes its time to end',
  };

  test('no test waits for a time, measures one, or mocks our own code, but those listed here', async () => {
    const RULES: [what: RegExp, allowed: string[]][] = [
      [/\bsetTimeout\(|\bsetTimeout as \w+|(?<![\w_])sleep\(/, Object.keys(PAUSES).sort()],
      [/\bperformance\.now\(|\bprocess\.cpuUsage\(/, ['test/cluster/report.ts']],
      [/\bvi\.(?:mock|fn|spyOn)\(/, []],
    ];
    const files = (await sources('{test,examples}/**/*.ts')).filter(
      ([path]) => path !== 'test/documents/conventions.test.ts',
    );
    const found = RULES.map(([what]) => files.flatMap(([path, text]) => (what.test(text) ? [path] : [])));
    expect(found).toEqual(RULES.map(([, allowed]) => allowed));
  });
});

test('V8 flags are on the command lines of npm start and of the image, the same, and never set by code', async () => {
  const { start } = JSON.parse(await read('package.json')).scripts;
  const [, flags = ''] = /exec node (.*)src\/server\.ts$/.exec(start) ?? [];
  const [, command = ''] = /^CMD (\[.*\])$/m.exec(await read('Dockerfile')) ?? [];
  expect(JSON.parse(command)).toEqual(['node', ...flags.split(' ').filter(Boolean), 'src/server.ts']);
  expect(flags).toContain('--max-semi-space-size=');
  const setting = (await sources('{src,tools}/**/*.ts')).filter(([, text]) =>
    text.includes('setFlagsFromString'),
  );
  expect(setting).toEqual([]);
});

test('package.json, the bootstrap and README say the same of Node', async () => {
  const { engines } = JSON.parse(await read('package.json')) as { engines: { node: string } };
  const [, major, minor] = /OLDEST_NODE = \[(\d+), (\d+)\]/.exec(await read('tools/bootstrap.cjs')) ?? [];
  expect(engines.node).toBe(`>=${major}.${minor}`);
  expect(JSON.parse(await read('package-lock.json')).packages[''].engines).toEqual(engines);
  expect(await read('README.md')).toContain(`Node ≥ ${major}.${minor}`);
});

test('SECURITY.md names every script that pages run, and none is written into a page', async () => {
  const security = await read('SECURITY.md');
  const scripts = (await readdir('src/public')).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((name) => !security.includes(`\`${name}\``))).toEqual([]);
  const views = await sources('src/{web,pages}/**/*.ts');
  expect(views.flatMap(([, text]) => text.match(/<script(?![^>]* src=)/g) ?? [])).toEqual([]);
});
