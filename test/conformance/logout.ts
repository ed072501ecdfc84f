// What the logout plans need: an application with its addresses, and the way to the end-session endpoint and back.
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import type { Visit } from '../support/browser-session.ts';
import type { TestService } from '../support/service.ts';
import { discover, openRelyingParty, type RelyingParty, type SignedIn } from './relying-party.ts';

/** The registered address for the way back. */
export const BACK = 'https://client.example/post_logout_redirect';

const SET = statement(
  'test_set_logout_addresses',
  'update clients set post_logout_redirect_uris = $2, backchannel_logout_uri = $3 where client_id = $1',
);

export interface LogoutParty extends RelyingParty {
  signedIn: SignedIn;
  /** Long, as the suite's: 128 characters. */
  state: string;
  /** The parameters of a whole logout request. */
  whole(): Record<string, string>;
  /** Sends the person to the end-session endpoint; gives the page, or the way back. */
  logOut(parameters: Record<string, string>): Promise<Visit>;
  /** Whether a silent request still finds the person signed in. */
  isSignedIn(): Promise<boolean>;
}

/** A relying party whose person has just signed in. */
export async function openLogoutParty(
  service: TestService,
  backchannel: string | null,
): Promise<LogoutParty> {
  const rp = await openRelyingParty(service);
  await service.parts.database.query(SET, [rp.application.clientId, [BACK], backchannel]);
  const signedIn = await rp.signIn();
  const state = randomBytes(96).toString('base64url');
  const { end_session_endpoint: endpoint } = await discover(service);
  return {
    ...rp,
    signedIn,
    state,
    whole: () => ({ id_token_hint: signedIn.idToken, post_logout_redirect_uri: BACK, state }),
    logOut: async (parameters) =>
      rp.browser.follow(await rp.browser.get(`${endpoint}?${new URLSearchParams(parameters)}`)),
    isSignedIn: async () => {
      const sent = rp.request({ prompt: 'none' });
      const { answer, shown } = await rp.walk(await rp.open(sent), sent);
      expect(shown).toEqual([]);
      if (answer.code !== undefined) return true;
      expect(answer).toMatchObject({ error: 'login_required', state: sent.state });
      return false;
    },
  };
}
