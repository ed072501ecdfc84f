// Serves only requests with an access token for this API.
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const issuer = '{{issuer}}';
const api = '{{audience}}';
const challenge = '{{challenge}}';
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

/** Returns the claims of an access token for this API. Throws for any other token. */
async function claimsOf(token) {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: api,
    // Rejects id_tokens (RFC 9068 §4).
    typ: 'at+jwt',
    algorithms: ['ES256'],
    requiredClaims: ['exp', 'sub', 'client_id'],
  });
  return payload;
}

createServer(async (request, response) => {
  const send = (status, body, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const reject = (status, error) =>
    send(
      status,
      { error },
      { 'www-authenticate': `Bearer ${error ? `error="${error}", ` : ''}${challenge}` },
    );

  // Protected resource metadata, which names the issuer of tokens for this API (RFC 9728).
  if (request.url === '{{metadataPath}}') {
    const document = {
      resource: api,
      authorization_servers: [issuer],
      scopes_supported: '{{scopes}}'.split(' '),
    };
    return send(200, document, { 'access-control-allow-origin': '*' });
  }

  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) return reject(401);
  const claims = await claimsOf(token).catch((error) => console.error(error.message));
  if (claims === undefined) return reject(401, 'invalid_token');
  const scopes = (claims.scope ?? '').split(' ');
  if (!scopes.includes('{{scope}}')) return reject(403, 'insufficient_scope');
  // Respond with the data that this user (sub), client (client_id) and scope may access.
  send(200, { sub: claims.sub, client_id: claims.client_id, scopes });
}).listen(process.env.PORT ?? '{{apiPort}}');
