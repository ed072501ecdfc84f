// An Apache of its own for a test, with what an application's page shows for mod_auth_openidc and as little else as works.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from '../support/sources.ts';
import { until } from '../support/until.ts';

const MODULES = '/usr/lib/apache2/modules';
const NEEDED = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'auth_openidc'];

/** Whether Debian's Apache and the module are there; says loudly when they are not. */
export function hasModAuthOpenidc(): boolean {
  const tested = 'the snippet for mod_auth_openidc';
  if (!isInstalled('apache2', tested)) return false;
  const found = existsSync(`${MODULES}/mod_auth_openidc.so`);
  if (!found) console.warn(`NOT TESTED: libapache2-mod-auth-openidc is not installed, so ${tested} is not.`);
  return found;
}

export interface TestApache {
  /** What it logged. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts it on a port; its one page is /index.html, whose headers say what the module found out. It is not to be cached:
 * a file that says nothing of it is shown again unasked for a tenth of its age (RFC 9111 §4.2.2), and tests come fast.
 */
export async function startApache(
  port: number,
  snippet: string,
  environment: Record<string, string>,
): Promise<TestApache> {
  const folder = await mkdtemp(join(tmpdir(), 'sesame-apache-'));
  await chmod(folder, 0o755); // its workers are somebody else
  await writeFile(join(folder, 'index.html'), 'inside');
  const [file, errors] = [join(folder, 'apache2.conf'), join(folder, 'error.log')];
  await writeFile(
    file,
    `${NEEDED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n')}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
ErrorLog ${errors}
LogLevel auth_openidc:info
User www-data
Group www-data
StartServers 1
DocumentRoot ${folder}
Header set Cache-Control no-store
Header set X-Remote-User "expr=%{REMOTE_USER}"
Header set X-Name "%{OIDC_CLAIM_name}e"
Header set X-Email "%{OIDC_CLAIM_email}e"
Header set X-Access-Token "%{OIDC_access_token}e"
${snippet}
`,
  );
  const child = spawn('apache2', ['-d', folder, '-f', file, '-DFOREGROUND'], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const log = () => said + (existsSync(errors) ? readFileSync(errors, 'utf8') : '');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM'); // its workers end with it
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  await until(
    () => `Apache to answer; it said:\n${log()}`,
    () => {
      if (child.exitCode !== null) throw new Error(`Apache does not start:\n${log()}`);
      // Somebody else may have taken the port since it was found free, and answers there.
      return fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).then(
        ({ headers }) => headers.get('server')?.startsWith('Apache') === true,
        () => false,
      );
    },
  ).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { log, stop };
}
