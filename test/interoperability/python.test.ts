// Runs the unchanged Python snippets for Flask, Django, an API and an MCP server.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, test } from 'vitest';
import { useTestService } from '../support/service.ts';
import { checkApiSnippet } from './api-checks.ts';
import { MCP_CALL } from './mcp-call.ts';
import { checkSignInSnippet } from './sign-in-checks.ts';
import { startSnippetServer } from './snippet-server.ts';
import { createSnippetFolder, type SnippetFolder } from './snippets.ts';
import { installPythonPackages, TOOLCHAIN_TIMEOUT } from './toolchains.ts';

const packages = await installPythonPackages();

const service = useTestService();
const folders: SnippetFolder[] = [];
afterAll(() => Promise.all(folders.map((folder) => folder.remove())));

async function createFolder(): Promise<SnippetFolder> {
  const folder = await createSnippetFolder();
  folders.push(folder);
  return folder;
}

const PYTHON_ENVIRONMENT = { PYTHONPATH: packages ?? '' };
/** The command from the integration page, which runs Python with the variables from .env. */
const DOTENV = ['python3', '-m', 'dotenv', 'run', '--', 'python3'] as const;

/** A minimal Django project for the snippet. */
const DJANGO_SETTINGS = `
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
const DJANGO_URLS = `
from django.contrib.auth.decorators import login_required
from django.http import JsonResponse

@login_required
def home(request):
    user = request.user
    return JsonResponse({'sub': user.username, 'name': user.first_name, 'email': user.email})
`;

describe.skipIf(packages === undefined)('the Python snippet', { timeout: TOOLCHAIN_TIMEOUT }, () => {
  test('for Authlib with Flask signs a user in and rejects invalid responses', async () => {
    await checkSignInSnippet(service, {
      id: 'authlib',
      standard: true,
      callback: '/retour',
      login: '/login',
      start: async ([code = ''], origin, _application, env) => {
        const folder = await createFolder();
        await folder.write('app.py', code);
        await folder.write('.env', env);
        return startSnippetServer([...DOTENV, 'app.py'], origin, folder.path, PYTHON_ENVIRONMENT);
      },
    });
  });

  test('for Django signs a user in and rejects invalid responses', async () => {
    await checkSignInSnippet(service, {
      id: 'django',
      standard: false,
      callback: '/oidc/callback/',
      login: '/oidc/authenticate/',
      home: '/',
      start: async ([settings = '', urls = '', backend = ''], origin, _application, env) => {
        const folder = await createFolder();
        await folder.write('.env', env);
        await folder.write('settings.py', DJANGO_SETTINGS + settings);
        await folder.write(
          'urls.py',
          `${DJANGO_URLS}\nurlpatterns = []\n${urls}\nurlpatterns += [path('', home)]\n`,
        );
        await folder.write('sign_in.py', backend);
        const manage = ['-m', 'django', '--settings=settings'].concat(`--pythonpath=${folder.path}`);
        const [python, ...dotenv] = DOTENV;
        await promisify(execFile)(python, [...dotenv, ...manage.slice(0, 2), 'migrate', ...manage.slice(2)], {
          cwd: folder.path,
          env: { ...process.env, ...PYTHON_ENVIRONMENT },
        });
        const [, , port = ''] = origin.split(':');
        const server = ['runserver', '--noreload', port];
        return startSnippetServer(
          [...DOTENV, ...manage.slice(0, 2), ...server, ...manage.slice(2)],
          origin,
          folder.path,
          PYTHON_ENVIRONMENT,
        );
      },
    });
  });

  test('for APIs accepts only access tokens for its audience (RFC 9068 §4)', async () => {
    await checkApiSnippet(service, {
      id: 'api-python',
      start: async (code, origin) => {
        const folder = await createFolder();
        const file = await folder.write('api.py', code);
        return startSnippetServer(['python3', file], origin, folder.path, PYTHON_ENVIRONMENT);
      },
    });
  });

  test('for MCP servers accepts only access tokens for its audience', async () => {
    await checkApiSnippet(service, {
      id: 'api-mcp-python',
      path: '/mcp/',
      isGenerated: true,
      ...MCP_CALL,
      start: async (code, origin) => {
        const folder = await createFolder();
        const file = await folder.write('server.py', code);
        return startSnippetServer(['python3', file], origin, folder.path, PYTHON_ENVIRONMENT);
      },
    });
  });
});
