import { describe, expect, test } from 'vitest';
import { openBrowserSession } from '../../support/browser-session.ts';
import { findLastEmailTo, readLink } from '../../support/emails.ts';
import { findMarkupErrors, parseElements } from '../../support/markup.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { startTestService, useTestService } from '../../support/service.ts';

const service = useTestService();

describe('the development mailbox', () => {
  test('shows a message if it is empty', async () => {
    await using fresh = await startTestService();
    const page = await openBrowserSession(fresh.baseUrl).get('/dev/mail');
    expect(page.status).toBe(200);
    expect(page.body).toContain('No emails yet');
  });

  test('lists emails and escapes names', async () => {
    const user = await service.createUser({ name: 'Zoé <script>alert(1)</script>' });
    await openSignedInBrowser(service, user);
    const email = await findLastEmailTo(service, user.email);
    const browser = openBrowserSession(service.baseUrl);
    const list = await browser.get('/dev/mail');
    expect(list.body).toContain(`href="/dev/mail/${email.id}"`);
    const page = await browser.get(`/dev/mail/${email.id}`);
    for (const { body } of [list, page]) {
      expect(findMarkupErrors(body)).toEqual([]);
      expect(body).not.toContain('<script>alert');
    }
    expect(page.body).toContain(`href="${service.baseUrl}${readLink(email)}"`);
    expect(page.body).toMatch(/<nav class="breadcrumb"[^>]*>\s*<ol>\s*<li><a href="\/dev\/mail">/);
    expect(page.headers.get('cache-control')).toContain('no-store');
  });

  test("sandboxes an email's HTML", async () => {
    const user = await service.createUser({ name: '<img src=x onerror=alert(1)>' });
    await openSignedInBrowser(service, user);
    const { id } = await findLastEmailTo(service, user.email);
    const visit = await openBrowserSession(service.baseUrl).get(`/dev/mail/${id}/html`);
    const policy = visit.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox(?!.*allow-(scripts|same-origin|forms))/);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/img-src data:;/);
    const images = parseElements(visit.body).flatMap(({ name, attributes }) =>
      name === 'img' ? attributes.src : [],
    );
    expect(images).toEqual([expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/)]);
  });

  test('returns 404 for an unknown email', async () => {
    const browser = openBrowserSession(service.baseUrl);
    for (const path of ['/dev/mail/x', '/dev/mail/x/html', `/dev/mail/${'a'.repeat(5000)}`])
      expect((await browser.get(path)).status).toBe(404);
  });
});

test('the development mailbox returns 404 if SMTP_URL is set', async () => {
  await using sending = await startTestService({
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'no-reply@example.org',
  });
  expect((await openBrowserSession(sending.baseUrl).get('/dev/mail')).status).toBe(404);
});
