// Minimal OpenID Connect provider for benchmarks.
// A code is the id_token's subject and nonce, separated by a dot.
import formbody from '@fastify/formbody';
import fastify from 'fastify';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const issuer = `http://127.0.0.1:${process.env.PORT}`;
const { privateKey, publicKey } = await generateKeyPair('RS256');
const keys = [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' }];
const app = fastify();
await app.register(formbody);

app.get('/.well-known/openid-configuration', async () => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  id_token_signing_alg_values_supported: ['RS256'],
}));
app.get('/keys', async () => ({ keys }));
app.post<{ Body: { code: string } }>('/token', async ({ body }) => {
  const [sub = '', nonce = ''] = body.code.split('.');
  const token = new SignJWT({ nonce, email: 'ada@provider.example' })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
    .setIssuer(issuer)
    .setSubject(sub)
    .setAudience(process.env.CLIENT_ID ?? '')
    .setIssuedAt()
    .setExpirationTime('5 minutes');
  return { access_token: 'access', token_type: 'Bearer', id_token: await token.sign(privateKey) };
});

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
process.on('SIGTERM', () => process.exit(0));
