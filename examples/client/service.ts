// Owns everything said to the sign-in service: discovery, sign-in, renewal, profile, revocation.
import * as client from 'openid-client';
import { rethrow, SignInFailure } from './failures.ts';
import { type ClientSettings, isInsecureLocal } from './settings.ts';

/** What must be remembered, on the server, between sending a browser away and its return. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface Tokens {
  accessToken: string;
  refreshToken: string | undefined;
  scope: string;
  expiresAt: Date;
  /** Says to the service whose session it is to end. */
  idToken: string | undefined;
}

/** The members of contract §2.3; which are present depends on the granted scopes. */
export interface Profile {
  sub: string;
  name?: string;
  avatar?: string;
  updatedAt?: string;
  email?: string;
  emailVerified?: boolean;
  phone?: string;
}

const timeoutSeconds = 5;

/** The service, as this application sees it. Every function throws SignInFailure. */
export function createService(settings: ClientSettings) {
  let discovered: Promise<client.Configuration> | undefined;

  /** Discovery at first use, so that this application starts before the service does; a failure is not kept. */
  function configuration(): Promise<client.Configuration> {
    discovered ??= discover().catch((error: unknown) => {
      discovered = undefined;
      return rethrow(error);
    });
    return discovered;
  }

  function discover(): Promise<client.Configuration> {
    // the id_token's signature is checked too: over http on localhost no TLS vouches for it
    const execute = [client.enableNonRepudiationChecks];
    if (isInsecureLocal(settings.issuer)) execute.push(client.allowInsecureRequests);
    // contract §5: client_id and client_secret as form fields
    const authentication = client.ClientSecretPost(settings.clientSecret);
    const options = { execute, timeout: timeoutSeconds };
    return client.discovery(new URL(settings.issuer), settings.clientId, undefined, authentication, options);
  }

  function tokensFrom(response: client.TokenEndpointResponse, before?: Tokens): Tokens {
    return {
      accessToken: response.access_token,
      // each renewal brings a new refresh token, and the old one is dead (contract §3)
      refreshToken: response.refresh_token ?? before?.refreshToken,
      scope: response.scope ?? before?.scope ?? settings.scope,
      expiresAt: new Date(Date.now() + (response.expires_in ?? 0) * 1000),
      idToken: response.id_token ?? before?.idToken,
    };
  }

  return {
    /** Where to send the browser, and what to remember meanwhile; `language` is wished of the service's pages. */
    async beginSignIn(language: string): Promise<{ address: string; pending: PendingSignIn }> {
      const service = await configuration();
      const pending = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const address = client.buildAuthorizationUrl(service, {
        redirect_uri: `${settings.baseUrl}/callback`,
        scope: settings.scope,
        ui_locales: language,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, pending };
    },

    /** Exchanges the code. `query` is the callback's, with its question mark; `iss`, `state`, `nonce` and the id_token are checked. */
    async finishSignIn(query: string, pending: PendingSignIn): Promise<{ sub: string; tokens: Tokens }> {
      const service = await configuration();
      const checks = {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
        idTokenExpected: true,
      };
      const callback = new URL(`${settings.baseUrl}/callback${query}`);
      const response = await client.authorizationCodeGrant(service, callback, checks).catch(rethrow);
      const sub = response.claims()?.sub;
      if (sub === undefined) throw new SignInFailure('untrusted');
      return { sub, tokens: tokensFrom(response) };
    },

    /** New tokens for old; `grant_ended` when the service gives none any more. */
    async renew(tokens: Tokens): Promise<Tokens> {
      if (tokens.refreshToken === undefined) throw new SignInFailure('grant_ended');
      const service = await configuration();
      const response = await client.refreshTokenGrant(service, tokens.refreshToken).catch(rethrow);
      return tokensFrom(response, tokens);
    },

    /** Reads the profile; `token_refused` when the access token is expired or revoked. */
    async readProfile(tokens: Tokens, sub: string): Promise<Profile> {
      const service = await configuration();
      const answer = await client.fetchUserInfo(service, tokens.accessToken, sub).catch(rethrow);
      const profile: Profile = { sub: answer.sub };
      if (typeof answer.name === 'string') profile.name = answer.name;
      if (typeof answer.avatar === 'string' && isWebAddress(answer.avatar)) profile.avatar = answer.avatar;
      if (typeof answer.updated_at === 'string') profile.updatedAt = answer.updated_at;
      if (typeof answer.email === 'string') profile.email = answer.email;
      if (typeof answer.email_verified === 'boolean') profile.emailVerified = answer.email_verified;
      if (typeof answer.phone === 'string') profile.phone = answer.phone;
      return profile;
    },

    /**
     * Where the browser signs out of the service, too, and comes back from (RP-Initiated Logout 1.0). With the id_token the
     * service need not ask, and ends that one session.
     */
    async signOutAddress({ idToken }: Tokens): Promise<string> {
      const parameters = {
        post_logout_redirect_uri: `${settings.baseUrl}/signed-out`,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      };
      return client.buildEndSessionUrl(await configuration(), parameters).href;
    },

    /** Revokes the refresh token, and with it the whole grant. */
    async revoke(tokens: Tokens): Promise<void> {
      const service = await configuration();
      const [token, hint] = tokens.refreshToken
        ? [tokens.refreshToken, 'refresh_token']
        : [tokens.accessToken, 'access_token'];
      await client.tokenRevocation(service, token, { token_type_hint: hint }).catch(rethrow);
    },
  };
}

function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
