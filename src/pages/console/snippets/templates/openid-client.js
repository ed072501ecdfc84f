import { createServer } from 'node:http';
import * as client from 'openid-client';

const issuer = new URL(process.env.ISSUER);
const callback = process.env.REDIRECT_URI;
const config = await client.discovery(issuer, process.env.CLIENT_ID, process.env.CLIENT_SECRET, undefined, {
  // Allows http for local development.
  execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
});

/** Redirects the browser to sign in. A cookie stores state, nonce and PKCE verifier until the response. */
async function signIn(response) {
  const [state, nonce, verifier] = [
    client.randomState(),
    client.randomNonce(),
    client.randomPKCECodeVerifier(),
  ];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: process.env.SCOPE,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const secure = callback.startsWith('https:') ? '; Secure' : '';
  response.writeHead(303, {
    location: url.href,
    'set-cookie': `sign_in=${state}.${nonce}.${verifier}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax${secure}`,
  });
  response.end();
}

/** Checks the response, exchanges the code and reads the profile. Throws if a check fails. */
async function finishSignIn(request) {
  const [, cookie] = /(?:^|; )sign_in=([^;]+)/.exec(request.headers.cookie ?? '') ?? [];
  if (cookie === undefined) throw new Error('No sign-in was started in this browser.');
  const [expectedState, expectedNonce, pkceCodeVerifier] = cookie.split('.');
  const tokens = await client.authorizationCodeGrant(config, new URL(request.url, callback), {
    expectedState,
    expectedNonce,
    pkceCodeVerifier,
  });
  return client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
}

createServer(async (request, response) => {
  const { pathname } = new URL(request.url, callback);
  try {
    if (pathname === new URL(callback).pathname) {
      const profile = await finishSignIn(request);
      // Start your own session here: find or create your user by profile.sub.
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'sign_in=; Path=/; Max-Age=0',
      });
      response.end(JSON.stringify(profile));
    } else if (pathname === '/login') await signIn(response);
    else response.writeHead(404).end();
  } catch (error) {
    console.error(error.code, error.message);
    response.writeHead(400, { 'content-type': 'text/plain' }).end('Sign-in failed. Try again.');
  }
}).listen(process.env.PORT ?? '{{port}}');
