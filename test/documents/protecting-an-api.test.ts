// docs/protecting-an-api.md, followed to the letter: but for two ports, everything is typed and run as it stands there.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messagesFor } from '../../src/i18n/index.ts';
import { type Folder, openFolder } from '../interoperability/copied.ts';
import { startCopied } from '../interoperability/copied-server.ts';
import { apiIdOn, atApi, fill, NEW_API } from '../support/console.ts';
import { decide, signedInBrowser } from '../support/flow.ts';
import { codeOf } from '../support/markup.ts';
import { freePort, startTestService, type TestService } from '../support/service.ts';

const ORIGIN = 'http://localhost:8081';
const text = readFileSync(new URL('../../docs/protecting-an-api.md', import.meta.url), 'utf8');
const words = messagesFor('en');

let service: TestService;
let folder: Folder;
/** The page, for the port that the server has here. */
let page: string;
let origin: string;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), openFolder()]);
  origin = `http://localhost:${await freePort()}`;
  page = text.replaceAll(ORIGIN, origin);
});
afterAll(() => Promise.all([service.close(), folder.remove()]));

/** What the page says is typed into a field. */
const value = (field: string): string => {
  const [, cell] =
    new RegExp(`^\\| ${field.replace('?', '\\?')} \\| \`?([^|\`]*)\`? \\|$`, 'm').exec(page) ?? [];
  if (cell === undefined) throw new Error(`the page does not say what ${field} is`);
  return cell.trim();
};
/** The choice whose label the page names. */
const choice = (field: string, labels: Record<string, string>): string => {
  const found = Object.entries(labels).find(([, label]) => label === value(field));
  if (found === undefined) throw new Error(`the form has no ${value(field)}`);
  return found[0];
};

test('whoever does what it says has an MCP server that only tokens open', async () => {
  const browser = await signedInBrowser(service, await service.createUser());
  const { form, scopes, admitsChoices } = words.apis;
  const admits = Object.fromEntries(Object.entries(admitsChoices).map(([name, { label }]) => [name, label]));
  const registered = await fill(browser, NEW_API, {
    name: value(form.name),
    identifier: value(form.identifier),
    words_fr: value(form.wordsFr),
    words_en: value(form.wordsEn),
    admits: choice(form.admits, admits),
    token_lifetime: value(form.lifetime),
  });
  const apiId = apiIdOn(registered);
  await fill(browser, atApi(apiId, '/scopes/new'), {
    scope: value(scopes.name),
    words_fr: value(scopes.wordsFr),
    words_en: value(scopes.wordsEn),
    traits: ['agents'],
  });

  const { body } = await browser.get(atApi(apiId, '/integrate?library=api-mcp'));
  const [, install, , file = ''] = /```\n(npm install .*)\n(node (.*))\n```/.exec(page) ?? [];
  expect(install).toBe(codeOf(body, 'install'));
  const path = await folder.put(file, codeOf(body, 'api-mcp-1'));
  const server = await startCopied([process.execPath, path], origin, folder.path, {});
  try {
    for (const [, command = '', status] of page.matchAll(/```sh\n(curl .*)\n```\n\nanswers `(\d+)`/g)) {
      const { stdout } = await promisify(execFile)('bash', ['-c', command]);
      expect(stdout, command).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(stdout).toContain(status === '401' ? 'resource_metadata="' : service.baseUrl);
    }
    const address = atApi(apiId, '/test');
    const found = await browser.follow(await fill(browser, address, { address: value(form.identifier) }));
    const { csrf = '', report = '' } = found.hidden;
    const consent = await browser.follow(await browser.post(address, { csrf, report }));
    const done = await browser.follow(await decide(browser, consent, 'allow'));
    expect(done.body).toContain('Your server works');
  } finally {
    await server.stop();
  }
});

test('what it calls pages, buttons and choices is what they are called', () => {
  const { apis, applications, apiIntegrate, apiTest, apiAccess } = words;
  for (const said of [
    `**${apiIntegrate.part}**`,
    `**${apiTest.part}**`,
    `**${applications.detail.secrets}**`,
    `**${apiAccess.access.part}**`,
    `**${applications.detail.diagnostics}**`,
    `"${apis.list.register}"`,
    `"${apiIntegrate.tabs['api-mcp']}"`,
  ])
    expect(text).toContain(said);
});
