// Runs the tutorial in docs/protecting-an-api.md, using its commands and form values.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messagesFor } from '../../src/i18n/index.ts';
import { startSnippetServer } from '../interoperability/snippet-server.ts';
import { createSnippetFolder, type SnippetFolder } from '../interoperability/snippets.ts';
import { apiPath, NEW_API_PATH, readApiId, submitForm } from '../support/console-forms.ts';
import { readCodeBlock } from '../support/markup.ts';
import { openSignedInBrowser, submitDecision } from '../support/oauth-flow.ts';
import { findFreePort, startTestService, type TestService } from '../support/service.ts';

const ORIGIN = 'http://localhost:8081';
const documentText = readFileSync(new URL('../../docs/protecting-an-api.md', import.meta.url), 'utf8');
const messages = messagesFor('en');

let service: TestService;
let folder: SnippetFolder;
/** The tutorial's text, with this test server's port. */
let tutorial: string;
let origin: string;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), createSnippetFolder()]);
  origin = `http://localhost:${await findFreePort()}`;
  tutorial = documentText.replaceAll(ORIGIN, origin);
});
afterAll(() => Promise.all([service.close(), folder.remove()]));

/** Extracts the value of a form field from the tutorial. */
const readFieldValue = (field: string): string => {
  const [, cell] =
    new RegExp(`^\\| ${field.replace('?', '\\?')} \\| \`?([^|\`]*)\`? \\|$`, 'm').exec(tutorial) ?? [];
  if (cell === undefined) throw new Error(`the tutorial has no value for ${field}`);
  return cell.trim();
};
/** Returns the value of the radio button that the tutorial tells the reader to select. */
const readChoiceValue = (field: string, labels: Record<string, string>): string => {
  const choice = Object.entries(labels).find(([, label]) => label === readFieldValue(field));
  if (choice === undefined) throw new Error(`the form has no choice ${readFieldValue(field)}`);
  return choice[0];
};

test('the tutorial results in a working MCP server that requires a token', async () => {
  const browser = await openSignedInBrowser(service, await service.createUser());
  const { form, scopes, allowedClientsChoices } = messages.apis;
  const allowedClientsLabels = Object.fromEntries(
    Object.entries(allowedClientsChoices).map(([name, { label }]) => [name, label]),
  );
  const registered = await submitForm(browser, NEW_API_PATH, {
    name: readFieldValue(form.name),
    identifier: readFieldValue(form.identifier),
    description_en: readFieldValue(form.description),
    allowed_clients: readChoiceValue(form.allowedClients, allowedClientsLabels),
    token_lifetime: readFieldValue(form.lifetime),
  });
  const apiId = readApiId(registered);
  await submitForm(browser, apiPath(apiId, '/scopes/new'), {
    scope: readFieldValue(scopes.name),
    description_en: readFieldValue(scopes.description),
    traits: ['agents'],
  });

  const { body } = await browser.get(apiPath(apiId, '/integrate?library=api-mcp'));
  const [, install, , file = ''] = /```\n(npm install .*)\n(node (.*))\n```/.exec(tutorial) ?? [];
  expect(install).toBe(readCodeBlock(body, 'install'));
  const serverFile = await folder.write(file, readCodeBlock(body, 'api-mcp-1'));
  const server = await startSnippetServer([process.execPath, serverFile], origin, folder.path, {});
  try {
    for (const [, command = '', status] of tutorial.matchAll(
      /```sh\n(curl .*)\n```\n\nThe response is `(\d+)`/g,
    )) {
      const { stdout } = await promisify(execFile)('bash', ['-c', command]);
      expect(stdout, command).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(stdout).toContain(status === '401' ? 'resource_metadata="' : service.baseUrl);
    }
    const path = apiPath(apiId, '/test');
    const testPage = await browser.follow(
      await submitForm(browser, path, { address: readFieldValue(form.identifier) }),
    );
    const { csrf = '', report = '' } = testPage.hidden;
    const consent = await browser.follow(await browser.post(path, { csrf, report }));
    const done = await browser.follow(await submitDecision(browser, consent, 'allow'));
    expect(done.body).toContain('Your server works');
  } finally {
    await server.stop();
  }
});

test('the tutorial uses the console’s names for pages, buttons and choices', () => {
  const { apis, applications, apiIntegrate, apiTest, apiAccess } = messages;
  for (const label of [
    `**${apiIntegrate.part}**`,
    `**${apiIntegrate.part} > ${apiTest.part}**`,
    `**${applications.detail.settings} > ${applications.detail.secrets}**`,
    `**${apiAccess.access.part}**`,
    `**${applications.detail.diagnostics}**`,
    `"${apis.list.register}"`,
    `"${apiIntegrate.tabs['api-mcp']}"`,
  ])
    expect(documentText).toContain(label);
});
