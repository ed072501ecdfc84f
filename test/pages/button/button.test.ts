// GET /button: open to everybody, in both languages, and as true as the stylesheet that it shows.
import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../../support/browser-session.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { addressesOf, codeOf, elementsOf, markupFaults } from '../../support/markup.ts';
import { useTestService } from '../../support/service.ts';

const NAME = 'L’Entrée & <Cie>';
const service = useTestService({ SERVICE_NAME: NAME });
const pages: Record<string, string> = {};
beforeAll(async () => {
  for (const language of ['fr', 'en'])
    pages[language] = (await openBrowserSession(service.baseUrl).get(`/button?lang=${language}`)).body;
});

describe.each(['fr', 'en'])('the page about the button (%s)', (language) => {
  const page = () => pages[language] ?? '';

  test('is well-formed, and the same for who is signed in, but for the header', async () => {
    expect(markupFaults(page())).toEqual([]);
    const person = await signedInBrowser(service, await service.createUser());
    const main = (text: string) => /<main[\s\S]*<\/main>/.exec(text)?.[0];
    expect(main((await person.get(`/button?lang=${language}`)).body)).toBe(main(page()));
  });

  test('shows both variants with the French text in every language (D35)', () => {
    const buttons = elementsOf(page()).filter(({ attributes }) =>
      attributes.class?.includes('service-signin-btn'),
    );
    expect(buttons.map(({ attributes }) => [attributes.class, attributes.lang])).toEqual([
      ['service-signin-btn', 'fr'],
      ['service-signin-btn service-signin-btn--dark', 'fr'],
    ]);
    expect(page().match(/>Se connecter avec L’Entrée &amp; &lt;Cie&gt;<\/a>/g)).toHaveLength(2);
  });

  test('the HTML to copy is the preview with whole addresses, + between scopes', () => {
    const preview = /<a class="service-signin-btn"[\s\S]*?<\/a>/.exec(page())?.[0] ?? '';
    const whole = preview.replace(/(href|src)="\//g, `$1="${service.baseUrl}/`);
    expect(codeOf(page(), 'button-html')).toBe(whole);
    const dark = whole.replace('service-signin-btn"', 'service-signin-btn service-signin-btn--dark"');
    expect(codeOf(page(), 'button-html-dark')).toBe(dark);
    expect(codeOf(page(), 'button-address')).toContain('scope=openid+profile+email&state=');
  });

  test('the CSS to copy is the one that is served', async () => {
    expect(codeOf(page(), 'button-css')).toBe(await (await fetch(`${service.baseUrl}/button.css`)).text());
  });
});

test('loads nothing from elsewhere, and no script but our own', async () => {
  const { headers } = await openBrowserSession(service.baseUrl).get('/button');
  expect(headers.get('content-security-policy')?.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "default-src 'none'",
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "img-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
  ]);
  for (const address of addressesOf(pages.en ?? '')) expect(address).toMatch(/^[/#]/);
});
