// Starts Apache with the mod_auth_openidc snippet in a minimal configuration.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from '../support/source-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const MODULES_FOLDER = '/usr/lib/apache2/modules';
const REQUIRED_MODULES = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'auth_openidc'];

/** Returns whether Apache and mod_auth_openidc are installed. Prints a warning if they aren't. */
export function hasModAuthOpenidc(): boolean {
  const feature = 'the snippet for mod_auth_openidc';
  if (!isInstalled('apache2', feature)) return false;
  const isModuleInstalled = existsSync(`${MODULES_FOLDER}/mod_auth_openidc.so`);
  if (!isModuleInstalled) console.warn(`NOT TESTED: ${feature}. Install libapache2-mod-auth-openidc.`);
  return isModuleInstalled;
}

export interface TestApache {
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts Apache with one uncached page, /index.html, that returns the received claims as headers.
 */
export async function startApache(
  port: number,
  snippet: string,
  environment: Record<string, string>,
): Promise<TestApache> {
  const folder = await mkdtemp(join(tmpdir(), 'sesame-apache-'));
  // Apache's workers run as www-data and must be able to read the folder.
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'index.html'), 'inside');
  const [file, errorLog] = [join(folder, 'apache2.conf'), join(folder, 'error.log')];
  await writeFile(
    file,
    `${REQUIRED_MODULES.map((name) => `LoadModule ${name}_module ${MODULES_FOLDER}/mod_${name}.so`).join('\n')}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
ErrorLog ${errorLog}
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
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const readLog = () => output + (existsSync(errorLog) ? readFileSync(errorLog, 'utf8') : '');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    await rm(folder, { recursive: true, force: true });
  };
  await waitUntil(
    () => `Apache to respond; its output:\n${readLog()}`,
    () => {
      if (child.exitCode !== null) throw new Error(`Apache exited:\n${readLog()}`);
      // Another process could have taken the port.
      return fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).then(
        ({ headers }) => headers.get('server')?.startsWith('Apache') === true,
        () => false,
      );
    },
  ).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { log: readLog, stop };
}
