// Copies code from an application's page as its owner would, and puts it where it can be run.
//
// What npm, Debian, PyPI, Go's module proxy and Maven Central have is run against the real service, each in a file of its
// own; toolchains.ts fetches what is not in package.json. oauth2-proxy, PHP, .NET and Ruby cannot be had here:
// configurations.test.ts holds what they are given against discovery instead.
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SnippetId } from '../../src/pages/console/snippets/templates.ts';
import { signedInBrowser } from '../support/flow.ts';
import { addressesOf, codeOf } from '../support/markup.ts';
import type { TestApplication, TestService, TestUser } from '../support/service.ts';

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** The application's pages of code to copy, as their owner sees them: that of each library, one after the other. */
export async function integratePageOf(
  service: TestService,
  owner: TestUser,
  { clientId }: Pick<TestApplication, 'clientId'>,
): Promise<string> {
  const browser = await signedInBrowser(service, owner);
  const address = `/console/applications/${clientId}/integrate`;
  const pages = new Map<string, string>();
  const ahead = [address];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const { status, body } = await browser.get(next);
    if (status !== 200) throw new Error(`${next} answered ${status}`);
    pages.set(next, body);
    ahead.push(
      ...addressesOf(body).filter(
        (one) => one.startsWith(`${address}?language=`) && !one.includes('&lang=') && !pages.has(one),
      ),
    );
  }
  return [...pages.values()].join('\n');
}

/** The file .env that the page of a library shows, with its secrets filled in, as its owner keeps it. */
export function envOf(
  page: string,
  id: SnippetId,
  { clientSecret }: Pick<TestApplication, 'clientSecret'>,
): string {
  const section = page.slice(page.indexOf(`<section class="snippet" id="${id}"`));
  return codeOf(section, 'env')
    .replace(/^CLIENT_SECRET=$/m, `CLIENT_SECRET=${clientSecret}`)
    .replace(/^(\w+_SECRET)=$/gm, '$1=for tests only, and long enough');
}

/** All files of a snippet, in the page's order. */
export const filesOf = (page: string, id: SnippetId): string[] => {
  const numbers = [...page.matchAll(new RegExp(`<code id="${id}-(\\d)">`, 'g'))].map(([, number]) => number);
  return [...new Set(numbers)].map((number) => codeOf(page, `${id}-${number}`));
};

export interface Folder {
  path: string;
  /** Writes a file there and gives its path. */
  put(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** A temporary folder in which code finds the packages that the project has installed. */
export async function openFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'sesame-snippet-'));
  await symlink(NODE_MODULES, join(path, 'node_modules'));
  return {
    path,
    put: async (name, text) => {
      await writeFile(join(path, name), text);
      return join(path, name);
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
