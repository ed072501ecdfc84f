import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../../support/browser-session.ts';
import { findMarkupErrors, listUrls, parseElements, readCodeBlock } from '../../support/markup.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const SERVICE_NAME = 'L’Entrée & <Cie>';
const service = useTestService({ SERVICE_NAME: SERVICE_NAME });
const pages: Record<string, string> = {};
beforeAll(async () => {
  for (const language of ['fr', 'en'])
    pages[language] = (await openBrowserSession(service.baseUrl).get(`/button?lang=${language}`)).body;
});

describe.each(['fr', 'en'])('the page about the sign-in button (%s)', (language) => {
  const getPage = () => pages[language] ?? '';

  test('is the same for signed-in users', async () => {
    expect(findMarkupErrors(getPage())).toEqual([]);
    const userBrowser = await openSignedInBrowser(service, await service.createUser());
    const readMain = (text: string) => /<main[\s\S]*<\/main>/.exec(text)?.[0];
    expect(readMain((await userBrowser.get(`/button?lang=${language}`)).body)).toBe(readMain(getPage()));
  });

  test('shows both variants of the button', () => {
    const buttons = parseElements(getPage()).filter(({ attributes }) =>
      attributes.class?.includes('service-signin-btn'),
    );
    expect(buttons.map(({ attributes }) => [attributes.class, attributes.lang])).toEqual([
      ['service-signin-btn', 'fr'],
      ['service-signin-btn service-signin-btn--dark', 'fr'],
    ]);
    expect(getPage().match(/>Se connecter avec L’Entrée &amp; &lt;Cie&gt;<\/a>/g)).toHaveLength(2);
  });

  test('disables the previews', () => {
    const grounds = parseElements(getPage()).filter(
      ({ attributes }) => attributes.class === 'preview-ground',
    );
    expect(grounds.map(({ attributes }) => attributes.inert)).toEqual(['', '']);
  });

  test('contains the HTML of the preview with absolute URLs', () => {
    const preview = /<a class="service-signin-btn"[\s\S]*?<\/a>/.exec(getPage())?.[0] ?? '';
    const absolute = preview.replace(/(href|src)="\//g, `$1="${service.baseUrl}/`);
    expect(readCodeBlock(getPage(), 'button-html')).toBe(absolute);
    const dark = absolute.replace('service-signin-btn"', 'service-signin-btn service-signin-btn--dark"');
    expect(readCodeBlock(getPage(), 'button-html-dark')).toBe(dark);
    expect(readCodeBlock(getPage(), 'button-address')).toContain('scope=openid+profile+email&state=');
  });

  test('contains the service’s stylesheet', async () => {
    expect(readCodeBlock(getPage(), 'button-css')).toBe(
      await (await fetch(`${service.baseUrl}/button.css`)).text(),
    );
  });
});

test('the page about the sign-in button loads no external resources', async () => {
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
  for (const url of listUrls(pages.en ?? '')) expect(url).toMatch(/^[/#]/);
});
