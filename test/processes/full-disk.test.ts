// A log that cannot be written does not take the service with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { freePort, useTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const service = useTestService();
beforeAll(async () => {
  await service.createUser({ operator: true }); // so that the process makes up none
});

// Only Linux has a device that is always full.
test.skipIf(!existsSync('/dev/full'))('a full disk: requests are answered, SIGTERM ends it', async () => {
  const port = await freePort();
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['src/server.ts'], {
    stdio: ['ignore', full, 'ignore'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      BASE_URL: 'https://signin.example',
      TRUSTED_PROXIES: '127.0.0.1',
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.parts.config.secretKey,
    },
  });
  const ended = once(child, 'exit');
  const headers = { 'x-forwarded-proto': 'https' };
  const ask = async () =>
    (await fetch(`http://127.0.0.1:${port}/signin`, { headers }).catch(() => undefined))?.status;
  await until('it to serve', async () => (await ask()) === 200);
  // More than what is gathered before a line is written.
  for (let request = 0; request < 50; request += 1) expect([200, 429]).toContain(await ask());
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code, signal] = await ended;
  clearTimeout(deadline);
  expect([code, signal]).toEqual([0, null]);
});
