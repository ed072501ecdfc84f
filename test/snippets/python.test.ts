// What an application's page shows for Python, run as it is copied: Flask, Django, an API, an MCP server.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startTestService, type TestApplication, type TestService } from '../support/service.ts';
import { expectApi } from './api-checks.ts';
import { type Folder, openFolder } from './copied.ts';
import { startCopied } from './copied-server.ts';
import { MCP } from './mcp-checks.ts';
import { expectSignIn } from './sign-in-checks.ts';
import { PATIENCE, pythonPath } from './toolchains.ts';

const packages = await pythonPath();
const MODES = [
  ['contract', false],
  ['standard', true],
] as const;

let service: TestService;
const folders: Folder[] = [];
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => Promise.all([service.close(), ...folders.map((folder) => folder.remove())]));

async function newFolder(): Promise<Folder> {
  const folder = await openFolder();
  folders.push(folder);
  return folder;
}

const environment = ({ clientSecret }: Pick<TestApplication, 'clientSecret'>) => ({
  PYTHONPATH: packages ?? '',
  CLIENT_SECRET: clientSecret,
  SESSION_SECRET: 'for tests only',
});

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
  test.each(MODES)(
    'Authlib with Flask signs a person in, and nobody else, %s mode (D19)',
    async (_, standard) => {
      await expectSignIn(service, {
        id: 'authlib',
        standard,
        callback: '/retour',
        login: '/login',
        start: async ([code = ''], origin, application) => {
          const folder = await newFolder();
          const file = await folder.put('app.py', code);
          return startCopied(['python3', file], origin, folder.path, environment(application));
        },
      });
    },
  );

  test.each(MODES)('Django signs a person in by sub, and nobody else, %s mode (D19)', async (_, standard) => {
    await expectSignIn(service, {
      id: 'django',
      standard,
      callback: '/oidc/callback/',
      login: '/oidc/authenticate/',
      home: '/',
      start: async ([settings = '', urls = '', backend = ''], origin, application) => {
        const folder = await newFolder();
        await folder.put('settings.py', SETTINGS + settings);
        await folder.put('urls.py', `${URLS}\nurlpatterns = []\n${urls}\nurlpatterns += [path('', home)]\n`);
        await folder.put('sign_in.py', backend);
        const manage = ['-m', 'django', '--settings=settings'].concat(`--pythonpath=${folder.path}`);
        const env = environment(application);
        await promisify(execFile)('python3', [...manage.slice(0, 2), 'migrate', ...manage.slice(2)], {
          env: { ...process.env, ...env },
        });
        const [, , port = ''] = origin.split(':');
        const server = ['runserver', '--noreload', port];
        return startCopied(
          ['python3', ...manage.slice(0, 2), ...server, ...manage.slice(2)],
          origin,
          folder.path,
          env,
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
        return startCopied(['python3', file], origin, folder.path, environment({ clientSecret: '' }));
      },
    });
  });

  test.each(['/', '/mcp/'])('so does the MCP server at %s', async (path) => {
    await expectApi(service, {
      id: 'api-mcp-python',
      path,
      byLibrary: true,
      ...MCP,
      start: async (code, origin) => {
        const folder = await newFolder();
        const file = await folder.put('server.py', code);
        return startCopied(['python3', file], origin, folder.path, environment({ clientSecret: '' }));
      },
    });
  });
});
