// GET /dev/mail: what is kept in development can be read, safely; nowhere else is there such a page.
import { describe, expect, test } from 'vitest';
import { openBrowserSession } from '../../support/browser-session.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { lastMailTo, linkIn } from '../../support/mail.ts';
import { elementsOf, markupFaults } from '../../support/markup.ts';
import { startTestService, useTestService } from '../../support/service.ts';

const service = useTestService();

describe('in development', () => {
  test('empty at first: it says how to get a mail', async () => {
    await using fresh = await startTestService();
    const page = await openBrowserSession(fresh.baseUrl).get('/dev/mail');
    expect(page.status).toBe(200);
    expect(page.body).toContain('No emails yet');
  });

  test('lists mails and shows one, names escaped, its links to follow', async () => {
    const user = await service.createUser({ name: 'Zoé <script>alert(1)</script>' });
    await signedInBrowser(service, user);
    const mail = await lastMailTo(service, user.email);
    const browser = openBrowserSession(service.baseUrl);
    const list = await browser.get('/dev/mail');
    expect(list.body).toContain(`href="/dev/mail/${mail.id}"`);
    const page = await browser.get(`/dev/mail/${mail.id}`);
    for (const { body } of [list, page]) {
      expect(markupFaults(body)).toEqual([]);
      expect(body).not.toContain('<script>alert');
    }
    expect(page.body).toContain(`href="${service.baseUrl}${linkIn(mail)}"`);
    expect(page.body).toMatch(/<nav class="way"[^>]*>\s*<ol>\s*<li><a href="\/dev\/mail">/);
    expect(page.headers.get('cache-control')).toContain('no-store');
  });

  test('the HTML of a mail has no origin, runs and loads nothing', async () => {
    const user = await service.createUser({ name: '<img src=x onerror=alert(1)>' });
    await signedInBrowser(service, user);
    const { id } = await lastMailTo(service, user.email);
    const visit = await openBrowserSession(service.baseUrl).get(`/dev/mail/${id}/html`);
    const policy = visit.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox(?!.*allow-(scripts|same-origin|forms))/);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/img-src data:;/);
    // The logo that came along, inside the page; nothing of the person’s.
    const images = elementsOf(visit.body).flatMap(({ name, attributes }) =>
      name === 'img' ? attributes.src : [],
    );
    expect(images).toEqual([expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/)]);
  });

  test('a mail that is not there: 404', async () => {
    const browser = openBrowserSession(service.baseUrl);
    for (const path of ['/dev/mail/x', '/dev/mail/x/html', `/dev/mail/${'a'.repeat(5000)}`])
      expect((await browser.get(path)).status).toBe(404);
  });
});

test('with SMTP_URL there is no such page', async () => {
  await using sending = await startTestService({
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'no-reply@example.org',
  });
  expect((await openBrowserSession(sending.baseUrl).get('/dev/mail')).status).toBe(404);
});
