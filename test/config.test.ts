// Settings: defaults, what each takes and refuses, files for secrets, the rules of production.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

const SECRET = 'q7Yd0vKp3RzXnB1sTfLw8MhGc5UeJa2i';
const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://signin.example',
  DATABASE_URL: 'postgres://sesame@db.internal/sesame',
  SECRET_KEY: SECRET,
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sesame-config-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** The errors of an environment. */
function faultsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const DEFAULTS = {
  environment: 'development',
  production: false,
  development: true,
  host: '127.0.0.1',
  port: 3000,
  baseUrl: 'http://localhost:3000',
  secure: false,
  cookiePrefix: expect.stringMatching(/^sesame-[0-9a-f]{6}$/),
  serviceName: 'Sésame',
  logo: undefined,
  accentColor: undefined,
  support: undefined,
  privacyUrl: undefined,
  termsUrl: undefined,
  legalNoticeUrl: undefined,
  accessibilityUrl: undefined,
  databaseUrl: undefined,
  databasePoolSize: 10,
  databasePrepare: true,
  redisUrl: undefined,
  secretKey: undefined,
  secretKeyPrevious: undefined,
  tlsCert: undefined,
  tlsKey: undefined,
  tls: undefined,
  trustedProxies: [],
  rateLimitPerMinute: 60,
  rateLimitAllow: [],
  authorizationCodeTtl: 60,
  accessTokenTtl: 3600,
  refreshTokenIdleTtl: 2_592_000,
  refreshTokenMaxTtl: 0,
  sessionTtl: 1_209_600,
  signingKeyRotation: 7_776_000,
  backchannelAllow: [],
  agents: [],
  agentsRegistration: false,
  retention: 7_776_000,
  auditRetention: 7_776_000,
  secondFactor: 'optional',
  passkeyRpId: 'localhost',
  passkeyRelatedOrigins: [],
  signUp: 'open',
  registrationsPerAccount: 20,
  hourlyLimits: true,
  metricsPort: undefined,
  smtpUrl: undefined,
  mailFrom: undefined,
  logLevel: 'info',
  dataDir: 'data',
};

describe('defaults (contract §8, D30)', () => {
  test('nothing is set: development, with the contract’s lifetimes and limit', () => {
    expect(readConfig({})).toEqual(DEFAULTS);
  });

  test('an empty value is an absent one; what is not ours is ignored', () => {
    const empty = Object.fromEntries(
      ['PORT', 'BASE_URL', 'SECRET_KEY', 'SECRET_KEY_FILE', 'TLS_CERT_FILE', 'SIGN_UP'].map((name) => [
        name,
        '',
      ]),
    );
    expect(readConfig({ ...empty, HOME: '/root', constructor: 'x', port: '1' })).toEqual(DEFAULTS);
  });

  test('BASE_URL follows the port, and own TLS, outside production', async () => {
    expect(readConfig({ PORT: '4567' }).baseUrl).toBe('http://localhost:4567');
    const path = await file('pem', 'pem');
    expect(readConfig({ TLS_CERT_FILE: path, TLS_KEY_FILE: path }).baseUrl).toBe('https://localhost:3000');
    expect(readConfig({ PORT: '4567', BASE_URL: 'http://sign.in:99' }).baseUrl).toBe('http://sign.in:99');
  });
});

test('every setting is read', async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>`;
  const picture = { type: 'image/svg+xml', content: Buffer.from(svg) };
  const [cert, key] = [await file('cert', 'the certificate'), await file('key', 'the key')];
  expect(
    readConfig({
      ...PRODUCTION,
      HOST: '0.0.0.0',
      PORT: '8443',
      SERVICE_NAME: 'Exemple',
      LOGO_FILE: await file('logo', svg),
      ACCENT_COLOR: '#0B6E4F',
      SUPPORT: 'aide@example.fr',
      PRIVACY_URL: 'https://www.example.fr/données?de=connexion#ici',
      TERMS_URL: 'https://www.example.fr/conditions',
      LEGAL_NOTICE_URL: 'https://www.example.fr/mentions',
      ACCESSIBILITY_URL: 'http://accessibilite.example.fr',
      DATABASE_POOL_SIZE: '25',
      DATABASE_PREPARE: 'off',
      REDIS_URL: 'rediss://cache.internal',
      SECRET_KEY_PREVIOUS: `${SECRET}previous`,
      TLS_CERT_FILE: cert,
      TLS_KEY_FILE: key,
      TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16 2001:db8::/32',
      RATE_LIMIT_PER_MINUTE: '0',
      RATE_LIMIT_ALLOW: '203.0.113.7',
      AUTHORIZATION_CODE_TTL: '30',
      ACCESS_TOKEN_TTL: '600',
      REFRESH_TOKEN_IDLE_TTL: '86400',
      REFRESH_TOKEN_MAX_TTL: '7776000',
      SESSION_TTL: '3600',
      SIGNING_KEY_ROTATION: '86400',
      BACKCHANNEL_ALLOW: '10.0.0.0/8 ::1',
      AGENTS: 'https://a.example, https://b.example',
      AGENTS_REGISTRATION: 'on',
      RETENTION: '86400',
      AUDIT_RETENTION: '60',
      SECOND_FACTOR: 'everyone',
      PASSKEY_RP_ID: 'signin.example',
      PASSKEY_RELATED_ORIGINS: 'https://signin.example.org, https://signin.example.net',
      SIGN_UP: 'closed',
      REGISTRATIONS_PER_ACCOUNT: '5',
      HOURLY_LIMITS: 'off',
      METRICS_PORT: '10.0.0.5:9464',
      SMTP_URL: 'smtps://user:p%40ss@mail.internal:465',
      MAIL_FROM: 'Exemple <no-reply@signin.example>',
      LOG_LEVEL: 'warn',
      DATA_DIR: '/var/lib/sesame',
    }),
  ).toEqual({
    environment: 'production',
    production: true,
    development: false,
    host: '0.0.0.0',
    port: 8443,
    baseUrl: 'https://signin.example',
    secure: true,
    cookiePrefix: '__Host-sesame',
    serviceName: 'Exemple',
    logo: picture,
    accentColor: '#0b6e4f',
    support: 'aide@example.fr',
    privacyUrl: 'https://www.example.fr/données?de=connexion#ici',
    termsUrl: 'https://www.example.fr/conditions',
    legalNoticeUrl: 'https://www.example.fr/mentions',
    accessibilityUrl: 'http://accessibilite.example.fr',
    databaseUrl: 'postgres://sesame@db.internal/sesame',
    databasePoolSize: 25,
    databasePrepare: false,
    redisUrl: 'rediss://cache.internal',
    secretKey: SECRET,
    secretKeyPrevious: `${SECRET}previous`,
    tlsCert: Buffer.from('the certificate'),
    tlsKey: Buffer.from('the key'),
    tls: { cert: Buffer.from('the certificate'), key: Buffer.from('the key') },
    trustedProxies: ['10.0.0.1', '192.168.0.0/16', '2001:db8::/32'],
    rateLimitPerMinute: 0,
    rateLimitAllow: ['203.0.113.7'],
    authorizationCodeTtl: 30,
    accessTokenTtl: 600,
    refreshTokenIdleTtl: 86_400,
    refreshTokenMaxTtl: 7_776_000,
    sessionTtl: 3600,
    signingKeyRotation: 86_400,
    backchannelAllow: ['10.0.0.0/8', '::1'],
    agents: ['https://a.example', 'https://b.example'],
    agentsRegistration: true,
    retention: 86_400,
    auditRetention: 60,
    secondFactor: 'everyone',
    passkeyRpId: 'signin.example',
    passkeyRelatedOrigins: ['https://signin.example.org', 'https://signin.example.net'],
    signUp: 'closed',
    registrationsPerAccount: 5,
    hourlyLimits: false,
    metricsPort: '10.0.0.5:9464',
    smtpUrl: 'smtps://user:p%40ss@mail.internal:465',
    mailFrom: 'Exemple <no-reply@signin.example>',
    logLevel: 'warn',
    dataDir: '/var/lib/sesame',
  });
});

const REFUSED: [name: string, values: string[]][] = [
  ['NODE_ENV', ['prod', 'Production']],
  ['PORT', ['abc', '-1', '65536', '1.5', '0x10', ' 80', '1e3']],
  [
    'BASE_URL',
    [
      'signin.example',
      'https://a.example/',
      'https://a.example/path',
      'https://a.example?x',
      'https://A.example',
      'https://a.example:443',
      'https://u@a.example',
      'ftp://a.example',
      'ws://a.example',
    ],
  ],
  ['HOST', ['[::]', '[::1]']],
  ['SERVICE_NAME', [' ', 'x'.repeat(61)]],
  ['ACCENT_COLOR', ['green', '0b6e4f', '#0b6e4f80', 'rgb(0 0 0)', '#ffd400', '#767676']],
  [
    'SUPPORT',
    [
      'help',
      '/help',
      'Help <help@example.com>',
      'a@b@c.example',
      'help@example.com?subject=x y',
      'javascript:alert(1)',
    ],
  ],
  ...['PRIVACY_URL', 'TERMS_URL', 'LEGAL_NOTICE_URL', 'ACCESSIBILITY_URL'].map((name): [string, string[]] => [
    name,
    [
      '/privacy',
      'www.example.com/privacy',
      'javascript:alert(1)',
      'data:text/html,x',
      'mailto:help@example.com',
      'https://user:hunter2@example.com/',
      'https://example.com/a b',
      'https://example.com/"x',
    ],
  ]),
  [
    'DATABASE_URL',
    [
      'mysql://db/x',
      'db.internal',
      'postgres:/db',
      'postgres://a,b/x',
      'postgres://a:1,b:2/x',
      'postgres://a%2Cb/x',
      'postgres:///x?host=a,b',
      'postgres://user:p#word@db/x',
      'postgres://user:12#word@db/x',
      'postgres://user:p/word@db/x',
      'postgres://user:p%word@db/x',
    ],
  ],
  ['DATABASE_POOL_SIZE', ['0', '1001']],
  ['DATABASE_PREPARE', ['yes', 'OFF']],
  ['REDIS_URL', ['http://cache', 'cache:6379', 'redis://:12#word@cache', 'redis://:p%word@cache']],
  ['SECRET_KEY', ['x', 'short but 0123456789 varied', 'a'.repeat(64), 'abc'.repeat(20)]],
  ['SECRET_KEY_PREVIOUS', ['x', 'a'.repeat(64)]],
  ['TRUSTED_PROXIES', ['true', 'proxy.internal', '10.0.0.0/33', '::1%eth0', '10.0.0.1;10.0.0.2']],
  ['RATE_LIMIT_ALLOW', ['*', '2001:db8::/129']],
  ['RATE_LIMIT_PER_MINUTE', ['-1', 'none']],
  ['AUTHORIZATION_CODE_TTL', ['0', '601']],
  ['ACCESS_TOKEN_TTL', ['0', '86401', '1h']],
  ['REFRESH_TOKEN_IDLE_TTL', ['0', '315360001']],
  ['REFRESH_TOKEN_MAX_TTL', ['-1', '315360001']],
  ['SESSION_TTL', ['59', '315360001']],
  ['REGISTRATIONS_PER_ACCOUNT', ['-1', '100001', 'many']],
  ['HOURLY_LIMITS', ['0', 'none']],
  ['RETENTION', ['0', '86399', '315360001']],
  ['AUDIT_RETENTION', ['59', '315360001', '90d']],
  ['SECOND_FACTOR', ['yes', 'all']],
  [
    'PASSKEY_RP_ID',
    ['com', 'https://example.com', 'Example.com', '127.0.0.1', 'example.com.', '-a.example.com'],
  ],
  [
    'PASSKEY_RELATED_ORIGINS',
    ['signin.example.org', 'http://signin.example.org', 'https://signin.example.org/'],
  ],
  [
    'AGENTS',
    ['yes', 'agents.example', 'http://agents.example', 'https://agents.example/', 'http://localhost.example'],
  ],
  ['AGENTS_REGISTRATION', ['yes', 'open']],
  ['SIGN_UP', ['yes', 'OPEN']],
  [
    'MAIL_FROM',
    [
      'no-reply',
      'Sesame',
      'a@b@c.example',
      'Sesame no-reply@example.com',
      'Sesame <no-reply@example.com',
      'no-reply@example.com>',
      '<no-reply@example.com>, x@example.com',
      'Sesame\r\nBcc: x <no-reply@example.com>',
    ],
  ],
  ['LOG_LEVEL', ['verbose', 'INFO']],
];

describe('what a setting refuses, in one line that names it', () => {
  test('values that each refuses', () => {
    const accepted = REFUSED.flatMap(([name, values]) =>
      values
        .filter((value) => !new RegExp(`^${name} [^\\n]+$`).test(faultsOf({ [name]: value }).join('\n')))
        .map((value) => `${name}=${value}`),
    );
    expect(accepted).toEqual([]);
  });

  test('BASE_URL: the right spelling and what is wrong', () => {
    for (const [given = '', spelling = '', found] of [
      ['https://Signin.example', 'https://signin.example', 'capitals'],
      ['HTTPS://signin.example', 'https://signin.example', 'capitals'],
      ['https://signin.example:443', 'https://signin.example', 'the default port'],
      ['http://signin.example:80', 'http://signin.example', 'the default port'],
      [
        'https://anmeldung.bücher.example',
        'https://anmeldung.xn--bcher-kva.example',
        'an international domain, which has an ASCII form',
      ],
      ['https://signin.example/', 'https://signin.example', 'a path, query, fragment or trailing slash'],
      ['https://me@signin.example', 'https://signin.example', 'a user name'],
      [
        'https://Signin.example:443/x',
        'https://signin.example',
        'capitals, the default port, a path, query, fragment or trailing slash',
      ],
    ]) {
      expect(faultsOf({ BASE_URL: given })).toEqual([
        `BASE_URL must be written ${spelling}: it has ${found}`,
      ]);
      expect(readConfig({ BASE_URL: spelling }).baseUrl).toBe(spelling);
    }
  });

  test('DATABASE_URL: what to encode, without its password', () => {
    for (const [given = '', fault] of [
      ['postgres://sesame:hunter#2@db/sesame', 'has a #, where a URL ends; '],
      ['postgres://sesame:12#hunter2@db/sesame', 'has a #, where a URL ends; '],
      ['postgres://sesame:hunter/2@db/sesame', "can't be read as a URL; "],
      ['postgres://sesame:hunter%2@db/sesame', 'has a % that encodes nothing; '],
    ]) {
      const [line = ''] = faultsOf({ DATABASE_URL: given });
      expect(line).toContain(`DATABASE_URL ${fault}percent-encode what is special`);
      expect(line).toContain('# is %23');
      expect(line).not.toContain('hunter');
    }
  });

  test('HOST with an IPv6 address in brackets is told to leave them out', () => {
    expect(faultsOf({ HOST: '[::]' })).toEqual(['HOST must be written without brackets: ::']);
    expect(readConfig({ HOST: '::' }).host).toBe('::');
  });

  test('each bad entry of a list is named', () => {
    const faults = faultsOf({ TRUSTED_PROXIES: '10.0.0.1, one, 10.0.0.0/8, two' });
    expect(faults).toEqual([
      'TRUSTED_PROXIES "one" is not an IP address or CIDR range',
      'TRUSTED_PROXIES "two" is not an IP address or CIDR range',
    ]);
  });

  test('an accent that cannot be read: the measured ratio, and a shade of it that can', () => {
    expect(faultsOf({ ACCENT_COLOR: '#ffd400' })).toEqual([
      'ACCENT_COLOR #ffd400 cannot be read on light pages: its contrast with #fbfaf7 is 1.37:1, and 4.5:1 is needed; #877000 has it',
    ]);
    expect(readConfig({ ACCENT_COLOR: '#877000' }).accentColor).toBe('#877000');
  });

  test('a logo that cannot be read, or is no picture: the file and what is wrong with it', async () => {
    const script = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><script/></svg>';
    for (const [path, error] of [
      [join(folder, 'none.svg'), `cannot be read: ${join(folder, 'none.svg')} (ENOENT)`],
      [
        await file('script.svg', script),
        `${join(folder, 'script.svg')} is an SVG with <script>: only shapes, text, gradients and filters are taken`,
      ],
      [
        await file('words.txt', 'words'),
        `${join(folder, 'words.txt')} is no picture that is taken: SVG (in UTF-8), PNG, JPEG or WebP`,
      ],
    ])
      expect(faultsOf({ LOGO_FILE: path ?? '' })).toEqual([`LOGO_FILE ${error}`]);
  });

  test('AGENTS takes * and origins; a port or http on this machine outside production only', () => {
    expect(readConfig({ ...PRODUCTION, AGENTS: '*' }).agents).toEqual(['*']);
    for (const origin of ['https://agents.example:8443', 'http://localhost:4000', 'http://127.0.0.1:4000']) {
      expect(readConfig({ AGENTS: origin }).agents).toEqual([origin]);
      expect(faultsOf({ ...PRODUCTION, AGENTS: origin }), origin).toEqual([
        'AGENTS must hold https origins without a port in production',
      ]);
    }
  });

  test('PASSKEY_RP_ID is the host of BASE_URL or a domain above it', () => {
    for (const PASSKEY_RP_ID of ['example.org', 'gnin.example.com', 'a.signin.example.com'])
      expect(faultsOf({ BASE_URL: 'https://signin.example.com', PASSKEY_RP_ID })).toEqual([
        'PASSKEY_RP_ID must be the host of BASE_URL, signin.example.com, or a domain above it',
      ]);
  });

  test('SIGNING_KEY_ROTATION is 0, or an hour at least', () => {
    for (const bad of ['1', '3599'])
      expect(faultsOf({ SIGNING_KEY_ROTATION: bad })).toEqual([expect.stringContaining('3600 or more')]);
    for (const good of ['0', '3600'])
      expect(readConfig({ SIGNING_KEY_ROTATION: good }).signingKeyRotation).toBe(Number(good));
  });

  test('SMTP_URL needs MAIL_FROM', () => {
    expect(faultsOf({ SMTP_URL: 'smtp://mail.internal' })).toEqual([
      'MAIL_FROM is required with SMTP_URL: the address that mails come from',
    ]);
  });

  test('SMTP_URL: the error does not repeat it, because it holds a password', () => {
    for (const url of [
      'mail.internal:25',
      'http://mail.internal',
      'smtp://',
      'smtp:mail.internal',
      'smtp://user:50%@mail.internal',
      'smtp://user:hunter2@mail internal',
    ]) {
      const faults = faultsOf({ SMTP_URL: url, MAIL_FROM: 'no-reply@example.com' });
      expect(faults).toEqual([expect.stringMatching(/^SMTP_URL must be one address that begins with smtp:/)]);
      expect(faults[0]).not.toContain('hunter2');
    }
  });

  test('MAIL_FROM takes an address, or a name and an address', () => {
    for (const from of [
      'no-reply@example.com',
      'no-reply@localhost',
      'Sésame, la porte <no-reply@example.com>',
    ])
      expect(readConfig({ MAIL_FROM: from }).mailFrom).toBe(from);
  });

  test('TLS_CERT_FILE without TLS_KEY_FILE, and the other way round', async () => {
    const path = await file('pem', 'pem');
    for (const name of ['TLS_CERT_FILE', 'TLS_KEY_FILE'])
      expect(faultsOf({ [name]: path })).toEqual([
        'TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither',
      ]);
  });

  test('limits are inclusive', () => {
    expect(readConfig({ PORT: '65535', ACCESS_TOKEN_TTL: '86400', SESSION_TTL: '60' })).toMatchObject({
      port: 65_535,
      accessTokenTtl: 86_400,
      sessionTtl: 60,
    });
  });
});

describe('NAME_FILE: the value is the content of the file', () => {
  test('without the line break at its end', async () => {
    for (const [name, field, value] of [
      ['DATABASE_URL', 'databaseUrl', 'postgres://sesame:secret@db/sesame'],
      ['REDIS_URL', 'redisUrl', 'redis://:secret@cache'],
      ['SECRET_KEY', 'secretKey', SECRET],
      ['SECRET_KEY_PREVIOUS', 'secretKeyPrevious', SECRET],
      ['SMTP_URL', 'smtpUrl', 'smtp://user:secret@mail'],
    ] as const) {
      const path = await file(name, `${value}\n`);
      const rest = { MAIL_FROM: 'no-reply@example.com' };
      expect(readConfig({ ...rest, [`${name}_FILE`]: path })[field]).toBe(value);
      expect(readConfig({ ...PRODUCTION, ...rest, [name]: '', [`${name}_FILE`]: path })[field]).toBe(value);
    }
  });

  test('both at once: a fault', async () => {
    const path = await file('both', SECRET);
    expect(faultsOf({ SECRET_KEY: SECRET, SECRET_KEY_FILE: path })).toEqual([
      'SECRET_KEY and SECRET_KEY_FILE are both set: use one',
    ]);
  });

  test('a file that cannot be read: one fault, in production too', () => {
    const path = join(folder, 'missing');
    const { SECRET_KEY: _, ...rest } = PRODUCTION;
    for (const environment of [{}, rest])
      expect(faultsOf({ ...environment, SECRET_KEY_FILE: path })).toEqual([
        `SECRET_KEY_FILE cannot be read: ${path} (ENOENT)`,
      ]);
  });

  test('what the file holds is checked like the setting; an empty one is no secret', async () => {
    for (const content of ['weak', '', '\n'])
      expect(faultsOf({ SECRET_KEY_FILE: await file('weak', content) })).toEqual([
        expect.stringMatching(/^SECRET_KEY is too weak/),
      ]);
  });

  test('certificate and key that cannot be read: a fault for each', () => {
    expect(
      faultsOf({ TLS_CERT_FILE: join(folder, 'no-cert'), TLS_KEY_FILE: join(folder, 'no-key') }),
    ).toEqual([
      `TLS_CERT_FILE cannot be read: ${join(folder, 'no-cert')} (ENOENT)`,
      `TLS_KEY_FILE cannot be read: ${join(folder, 'no-key')} (ENOENT)`,
    ]);
  });

  test('no other setting has such a variant', async () => {
    expect(readConfig({ PORT_FILE: await file('port', '4000') }).port).toBe(3000);
  });
});

describe('production (D26, D27)', () => {
  test('four settings are enough', () => {
    expect(readConfig(PRODUCTION)).toEqual({
      ...DEFAULTS,
      environment: 'production',
      production: true,
      development: false,
      secure: true,
      cookiePrefix: '__Host-sesame',
      secondFactor: 'operators',
      baseUrl: 'https://signin.example',
      passkeyRpId: 'signin.example',
      databaseUrl: PRODUCTION.DATABASE_URL,
      secretKey: SECRET,
    });
  });

  test('requires three of them', () => {
    for (const [name = '', fault] of [
      ['BASE_URL', 'BASE_URL is required in production'],
      ['DATABASE_URL', 'DATABASE_URL is required in production'],
      ['SECRET_KEY', 'SECRET_KEY is required in production: at least 32 random characters'],
    ])
      expect(faultsOf({ ...PRODUCTION, [name]: '' })).toEqual([fault]);
  });

  test('an http BASE_URL', () => {
    expect(faultsOf({ ...PRODUCTION, BASE_URL: 'http://signin.example' })).toEqual([
      'BASE_URL must begin with https:// in production',
    ]);
  });

  test('a weak SECRET_KEY', () => {
    expect(faultsOf({ ...PRODUCTION, SECRET_KEY: 'secret' })).toEqual([
      expect.stringMatching(/^SECRET_KEY is too weak/),
    ]);
  });
});

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
  const SERVER = fileURLToPath(new URL('../src/server.ts', import.meta.url));
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
