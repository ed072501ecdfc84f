// Settings: defaults, valid and invalid values, secrets in files, production rules.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Config, ConfigError, readConfig } from '../src/config.ts';

const STRONG_SECRET_KEY = 'q7Yd0vKp3RzXnB1sTfLw8MhGc5UeJa2i';
const PRODUCTION_SETTINGS = {
  NODE_ENV: 'production',
  BASE_URL: 'https://signin.example',
  DATABASE_URL: 'postgres://sesame@db.internal/sesame',
  SECRET_KEY: STRONG_SECRET_KEY,
};
const DAY = 86_400;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sesame-config-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function writeTestFile(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

function listErrors(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }
  return [];
}

/** Returns the test case for a setting whose value is the URL of a page in the footer. */
const footerUrlCase = (key: keyof Config): SettingCase => [
  key,
  undefined,
  ['https://www.example.fr/données?de=connexion#ici', 'http://example.fr'],
  [
    '/privacy',
    'www.example.com/x',
    'javascript:alert(1)',
    'https://u:hunter2@example.com/',
    'https://a.example/"x',
  ],
];

/** A valid string is paired with its parsed value if the two differ. */
type SettingCase = [
  key: keyof Config,
  defaultValue: unknown,
  valid: (string | [string, unknown])[],
  invalid: string[],
];
const CASES: Record<string, SettingCase> = {
  NODE_ENV: ['environment', 'development', ['test'], ['prod', 'Production']],
  HOST: ['host', '127.0.0.1', ['0.0.0.0', '::'], ['[::]', '[::1]']],
  PORT: [
    'port',
    3000,
    [
      ['8443', 8443],
      ['65535', 65_535],
    ],
    ['abc', '-1', '65536', '1.5', '0x10', ' 80', '1e3'],
  ],
  BASE_URL: [
    'baseUrl',
    'http://localhost:3000',
    ['https://signin.example', 'http://sign.in:99'],
    [
      'signin.example',
      'https://a.example/',
      'https://a.example?x',
      'https://A.example',
      'https://a.example:443',
      'https://u@a.example',
      'ftp://a.example',
    ],
  ],
  SERVICE_NAME: ['serviceName', 'Sésame', ['Exemple'], [' ', 'x'.repeat(61)]],
  LOGO_FILE: ['logo', undefined, [], ['/nowhere/logo.svg', 'package.json']],
  ACCENT_COLOR: [
    'accentColor',
    undefined,
    [
      ['#0B6E4F', '#0b6e4f'],
      ['#063', '#006633'],
    ],
    ['green', '0b6e4f', '#0b6e4f80', '#ffd400', '#767676'],
  ],
  SUPPORT: [
    'support',
    undefined,
    ['aide@example.fr', 'https://example.fr/aide'],
    ['help', '/help', 'Help <help@example.com>', 'javascript:alert(1)'],
  ],
  PRIVACY_URL: footerUrlCase('privacyUrl'),
  TERMS_URL: footerUrlCase('termsUrl'),
  LEGAL_NOTICE_URL: footerUrlCase('legalNoticeUrl'),
  ACCESSIBILITY_URL: footerUrlCase('accessibilityUrl'),
  SIGN_UP: ['signUp', 'open', ['closed'], ['yes', 'OPEN']],
  MFA_POLICY: ['mfaPolicy', 'optional', ['everyone', 'administrators'], ['yes', 'all']],
  PASSKEY_RP_ID: [
    'passkeyRpId',
    'localhost',
    [],
    ['com', 'https://example.com', 'Example.com', '127.0.0.1', 'example.com.'],
  ],
  PASSKEY_RELATED_ORIGINS: [
    'passkeyRelatedOrigins',
    [],
    [['https://a.example, https://b.example', ['https://a.example', 'https://b.example']]],
    ['a.example', 'http://a.example', 'https://a.example/'],
  ],
  SESSION_TTL: ['sessionTtl', 14 * DAY, [['60', 60]], ['59', '315360001']],
  REGISTRATIONS_PER_ACCOUNT: ['registrationsPerAccount', 20, [['0', 0]], ['-1', '100001', 'many']],
  SMTP_URL: [
    'smtpUrl',
    undefined,
    [],
    [
      'mail.internal:25',
      'http://mail.internal',
      'smtp://',
      'smtp:mail.internal',
      'smtp://u:hunter2%@mail',
      'smtp://u:hunter2@mail internal',
    ],
  ],
  MAIL_FROM: [
    'mailFrom',
    undefined,
    ['no-reply@localhost', 'Sésame, la porte <no-reply@example.com>'],
    [
      'no-reply',
      'a@b@c.example',
      'Sesame no-reply@example.com',
      'no-reply@example.com>',
      'Sesame\r\nBcc: x <no-reply@example.com>',
    ],
  ],
  AUTHORIZATION_CODE_TTL: ['authorizationCodeTtl', 60, [['30', 30]], ['0', '601']],
  ACCESS_TOKEN_TTL: ['accessTokenTtl', 3600, [['86400', DAY]], ['0', '86401', '1h']],
  REFRESH_TOKEN_IDLE_TTL: ['refreshTokenIdleTtl', 30 * DAY, [['86400', DAY]], ['0', '315360001']],
  REFRESH_TOKEN_MAX_TTL: ['refreshTokenMaxTtl', 0, [['86400', DAY]], ['-1', '315360001']],
  SIGNING_KEY_ROTATION: [
    'signingKeyRotation',
    90 * DAY,
    [
      ['0', 0],
      ['3600', 3600],
    ],
    ['1', '3599'],
  ],
  BACKCHANNEL_ALLOW: ['backchannelAllow', [], [['10.0.0.0/8 ::1', ['10.0.0.0/8', '::1']]], ['internal']],
  AGENTS: [
    'agents',
    [],
    [
      ['*', ['*']],
      ['http://localhost:4000', ['http://localhost:4000']],
    ],
    ['yes', 'agents.example', 'http://agents.example', 'https://agents.example/', 'http://localhost.example'],
  ],
  AGENTS_REGISTRATION: ['agentsRegistration', false, [['on', true]], ['yes', 'open']],
  TLS_CERT_FILE: ['tlsCert', undefined, [], ['/nowhere/cert.pem']],
  TLS_KEY_FILE: ['tlsKey', undefined, [], ['/nowhere/key.pem']],
  TRUSTED_PROXIES: [
    'trustedProxies',
    [],
    [['10.0.0.1, 192.168.0.0/16 2001:db8::/32', ['10.0.0.1', '192.168.0.0/16', '2001:db8::/32']]],
    ['true', 'proxy.internal', '10.0.0.0/33', '::1%eth0', '10.0.0.1;10.0.0.2'],
  ],
  RATE_LIMIT_PER_MINUTE: ['rateLimitPerMinute', 60, [['0', 0]], ['-1', 'none']],
  RATE_LIMIT_ALLOW: ['rateLimitAllow', [], [['203.0.113.7', ['203.0.113.7']]], ['*', '2001:db8::/129']],
  HOURLY_LIMITS: ['hourlyLimits', true, [['off', false]], ['0', 'none']],
  REDIS_URL: [
    'redisUrl',
    undefined,
    ['rediss://cache.internal'],
    ['http://cache', 'cache:6379', 'redis://:hunter2#word@cache', 'redis://:hunter2%word@cache'],
  ],
  RETENTION: ['retention', 90 * DAY, [['86400', DAY]], ['0', '86399', '315360001']],
  AUDIT_RETENTION: ['auditRetention', 90 * DAY, [['60', 60]], ['59', '315360001', '90d']],
  DATABASE_URL: [
    'databaseUrl',
    undefined,
    ['postgres://sesame:p%23ss@db.internal/sesame', 'postgres:///sesame?host=/run/postgresql'],
    [
      'mysql://db/x',
      'db.internal',
      'postgres:/db',
      'postgres://a,b/x',
      'postgres://a:1,b:2/x',
      'postgres://a%2Cb/x',
      'postgres:///x?host=a,b',
      'postgres://user:hunter2#word@db/x',
      'postgres://user:hunter2/word@db/x',
      'postgres://user:hunter2%word@db/x',
    ],
  ],
  DATABASE_POOL_SIZE: ['databasePoolSize', 10, [['25', 25]], ['0', '1001']],
  DATABASE_PREPARE: ['databasePrepare', true, [['off', false]], ['yes', 'OFF']],
  SECRET_KEY: [
    'secretKey',
    undefined,
    [STRONG_SECRET_KEY],
    ['x', 'short but 0123456789 varied', 'a'.repeat(64), 'abc'.repeat(20)],
  ],
  SECRET_KEY_PREVIOUS: ['secretKeyPrevious', undefined, [STRONG_SECRET_KEY], ['x', 'a'.repeat(64)]],
  METRICS_PORT: [
    'metricsPort',
    undefined,
    ['9464', '10.0.0.1:9464', '[::1]:9464', 'metrics.internal:9464'],
    ['0', 'a b:9464', '127.0.0.1:3000', '3000'],
  ],
  LOG_LEVEL: ['logLevel', 'info', ['warn'], ['verbose', 'INFO']],
  DATA_DIR: ['dataDir', 'data', ['/var/lib/sesame'], []],
};

describe('each setting', () => {
  test('has its default value if its variable is missing or empty', () => {
    const environment = { ...Object.fromEntries(Object.keys(CASES).map((name) => [name, ''])), port: '1' };
    const derived = { production: false, development: true, secure: false, tls: undefined };
    expect(readConfig(environment)).toEqual({
      ...Object.fromEntries(Object.values(CASES).map(([key, defaultValue]) => [key, defaultValue])),
      ...derived,
      cookiePrefix: expect.stringMatching(/^sesame-[0-9a-f]{6}$/),
    });
  });

  test('is read from its environment variable', () => {
    for (const [name, [key, , valid]] of Object.entries(CASES))
      for (const example of valid) {
        const [text, value] = typeof example === 'string' ? [example, example] : example;
        expect([name, readConfig({ [name]: text })[key]]).toEqual([name, value]);
      }
  });

  test('is named in a one-line error if its value is invalid', () => {
    const unreported = Object.entries(CASES).flatMap(([name, [, , , invalid]]) =>
      invalid.flatMap((value) => {
        const errors = listErrors({
          [name]: value,
          MAIL_FROM: 'a@b.example',
          ...(name === 'MAIL_FROM' && { [name]: value }),
        });
        const ownErrors = errors.filter((error) => !error.includes(' must be set together'));
        const isReported =
          ownErrors.length === 1 && ownErrors[0]?.startsWith(`${name} `) && !ownErrors[0].includes('hunter2');
        return isReported ? [] : [{ name, value, errors }];
      }),
    );
    expect(unreported).toEqual([]);
  });
});

test('an error about a setting suggests a valid value or quotes the invalid entries', () => {
  expect(listErrors({ BASE_URL: 'HTTPS://Bücher.example:443/x' })).toEqual([
    'BASE_URL must be written as https://xn--bcher-kva.example',
  ]);
  expect(listErrors({ HOST: '[::]' })).toEqual(['HOST must be written without brackets: ::']);
  expect(listErrors({ TRUSTED_PROXIES: '10.0.0.1, one, 10.0.0.0/8, two' })).toEqual([
    'TRUSTED_PROXIES "one" is not an IP address or CIDR range',
    'TRUSTED_PROXIES "two" is not an IP address or CIDR range',
  ]);
  expect(listErrors({ ACCENT_COLOR: '#ffd400' })).toEqual([
    'ACCENT_COLOR #ffd400 is not readable on light pages: its contrast with #fbfaf7 is 1.37:1 and must be at least 4.5:1. Use #877000, for example',
  ]);
  expect(listErrors({ DATABASE_URL: 'postgres://u:a#b@db/x' })).toEqual([
    expect.stringContaining('# is %23'),
  ]);
});

test('interdependent settings are checked together', async () => {
  const path = await writeTestFile('pem', 'pem');
  for (const name of ['TLS_CERT_FILE', 'TLS_KEY_FILE'])
    expect(listErrors({ [name]: path })).toEqual(['TLS_CERT_FILE and TLS_KEY_FILE must be set together']);
  expect(readConfig({ TLS_CERT_FILE: path, TLS_KEY_FILE: path })).toMatchObject({
    baseUrl: 'https://localhost:3000',
    tls: { cert: Buffer.from('pem'), key: Buffer.from('pem') },
  });
  const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>';
  expect(readConfig({ LOGO_FILE: await writeTestFile('logo', logo) }).logo?.type).toBe('image/svg+xml');
  expect(readConfig({ PORT: '4567' }).baseUrl).toBe('http://localhost:4567');
  expect(listErrors({ METRICS_PORT: '8080', PORT: '8080' })).toEqual(['METRICS_PORT must differ from PORT']);
  expect(listErrors({ SMTP_URL: 'smtp://mail.internal' })).toEqual([
    'MAIL_FROM is required if SMTP_URL is set',
  ]);
  for (const PASSKEY_RP_ID of ['example.org', 'gnin.example.com', 'a.signin.example.com'])
    expect(listErrors({ BASE_URL: 'https://signin.example.com', PASSKEY_RP_ID })).toEqual([
      'PASSKEY_RP_ID must be the host of BASE_URL (signin.example.com) or one of its parent domains',
    ]);
  expect(readConfig({ BASE_URL: 'https://a.example.com', PASSKEY_RP_ID: 'example.com' }).passkeyRpId).toBe(
    'example.com',
  );
});

describe('a NAME_FILE setting', () => {
  test('may refer to a file whose secret ends with a line break', async () => {
    for (const [name, field, value] of [
      ['DATABASE_URL', 'databaseUrl', 'postgres://sesame:secret@db/sesame'],
      ['REDIS_URL', 'redisUrl', 'redis://:secret@cache'],
      ['SECRET_KEY', 'secretKey', STRONG_SECRET_KEY],
      ['SECRET_KEY_PREVIOUS', 'secretKeyPrevious', STRONG_SECRET_KEY],
      ['SMTP_URL', 'smtpUrl', 'smtp://user:secret@mail'],
    ] as const) {
      const path = await writeTestFile(name, `${value}\n`);
      const environment = { ...PRODUCTION_SETTINGS, MAIL_FROM: 'no-reply@example.com', [name]: '' };
      expect(readConfig({ ...environment, [`${name}_FILE`]: path })[field]).toBe(value);
    }
    // PORT isn't a secret, so PORT_FILE is ignored.
    expect(readConfig({ PORT_FILE: await writeTestFile('port', '4000') }).port).toBe(3000);
  });

  test('is rejected if NAME is also set or the file contains no strong secret', async () => {
    const missing = join(folder, 'missing');
    const environment = {
      SECRET_KEY: STRONG_SECRET_KEY,
      SECRET_KEY_FILE: await writeTestFile('both', STRONG_SECRET_KEY),
    };
    expect(listErrors(environment)).toEqual(['SECRET_KEY and SECRET_KEY_FILE are both set. Use only one']);
    expect(listErrors({ ...PRODUCTION_SETTINGS, SECRET_KEY: '', SECRET_KEY_FILE: missing })).toEqual([
      `SECRET_KEY_FILE can't be read: ${missing} (ENOENT)`,
    ]);
    for (const content of ['weak', '\n'])
      expect(listErrors({ SECRET_KEY_FILE: await writeTestFile('weak', content) })).toEqual([
        expect.stringMatching(/^SECRET_KEY is too weak/),
      ]);
  });
});

describe('in production, the configuration', () => {
  test('requires only an https BASE_URL, DATABASE_URL and SECRET_KEY', () => {
    expect(readConfig(PRODUCTION_SETTINGS)).toMatchObject({
      ...{ production: true, development: false, secure: true, cookiePrefix: '__Host-sesame' },
      ...{ mfaPolicy: 'administrators', baseUrl: 'https://signin.example', passkeyRpId: 'signin.example' },
    });
    for (const name of ['BASE_URL', 'DATABASE_URL', 'SECRET_KEY'])
      expect(listErrors({ ...PRODUCTION_SETTINGS, [name]: '' })).toEqual([
        expect.stringContaining(`${name} is required in production`),
      ]);
    expect(listErrors({ ...PRODUCTION_SETTINGS, BASE_URL: 'http://signin.example' })).toEqual([
      'BASE_URL must begin with https:// in production',
    ]);
    expect(listErrors({ ...PRODUCTION_SETTINGS, AGENTS: 'https://agents.example:8443' })).toEqual([
      'AGENTS must contain only https origins without a port in production',
    ]);
  });

  test('is rejected with one error per invalid setting and no secrets', () => {
    const invalid = {
      BASE_URL: 'http://signin.example',
      PORT: 'abc',
      DATABASE_URL: 'postgres:secret-of-database',
      SECRET_KEY: 'secret-of-ours',
      REDIS_URL: 'secret-of-redis',
      TLS_CERT_FILE: '/nowhere/cert.pem',
      TLS_KEY_FILE: '/nowhere/key.pem',
    };
    const errors = listErrors({ NODE_ENV: 'production', ...invalid });
    expect(errors.map((error) => /^[A-Z_]+/.exec(error)?.[0]).sort()).toEqual(
      Object.keys(invalid).toSorted(),
    );
    expect(errors.join('\n')).not.toContain('secret-of');
    expect(listErrors({ NODE_ENV: 'production', PORT: 'abc' })).toHaveLength(4);
  });
});
