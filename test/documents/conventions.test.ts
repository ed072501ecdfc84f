// Enforces rules from ARCHITECTURE.md, CONTRIBUTING.md and SECURITY.md.
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readSources } from '../support/source-files.ts';

const readRepositoryFile = (path: string) => readFile(path, 'utf8');

const listFolders = async (path: string) =>
  (await readdir(path, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

describe('according to ARCHITECTURE.md,', () => {
  test('modules import only from lower layers', async () => {
    const LAYERS = [
      ['oauth', 'i18n', 'branding', 'settings', 'config.ts'],
      ['web/html'],
      ['store'],
      ['keys'],
      ['mail', 'outgoing'],
      ['accounts'],
      ['ownership'],
      ['clients'],
      ['apis'],
      ['agents'],
      ['providers'],
      ['credentials'],
      ['import'],
      ['grants'],
      ['background'],
      ['http'],
      ['web'],
      ['routes', 'pages'],
      ['app.ts'],
      ['process', 'cli'],
      ['server.ts', 'cli.ts'],
    ];
    const findLayer = (path: string) => {
      const [folder = '', inner] = path.replace(/^.*src\//, '').split('/');
      const name = folder === 'web' && inner === 'html' ? 'web/html' : folder;
      return LAYERS.findIndex((names) => names.includes(name));
    };
    /** Forbidden imports that the layer order would allow. */
    const FORBIDDEN_IMPORTS: [from: RegExp, to: RegExp][] = [
      [/^routes$/, /^pages$/],
      [/^pages$/, /^routes$/],
      [/^mail$/, /^outgoing$/],
      [/^outgoing$/, /^(store|keys|mail)$/],
      [/^grants$/, /^(accounts|ownership|clients|apis|agents|credentials)$/],
    ];
    const findFolder = (path: string) => path.replace(/^.*src\//, '').split('/')[0] ?? '';
    const findPageFolder = (path: string) => /src\/pages\/([^/]*)\//.exec(path)?.[1];
    const forbiddenImports: string[] = [];
    let imports = 0;
    for (const [path, text] of await readSources('src/**/*.ts')) {
      expect(findLayer(path), `${path} has no layer`).toBeGreaterThanOrEqual(0);
      for (const [, import_ = ''] of text.matchAll(/(?:from |import\(|^import )'(\.[^']*)'/gm)) {
        const target = new URL(import_, `file:///${path}`).pathname;
        if (!target.startsWith('/src/')) continue;
        imports += 1;
        if (findLayer(target) > findLayer(path))
          forbiddenImports.push(`${path} imports ${import_} from a later layer`);
        if (
          FORBIDDEN_IMPORTS.some(
            ([from, other]) => from.test(findFolder(path)) && other.test(findFolder(target)),
          )
        )
          forbiddenImports.push(`${path} imports ${import_} from a separate layer`);
        if (
          findPageFolder(target) !== undefined &&
          findPageFolder(path) !== undefined &&
          findPageFolder(target) !== findPageFolder(path)
        )
          forbiddenImports.push(`${path} imports ${import_} from another folder of pages`);
      }
    }
    expect(imports).toBeGreaterThan(500);
    expect(forbiddenImports).toEqual([]);
  });

  test('only serve.ts and cli/ import values from config.ts', async () => {
    const others = (await readSources('src/**/*.ts')).filter(
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

  test('only background jobs and routes exempt from load shedding can make outgoing requests', async () => {
    const paths = [];
    for (const [path, text] of await readSources('src/**/*.ts'))
      if (/\bas (?:unknown as )?ReleasedSlotProof\b/.test(text)) paths.push(path);
    expect(paths.sort()).toEqual(['src/background/repeat.ts', 'src/http/overload.ts']);
  });

  test('only guarded-request.ts sends HTTP requests', async () => {
    const CALLS =
      /^import (?!type )[^;]*\b(?:request|get|connect|fetch)\b[^;]*from 'node:(?:https?|http2|net|tls)';$|from '(?:undici|node-fetch|axios|got)'|\bfetch\(/m;
    const senders = (await readSources('src/**/*.ts'))
      .filter(([, text]) => CALLS.test(text))
      .map(([path]) => path);
    expect(senders).toEqual(['src/outgoing/guarded-request.ts']);
  });

  test('test/ contains the same folders as src/, except for the listed ones', async () => {
    const architecture = await readRepositoryFile('ARCHITECTURE.md');
    const [, folderList = ''] = /^test\/ +([\s\S]*?)^examples\//m.exec(architecture) ?? [];
    const ofSource = await listFolders('src');
    const ofTests = await listFolders('test');
    const isListed = (folder: string) => folderList.includes(`${folder}/`);
    expect(ofTests.filter((folder) => !ofSource.includes(folder) && !isListed(folder))).toEqual([]);
    expect(ofSource.filter((folder) => !ofTests.includes(folder) && !isListed(folder))).toEqual([]);
  });

  test('the process starts all background jobs', async () => {
    const starters = (await readSources('src/background/*.ts')).flatMap(([, text]) =>
      [...text.matchAll(/^export (?:function|const) (start\w+)\b/gm)].map(([, name = '']) => name),
    );
    const serve = await readFile('src/process/serve.ts', 'utf8');
    const list: string[] = /const background = \[([^\]]*)\]/.exec(serve)?.[1]?.match(/\w+/g) ?? [];
    expect(starters.length).toBeGreaterThan(3);
    expect(list.sort()).toEqual(starters.sort());
  });

  test('only grants/ creates codes and tokens', async () => {
    const creators = (await readSources('src/**/*.ts'))
      .filter(([, text]) => /\b(?:sealCode|sealRefreshToken|sign(?:Access|Id|Service)[Tt]oken)\(/.test(text))
      .map(([path]) => path)
      // The modules in oauth/ and keys/ are excluded because they define these functions.
      .filter((path) => !/^src\/(?:oauth|keys)\//.test(path));
    expect(creators).toEqual([
      'src/grants/authorization-code.ts',
      'src/grants/client-credentials.ts',
      'src/grants/issue-tokens.ts',
    ]);
  });
});

describe('according to CONTRIBUTING.md,', () => {
  /** Test files that may use timers, with the reason for each. */
  const TIMER_USES: Record<string, string> = {
    'test/support/wait-until.ts': 'polls a condition',
    'test/support/database.ts': 'retries until the template has no connections',
    'test/support/http-request.ts': 'stops waiting for a service that does not respond',
    'test/cluster/system-programs.ts': 'stops waiting for a process that does not exit',
    'test/tools/embedded-postgres.test.ts': 'runs a process with a slow shutdown',
  };

  test('tests do not sleep, measure durations or mock our own code', async () => {
    const RULES: [what: RegExp, allowed: string[]][] = [
      [/\bsetTimeout\(|\bsetTimeout as \w+|(?<![\w_])sleep\(/, Object.keys(TIMER_USES).sort()],
      [/\bperformance\.now\(|\bprocess\.cpuUsage\(/, ['test/cluster/report.ts']],
      [/\bvi\.(?:mock|fn|spyOn)\(/, []],
    ];
    const files = (await readSources('{test,examples}/**/*.ts')).filter(
      ([path]) => path !== 'test/documents/conventions.test.ts',
    );
    const pathsByRule = RULES.map(([what]) =>
      files.flatMap(([path, text]) => (what.test(text) ? [path] : [])),
    );
    expect(pathsByRule).toEqual(RULES.map(([, allowed]) => allowed));
  });
});

test('npm start and the container image use the same V8 flags', async () => {
  const { start } = JSON.parse(await readRepositoryFile('package.json')).scripts;
  const [, flags = ''] = /exec node (.*)src\/server\.ts$/.exec(start) ?? [];
  const [, command = ''] = /^CMD (\[.*\])$/m.exec(await readRepositoryFile('Dockerfile')) ?? [];
  expect(JSON.parse(command)).toEqual(['node', ...flags.split(' ').filter(Boolean), 'src/server.ts']);
  expect(flags).toContain('--max-semi-space-size=');
  const setting = (await readSources('{src,tools}/**/*.ts')).filter(([, text]) =>
    text.includes('setFlagsFromString'),
  );
  expect(setting).toEqual([]);
});

test('package.json, the bootstrap script and README.md require the same Node version', async () => {
  const { engines } = JSON.parse(await readRepositoryFile('package.json')) as { engines: { node: string } };
  const [, major, minor] =
    /MIN_NODE = \[(\d+), (\d+)\]/.exec(await readRepositoryFile('tools/bootstrap.cjs')) ?? [];
  expect(engines.node).toBe(`>=${major}.${minor}`);
  expect(JSON.parse(await readRepositoryFile('package-lock.json')).packages[''].engines).toEqual(engines);
  expect(await readRepositoryFile('README.md')).toContain(`Node ≥ ${major}.${minor}`);
});

test('SECURITY.md lists every client-side script', async () => {
  const security = await readRepositoryFile('SECURITY.md');
  const scripts = (await readdir('src/public')).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((name) => !security.includes(`\`${name}\``))).toEqual([]);
  const views = await readSources('src/{web,pages}/**/*.ts');
  expect(views.flatMap(([, text]) => text.match(/<script(?![^>]* src=)/g) ?? [])).toEqual([]);
});
