import { expect, test } from 'vitest';
import { RESEND_DELAY } from '../../../src/oauth/lifetimes.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { submitForm } from '../../support/console-forms.ts';
import { listEmailsTo } from '../../support/emails.ts';
import { parseElements, readMain, readText } from '../../support/markup.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();
const FORGOT_PASSWORD_PATH = '/password/forgot';

async function requestReset(email: string) {
  const browser = openBrowserSession(service.baseUrl);
  const response = await submitForm(browser, FORGOT_PASSWORD_PATH, { email });
  const url = response.location as URL;
  return { browser, url, page: await browser.get(url) };
}

const readButton = ({ body }: Visit): Record<string, string> | undefined =>
  parseElements(readMain(body)).find(({ name }) => name === 'button')?.attributes;
const readPageText = async (browser: BrowserSession, url: URL) =>
  readText(readMain((await browser.get(url)).body));

test('the confirmation page shows the email address for an hour, only in the same browser', async () => {
  const { email } = await service.createUser();
  const { browser, url, page } = await requestReset(email);
  expect(readText(readMain(page.body))).toContain(`an account with the address ${email}`);
  expect(decodeURIComponent(url.href)).not.toContain(email);
  expect(await readPageText(openBrowserSession(service.baseUrl), url)).toMatch(
    /an account with this address(?!.*Send)/,
  );
  service.clock.advance(3601);
  expect(await readPageText(browser, url)).toMatch(/an account with this address(?!.*Send)/);
});

test('the confirmation page is the same if there is no account', async () => {
  const { email } = await service.createUser();
  const [known = '', unknown] = await Promise.all(
    [email, 'nobody@example.org'].map(async (entered) => {
      const { page } = await requestReset(entered);
      return page.body.replaceAll(entered, '').replaceAll(/(token=|name="csrf" value=")[\w-]+/g, '');
    }),
  );
  expect(known).toContain('action="/password/forgot"');
  expect(known).toBe(unknown);
});

test('the confirmation page sends the email again after a delay', async () => {
  const { email } = await service.createUser();
  const { browser, url, page } = await requestReset(email);
  expect(readButton(page)?.['data-retry-after']).toBe(`${RESEND_DELAY}`);
  service.clock.advance(RESEND_DELAY);
  const later = await browser.get(url);
  expect(readButton(later)).not.toHaveProperty('data-retry-after');
  const again = await browser.follow(await browser.post(FORGOT_PASSWORD_PATH, later.hidden));
  expect(readText(again.body)).toContain(`the address ${email}`);
  expect(readButton(again)?.['data-retry-after']).toBe(`${RESEND_DELAY}`);
  expect(await listEmailsTo(service, email)).toHaveLength(2);
});
