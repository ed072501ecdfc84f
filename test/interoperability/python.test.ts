// What an application's page shows for Python, run as it is copied: Flask, Django, an API, an MCP server.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, test } from 'vitest';
import { useTestService } from '../support/service.ts';
import { expectApi } from './api-checks.ts';
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
});
