// The page about the button and the pages of code to copy, opened in one go: every state, names that have to be escaped.
import { GROUPS } from '../../src/pages/console/snippets/templates.ts';
import { browserIn, signIn } from './flow.ts';
import type { OpenedPage } from './opened-page.ts';
import type { TestService } from './service.ts';

/** Opens the pages in a language. */
export async function openIntegratePages(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const pages: OpenedPage[] = [];
  const user = await service.createUser({ name: 'Zoé "O\'Hara" <i>& Fils' });
  const browser = await browserIn(service, language);
  const open = async (name: string, path: string) =>
    pages.push({ name: `integrate: ${name}`, status: 200, visit: await browser.get(path), pending: false });
  await open('button', '/button');
  await signIn(browser, user);
  await open('button, signed in', '/button');

  const applications = {
    confidential: {},
    public: { type: 'public', redirectUris: ['http://127.0.0.1/<b>', 'com.example.app:/"'] },
    'standard, no callback that fits': { standard: true, redirectUris: ['https://notes.example/?a=1&b=<i>'] },
    'too few scopes': { scopes: ['email'] },
  } as const;
  for (const [name, fields] of Object.entries(applications)) {
    const { clientId } = await service.createApplication({
      ownerId: user.userId,
      name: 'Notes & "Cie" <b>\'x\'',
      redirectUris: ["https://notes.example/cb?a='1'&b=2"],
      ...(fields as object),
    });
    const address = `/console/applications/${clientId}/integrate`;
    await open(name, address);
    if (name === 'confidential')
      for (const group of GROUPS) await open(`${name}, ${group}`, `${address}?language=${group}`);
    if (name === 'public') await open(`${name}, in the page`, `${address}?library=browser`);
  }
  return pages;
}
