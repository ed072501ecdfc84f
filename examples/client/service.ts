// Sends all requests to the service: discovery, sign-in, token refresh, profile and revocation.
import * as client from 'openid-client';
import { rethrow, SignInFailure } from './failures.ts';
import { type ClientSettings, isLoopbackHttp } from './settings.ts';

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
  /** Sent as `id_token_hint` at logout. */
  idToken: string | undefined;
}

/** Claims outside the granted scopes are undefined. */
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

/** The returned functions throw SignInFailure if a request fails. */
export function createService(settings: ClientSettings) {
  let configurationPromise: Promise<client.Configuration> | undefined;

  /** Runs discovery on first use, so the client can start before the service. Failures aren't cached. */
  function getConfiguration(): Promise<client.Configuration> {
    configurationPromise ??= discover().catch((error: unknown) => {
      configurationPromise = undefined;
      return rethrow(error);
    });
    return configurationPromise;
  }

  function discover(): Promise<client.Configuration> {
    // Plain HTTP to localhost doesn't authenticate the service, so the id_token's signature is verified.
    const execute = [client.enableNonRepudiationChecks];
    if (isLoopbackHttp(settings.issuer)) execute.push(client.allowInsecureRequests);
    const authentication = client.ClientSecretPost(settings.clientSecret);
    const options = { execute, timeout: timeoutSeconds };
    return client.discovery(new URL(settings.issuer), settings.clientId, undefined, authentication, options);
  }

  function toTokens(response: client.TokenEndpointResponse, previous?: Tokens): Tokens {
    return {
      accessToken: response.access_token,
      refreshToken: response.refresh_token ?? previous?.refreshToken,
      scope: response.scope ?? previous?.scope ?? settings.scope,
      expiresAt: new Date(Date.now() + (response.expires_in ?? 0) * 1000),
      idToken: response.id_token ?? previous?.idToken,
    };
  }

  return {
    /**
     * @param language sent as `ui_locales`
     * @returns the authorization URL, and values to store until the callback
     */
    async beginSignIn(language: string): Promise<{ url: string; pending: PendingSignIn }> {
      const service = await getConfiguration();
      const pending = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(service, {
        redirect_uri: `${settings.baseUrl}/callback`,
        scope: settings.scope,
        ui_locales: language,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, pending };
    },

    /**
     * Checks `iss`, `state`, `nonce` and the id_token, then redeems the code.
     * @param query includes `?`
     */
    async finishSignIn(query: string, pending: PendingSignIn): Promise<{ sub: string; tokens: Tokens }> {
      const service = await getConfiguration();
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
      return { sub, tokens: toTokens(response) };
    },

    /** @throws SignInFailure `grant_ended` if the grant has expired or was revoked */
    async refresh(tokens: Tokens): Promise<Tokens> {
      if (tokens.refreshToken === undefined) throw new SignInFailure('grant_ended');
      const service = await getConfiguration();
      const response = await client.refreshTokenGrant(service, tokens.refreshToken).catch(rethrow);
      return toTokens(response, tokens);
    },

    /** @throws SignInFailure `token_refused` if the access token has expired or was revoked */
    async readProfile(tokens: Tokens, sub: string): Promise<Profile> {
      const service = await getConfiguration();
      const claims = await client.fetchUserInfo(service, tokens.accessToken, sub).catch(rethrow);
      const profile: Profile = { sub: claims.sub };
      if (typeof claims.name === 'string') profile.name = claims.name;
      // Standard OpenID Connect mode uses other claim names.
      const { picture = claims.avatar, phone_number: phone = claims.phone, updated_at: updatedAt } = claims;
      if (typeof picture === 'string' && isWebUrl(picture)) profile.avatar = picture;
      if (typeof updatedAt === 'string') profile.updatedAt = updatedAt;
      if (typeof updatedAt === 'number') profile.updatedAt = new Date(updatedAt * 1000).toISOString();
      if (typeof claims.email === 'string') profile.email = claims.email;
      if (typeof claims.email_verified === 'boolean') profile.emailVerified = claims.email_verified;
      if (typeof phone === 'string') profile.phone = phone;
      return profile;
    },

    /** With an id_token_hint, the service doesn't ask the user to confirm (RP-Initiated Logout 1.0). */
    async buildLogoutUrl({ idToken }: Tokens): Promise<string> {
      const parameters = {
        post_logout_redirect_uri: `${settings.baseUrl}/signed-out`,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      };
      return client.buildEndSessionUrl(await getConfiguration(), parameters).href;
    },

    async revoke(tokens: Tokens): Promise<void> {
      const service = await getConfiguration();
      const [token, hint] = tokens.refreshToken
        ? [tokens.refreshToken, 'refresh_token']
        : [tokens.accessToken, 'access_token'];
      await client.tokenRevocation(service, token, { token_type_hint: hint }).catch(rethrow);
    },
  };
}

function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
