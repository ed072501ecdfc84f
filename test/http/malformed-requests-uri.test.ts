// The service ignores the host in an absolute-form request target (RFC 9112 §3.2.2).
import { afterAll, expect, test } from 'vitest';
import { sendHttpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const send = (target: string, options = {}) => sendHttpRequest(service.services.config.port, target, options);

test('a page does not contain the host from an absolute-form request target', async () => {
  const { status, text } = await send('http://evil.example/signin', { headers: { accept: 'text/html' } });
  expect(status).toBe(200);
  expect(text).toContain('href="/signin?lang=');
  expect(text).not.toContain('evil.example');
});

test('the host in an absolute-form target doesn’t affect the status code', async () => {
  expect((await send('HTTP://evil.example:81/oauth/token', { method: 'DELETE' })).status).toBe(405);
  expect((await send('http://evil.example/%zz')).status).toBe(404);
  expect((await send('http://evil.example')).status).toBe(200);
});
