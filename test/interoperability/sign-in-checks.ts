// Checks that a server snippet signs a user in and rejects invalid responses.
import { expect } from 'vitest';
import type { SnippetId } from '../../src/pages/console/snippets/templates.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { completeAuthorization, openSignedInBrowser } from '../support/oauth-flow.ts';
import { findFreePort, type TestClient, type TestService } from '../support/service.ts';
import type { SnippetServer } from './snippet-server.ts';
import { fetchIntegrationPages, readEnvFile, readSnippetFiles } from './snippets.ts';

export interface SignInSnippetTest {
  id: SnippetId;
  standard: boolean;
  /** Path of the redirect URI. */
  callback: string;
  /** Path that starts a sign-in. */
  login: string;
  /** False if the library doesn't use PKCE for confidential clients. */
  pkce?: false;
  /** Path that returns the signed-in user. If omitted, the response to the callback contains the user. */
  home?: string;
  /** Starts the snippet as a server on the port of `origin`. */
  start(
    files: string[],
    origin: string,
    application: TestClient,
    /** Content of the .env file from the integration page, with the secrets filled in. */
    env: string,
  ): Promise<SnippetServer>;
}

const ACCEPT_ANY_TYPE = { accept: '*/*' };

/** Starts the snippet, signs in, and sends authorization responses that the snippet must reject. */
export async function checkSignInSnippet(service: TestService, snippet: SignInSnippetTest): Promise<void> {
  const user = await service.createUser({ name: 'Zoé Lefèvre' });
  const origin = `http://localhost:${await findFreePort()}`;
  const application = await service.createClient({
    ownerId: user.userId,
    redirectUris: [`${origin}${snippet.callback}`],
    scopes: ['openid', 'profile', 'email'],
    standard: snippet.standard,
  });
  const page = await fetchIntegrationPages(service, user, application);
  const files = readSnippetFiles(page, snippet.id);
  expect(files.join('')).not.toContain(application.clientSecret);
  const server = await snippet.start(files, origin, application, readEnvFile(page, snippet.id, application));
  try {
    const clientBrowser = openBrowserSession(origin);
    const { location: url, body } = await clientBrowser.get(snippet.login);
    if (url === undefined) throw new Error(`No redirect to the service: ${body}\n${server.output()}`);
    for (const parameter of ['state', 'nonce', ...(snippet.pkce === false ? [] : ['code_challenge'])])
      expect(url.searchParams.get(parameter), parameter).toMatch(/^[\w.~=-]{16,}$/);
    expect(url.searchParams.get('redirect_uri')).toBe(`${origin}${snippet.callback}`);
    const callback = await completeAuthorization(await openSignedInBrowser(service, user), url);

    const isSignedInAfter = async (browser: typeof clientBrowser, callbackUrl: URL) => {
      const { status } = await browser.get(callbackUrl);
      return snippet.home === undefined
        ? status === 200
        : (await browser.get(snippet.home, ACCEPT_ANY_TYPE)).status === 200;
    };
    expect(
      await isSignedInAfter(openBrowserSession(origin), callback),
      'a browser without a sign-in in progress',
    ).toBe(false);
    const callbackWithWrongState = new URL(callback);
    callbackWithWrongState.searchParams.set('state', 'forged');
    const secondBrowser = openBrowserSession(origin);
    await secondBrowser.get(snippet.login);
    expect(
      await isSignedInAfter(secondBrowser, callbackWithWrongState),
      'a browser with a different state',
    ).toBe(false);

    const thirdBrowser = openBrowserSession(origin);
    const { location: urlWithoutNonce = url } = await thirdBrowser.get(snippet.login);
    urlWithoutNonce.searchParams.delete('nonce');
    const withoutNonce = await completeAuthorization(
      await openSignedInBrowser(service, user),
      urlWithoutNonce,
    );
    expect(await isSignedInAfter(thirdBrowser, withoutNonce), 'an id_token without the nonce').toBe(false);

    const response = await clientBrowser.get(callback);
    expect(response.status, `${response.body}\n${server.output()}`).toBeLessThan(400);
    const home =
      snippet.home === undefined ? response : await clientBrowser.get(snippet.home, ACCEPT_ANY_TYPE);
    expect(home.status, `${home.body}\n${server.output()}`).toBe(200);
    expect(JSON.parse(home.body)).toMatchObject({
      sub: user.userId,
      name: 'Zoé Lefèvre',
      email: user.email,
    });
  } finally {
    await server.stop();
  }
}
