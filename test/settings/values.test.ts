// Settings that cannot be used: every fault at once, a line each, and the process ends with code 78 (sysexits EX_CONFIG).
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';

/** The faults of an environment; that there are none fails the test. */
function faultsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('the settings were accepted');
}

/** Faults of every kind: of single settings, between settings, of production, of files. */
const WRONG = {
  NODE_ENV: 'production',
  BASE_URL: 'http://signin.example',
  PORT: 'abc',
  DATABASE_URL: 'postgres:secret-of-database',
  SECRET_KEY: 'secret-of-ours',
  REDIS_URL: 'secret-of-redis',
  TLS_CERT_FILE: '/nowhere/cert.pem',
  TLS_KEY_FILE: '/nowhere/key.pem',
  TRUSTED_PROXIES: 'everybody',
  SIGN_UP: 'maybe',
};
const WRONG_NAMES = Object.keys(WRONG).filter((name) => name !== 'NODE_ENV');

describe('all faults at once', () => {
  test('one line for each, whatever their kind', () => {
    const faults = faultsOf(WRONG);
    expect(faults.map((fault) => /^[A-Z_]+/.exec(fault)?.[0]).sort()).toEqual(WRONG_NAMES.toSorted());
  });

  test.each(['example.org', 'gnin.example.com', 'a.signin.example.com'])(
    'passkeys of a domain that is not the host or above it: %s',
    (PASSKEY_RP_ID) =>
      expect(faultsOf({ BASE_URL: 'https://signin.example.com', PASSKEY_RP_ID })).toEqual([
        'PASSKEY_RP_ID must be the host of BASE_URL, signin.example.com, or a domain above it',
      ]),
  );

  test('keys that take turns faster than anybody can learn of them', () => {
    for (const bad of ['1', '3599'])
      expect(faultsOf({ SIGNING_KEY_ROTATION: bad })).toEqual([expect.stringContaining('3600 or more')]);
    for (const good of ['0', '3600'])
      expect(readConfig({ SIGNING_KEY_ROTATION: good }).signingKeyRotation).toBe(Number(good));
  });

  test('no line repeats a secret (D32)', () => {
    expect(faultsOf(WRONG).join('\n')).not.toContain('secret-of');
  });

  test('what production misses is told beside what is wrong', () => {
    expect(faultsOf({ NODE_ENV: 'production', PORT: 'abc' })).toEqual([
      expect.stringMatching(/^PORT /),
      expect.stringMatching(/^BASE_URL /),
      expect.stringMatching(/^DATABASE_URL /),
      expect.stringMatching(/^SECRET_KEY /),
    ]);
  });
});

describe('the process', () => {
  const SERVER = fileURLToPath(new URL('../../src/server.ts', import.meta.url));
  const run = (environment: Record<string, string>) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [SERVER], { env: environment, cwd: tmpdir() }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      );
    });

  test('ends with code 78 and a line on stderr for each fault, and nothing else', async () => {
    const { code, stdout, stderr } = await run(WRONG);
    expect(code).toBe(78);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      faultsOf(WRONG)
        .map((fault) => `sesame: ${fault}\n`)
        .join(''),
    );
    expect(stderr.split('\n')).toHaveLength(WRONG_NAMES.length + 1);
  });

  test('outside production too', async () => {
    expect(await run({ PORT: 'abc' })).toEqual({
      code: 78,
      stdout: '',
      stderr: 'sesame: PORT must be a whole number from 0 to 65535, not "abc"\n',
    });
  });
});

describe('AGENT_ORIGINS', () => {
  test.each(['http://localhost:4000', 'http://127.0.0.1:4000', 'https://agent.example:8443'])(
    '%s outside production only',
    (origin) => {
      expect(readConfig({ AGENT_ORIGINS: origin }).agentOrigins).toEqual([origin]);
      const faults = faultsOf({ NODE_ENV: 'production', AGENT_ORIGINS: origin });
      expect(faults).toContain('AGENT_ORIGINS must hold https origins without a port in production');
    },
  );

  test.each(['http://agent.example', 'https://agent.example/', 'agent.example', 'http://localhost.example'])(
    'not %s',
    (origin) => {
      expect(faultsOf({ AGENT_ORIGINS: origin })).toEqual([
        `AGENT_ORIGINS "${origin}" is not an origin such as https://agent.example.org`,
      ]);
    },
  );

  test('registering themselves goes with agents', () => {
    expect(faultsOf({ AGENTS: 'off', AGENTS_REGISTRATION: 'on' })).toEqual([
      'AGENTS_REGISTRATION=on goes with AGENTS=allowlist or AGENTS=open',
    ]);
  });
});
