// What every copied server that signs people in must do: let in who signed in, in both modes, and nobody else.
import { expect } from 'vitest';
import type { SnippetId } from '../../src/pages/console/snippets/templates.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { goThrough, signedInBrowser } from '../support/flow.ts';
import { freePort, type TestApplication, type TestService } from '../support/service.ts';
import { envOf, filesOf, integratePageOf } from './copied.ts';
import type { CopiedServer } from './copied-server.ts';

export interface Trial {
  id: SnippetId;
  standard: boolean;
  /** The path of the callback URL that is registered. */
  callback: string;
  /** Where a sign-in begins. */
  login: string;
  /** Whether the library uses PKCE with a secret; they do, unless it is said here. */
  pkce?: false;
  /** A page for those who are signed in, which shows them; without one, the answer at the callback does. */
  home?: string;
  /** Runs the files of the snippet at an origin. */
  start(
    files: string[],
    origin: string,
    application: TestApplication,
    /** The file .env of the page, with its secrets. */
    env: string,
  ): Promise<CopiedServer>;
}

const ANYTHING = { accept: '*/*' };

/** Copies a server's code, starts it, signs in, and tries what must not succeed. */
export async function expectSignIn(service: TestService, trial: Trial): Promise<void> {
  const person = await service.createUser({ name: 'Zoé Lefèvre' });
  const origin = `http://localhost:${await freePort()}`;
  const application = await service.createApplication({
    ownerId: person.userId,
    redirectUris: [`${origin}${trial.callback}`],
    scopes: ['openid', 'profile', 'email'],
    standard: trial.standard,
  });
  const page = await integratePageOf(service, person, application);
  const files = filesOf(page, trial.id);
  expect(files.join('')).not.toContain(application.clientSecret);
  const server = await trial.start(files, origin, application, envOf(page, trial.id, application));
  try {
    const own = openBrowserSession(origin);
    const { location: address, body } = await own.get(trial.login);
    if (address === undefined) throw new Error(`no redirect to the service: ${body}\n${server.said()}`);
    for (const parameter of ['state', 'nonce', ...(trial.pkce === false ? [] : ['code_challenge'])])
      expect(address.searchParams.get(parameter), parameter).toMatch(/^[\w.~=-]{16,}$/);
    expect(address.searchParams.get('redirect_uri')).toBe(`${origin}${trial.callback}`);
    const callback = await goThrough(await signedInBrowser(service, person), address);

    const letsIn = async (browser: typeof own, answer: URL) => {
      const { status } = await browser.get(answer);
      return trial.home === undefined
        ? status === 200
        : (await browser.get(trial.home, ANYTHING)).status === 200;
    };
    expect(await letsIn(openBrowserSession(origin), callback), 'a browser that began nothing').toBe(false);
    const forged = new URL(callback);
    forged.searchParams.set('state', 'forged');
    const other = openBrowserSession(origin);
    await other.get(trial.login);
    expect(await letsIn(other, forged), 'another state').toBe(false);

    const stripped = openBrowserSession(origin);
    const { location: spoiled = address } = await stripped.get(trial.login);
    spoiled.searchParams.delete('nonce');
    const withoutNonce = await goThrough(await signedInBrowser(service, person), spoiled);
    expect(await letsIn(stripped, withoutNonce), 'an id_token without the nonce').toBe(false);

    const answer = await own.get(callback);
    expect(answer.status, `${answer.body}\n${server.said()}`).toBeLessThan(400);
    const shown = trial.home === undefined ? answer : await own.get(trial.home, ANYTHING);
    expect(shown.status, `${shown.body}\n${server.said()}`).toBe(200);
    expect(JSON.parse(shown.body)).toMatchObject({
      sub: person.userId,
      name: 'Zoé Lefèvre',
      email: person.email,
    });
  } finally {
    await server.stop();
  }
}
