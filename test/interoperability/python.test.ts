// What an application's page shows for Python, run as it is copied: Flask, Django, an API, an MCP server.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { refreshSigningKeys, replaceSigningKeys } from '../../src/keys/signing-keys.ts';
import { obtainApiToken } from '../support/apis.ts';
import { signedInBrowser } from '../support/flow.ts';
import { freePort, startTestService, type TestService, useTestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { apiPageOf, expectApi } from './api-checks.ts';
import { type Folder, openFolder } from './copied.ts';
import { startCopied } from './copied-server.ts';
import { MCP } from './mcp-checks.ts';
import { expectSignIn } from './sign-in-checks.ts';
import { PATIENCE, pythonPath } from './toolchains.ts';

const packages = await pythonPath();

const service = useTestService();
const folders: Folder[] = [];
afterAll(() => Promise.all(folders.map((folder) => folder.remove())));

async function newFolder(): Promise<Folder> {
  const folder = await openFolder();
  folders.push(folder);
  return folder;
}

const PACKAGES = { PYTHONPATH: packages ?? '' };
/** What the page says starts Python with what is in .env. */
const DOTENV = ['python3', '-m', 'dotenv', 'run', '--', 'python3'] as const;

/** Starts api.py; as soon as there is a file `later`, its clock is eleven seconds ahead. */
const START = `
import os, runpy, time
monotonic = time.monotonic
time.monotonic = lambda: monotonic() + (11 if os.path.exists('later') else 0)
runpy.run_path('api.py', run_name='__main__')
`;

import { codeOf } from '../support/markup.ts';

/** Runs the code of an API of that service, as its owner copies it. @param identifier by default where it listens */
async function runningApi(of: TestService, id: 'api-python' | 'api-mcp-python', identifier?: string) {
  const origin = `http://localhost:${await freePort()}`;
  const person = await of.createUser();
  const api = await of.createApi({ identifier: identifier ?? `${origin}/`, ownerId: person.userId });
  const folder = await newFolder();
  const code = codeOf(await apiPageOf(of, person, api, id), `${id}-1`);
  // Another test may be using the port that stands there for a server behind a proxy.
  await folder.put('api.py', code.replace('port=8081', `port=${new URL(origin).port}`));
  await folder.put('start.py', START);
  const server = await startCopied(['python3', 'start.py'], origin, folder.path, PACKAGES);
  const application = await of.createApplication();
  const browser = await signedInBrowser(of, person);
  return {
    server,
    folder,
    newToken: async () => (await obtainApiToken(of, application, browser, api)).apiToken,
    /** The status of its answer to a call that comes by its own port, as from a proxy. */
    async call(token: string) {
      const address = `${origin}${new URL(api.identifier).pathname}`;
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await (id === 'api-python'
        ? fetch(address, { headers })
        : MCP.call(address, headers));
      return status;
    },
  };
}

/** As much of a Django project as stands around what is copied. */
const SETTINGS = `
from pathlib import Path
SECRET_KEY = 'for tests only'
ALLOWED_HOSTS = ['localhost']
ROOT_URLCONF = 'urls'
INSTALLED_APPS = ['django.contrib.auth', 'django.contrib.contenttypes', 'django.contrib.sessions']
MIDDLEWARE = [
    'django.contrib.sessions.middleware.SessionMiddleware',
    'django.contrib.auth.middleware.AuthenticationMiddleware',
]
DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': Path(__file__).parent / 'db.sqlite3'}}
`;
const URLS = `
from django.contrib.auth.decorators import login_required
from django.http import JsonResponse

@login_required
def home(request):
    user = request.user
    return JsonResponse({'sub': user.username, 'name': user.first_name, 'email': user.email})
`;

describe.skipIf(packages === undefined)('Python', { timeout: PATIENCE }, () => {
  test('Authlib with Flask signs a person in, and nobody else', async () => {
    await expectSignIn(service, {
      id: 'authlib',
      standard: true,
      callback: '/retour',
      login: '/login',
      start: async ([code = ''], origin, _application, env) => {
        const folder = await newFolder();
        await folder.put('app.py', code);
        await folder.put('.env', env);
        return startCopied([...DOTENV, 'app.py'], origin, folder.path, PACKAGES);
      },
    });
  });

  test('Django signs a person in by sub, and nobody else', async () => {
    await expectSignIn(service, {
      id: 'django',
      standard: false,
      callback: '/oidc/callback/',
      login: '/oidc/authenticate/',
      home: '/',
      start: async ([settings = '', urls = '', backend = ''], origin, _application, env) => {
        const folder = await newFolder();
        await folder.put('.env', env);
        await folder.put('settings.py', SETTINGS + settings);
        await folder.put('urls.py', `${URLS}\nurlpatterns = []\n${urls}\nurlpatterns += [path('', home)]\n`);
        await folder.put('sign_in.py', backend);
        const manage = ['-m', 'django', '--settings=settings'].concat(`--pythonpath=${folder.path}`);
        const [python, ...dotenv] = DOTENV;
        await promisify(execFile)(python, [...dotenv, ...manage.slice(0, 2), 'migrate', ...manage.slice(2)], {
          cwd: folder.path,
          env: { ...process.env, ...PACKAGES },
        });
        const [, , port = ''] = origin.split(':');
        const server = ['runserver', '--noreload', port];
        return startCopied(
          [...DOTENV, ...manage.slice(0, 2), ...server, ...manage.slice(2)],
          origin,
          folder.path,
          PACKAGES,
        );
      },
    });
  });

  test('the API takes access tokens made for it, and nothing else (RFC 9068 §4)', async () => {
    await expectApi(service, {
      id: 'api-python',
      start: async (code, origin) => {
        const folder = await newFolder();
        const file = await folder.put('api.py', code);
        return startCopied(['python3', file], origin, folder.path, PACKAGES);
      },
    });
  });

  test('so does the MCP server', async () => {
    await expectApi(service, {
      id: 'api-mcp-python',
      path: '/mcp/',
      byLibrary: true,
      ...MCP,
      start: async (code, origin) => {
        const folder = await newFolder();
        const file = await folder.put('server.py', code);
        return startCopied(['python3', file], origin, folder.path, PACKAGES);
      },
    });
  });

  test('the API takes tokens signed with keys that replaced those it knows', async () => {
    const own = await startTestService();
    const { server, folder, newToken, call } = await runningApi(own, 'api-python');
    try {
      expect(await call(await newToken()), server.said()).toBe(200);
      const { database, sealer, keys } = own.parts;
      await replaceSigningKeys(database, sealer, own.clock.now());
      await refreshSigningKeys(database, sealer, keys, own.clock.now());
      await folder.put('later', '');
      expect(await call(await newToken()), server.said()).toBe(200);
    } finally {
      await Promise.all([server.stop(), own.close()]);
    }
  });

  test.each(['api-python', 'api-mcp-python'] as const)(
    '%s does not call a good token bad where the issuer cannot be reached, and says so in its log',
    async (id) => {
      const own = await startTestService();
      const { server, newToken, call } = await runningApi(own, id);
      try {
        const token = await newToken();
        await own.close();
        expect(await call(token)).toBe(500);
        await until('its log to say why', () => server.said().includes('Connection refused'));
      } finally {
        await server.stop();
      }
    },
  );

  test('the MCP server answers behind a proxy that calls it by its port, as nginx does by itself', async () => {
    const identifier = 'https://mcp.example/mcp';
    const { server, newToken, call } = await runningApi(service, 'api-mcp-python', identifier);
    try {
      expect(await call(await newToken()), server.said()).toBe(200);
    } finally {
      await server.stop();
    }
  });
});
