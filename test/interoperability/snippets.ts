// Reads code snippets from the console's pages.
//
// The tests in this folder run the unchanged snippets against the service. toolchains.ts downloads the libraries
// that npm and Debian don't provide. configurations.test.ts checks the snippets that no test runs.
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SnippetId } from '../../src/pages/console/snippets/templates.ts';
import { listUrls, readCodeBlock } from '../support/markup.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import type { TestClient, TestService, TestUser } from '../support/service.ts';

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/**
 * Signs in as a client's owner and fetches the client's integration pages for all libraries, as one string.
 */
export async function fetchIntegrationPages(
  service: TestService,
  owner: TestUser,
  { clientId }: Pick<TestClient, 'clientId'>,
): Promise<string> {
  const browser = await openSignedInBrowser(service, owner);
  const path = `/console/applications/${clientId}/integrate`;
  const pages = new Map<string, string>();
  const queue = [path];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { status, body } = await browser.get(next);
    if (status !== 200) throw new Error(`${next} returned ${status}`);
    pages.set(next, body);
    queue.push(
      ...listUrls(body).filter(
        (one) =>
          /[?](?:language|tab)=(?!.*&lang=)/.test(one) && one.startsWith(`${path}?`) && !pages.has(one),
      ),
    );
  }
  return [...pages.values()].join('\n');
}

/** Reads a library's .env file from its integration page and fills in the secrets. */
export function readEnvFile(
  page: string,
  id: SnippetId,
  { clientSecret }: Pick<TestClient, 'clientSecret'>,
): string {
  const section = page.slice(page.indexOf(`<section class="snippet" id="${id}"`));
  return readCodeBlock(section, 'env')
    .replace(/^CLIENT_SECRET=$/m, `CLIENT_SECRET=${clientSecret}`)
    .replace(/^(\w+_SECRET)=$/gm, '$1=for tests only, and long enough');
}

/** Reads a snippet's files in the order in which the page shows them. */
export const readSnippetFiles = (page: string, id: SnippetId): string[] => {
  const numbers = [...page.matchAll(new RegExp(`<code id="${id}-(\\d)">`, 'g'))].map(([, number]) => number);
  return [...new Set(numbers)].map((number) => readCodeBlock(page, `${id}-${number}`));
};

export interface SnippetFolder {
  path: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** Creates a temporary folder with a link to the project's node_modules. */
export async function createSnippetFolder(): Promise<SnippetFolder> {
  const path = await mkdtemp(join(tmpdir(), 'sesame-snippet-'));
  await symlink(NODE_MODULES, join(path, 'node_modules'));
  return {
    path,
    write: async (name, text) => {
      await writeFile(join(path, name), text);
      return join(path, name);
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
