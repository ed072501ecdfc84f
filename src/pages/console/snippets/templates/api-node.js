// npm install jose@6, then start this file: it answers whoever brings an access token for this API.
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const issuer = '{{issuer}}';
const api = '{{audience}}';
const challenge = '{{challenge}}';
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

/** What an access token for this API says; throws for every other token. */
async function claimsOf(token) {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: api,
    typ: 'at+jwt', // an id_token is no access token (RFC 9068 §4)
    algorithms: ['ES256'],
    requiredClaims: ['exp', 'sub', 'client_id'],
  });
  return payload;
}

createServer(async (request, response) => {
  const send = (status, body, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const refuse = (status, error) =>
    send(
      status,
      { error },
      { 'www-authenticate': `Bearer ${error ? `error="${error}", ` : ''}${challenge}` },
    );

  // Where programs learn who gives tokens for this API (RFC 9728).
  if (request.url === '{{metadataPath}}') {
    const document = {
      resource: api,
      authorization_servers: [issuer],
      scopes_supported: '{{scopes}}'.split(' '),
    };
    return send(200, document, { 'access-control-allow-origin': '*' });
  }

  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) return refuse(401);
  const claims = await claimsOf(token).catch((error) => console.error(error.message));
  if (claims === undefined) return refuse(401, 'invalid_token');
  const scopes = (claims.scope ?? '').split(' ');
  if (!scopes.includes('{{scope}}')) return refuse(403, 'insufficient_scope');
  // Here you answer what this person, this application and these scopes may have.
  send(200, { sub: claims.sub, client_id: claims.client_id, scopes });
}).listen(process.env.PORT ?? '{{apiPort}}');
