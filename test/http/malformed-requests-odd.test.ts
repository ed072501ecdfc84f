// Targets in absolute form (RFC 9112 §3.2.2): the host that they name counts for nothing (D27).
import { afterAll, expect, test } from 'vitest';
import { httpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const send = (target: string, options = {}) => httpRequest(service.parts.config.port, target, options);

test('D27: a page shows nothing of it', async () => {
  const { status, text } = await send('http://evil.example/signin', { headers: { accept: 'text/html' } });
  expect(status).toBe(200);
  expect(text).toContain('href="/signin?lang=');
  expect(text).not.toContain('evil.example');
});

test('D10: a wrong method is 405, a path that cannot be decoded 404', async () => {
  expect((await send('HTTP://evil.example:81/oauth/token', { method: 'DELETE' })).status).toBe(405);
  expect((await send('http://evil.example/%zz')).status).toBe(404);
  expect((await send('http://evil.example')).status).toBe(200);
});
