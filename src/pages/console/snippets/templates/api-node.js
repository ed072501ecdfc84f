// npm install jose@6, then start this file: it answers whoever brings an access token for this API.
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const keys = createRemoteJWKSet(new URL('{{issuer}}/.well-known/jwks.json'));

/** What an access token for this API says; throws for every other token. */
async function claimsOf(request) {
  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) throw new Error('no access token');
  const { payload } = await jwtVerify(token, keys, {
    issuer: '{{issuer}}',
    audience: '{{audience}}',
    typ: 'at+jwt', // an id_token is no access token (RFC 9068 §4)
    algorithms: ['ES256'],
    requiredClaims: ['exp', 'sub', 'client_id'],
  });
  return payload;
}

createServer(async (request, response) => {
  try {
    const { sub, client_id, scope = '' } = await claimsOf(request);
    // Here you answer what this person, this application and these scopes may have.
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ sub, client_id, scopes: scope.split(' ') }));
  } catch (error) {
    console.error(error.message);
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  }
}).listen(process.env.PORT ?? '{{apiPort}}');
